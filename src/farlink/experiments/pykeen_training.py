"""Trains a link-prediction model of PyKEEN, and asks it for scores of all entities. Only this file needs PyKEEN."""

from __future__ import annotations

import time
import warnings
from typing import Any

import torch
from pykeen.models import ConvE, model_resolver
from pykeen.stoppers import NopStopper
from pykeen.training import LCWATrainingLoop, SLCWATrainingLoop, TrainingLoop
from pykeen.triples import CoreTriplesFactory
from pykeen.utils import clamp_norm, project_entity
from torch import Tensor

from farlink.alignment.methods.pykeen import convolved
from farlink.graph.ids import Triples

MOST_EPOCHS = 1000
TURNED = ("DistMult", "ComplEx", "RotatE")  # a relation multiplies, and its conjugate takes that back
PROJECTED = ("TransR", "TransD")  # a relation has a space of its own for the entities
TAILS_ONLY = "ConvE"  # predicts tails, and heads as the tails of reverse relations


def facts(triples: Triples, entities: int, relations: int, name: str) -> CoreTriplesFactory:
    """Triples as PyKEEN has them."""
    return CoreTriplesFactory.create(
        torch.from_numpy(triples).long(),
        num_entities=entities,
        num_relations=relations,
        create_inverse_triples=name == TAILS_ONLY,
    )


def fresh_model(name: str, factory: CoreTriplesFactory, seed: int, choice: dict[str, Any]) -> Any:
    """A model with what was chosen for it."""
    options = {"triples_factory": factory, "random_seed": seed, **choice["model"]}
    options |= {key: choice[key] for key in ("loss", "loss_kwargs") if key in choice}
    return QuickConvE(**options) if name == TAILS_ONLY else model_resolver.make(name, **options)


class QuickConvE(ConvE):  # type: ignore[no-untyped-call]
    """PyKEEN's ConvE, which scores all tails by a product of two tables, in training, too.

    PyKEEN's own multiplies every state with every tail element by element, which takes gigabytes and far too long.
    """

    def score_t(self, hr_batch: Tensor, **_: Any) -> Tensor:
        """Scores of all tails."""
        vectors, bias = (representation() for representation in self.entity_representations)
        head, relation = hr_batch.T
        states = convolved(self, vectors[head], self.relation_representations[0](relation))
        return torch.addmm(bias, states, vectors.T)


class OutOfTime(NopStopper):
    """Stops after the epoch in which the time ends."""

    def __init__(self, seconds: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.end = time.monotonic() + seconds

    def should_evaluate(self, epoch: int) -> bool:
        """PyKEEN asks whether to stop only where it would evaluate."""
        return True

    def should_stop(self, epoch: int) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.end


def train(
    model: Any, factory: CoreTriplesFactory, *, rate: float, batch: int, negatives: int, seconds: float
) -> list[float]:
    """Train for some seconds, in whole epochs, one at the least: the loss of every epoch."""
    loop = _loop(model, factory, torch.optim.Adam(model.parameters(), lr=rate), negatives)
    torch.set_flush_denormal(True)  # Adam's moments of resting rows would slow the processor down
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "'pin_memory' argument")  # PyKEEN asks for it, whatever it is told
            losses = loop.train(
                factory,
                num_epochs=MOST_EPOCHS,
                batch_size=min(batch, factory.num_triples // 8),  # a small graph has to make several
                use_tqdm=False,
                drop_last=False,
                pin_memory=False,
                stopper=OutOfTime(seconds),
            )
    finally:
        torch.set_flush_denormal(False)
    return losses or []


def _loop(
    model: Any, factory: CoreTriplesFactory, optimiser: torch.optim.Optimizer, negatives: int
) -> TrainingLoop[Any]:
    """ConvE learns from all entities at once, the others from so many drawn wrong triples for each right one."""
    parts: dict[str, Any] = {"model": model, "triples_factory": factory, "optimizer": optimiser}
    if isinstance(model, QuickConvE):
        return LCWATrainingLoop(**parts)
    return SLCWATrainingLoop(**parts, negative_sampler_kwargs={"num_negs_per_pos": negatives})


class Scorer:
    """Asks a model of PyKEEN for tails, and for heads where the relation is a reverse."""

    def __init__(self, name: str, model: Any, relations: int) -> None:
        self.name, self.model, self.relations = name, model.eval(), relations

    @torch.no_grad()
    def __call__(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores of all entities for the questions (head, relation, ?)."""
        scores = torch.empty(len(head), self.model.num_entities)
        # of a model whose relations have their own spaces, each relation is a case of its own
        case = relation if self.name in PROJECTED else relation // self.relations
        for one in torch.unique(case):
            rows = (case == one).nonzero()[:, 0]
            scores[rows] = self._asked(head[rows], relation[rows])
        return scores

    def _asked(self, entity: Tensor, relation: Tensor) -> Tensor:
        """All questions ask for tails, or all for heads."""
        reverse = bool(relation[0] >= self.relations)
        relation = relation - self.relations if reverse else relation
        if self.name == TAILS_ONLY:
            return self._by_pykeen(entity, relation, reverse)
        if self.name in TURNED:
            return self._turned(entity, relation, reverse)
        return self._moved(entity, relation, reverse)

    def _by_pykeen(self, entity: Tensor, relation: Tensor, reverse: bool) -> Tensor:
        ends = (relation, entity) if reverse else (entity, relation)
        ask = self.model.predict_h if reverse else self.model.predict_t
        scores: Tensor = ask(torch.stack(ends, dim=1))
        return scores

    def _turned(self, entity: Tensor, relation: Tensor, reverse: bool) -> Tensor:
        vectors, turn = self.model.entity_representations[0](), self.model.relation_representations[0](relation)
        turned = _real(vectors[entity] * (turn.conj() if reverse else turn))
        if self.name == "RotatE":
            return -torch.cdist(turned, _real(vectors))
        return turned @ _real(vectors).T

    def _moved(self, entity: Tensor, relation: Tensor, reverse: bool) -> Tensor:
        step = self.model.relation_representations[0](relation)
        vectors = self._projected(relation[:1])
        moved = vectors[entity] - step if reverse else vectors[entity] + step
        return -torch.cdist(moved, vectors, p=1) if self.name == "TransE" else -torch.cdist(moved, vectors).square()

    def _projected(self, relation: Tensor) -> Tensor:
        """The entities in the space of a relation."""
        entities, relations = self.model.entity_representations, self.model.relation_representations
        vectors: Tensor = entities[0]()
        if self.name == "TransR":
            return clamp_norm(vectors @ relations[1](relation)[0], maxnorm=1.0, p=2, dim=-1)
        if self.name == "TransD":
            return project_entity(vectors, entities[1](), relations[1](relation))
        return vectors


def _real(vectors: Tensor) -> Tensor:
    """Complex vectors as real ones twice as long."""
    return torch.view_as_real(vectors).flatten(1) if vectors.is_complex() else vectors
