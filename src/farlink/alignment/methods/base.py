"""What all methods have in common: two graphs side by side, a model, an objective for each epoch, vectors in the end.

Below stands what several of the methods of others share: translations and their losses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np
import torch
from numba import get_num_threads, njit, prange
from torch import Tensor, nn

from farlink.alignment.candidates import Candidates, PairScorer
from farlink.alignment.evidence import Evidence
from farlink.alignment.readings import NO_READINGS, Readings
from farlink.alignment.texts import Texts
from farlink.engine.plan import TrainingPlan
from farlink.engine.row_adam import rows_of
from farlink.engine.trainer import Model, Objective
from farlink.graph.edges import side_by_side
from farlink.graph.ids import Pairs, Rows, Triples, unseeded
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.rsn.joint import JointGraph
from farlink.settings import AlignmentSettings

AGAINST = 0.1  # weight of the distance of wrong triples
REACH = 2.0  # squared distance beyond which a wrong triple is far enough off
PASSES = 5  # over the triples in an epoch: one pass is too short to be worth a validation


@dataclass(frozen=True)
class TwoGraphs:
    """Two graphs with the ids of the right one behind those of the left one."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    readings: Readings = NO_READINGS  # of the names of both
    texts: Texts | None = None  # of the entities of both, by an encoder

    @property
    def first_right(self) -> int:
        """The id from which on entities are those of the right graph."""
        return len(self.left.entities)

    @property
    def entities(self) -> int:
        """How many there are on both sides."""
        return len(self.left.entities) + len(self.right.entities)

    @property
    def relations(self) -> int:
        """How many there are on both sides."""
        return len(self.left.relations) + len(self.right.relations)

    @cached_property
    def triples(self) -> Triples:
        """The triples of both sides."""
        return side_by_side(self.left, self.right)

    def shifted(self, links: Pairs) -> Pairs:
        """(left id, right id) rows with the right ids behind the left ones."""
        return links + np.array([0, self.first_right], dtype=np.int32)


@dataclass(frozen=True)
class Epoch:
    """An epoch of training, and what is known in it."""

    number: int  # from 0
    links: Pairs  # the seeds, and behind them what was found for this epoch


class Method(ABC, Generic[Model]):
    """A way to give the entities of two graphs vectors that can be compared.

    Of the links of a task a method sees the seeds only. What it does follows from these, the graphs and the settings.
    """

    trains = True  # whether it has a model that learns

    def __init__(
        self, graphs: TwoGraphs, seeds: Pairs, settings: AlignmentSettings, rejected: Pairs | None = None
    ) -> None:
        self.graphs, self.seeds, self.settings, self.rejected = graphs, seeds, settings, rejected
        torch.manual_seed(settings.seed)
        self.model = self.fresh_model()

    @abstractmethod
    def fresh_model(self) -> Model:
        """A model that has learned nothing."""

    @abstractmethod
    def objective(self, epoch: Epoch) -> Objective[Model]:
        """What an epoch learns from."""

    @abstractmethod
    def vectors(self, model: Model) -> Tensor:
        """Vectors of all entities, those of the right graph behind those of the left one."""

    def plan(self) -> TrainingPlan:
        """How long and how fast the model learns."""
        return TrainingPlan.of(self.settings)

    def find_links(self, number: int, known: Pairs, model: Model) -> Pairs:
        """Links to learn from like seeds in an epoch, given those of the epoch before; most methods look for none."""
        return self.seeds[:0]

    def after_epoch(self, epoch: Epoch, model: Model) -> None:
        """Bring up to date what the model remembers beside its weights."""

    def sides(self, model: Model) -> tuple[Tensor, Tensor]:
        """The vectors of the left and of the right entities, by which the model is validated."""
        vectors, border = self.vectors(model), self.graphs.first_right
        return vectors[:border], vectors[border:]

    def compared(self, model: Model, links: Pairs) -> tuple[Tensor, Tensor]:
        """The vectors by which left and right entities are compared when training is over, given all known links."""
        return self.sides(model)

    def kept(self, model: Model) -> dict[str, Tensor]:
        """What is kept of a trained model: what `compared_of` needs."""
        left, right = self.sides(model)
        return {"left": left.contiguous(), "right": right.contiguous()}

    @classmethod
    def compared_of(
        cls, kept: dict[str, Tensor], graphs: TwoGraphs, links: Pairs, settings: AlignmentSettings
    ) -> tuple[Tensor, Tensor]:
        """The vectors by which entities are compared, from what was kept."""
        return kept["left"], kept["right"]

    @classmethod
    def description(cls, settings: AlignmentSettings) -> str:
        """What was trained, for the report."""
        return f"The method `{settings.method}` with vectors of length {settings.width}"

    @cached_property
    def scorer(self) -> PairScorer:
        """What lists and scores pairs, by all that the settings let it read."""
        graphs, aids = self.graphs, (self.graphs.readings, self.graphs.texts)
        return PairScorer(graphs.left, graphs.right, self.seeds, self.settings, self.rejected, *aids)

    @property
    def evidence(self) -> Evidence:
        """What agreeing triples say about pairs, given the seeds."""
        return self.scorer.evidence

    def candidates(self, model: Model, k: int) -> Candidates:
        """The k nearest by cosine of every entity that is no seed."""
        left, right = self.sides(model)
        pools = unseeded(len(left), self.seeds[:, 0]), unseeded(len(right), self.seeds[:, 1])
        return Candidates.nearest(left, right, pools, k, self.settings.sinkhorn_rounds)


@dataclass(frozen=True)
class TripleObjective(Generic[Model]):
    """Triples in random order, several times over, and what is made of a batch of them."""

    examples: Rows
    learn: Callable[[Model, Tensor], Tensor]

    @classmethod
    def of_epoch(
        cls, triples: Triples, seed: int, epoch: int, learn: Callable[[Model, Tensor], Tensor], passes: int = PASSES
    ) -> TripleObjective[Model]:
        """An order of its own for every pass."""
        rng = np.random.default_rng([seed, epoch])
        order = np.concatenate([rng.permutation(len(triples)) for _ in range(passes)])
        return cls(triples[order], learn)

    def prepare(self, model: Model) -> None:
        """A fresh model is ready as it is."""

    def loss(self, model: Model, batch: Tensor) -> Tensor:
        """The loss on some triples."""
        return self.learn(model, batch)


def corrupted(triples: Tensor, entities: int, times: int) -> Tensor:
    """Each triple `times` times with another head or another tail, at random; (times * B, 3)."""
    wrong = triples.repeat(times, 1)
    side = torch.randint(0, 2, (len(wrong),)) * 2
    wrong[torch.arange(len(wrong)), side] = torch.randint(0, entities, (len(wrong),))
    return wrong


def one_way(joint: JointGraph, graphs: TwoGraphs) -> Triples:
    """The triples of a joint graph without their reverses."""
    return joint.triples[joint.triples[:, 1] < graphs.relations]


class Translation(nn.Module):
    """TransE: entities are vectors of length one, a relation leads from head to tail (Bordes et al. 2013)."""

    def __init__(self, entities: int, relations: int, width: int) -> None:
        super().__init__()
        self.entity, self.relation = (nn.Parameter(torch.empty(count, width)) for count in (entities, relations))
        for table in (self.entity, self.relation):
            nn.init.xavier_normal_(table)

    def distances(self, right: Tensor, wrong: Tensor) -> tuple[Tensor, Tensor]:
        """‖s + r - o‖² of each right and of each wrong triple, in one pass."""
        triples = torch.cat([right, wrong])
        distance: Tensor = _Distance.apply(self.entity, self.relation, triples)  # type: ignore[no-untyped-call]
        return distance[: len(right)], distance[len(right) :]

    def unit(self, entities: Tensor) -> Tensor:
        """The vectors of some entities."""
        return nn.functional.normalize(rows_of(self.entity, entities), dim=1)

    def apart(self, pairs: Tensor) -> Tensor:
        """Squared distance of the vectors of each pair of entities."""
        return (self.unit(pairs[:, 0]) - self.unit(pairs[:, 1])).square().sum(1)

    def vectors(self) -> Tensor:
        """The vectors of all entities, when nothing is to be learned from them."""
        return nn.functional.normalize(self.entity.detach(), dim=1)


def nearness_loss(right: Tensor, wrong: Tensor) -> Tensor:
    """JAPE's: right triples are to be near, wrong ones far off, which weighs little, and nothing beyond a reach."""
    return right.mean() - AGAINST * wrong.clamp(max=REACH).mean()


class _Distance(torch.autograd.Function):
    """Of entities brought to length one; without the copies that gathering the vectors of every triple would make."""

    @staticmethod
    def forward(ctx: Any, entity: Tensor, relation: Tensor, triples: Tensor) -> Tensor:
        length = entity.norm(dim=1)
        ctx.save_for_backward(entity, length, relation, triples)
        return torch.from_numpy(_distances(*(t.detach().numpy() for t in (entity, length, relation, triples))))

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        tensors = entity, _, relation, _ = ctx.saved_tensors
        gradients = torch.zeros_like(entity), torch.zeros_like(relation)
        arrays = [tensor.detach().numpy() for tensor in (*tensors, upstream.contiguous(), *gradients)]
        arguments: list[Any] = [*arrays, get_num_threads()]
        _add_gradients(*arguments)
        return *gradients, None


# Sums of many terms may be taken in any order, which lets the compiler add up several at once.
@njit(parallel=True, cache=True, fastmath={"reassoc", "contract"})
def _distances(entity, length, relation, triples):  # type: ignore[no-untyped-def]
    found = np.empty(len(triples), np.float32)
    one = np.float32(1)  # a whole number would make it all float64
    for i in prange(len(triples)):
        head, step, tail = triples[i]
        by_head, by_tail = one / length[head], one / length[tail]
        total = np.float32(0)
        for column in range(entity.shape[1]):
            missed = entity[head, column] * by_head + relation[step, column] - entity[tail, column] * by_tail
            total += missed * missed
        found[i] = total
    return found


@njit(parallel=True, cache=True, fastmath={"reassoc", "contract"})
def _add_gradients(  # type: ignore[no-untyped-def]
    entity, length, relation, triples, upstream, d_entity, d_relation, blocks
):
    one, width = np.float32(1), entity.shape[1]
    for block in prange(blocks):  # of columns, so that no two threads add to the same number
        some = slice(block * width // blocks, (block + 1) * width // blocks)
        change = np.empty(some.stop - some.start, np.float32)
        for i in range(len(triples)):
            if upstream[i] == 0:
                continue
            head, step, tail = triples[i]
            twice = 2 * upstream[i]
            by_head, by_tail = twice / length[head], twice / length[tail]
            # one array is written at a time, or the compiler could not tell that they do not overlap
            for column in range(len(change)):
                place = some.start + column
                change[column] = (
                    entity[head, place] * by_head + twice * relation[step, place] - entity[tail, place] * by_tail
                )
            _add(d_entity[head, some], change, one)
            _add(d_relation[step, some], change, one)
            _add(d_entity[tail, some], change, -one)
    for row in prange(len(entity)):  # a change along the vector itself does nothing, for its length stays one
        by_length, along = one / length[row], np.float32(0)
        for column in range(width):
            along += d_entity[row, column] * entity[row, column]
        along *= by_length * by_length
        for column in range(width):
            d_entity[row, column] = (d_entity[row, column] - along * entity[row, column]) * by_length


@njit(cache=True)
def _add(total, change, sign):  # type: ignore[no-untyped-def]
    for column in range(len(total)):
        total[column] += sign * change[column]
