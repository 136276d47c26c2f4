"""Link-prediction models of others, trained by PyKEEN on our splits and measured by our code."""

from __future__ import annotations

import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import torch
from pykeen.utils import clamp_norm, project_entity
from torch import Tensor

from farlink.alignment.methods.pykeen import convolved
from farlink.completion.ranking import both_sides
from farlink.completion.task import open_task
from farlink.errors import FarlinkError
from farlink.progress import Silent
from farlink.settings import make_completion_settings


def _margin(margin: float) -> dict[str, Any]:
    return {"loss": "nssa", "loss_kwargs": {"margin": margin, "adversarial_temperature": 1.0}}


# Distances and products are learned from drawn wrong triples, ConvE from all entities at once, heads by reverse
# relations. Widths, draws, rates and margins suit the minutes that a processor is given; short trainings, measured on
# validation triples of FB15K-237 and WN18, chose them. Bounded vectors want a small margin; fresh vectors
# of products are short, or nothing is learned for epochs.
SHORT = {name: partial(torch.nn.init.normal_, std=0.1) for name in ("entity_initializer", "relation_initializer")}
BASELINES: dict[str, dict[str, Any]] = {
    "TransE": {"model": {"embedding_dim": 128, "scoring_fct_norm": 1}, **_margin(9)},
    "TransR": {
        "model": {"embedding_dim": 64, "relation_dim": 64, "scoring_fct_norm": 2, "power_norm": True},
        **_margin(2),
    },
    "TransD": {"model": {"embedding_dim": 128, "relation_dim": 128}, **_margin(2)},
    "DistMult": {"model": {"embedding_dim": 128, "entity_constrainer": None, **SHORT}, **_margin(6)},
    "ComplEx": {"model": {"embedding_dim": 64, **SHORT}, **_margin(0)},
    "ConvE": {"model": {"embedding_dim": 200, "embedding_height": 10, "embedding_width": 20}, "loss": "bcewithlogits"},
    "RotatE": {"model": {"embedding_dim": 64}, **_margin(9)},
}
RATES = {"ConvE": 0.003, "ComplEx": 0.03}
RATE = 0.01  # of all others
BATCH = 1024
BATCHES = {"ConvE": 256}
NEGATIVES = 16  # drawn for every triple
MOST_EPOCHS = 1000


def train_baseline(folder: Path, name: str, seed: int, seconds: float) -> dict[str, Any]:
    """Train a model for some seconds (whole epochs, one at the least): metrics, cost and last loss."""
    try:
        from pykeen.models import model_resolver
        from pykeen.stoppers import NopStopper
        from pykeen.training import LCWATrainingLoop, SLCWATrainingLoop
        from pykeen.triples import CoreTriplesFactory

        from farlink.experiments.pykeen_models import Scorer, score_by_products
    except ImportError:
        raise FarlinkError("models of others need PyKEEN: install farlink with the extra 'baselines'") from None

    choice = BASELINES[name]
    task = open_task(folder, settings=make_completion_settings(seed=seed), reporter=Silent())
    relations = len(task.graph.relations)
    inverse = name == "ConvE"  # which only predicts tails
    factory = CoreTriplesFactory.create(
        torch.from_numpy(task.graph.triples).long(),
        num_entities=len(task.graph.entities),
        num_relations=relations,
        create_inverse_triples=inverse,
    )
    model = model_resolver.make(
        name,
        triples_factory=factory,
        loss=choice["loss"],
        loss_kwargs=choice.get("loss_kwargs"),
        random_seed=seed,
        **choice["model"],
    )
    if inverse:
        score_by_products(model)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATES.get(name, RATE))
    parts: dict[str, Any] = {"model": model, "triples_factory": factory, "optimizer": optimiser}
    negatives = {"num_negs_per_pos": NEGATIVES}
    loop: Any = LCWATrainingLoop(**parts) if inverse else SLCWATrainingLoop(**parts, negative_sampler_kwargs=negatives)
    batch = min(BATCHES.get(name, BATCH), factory.num_triples // 8)  # a small graph has to make several
    started = time.monotonic()

    class OutOfTime(NopStopper):
        """Stops after the epoch in which the time ends."""

        def should_evaluate(self, epoch: int) -> bool:
            return True

        def should_stop(self, epoch: int) -> bool:
            return time.monotonic() - started >= seconds

    torch.set_flush_denormal(True)  # Adam's moments of resting rows would slow the processor down
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "'pin_memory' argument")  # PyKEEN asks for it, whatever it is told
            losses = loop.train(
                factory,
                num_epochs=MOST_EPOCHS,
                batch_size=batch,
                use_tqdm=False,
                drop_last=False,
                pin_memory=False,
                stopper=OutOfTime(),  # type: ignore[no-untyped-call]
            )
    finally:
        torch.set_flush_denormal(False)
    took = time.monotonic() - started
    ranks = both_sides(Scorer(name, model, relations), task.test, task.known(with_test=True), relations)
    metrics = {"test": {side: found.summary() for side, found in ranks.items()}}
    cost = {"seconds": round(took, 1), "epochs": len(losses), "threads": torch.get_num_threads()}
    return {"metrics": metrics, **cost, "loss": losses[-1]}


TURNED = ("DistMult", "ComplEx", "RotatE")  # a relation multiplies, and its conjugate takes that back
PROJECTED = ("TransR", "TransD")  # a relation has a space of its own for the entities


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
        if self.name == "ConvE":
            return self._by_pykeen(entity, relation, reverse)
        entities, relations = self.model.entity_representations, self.model.relation_representations
        vectors, step = entities[0](), relations[0](relation)
        if self.name in TURNED:
            turned = vectors[entity] * (step.conj() if reverse else step)
            if self.name == "RotatE":
                return -torch.cdist(_real(turned), _real(vectors))
            return _real(turned) @ _real(vectors).T
        if self.name == "TransR":
            vectors = clamp_norm(vectors @ relations[1](relation[:1])[0], maxnorm=1.0, p=2, dim=-1)
        if self.name == "TransD":
            vectors = project_entity(vectors, entities[1](), relations[1](relation[:1]))
        moved = vectors[entity] - step if reverse else vectors[entity] + step
        return -torch.cdist(moved, vectors, p=1) if self.name == "TransE" else -torch.cdist(moved, vectors).square()

    def _by_pykeen(self, entity: Tensor, relation: Tensor, reverse: bool) -> Tensor:
        ends = (relation, entity) if reverse else (entity, relation)
        ask = self.model.predict_h if reverse else self.model.predict_t
        scores: Tensor = ask(torch.stack(ends, dim=1))
        return scores


def score_by_products(model: Any) -> None:
    """Let a ConvE of PyKEEN score all tails by a product of two tables, in training, too.

    Otherwise it multiplies every state with every tail element by element, which takes gigabytes and far too long.
    """

    def score_t(hr_batch: Tensor, **_: Any) -> Tensor:
        h, r, (tails, bias) = model._get_representations(h=hr_batch[:, 0], r=hr_batch[:, 1], t=None, mode=None)
        return torch.addmm(bias, convolved(model, h, r), tails.T)

    model.score_t = score_t


def _real(vectors: Tensor) -> Tensor:
    """Complex vectors as real ones twice as long."""
    return torch.view_as_real(vectors).flatten(1) if vectors.is_complex() else vectors
