import pytest
import torch

from farlink.experiments.pykeen_models import BASELINES

pytest.importorskip("pykeen", reason="PyKEEN, of the extra 'baselines', is not installed")

from pykeen.models import model_resolver
from pykeen.triples import CoreTriplesFactory

from farlink.experiments.pykeen_training import PROJECTED, OutOfTime, Scorer, fresh_model

ENTITIES, RELATIONS = 30, 4


@pytest.fixture(params=BASELINES)
def named(request):
    """Each model by name; projections are so large that some vectors, not all, are cut down to length one."""
    rng = torch.Generator().manual_seed(0)
    ends, relations = (torch.randint(most, (200, 2), generator=rng) for most in (ENTITIES, RELATIONS))
    factory = CoreTriplesFactory.create(
        torch.stack([ends[:, 0], relations[:, 0], ends[:, 1]], dim=1),
        num_entities=ENTITIES,
        num_relations=RELATIONS,
        create_inverse_triples=request.param == "ConvE",
    )
    model = fresh_model(request.param, factory, 0, BASELINES[request.param])
    if request.param in PROJECTED:
        with torch.no_grad():
            for parameter in model.relation_representations[1].parameters():
                parameter.mul_(6)
    return request.param, model


def test_scores_are_those_of_pykeen(named):
    name, model = named
    head = torch.arange(ENTITIES).repeat_interleave(2 * RELATIONS)
    relation = torch.arange(2 * RELATIONS).repeat(ENTITIES)
    scores = Scorer(name, model, RELATIONS)(head, relation)
    forward = relation < RELATIONS
    tails = model.predict_t(torch.stack([head[forward], relation[forward]], dim=1))
    heads = model.predict_h(torch.stack([relation[~forward] - RELATIONS, head[~forward]], dim=1))
    for found, right in ((scores[forward], tails), (scores[~forward], heads)):
        torch.testing.assert_close(found, right, rtol=0, atol=0.01 * float(right.std()))


def test_products_give_the_scores_and_gradients_of_conve():
    factory = CoreTriplesFactory.create(
        torch.tensor([[0, 0, 1], [1, 1, 2]]),
        num_entities=ENTITIES,
        num_relations=RELATIONS,
        create_inverse_triples=True,
    )
    choice = BASELINES["ConvE"]
    slow = model_resolver.make("ConvE", triples_factory=factory, random_seed=0, **choice["model"]).eval()
    quick = fresh_model("ConvE", factory, 0, choice).eval()
    quick.load_state_dict(slow.state_dict())
    asked = torch.tensor([[0, 0], [5, 3], [7, 6]])

    def scores_and_gradients(model):
        scores = model.score_t(asked)
        return scores, torch.autograd.grad(scores.square().sum(), list(model.parameters()))

    for found, right in zip(scores_and_gradients(quick), scores_and_gradients(slow), strict=True):
        torch.testing.assert_close(found, right)


def test_training_stops_after_the_epoch_in_which_its_time_ends():
    assert OutOfTime(0).should_evaluate(1)
    assert OutOfTime(0).should_stop(1)
    assert not OutOfTime(1e6).should_stop(1)
