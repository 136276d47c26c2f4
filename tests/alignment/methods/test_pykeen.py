import sys

import pytest
import torch

from farlink.alignment.methods.base import Epoch
from farlink.alignment.methods.pykeen import LITTLE, convolved
from farlink.errors import FarlinkError

NAMES = ["transr", "transd", "conve", "rotate"]


@pytest.fixture(autouse=True)
def _pykeen():
    pytest.importorskip("pykeen", reason="PyKEEN is an optional extra")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transr", "transd"])
def test_it_aligns_the_demo_graphs(name, demo_hits):
    assert demo_hits(name, max_epochs=2) > 0.02  # a guess is right in one of 1,130 cases


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_loss_falls(name, make_method):
    method = make_method(name)
    objective = method.objective(Epoch(0, method.seeds))
    batch = torch.from_numpy(objective.examples[:256]).long()
    optimiser = torch.optim.Adam(method.model.parameters(), lr=0.01)
    losses = []
    method.model.train()
    for step in range(12):
        torch.manual_seed(step)
        loss = objective.loss(method.model, batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_entity_has_a_real_vector(name, make_method):
    method = make_method(name)
    vectors = method.vectors(method.model)
    assert len(vectors) == method.graphs.entities
    assert vectors.is_floating_point()


def test_the_ends_of_a_seed_stand_in_for_each_other(make_method):
    method = make_method("transd")
    known = {tuple(triple) for triple in method.triples.tolist()}
    partner = dict(method.graphs.shifted(method.seeds).tolist())
    swapped = [(partner[h], r, t) for h, r, t in method.graphs.triples.tolist() if h in partner]
    assert swapped
    assert set(swapped) <= known


def test_without_pykeen_it_says_what_to_install(make_method, monkeypatch):
    monkeypatch.setitem(sys.modules, "pykeen.models", None)
    with pytest.raises(FarlinkError, match="install farlink with the extra 'baselines'"):
        make_method("rotate")


def test_transr_scores_relation_by_relation_what_pykeen_scores_triple_by_triple(make_method):
    method = make_method("transr")
    triples = torch.from_numpy(method.objective(Epoch(0, method.seeds)).examples[:300]).long()
    learned = method.model.relation_representations[1]._embeddings.weight.data
    learned.normal_()
    scores = method._scores(method.model, triples)
    width = int(learned.shape[1] ** 0.5)
    learned.mul_(LITTLE).add_(torch.eye(width).flatten())  # PyKEEN's matrices are what they are
    torch.testing.assert_close(scores, method.model.score_hrt(triples)[:, 0])


def test_conve_scores_by_products_what_pykeen_scores_triple_by_triple(make_method):
    method = make_method("conve")
    h, r, t = batch = torch.from_numpy(method.objective(Epoch(0, method.seeds)).examples[:50]).long().T
    model = method.model.eval()
    vectors, biases = model.entity_representations
    states = convolved(model, vectors(h), model.relation_representations[0](r))
    torch.testing.assert_close((states * vectors(t)).sum(1) + biases(t), model.score_hrt(batch.T)[:, 0])


def test_what_is_relied_on_inside_conve_is_there(make_method):
    model = make_method("conve").model
    assert [tuple(representation.shape) for representation in model.entity_representations[1:]] == [()]  # the biases
    inside = model.interaction
    image = inside.shape_info
    width = image.input_channels * image.image_height * image.image_width
    assert width == model.entity_representations[0].shape[0]
    assert isinstance(inside.hr2d, torch.nn.Module)
    assert isinstance(inside.hr1d, torch.nn.Module)


def test_a_right_tail_of_conve_is_not_told_from_itself(make_method):
    method = make_method("conve")
    triple = torch.from_numpy(method.objective(Epoch(0, method.seeds)).examples[:1]).long()
    assert method._learn(method.model.eval(), triple.repeat(4, 1)) == 0  # there is nothing else to be taken for it
