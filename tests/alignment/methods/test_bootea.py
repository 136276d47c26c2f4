import numpy as np
import pytest
import torch

from farlink.alignment.methods.base import Epoch
from farlink.alignment.methods.bootea import ALONE, TRUNCATED


@pytest.mark.slow
def test_it_aligns_the_demo_graphs(demo_hits):
    assert demo_hits("bootea", max_epochs=4) > 0.3  # a guess is right in one of 1,130 cases


def test_linked_entities_stand_in_for_each_other(make_method):
    method = make_method("bootea")
    triples = method.graphs.triples
    link = next(link for link in method.graphs.shifted(method.seeds) if np.isin(link, triples[:, 0]).all())
    objective = method.objective(Epoch(0, link[None] - np.array([0, method.graphs.first_right], dtype=np.int32)))
    left, right = link
    for one, other in ((left, right), (right, left)):
        _, relation, tail = triples[triples[:, 0] == one][0]
        assert [other, relation, tail] in objective.examples.tolist()


def test_wrong_triples_come_to_be_hard_to_tell(make_method):
    method = make_method("bootea")
    model, border = method.model, method.graphs.first_right
    before = model.near.clone()
    method.after_epoch(Epoch(0, method.seeds), model)
    assert torch.equal(model.near, before)  # all alike to begin with
    method.after_epoch(Epoch(ALONE, method.seeds), model)
    vectors = model.vectors()
    own = vectors[:border] @ vectors[0]
    assert 0 not in model.near[0]
    assert (own[model.near[0].long()] >= own.quantile(1 - 2 * TRUNCATED)).all()
    assert model.near[:border].max() < border <= model.near[border:].min()


def test_links_are_sought_one_to_one_among_near_pairs(make_method):
    method = make_method("bootea")
    assert len(method.find_links(0, method.seeds, method.model)) == 0
    border = method.graphs.first_right
    with torch.no_grad():
        method.model.entity[border : border + 300] = method.model.entity[:300]
    found = method.find_links(ALONE, method.seeds, method.model)
    free = set(range(300)) - set(method.seeds.ravel().tolist())
    assert {(place, place) for place in free} <= {tuple(pair) for pair in found.tolist()}
    assert len(np.unique(found[:, 0])) == len(np.unique(found[:, 1])) == len(found)
