"""A graph network that learns from the links themselves which neighbours, by which relations, tell entities apart.

It is relational reflection with relation attention (Mao et al.: Relational Reflection Entity Alignment, CIKM 2020;
Boosting the Speed of Entity Alignment 10×: Dual Attention Matching Network, WWW 2021), without the latter's proxies.
An entity has no say in its own vector: it is what its neighbours are, each mirrored at the relation that leads there.
The two graphs are not joined; what brings them together is that the ends of a link are to be nearer to each other than
to anybody else, where those who come nearest count most.

Shapes in comments: n entities of both graphs, m directed edges, d the width, B links in a batch, N other entities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from torch import Tensor, nn
from torch.nn.functional import normalize

from farlink.dropout import dropout
from farlink.graph import Ids
from farlink.propagation import Surroundings
from farlink.settings import AlignmentSettings

WIDTH = 128
DEPTH = 2  # steps from an entity to the farthest neighbours that it is made of
RATE = 0.005
BATCH = 1024  # links in a step
STEPS = 10  # in an epoch, however many links there are
OTHERS = 4096  # entities that the ends of a link are told from in a step
DROPPED = 0.3  # share of the elements of a vector that are dropped in training
SHARPNESS = 30.0  # how much more those count who come nearest
BLOCKS = 8  # of entities; each sums up gradients by itself, so that sums do not depend on the number of threads
SLICE = 128  # links that are compared with others at a time
OUT = -1e6  # as good as no score at all, but finite where there is no other
PREFIX = "graph_network."  # of its weights among those of a run

Sides = tuple[Tensor, Tensor]  # vectors of the left and of the right entities


@dataclass(frozen=True)
class Edges:
    """Who is next to whom, in both directions, in compressed rows by entity."""

    start: NDArray[np.int64]
    neighbour: NDArray[np.int64]
    relation: NDArray[np.int64]
    twin: NDArray[np.int64]  # the place of the edge in the other direction
    source: NDArray[np.int64]  # the entity whose row it is

    @classmethod
    def of(cls, around: Surroundings) -> Edges:
        """The edges around all entities; the second half of the steps are the first half in the other direction."""
        order = np.argsort(around.arrivals, kind="stable")
        count = len(order)
        place = np.empty(count, dtype=np.int64)
        place[order] = np.arange(count)
        source = around.arrivals[order].astype(np.int64)
        neighbour, relation = around.steps[order].astype(np.int64).T
        start = np.searchsorted(source, np.arange(around.entities + 1))
        return cls(start, neighbour.copy(), relation.copy(), place[(order + count // 2) % count], source)


class GraphNetwork(nn.Module):
    """Makes the vectors of entities from what is around them."""

    def __init__(self, around: Surroundings, width: int = WIDTH) -> None:
        super().__init__()
        self.edges, self.entities = Edges.of(around), around.entities
        share = 1 / np.maximum(np.diff(self.edges.start), 1)[self.edges.source]
        ends = ((self.edges.neighbour, around.entities), (self.edges.relation, 2 * around.relations))
        self.means = [_matrix(share, self.edges.source, other, (around.entities, count)) for other, count in ends]
        self.entity = nn.Parameter(torch.empty(around.entities, width))
        self.relation = nn.Parameter(torch.empty(2 * around.relations, width))
        self.attention = nn.Parameter(torch.empty(2 * DEPTH, width))
        for parameter in self.parameters():
            nn.init.kaiming_uniform_(parameter)

    def forward(self) -> Tensor:
        """Vectors of all entities, (n, 2 (1 + DEPTH) d), made of those of neighbours, then of those of relations."""
        axes = normalize(self.relation, dim=1)
        views = []
        for number, (table, mean) in enumerate(zip((self.entity, self.relation), self.means, strict=True)):
            view = cast(Tensor, _Mean.apply(table, mean)).tanh()  # type: ignore[no-untyped-call]
            views.append(view)
            for attention in self.attention[number * DEPTH : (number + 1) * DEPTH]:
                weight = self._shares(self.relation @ attention)
                view = cast(Tensor, _Reflected.apply(view, axes, weight, self.edges)).tanh()  # type: ignore[no-untyped-call]
                views.append(view)
        return torch.cat(views, dim=1)

    @torch.no_grad()
    def vectors(self) -> Tensor:
        """The vectors by which entities are compared."""
        return normalize(self(), dim=1)

    def _shares(self, strength: Tensor) -> Tensor:
        """How an entity's attention is divided among its edges, (m), by the strengths of their relations."""
        source, relation = torch.from_numpy(self.edges.source), torch.from_numpy(self.edges.relation)
        weight = (strength - strength.detach().max()).exp().index_select(0, relation)
        total = torch.zeros(self.entities).index_add(0, source, weight)
        return weight / total.index_select(0, source)


@dataclass(frozen=True)
class LinkLessons:
    """Links whose ends are to be nearer to each other than to others."""

    examples: Ids  # ids of both graphs, those of the right one behind those of the left one

    @classmethod
    def of_epoch(cls, links: Ids, seed: int, epoch: int) -> LinkLessons:
        """So many links that an epoch has its steps, each link as often as any other, or once more."""
        dice = np.random.default_rng([seed, epoch])
        times = -(-STEPS * batch_of(links) // len(links))
        order = np.concatenate([dice.permutation(len(links)) for _ in range(times)])
        return cls(links[order[: STEPS * batch_of(links)]])

    def prepare(self, model: GraphNetwork) -> None:
        """A fresh network is ready as it is."""

    def loss(self, model: GraphNetwork, batch: Tensor) -> Tensor:
        """How little the ends of the links stand out from entities drawn at random."""
        others = torch.randperm(model.entities)[:OTHERS]
        chosen = torch.cat([batch[:, 0], batch[:, 1], others])
        rows = dropout(model().index_select(0, chosen), DROPPED)
        left, right, wrong = torch.split(rows, [len(batch), len(batch), len(others)])
        own = (others == batch[:, :1]) | (others == batch[:, 1:])  # (B, N)
        loss: Tensor = _Contrast.apply(left, right, wrong, own)  # type: ignore[no-untyped-call]
        return loss


def graph_pace(settings: AlignmentSettings, links: Ids) -> AlignmentSettings:
    """The settings of a run as they are for the training of the graph network."""
    pace = {
        "batch_size": batch_of(links),
        "learning_rate": RATE,
        "schedule": "constant",
        "max_epochs": settings.graph_epochs,
        "patience": 0,
        "clip_norm": np.inf,  # a sharp loss has steep gradients, and Adam does not mind
        "precision": "float32",  # the difference of two distances
    }
    return settings.model_copy(update=pace)


def beside(paths: Sides, graph: Sides) -> Sides:
    """The vectors of the path network and those of the graph network, which count the same, for each side."""
    left, right = (torch.cat([normalize(one, dim=1), other], dim=1) for one, other in zip(paths, graph, strict=True))
    return left, right


def kept_weights(network: GraphNetwork) -> dict[str, Tensor]:
    """The weights of a trained network, under names that tell them from those of the path network."""
    return {PREFIX + name: tensor for name, tensor in network.state_dict().items()}


def trained(around: Surroundings, weights: dict[str, Tensor]) -> GraphNetwork:
    """A network with weights that were kept, which may lie among others."""
    network = GraphNetwork(around)
    network.load_state_dict({name: weights[PREFIX + name] for name in network.state_dict()})
    return network


def batch_of(links: Ids) -> int:
    """Links in a step."""
    return min(BATCH, len(links))


class _Mean(torch.autograd.Function):
    """The mean of the vectors in a table that an entity has to do with."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, matrix: csr_array) -> Tensor:
        ctx.matrix = matrix
        return torch.from_numpy(matrix @ table.detach().numpy())

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        return torch.from_numpy(ctx.matrix.T @ upstream.numpy()), None


class _Reflected(torch.autograd.Function):
    """Σ of weight · (x - 2 (a·x) a) over an entity's edges: neighbours x, mirrored at the axes a of the relations."""

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, axes: Tensor, weight: Tensor, edges: Edges) -> Tensor:
        ctx.edges = edges
        ctx.save_for_backward(vectors, axes, weight)
        out = torch.zeros_like(vectors)
        arrays = (tensor.detach().numpy() for tensor in (vectors, axes, weight, out))
        _reflect(edges.start, edges.neighbour, edges.relation, *arrays)
        return out

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        edges, (vectors, axes, weight) = ctx.edges, ctx.saved_tensors
        gradients = torch.zeros_like(vectors), axes.new_zeros(BLOCKS, *axes.shape), torch.zeros_like(weight)
        tensors = (vectors, axes, weight, upstream.contiguous(), *gradients)
        arrays = (tensor.detach().numpy() for tensor in tensors)
        _pass_back(edges.start, edges.neighbour, edges.relation, edges.twin, *arrays)
        d_vectors, d_axes, d_weight = gradients
        return d_vectors, d_axes.sum(0), d_weight, None


class _Contrast(torch.autograd.Function):
    """log Σ_j exp(λ z_j), the mean over links and both ends, with z_j = ‖l - r‖² - ‖l - n_j‖² brought to unit variance.

    Mean and deviation of a link's z_j over all others n_j count as given. Scores are used while they are in the cache.
    """

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, others: Tensor, own: Tensor) -> Tensor:
        apart = (left - right).square().sum(1, keepdim=True)
        lengths = others.square().sum(1)
        d_left, d_right, d_others = (torch.zeros_like(rows) for rows in (left, right, others))
        pull, total = torch.zeros_like(apart), left.new_zeros((), dtype=torch.float64)
        for rows, gradient in ((left, d_left), (right, d_right)):
            for begin in range(0, len(rows), SLICE):
                part = slice(begin, begin + SLICE)
                a = rows[part]
                z = apart[part] - a.square().sum(1, keepdim=True) - lengths + 2 * (a @ others.T)
                deviation, mean = torch.std_mean(z, dim=1, keepdim=True, correction=0)
                slope = SHARPNESS / deviation.clamp(min=1e-6)
                z.sub_(mean).mul_(slope).masked_fill_(own[part], OUT)
                sums = z.logsumexp(1, keepdim=True)
                total += sums.sum(dtype=torch.float64)
                # from here on z is its gradient; what is next to nothing would become denormal numbers, which are slow
                share = z.sub_(sums).clamp_(min=-60).exp_().mul_(slope)
                pull[part] += share.sum(1, keepdim=True)
                gradient[part] = 2 * (share @ others) - 2 * share.sum(1, keepdim=True) * a
                d_others += 2 * (share.T @ a) - 2 * share.sum(0)[:, None] * others
        pull = 2 * pull * (left - right)
        count = 2 * len(left)
        ctx.save_for_backward(*(rows / count for rows in (d_left + pull, d_right - pull, d_others)))
        return (total / count).to(left.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        return *(gradient * upstream for gradient in ctx.saved_tensors), None


def _matrix(
    share: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]
) -> csr_array:
    return coo_array((share.astype(np.float32), (rows, columns)), shape=shape).tocsr()


# Sums of many terms may be taken in any order, which lets the compiler add up several at once.
@njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(one, other):  # type: ignore[no-untyped-def]
    total = np.float32(0)
    for column in range(len(one)):
        total += one[column] * other[column]
    return total


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def _reflect(start, neighbour, relation, vectors, axes, weight, out):  # type: ignore[no-untyped-def]
    for entity in prange(len(start) - 1):
        for edge in range(start[entity], start[entity + 1]):
            x, axis, share = vectors[neighbour[edge]], axes[relation[edge]], weight[edge]
            along = np.float32(2) * _dot(x, axis)
            for column in range(len(x)):
                out[entity, column] += share * (x[column] - along * axis[column])


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def _pass_back(  # type: ignore[no-untyped-def]
    start, neighbour, relation, twin, vectors, axes, weight, upstream, d_vectors, d_axes, d_weight
):
    two, entities = np.float32(2), len(start) - 1
    for block in prange(BLOCKS):
        for entity in range(block * entities // BLOCKS, (block + 1) * entities // BLOCKS):
            for edge in range(start[entity], start[entity + 1]):
                # what the entity was given
                x, axis, g = vectors[neighbour[edge]], axes[relation[edge]], upstream[entity]
                along, back = _dot(x, axis), _dot(g, axis)
                d_weight[edge] = _dot(g, x) - two * along * back
                # what it gave to that neighbour
                given, mirror, theirs = weight[twin[edge]], axes[relation[twin[edge]]], upstream[neighbour[edge]]
                across, scale = two * _dot(theirs, mirror), two * weight[edge]
                for column in range(len(x)):
                    d_axes[block, relation[edge], column] -= scale * (back * x[column] + along * g[column])
                    d_vectors[entity, column] += given * (theirs[column] - across * mirror[column])
