from math import isqrt

import numpy as np

from farlink.engine.random_bits import GOLDEN, mix

PUBLISHED = [  # the first numbers of splitmix64 with the seed 1234567, as Rosetta Code lists them
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


def test_the_numbers_are_those_of_splitmix64():
    with np.errstate(over="ignore"):
        counters = np.uint64(1234567) + GOLDEN * np.arange(1, 6, dtype=np.uint64)
    assert [int(mix(counter)) for counter in counters] == PUBLISHED


def test_the_step_is_the_golden_section_of_all_numbers():
    assert int(GOLDEN) == (isqrt(5 << 128) - (1 << 64)) // 2
