import pytest
import torch

from farlink.alignment.methods.base import AGAINST, REACH


@pytest.mark.slow
def test_it_aligns_the_demo_graphs(demo_hits):
    assert demo_hits("iptranse", max_epochs=4) > 0.12  # a guess is right in one of 1,130 cases


def test_a_composition_joins_the_ends_of_its_relation(make_method):
    method = make_method("iptranse")
    triples = {tuple(row) for row in method.joint.triples.tolist()}
    first, second, relation = method.composed[0].tolist()
    joined = [(s, o) for s, r, o in triples if r == relation]
    by_step = {}
    for s, r, o in triples:
        by_step.setdefault((s, r), set()).add(o)
    ways = sum(any(o in by_step.get((middle, second), ()) for middle in by_step.get((s, first), ())) for s, o in joined)
    assert ways >= 2


def test_the_composition_loss_is_least_where_relations_add_up(make_method):
    method = make_method("iptranse")
    method.composed = torch.tensor([[0, 1, 2]])
    with torch.no_grad():
        method.model.relation.copy_(100 * torch.randn_like(method.model.relation))
        method.model.relation[2] = method.model.relation[0] + method.model.relation[1]
    losses = []
    for seed in range(5):
        torch.manual_seed(seed)
        losses.append(float(method._composition_loss(method.model).detach()))
    assert min(losses) == pytest.approx(-AGAINST * REACH)  # right ones at no distance, wrong ones beyond the reach


def test_pairs_are_sought_after_some_epochs_and_only_near_mutual_ones(make_method):
    method = make_method("iptranse")
    assert len(method.find_links(0, method.seeds, method.model)) == 0
    border = method.graphs.first_right
    with torch.no_grad():
        free_left, free_right = ({*range(100)} - {*method.seeds[:, side].tolist()} for side in (0, 1))
        twins = list(zip(sorted(free_left)[:7], sorted(free_right)[:7], strict=True))
        for left, right in twins:
            method.model.entity[border + right] = method.model.entity[left]
    found = {tuple(pair) for pair in method.find_links(5, method.seeds, method.model).tolist()}
    assert found == set(twins)
