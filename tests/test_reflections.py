"""The graph network against the same in plain PyTorch, and what it learns."""

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from farlink import reflections
from farlink.linking import unseeded
from farlink.matching import target_ranks
from farlink.propagation import Surroundings
from farlink.reflections import Edges, GraphNetwork, LinkLessons
from pairs import Pair


@pytest.fixture
def around(pair):
    return Surroundings(pair.left, pair.right)


@pytest.fixture
def network(around) -> GraphNetwork:
    torch.manual_seed(0)
    return GraphNetwork(around, width=6)


def test_every_edge_has_its_twin(around):
    edges = Edges.of(around)
    assert np.array_equal(edges.twin[edges.twin], np.arange(len(edges.twin)))
    assert np.array_equal(edges.source[edges.twin], edges.neighbour)
    assert np.array_equal(edges.neighbour[edges.twin], edges.source)
    assert np.array_equal(edges.relation[edges.twin] % around.relations, edges.relation % around.relations)


def plainly(network):
    """What the network makes of its tables, edge by edge, with nothing but PyTorch."""
    edges = network.edges
    source, neighbour, relation = map(torch.from_numpy, (edges.source, edges.neighbour, edges.relation))
    empty = torch.zeros(network.entities, network.entity.shape[1])
    degree = torch.bincount(source, minlength=network.entities).clamp(min=1)[:, None]
    axes, views = normalize(network.relation, dim=1)[relation], []
    for number, messages in enumerate((network.entity[neighbour], network.relation[relation])):
        view = torch.tanh(empty.index_add(0, source, messages) / degree)
        views.append(view)
        for attention in network.attention[2 * number : 2 * number + 2]:
            strength = torch.exp(network.relation @ attention)[relation]
            weight = strength / torch.zeros(network.entities).index_add(0, source, strength)[source]
            x = view[neighbour]
            mirrored = x - 2 * (x * axes).sum(1, keepdim=True) * axes
            view = torch.tanh(empty.index_add(0, source, weight[:, None] * mirrored))
            views.append(view)
    return torch.cat(views, dim=1)


def gradients(network, made):
    """Gradients of the tables for some loss of what was made of them."""
    loss = (made * torch.arange(made.shape[1])).sin().sum()
    return torch.autograd.grad(loss, list(network.parameters()))


def test_neighbours_are_mirrored_at_their_relations_and_so_are_gradients(network):
    torch.testing.assert_close(network(), plainly(network))
    for own, plain in zip(gradients(network, network()), gradients(network, plainly(network)), strict=True):
        torch.testing.assert_close(own, plain, rtol=1e-3, atol=1e-3)


def test_sums_do_not_depend_on_the_number_of_threads(network):
    import numba

    threads, results = numba.get_num_threads(), []
    for count in {1, threads}:
        numba.set_num_threads(count)
        results.append(gradients(network, network()))
    numba.set_num_threads(threads)
    assert all(torch.equal(one, other) for one, other in zip(results[0], results[-1], strict=True))


def contrast(left, right, others, own):
    """The loss as its formula says."""
    total = 0.0
    for end in (left, right):
        z = (left - right).square().sum(1, keepdim=True) - torch.cdist(end, others).square()
        z = (z - z.mean(1, keepdim=True).detach()) / z.std(1, keepdim=True, correction=0).detach()
        total = total + (reflections.SHARPNESS * z).masked_fill(own, -torch.inf).logsumexp(1).mean() / 2
    return total


def test_the_loss_and_its_gradients_are_those_of_the_formula():
    dice = torch.Generator().manual_seed(1)
    rows = [torch.randn(count, 5, generator=dice, dtype=torch.float64).requires_grad_() for count in (300, 300, 40)]
    own = torch.rand(300, 40, generator=dice) < 0.05
    one, other = reflections._Contrast.apply(*rows, own), contrast(*rows, own)
    torch.testing.assert_close(one, other)
    for found, right in zip(torch.autograd.grad(one, rows), torch.autograd.grad(other, rows), strict=True):
        torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-6)


def test_where_there_is_nobody_else_the_loss_is_finite():
    rows = [torch.randn(1, 4).requires_grad_() for _ in range(3)]
    loss = reflections._Contrast.apply(*rows, torch.ones(1, 1, dtype=torch.bool))
    assert all(gradient.isfinite().all() for gradient in torch.autograd.grad(loss, rows))


def test_an_epoch_has_its_steps_and_every_link_as_often_as_any_other():
    links = np.arange(14, dtype=np.int32).reshape(7, 2)
    lessons = LinkLessons.of_epoch(links, seed=0, epoch=0)
    assert len(lessons.examples) == reflections.STEPS * 7
    assert np.array_equal(np.unique(lessons.examples[:, 0], return_counts=True)[1], np.full(7, reflections.STEPS))
    assert not np.array_equal(lessons.examples, LinkLessons.of_epoch(links, seed=0, epoch=1).examples)


def test_it_finds_the_counterparts_of_entities_that_it_was_not_told():
    pair = Pair.make(entities=200, triples=800)
    around = Surroundings(pair.left, pair.right)
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    known, sought = links[:100], links[100:]
    torch.manual_seed(0)
    network = GraphNetwork(around, width=32)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    lessons = LinkLessons.of_epoch(known + np.array([0, around.left], dtype=np.int32), seed=0, epoch=0)
    for _ in range(3):
        for batch in torch.from_numpy(lessons.examples).long().split(100):
            optimiser.zero_grad()
            lessons.loss(network, batch).backward()
            optimiser.step()
    left, right = around.sides(network.vectors())
    pool = unseeded(200, known[:, 1])
    ranks = target_ranks(left[sought[:, 0]], right[pool], np.searchsorted(pool, sought[:, 1]).astype(np.int32))
    assert ranks.summary()["hits@1"] > 0.5  # a guess is right in one of a hundred cases


def test_weights_are_kept_among_others_and_come_back(around):
    network = GraphNetwork(around)
    again = reflections.trained(around, {"another": torch.zeros(1), **reflections.kept_weights(network)})
    assert torch.equal(again.vectors(), network.vectors())


def test_both_networks_count_the_same():
    paths = torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])
    graph = torch.tensor([[1.0]]), torch.tensor([[1.0]])
    left, right = reflections.beside(paths, graph)
    torch.testing.assert_close(left, torch.tensor([[0.6, 0.8, 1.0]]))
    assert right.tolist() == [[0.0, 1.0, 1.0]]
