import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import farlink.completion.rules
from farlink.completion.rules import EPOCHS, RATE, Rules, learn_rules
from farlink.graph.edges import Edges, with_reverses

RELATIONS = 3
NEXT, PREVIOUS, SKIP = range(RELATIONS)
SIZE = 30


def ring(*, without=()):
    """Each entity has a next one, is previous to it, and skips to the one after it."""
    rows = []
    for one in range(SIZE):
        two, three = (one + 1) % SIZE, (one + 2) % SIZE
        rows += [(one, NEXT, two), (two, PREVIOUS, one), (one, SKIP, three)]
    return np.array([row for row in rows if row not in without], dtype=np.int32)


def learned(triples, most=50, seed=0):
    return learn_rules(with_reverses(triples, RELATIONS), SIZE, 2 * RELATIONS, most, seed)


def rules_of(rules, relation):
    """Steps and weights of a relation's rules."""
    own = slice(*rules.first[relation : relation + 2].tolist())
    return {tuple(steps): weight for steps, weight in zip(rules.steps[own].tolist(), rules.weight[own], strict=True)}


def reverse(relation):
    return (relation + RELATIONS) % (2 * RELATIONS)


def brute_force_ends(triples, x, steps):
    follow = lambda places, step: {int(t) for h, r, t in triples if h in places and r == step}  # noqa: E731
    if steps[1] < 0:
        return follow({x}, steps[0])
    ends = set()
    for z in follow({x}, steps[0]) - {x}:
        ends |= follow({z}, steps[1]) - {x, z}
    return ends


def test_a_path_that_always_holds_speaks_loud_and_one_that_seldom_does_is_quiet():
    seldom = [(place, SKIP, (place + 2) % SIZE) for place in range(4, SIZE)]
    rules = learned(ring(without=seldom))
    assert rules_of(rules, PREVIOUS)[reverse(NEXT), -1] > 1
    spoken = rules_of(learned(ring()), SKIP)[NEXT, NEXT]
    assert spoken > 1
    halves = np.concatenate([ring(), [(place, SKIP, (place + 9) % SIZE) for place in range(SIZE)]]).astype(np.int32)
    assert rules_of(learned(halves), SKIP)[NEXT, NEXT] < spoken  # now it leads to one of two answers only


def test_a_relation_is_no_rule_for_itself():
    for relation in range(2 * RELATIONS):
        assert (relation, -1) not in rules_of(learned(ring()), relation)


def test_a_missing_fact_is_found():
    missing = (5, PREVIOUS, 4)
    rules = learned(ring(without=[missing]))
    assert rules(torch.tensor([5]), torch.tensor([PREVIOUS])).argmax() == 4
    assert rules(torch.tensor([4]), torch.tensor([reverse(PREVIOUS)])).argmax() == 5


def test_only_so_many_rules_are_kept_the_commonest():
    rules = learned(ring(), most=1)
    assert (rules.first.diff() <= 1).all()


def test_the_same_seed_gives_the_same_rules():
    one, other = learned(ring(), seed=3), learned(ring(), seed=3)
    assert all(torch.equal(one.state_dict()[name], tensor) for name, tensor in other.state_dict().items())


def test_a_graph_without_paths_has_no_rules():
    rules = learned(np.array([[0, 0, 1]], dtype=np.int32))
    assert len(rules.steps) == 0
    assert (rules(torch.tensor([0]), torch.tensor([0])) == 0).all()


def test_paths_to_too_many_ends_say_nothing(monkeypatch):
    star = np.array([[0, 0, leaf] for leaf in range(1, 20)] + [[0, 1, leaf] for leaf in range(1, 20)], dtype=np.int32)
    edges = Edges.of_triples(with_reverses(star, RELATIONS), SIZE, 2 * RELATIONS)
    tensors = {"first": torch.tensor([0, 1, 1, 1, 1, 1, 1]), "steps": torch.tensor([[1, -1]], dtype=torch.int32)}
    rules = Rules(edges, {**tensors, "weight": torch.tensor([2.0])})
    assert (rules(torch.tensor([0]), torch.tensor([0]))[0, 1:20] == 2).all()
    # the limit is fixed when the code is compiled, so the same steps run here as plain Python
    ends = farlink.completion.rules._ends.py_func
    monkeypatch.setattr(farlink.completion.rules, "MOST_ENDS", 10)
    _, count = ends(edges, 0, np.array([1, -1]), np.full(SIZE, -1), 0, np.empty(64, np.int32), 0)
    assert count == 0


triples = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, RELATIONS - 1), st.integers(0, 7)), min_size=1, max_size=40, unique=True
)


@given(triples=triples, seed=st.integers(0, 100))
@settings(max_examples=50)
def test_scores_are_the_weights_of_all_paths_that_lead_to_an_entity(triples, seed):
    graph = with_reverses(np.array(triples, dtype=np.int32), RELATIONS)
    graph = np.unique(graph, axis=0)
    rules = learn_rules(graph, 8, 2 * RELATIONS, 20, seed)
    rules.weight.copy_(torch.randn(len(rules.weight), generator=torch.Generator().manual_seed(seed)))
    for x, relation, _ in graph[:5].tolist():
        expected = torch.zeros(8)
        for steps, weight in rules_of(rules, relation).items():
            for y in brute_force_ends(graph, x, steps):
                expected[y] += weight
        torch.testing.assert_close(rules(torch.tensor([x]), torch.tensor([relation]))[0], expected)


@given(triples=triples)
@settings(max_examples=50)
def test_rules_are_the_kinds_of_path_that_join_the_ends_of_two_triples_or_more(triples):
    graph = np.unique(with_reverses(np.array(triples, dtype=np.int32), RELATIONS), axis=0)
    rules = learn_rules(graph, 8, 2 * RELATIONS, 1000, 0)
    every_step = [*range(2 * RELATIONS)]
    kinds = [(one, two) for one in every_step for two in (-1, *every_step)]
    for relation in every_step:
        own = graph[graph[:, 1] == relation]
        times = {
            kind: sum(int(y) in brute_force_ends(graph, x, kind) for x, _, y in own)
            for kind in kinds
            if kind != (relation, -1)
        }
        assert set(rules_of(rules, relation)) == {kind for kind, count in times.items() if count > 1}


def cross_entropy(score, known):
    """The mean over the known answers: each is to stand out among the entities that are not known answers."""
    others = [place for place in range(len(score)) if place not in known]
    return sum(torch.logsumexp(score[[answer, *others]], 0) - score[answer] for answer in known) / len(known)


def test_the_gradient_is_that_of_the_cross_entropy_of_each_answer():
    """Against automatic differentiation."""
    score = torch.tensor([0.5, -1.0, 2.0, 0.0, 0.0, 0.0], dtype=torch.float64, requires_grad=True)
    reached, known = np.array([0, 1, 2]), np.array([2, 4])  # entity 4 is right and no path leads to it
    cross_entropy(score, known).backward()
    scratch = farlink.completion.rules._scratch(6, 1)
    scratch.score[:] = score.detach().numpy()
    scratch.is_reached[reached] = True
    farlink.completion.rules._push(known, reached, scratch)
    np.testing.assert_allclose(scratch.push[reached] / len(known), score.grad.numpy()[reached], rtol=1e-9)


@given(triples=triples)
@settings(max_examples=20)
def test_the_weights_are_those_of_adagrad_on_one_question_after_the_other(triples):
    """Against PyTorch's, with paths found by brute force: nothing of a question is left behind for the next."""
    graph = np.unique(with_reverses(np.array(triples, dtype=np.int32), RELATIONS), axis=0)
    rules = learn_rules(graph, 8, 2 * RELATIONS, 20, 0)
    for relation in np.unique(graph[:, 1]).tolist():
        found = rules_of(rules, relation)
        if not found:
            continue
        weight = torch.zeros(len(found), dtype=torch.float64, requires_grad=True)
        adagrad = torch.optim.Adagrad([weight], initial_accumulator_value=0.1, eps=0)
        for epoch in range(EPOCHS):
            adagrad.param_groups[0]["lr"] = RATE * (1 - epoch / EPOCHS)
            for x in np.unique(graph[graph[:, 1] == relation, 0]).tolist():
                leads = torch.zeros(8, len(found), dtype=torch.float64)
                for rule, steps in enumerate(found):
                    leads[list(brute_force_ends(graph, x, steps)), rule] = 1
                known = graph[(graph[:, 0] == x) & (graph[:, 1] == relation), 2].tolist()
                adagrad.zero_grad()
                cross_entropy(leads @ weight, known).backward()
                adagrad.step()
        np.testing.assert_allclose(list(found.values()), weight.detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("relation", [NEXT, SKIP])
def test_edges_are_ordered_and_complete(relation):
    edges = Edges.of_triples(ring(), SIZE, 2 * RELATIONS)
    assert {tuple(row) for row in edges.triples.tolist()} == {tuple(row) for row in ring().tolist()}
    begin, end = farlink.completion.rules._span(edges, 7, relation)
    assert edges.tail[begin:end].tolist() == [8 if relation == NEXT else 9]
