import numba
import numpy as np
import pytest
import torch

from farlink.engine.short_numbers import array_of, narrowed, widened


@numba.njit
def doubled(numbers):
    for i in range(len(numbers)):
        numbers[i] = narrowed(np.float32(2) * widened(numbers[i]), numbers[i])


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
def test_compiled_code_reads_and_writes_the_numbers_of_a_tensor(precision):
    numbers = (torch.randn(100) * 10.0 ** torch.arange(-50, 50).div(2)).to(precision)
    numbers[:2] = 0
    expected = 2 * numbers
    doubled(array_of(numbers))
    assert torch.equal(numbers, expected)


def test_a_number_is_rounded_to_the_nearest():
    values = torch.linspace(1, 2, 1000)
    short = torch.zeros(1000, dtype=torch.bfloat16)

    @numba.njit
    def write(numbers, values):
        for i in range(len(numbers)):
            numbers[i] = narrowed(values[i], numbers[i])

    write(array_of(short), values.numpy())
    assert (short.double() - values.double()).abs().max() <= 2.0**-8
    assert (short - values.bfloat16()).abs().max() <= 2.0**-7  # halves may go either way
