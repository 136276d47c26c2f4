import numpy as np
import polars as pl
import pytest
import torch
from torch.nn.functional import normalize

from farlink.alignment.views import (
    Neighbourhoods,
    compared_vectors,
    judging_views,
    learned_views,
    predicted_view,
    seed_views,
    start_vectors,
)
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.rsn.joint import join
from farlink.rsn.model import PathModel
from farlink.settings import make_settings
from helpers.pairs import Pair


def graph_of(*triples):
    return KnowledgeGraph.from_frame(pl.DataFrame(triples, schema=["h", "r", "t"], orient="row"))


def ids_of(graph, *names):
    return graph.ids(pl.Series(names))


LEFT = graph_of(("a", "r", "b"), ("a", "r", "c"), ("d", "r", "d"))
RIGHT = graph_of(("x", "q", "y"))


def test_a_step_divides_by_the_roots_of_both_degrees():
    neighbourhoods = Neighbourhoods(LEFT, RIGHT)
    a, b, c, d = ids_of(LEFT, "a", "b", "c", "d")
    matrix = neighbourhoods.neighbours.toarray()
    assert matrix[a, b] == matrix[b, a] == matrix[a, c] == pytest.approx(1 / np.sqrt(2))
    assert matrix[b, c] == 0
    assert matrix[d, d] == pytest.approx(1.0)
    x, y = ids_of(RIGHT, "x", "y") + len(LEFT.entities)
    assert matrix[x, y] == 1.0
    assert matrix[: neighbourhoods.left, neighbourhoods.left :].sum() == 0  # the graphs are not linked


def test_spreading_reaches_one_step_further_each_time():
    neighbourhoods = Neighbourhoods(LEFT, RIGHT)
    a, b, c, _ = ids_of(LEFT, "a", "b", "c", "d")
    marks = torch.zeros(neighbourhoods.entities, 2)
    marks[b, 0] = 3.0
    own, once, twice = neighbourhoods.spread(marks, 2)
    assert own[b].tolist() == [1.0, 0.0]
    assert once[a].tolist() == [1.0, 0.0]
    assert once[c].tolist() == [0.0, 0.0]
    assert twice[c].tolist() == [1.0, 0.0]


def test_known_pairs_share_a_vector():
    neighbourhoods = Neighbourhoods(LEFT, RIGHT)
    vectors = torch.randn(neighbourhoods.entities, 3)
    shared = neighbourhoods.shared(vectors, np.array([[0, 1]], dtype=np.int32))
    torch.testing.assert_close(shared[0], (vectors[0] + vectors[neighbourhoods.left + 1]) / 2)
    assert torch.equal(shared[0], shared[neighbourhoods.left + 1])
    assert torch.equal(shared[1], vectors[1])


def test_counterparts_around_the_same_seeds_look_alike(pair):
    neighbourhoods = Neighbourhoods(pair.left, pair.right)
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    views = seed_views(neighbourhoods, links[:20], make_settings(width=64))
    left, right = neighbourhoods.sides(torch.cat(views, dim=1))
    alike = torch.cosine_similarity(left[links[20:, 0]], right[links[20:, 1]])
    others = torch.cosine_similarity(left[links[20:, 0]], right[links[20:, 1]].roll(1, 0))
    assert alike.min() > 0.99  # the graphs are copies
    assert alike.mean() > others.mean() + 0.2


def test_views_have_rows_of_length_one_or_zero(pair):
    neighbourhoods = Neighbourhoods(pair.left, pair.right)
    pairs = np.array([[0, 0]], dtype=np.int32)
    views = seed_views(neighbourhoods, pairs, make_settings(width=8)) + learned_views(
        neighbourhoods, torch.randn(neighbourhoods.entities, 8), pairs
    )
    for view in views:
        length = view.norm(dim=1)
        assert (((length - 1).abs() < 1e-5) | (length < 1e-6)).all()


def test_training_starts_where_the_seeds_are_and_nowhere_else(pair):
    neighbourhoods = Neighbourhoods(pair.left, pair.right)
    vectors = start_vectors(neighbourhoods, np.array([[0, 0]], dtype=np.int32), make_settings(width=8))
    assert torch.equal(vectors[0], vectors[neighbourhoods.left])
    nobody = start_vectors(neighbourhoods, np.empty((0, 2), dtype=np.int32), make_settings(width=8))
    assert not nobody.any()


def test_the_prediction_for_an_entity_is_the_mean_over_the_steps_that_lead_to_it(pair):
    neighbourhoods = Neighbourhoods(pair.left, pair.right)
    relations = 2 * (len(pair.left.relations) + len(pair.right.relations))
    torch.manual_seed(0)
    model = PathModel(neighbourhoods.entities, relations, width=8, layers=1).eval()
    graph = join(pair.left, pair.right, np.empty((0, 2), dtype=np.int32))
    entity = neighbourhoods.left + 3
    steps = graph.triples[graph.triples[:, 2] == entity]
    states = model(torch.from_numpy(steps).long()).for_entities[0]
    expected = normalize(normalize(states, dim=1).sum(0), dim=0)
    torch.testing.assert_close(predicted_view(neighbourhoods, model)[entity], expected)


@pytest.mark.parametrize(("vectors", "width"), [("input", 8), ("both", 16), ("all", 3 * 16 + 8), ("seeds", 6 * 8)])
def test_the_setting_says_which_vectors_are_compared(pair, vectors, width):
    neighbourhoods = Neighbourhoods(pair.left, pair.right)
    model = PathModel(neighbourhoods.entities, 16, width=8).eval()
    settings = make_settings(vectors=vectors, width=8)
    left, right = compared_vectors(neighbourhoods, np.array([[0, 0]], dtype=np.int32), model, settings)
    assert left.shape == right.shape == (40, width)


def step_matrix(neighbourhoods, graphs):
    """Weights of steps, densely: with relations as often as they lead there."""
    size, matrix, offset = neighbourhoods.entities, np.zeros((neighbourhoods.entities,) * 2), 0
    for graph in graphs:
        for head, _, tail in graph.triples.tolist():
            matrix[head + offset, tail + offset] += 1
            matrix[tail + offset, head + offset] += 1
        offset += len(graph.entities)
    degree = np.maximum(matrix.sum(1), 1)
    assert matrix.shape == (size, size)
    return matrix / np.sqrt(np.outer(degree, degree))


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def test_what_comes_back_of_a_pairs_own_direction_is_left_out():
    """Each view after two steps is that of dense matrices, without the part that returns to where it began."""
    pair = Pair.make(entities=12, triples=20)
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)[:8]
    neighbourhoods, settings = Neighbourhoods(pair.left, pair.right), make_settings(width=16)
    left, right = judging_views(neighbourhoods, links, settings)
    own = seed_views(neighbourhoods, links, settings)[0].numpy().astype(float)
    steps = step_matrix(neighbourhoods, (pair.left, pair.right))
    around = steps @ own
    returned = steps / np.maximum(np.linalg.norm(around, axis=1), 1e-12)
    returned = np.diag(returned @ steps)  # of each entity's own mark, over each neighbour and back
    second = unit(steps @ unit(around) - returned[:, None] * own)
    third = unit(steps @ second)
    views = torch.cat([left, right]).numpy()
    for place, expected in enumerate((unit(around), second, third)):
        np.testing.assert_allclose(views[:, 16 * place : 16 * (place + 1)], expected, atol=1e-4)


def test_a_wrong_pair_does_not_look_alike_because_it_is_known():
    left = graph_of(("a", "r", "n"), ("b", "r", "m"), ("wrong", "r", "p"), ("p", "r", "q"))
    right = graph_of(("x", "q", "n"), ("y", "q", "m"), ("false", "q", "s"), ("s", "q", "t"))
    known = [("n", "n"), ("m", "m"), ("a", "x")]
    pair = (*ids_of(left, "wrong"), *ids_of(right, "false"))

    def alike(views, *names):
        links = np.array([(*ids_of(left, a), *ids_of(right, b)) for a, b in names], dtype=np.int32)
        ours, theirs = views(Neighbourhoods(left, right), links, make_settings(width=64, hops=3))
        width = 3 * 64  # what stands beside these goes by relations
        return float(torch.cosine_similarity(ours[pair[0], :width], theirs[pair[1], :width], dim=0))

    def seeded(neighbourhoods, links, settings):
        return neighbourhoods.sides(torch.cat(seed_views(neighbourhoods, links, settings), dim=1))

    assert alike(judging_views, *known) == pytest.approx(0)
    assert alike(judging_views, *known, ("wrong", "false")) == pytest.approx(0, abs=1e-3)
    assert alike(seeded, *known, ("wrong", "false")) > 0.3


def test_what_is_around_a_known_pair_still_makes_others_look_alike():
    left, right = graph_of(("a", "r", "n"), ("b", "r", "n")), graph_of(("x", "q", "n"), ("y", "q", "n"))
    links = np.array([(*ids_of(left, "n"), *ids_of(right, "n"))], dtype=np.int32)
    ours, theirs = judging_views(Neighbourhoods(left, right), links, make_settings(width=16))
    for one, other in (("a", "x"), ("b", "y")):
        (place,), (counterpart,) = ids_of(left, one), ids_of(right, other)
        assert torch.cosine_similarity(ours[place], theirs[counterpart], dim=0) > 0.9
