import pytest
import torch

from farlink.alignment.methods.mtranse import MTransE


@pytest.mark.slow
def test_it_aligns_the_demo_graphs(demo_hits):
    assert demo_hits("mtranse", max_epochs=6) > 0.2  # a guess is right in one of 1,130 cases


def test_the_left_vectors_are_compared_after_the_transition(make_method):
    method = make_method("mtranse")
    assert isinstance(method, MTransE)
    plain, border = method.model.vectors(), method.graphs.first_right
    moved = plain[:border] @ method.model.transition.weight.T
    torch.testing.assert_close(method.vectors(method.model), torch.cat([moved, plain[border:]]))


def test_it_looks_for_no_links(make_method):
    method = make_method("mtranse")
    assert len(method.find_links(9, method.seeds, method.model)) == 0
