"""What a step of training learns: the walks of an epoch, and the losses of what follows at every place of them.

Shapes in comments are those of `model`: B paths in a batch, T elements in a path, n triples in it, d the width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from farlink.engine.plan import TrainingPlan
from farlink.engine.trainer import AfterEpoch, Objective, Trainer, ending_alike
from farlink.graph.ids import Ids, Rows
from farlink.rsn.joint import JointGraph
from farlink.rsn.loss import Loss, make_loss
from farlink.rsn.model import PathModel
from farlink.rsn.triple_walks import sample_triple_paths
from farlink.rsn.walks import sample_paths
from farlink.settings import Settings, Steps

SAMPLERS: dict[Steps, Callable[..., Rows]] = {"entities": sample_paths, "triples": sample_triple_paths}


@dataclass(frozen=True)
class PathObjective:
    """Paths to predict step by step, and the losses with their noise."""

    examples: Rows
    entity_loss: Loss
    relation_loss: Loss
    start: Tensor | None = None  # directions in which entity vectors start, where they are not zero

    def prepare(self, model: PathModel) -> None:
        """Give entity vectors their start, and the output biases the level at which their loss begins to learn."""
        if self.start is not None:
            model.start_from(self.start)
        nn.init.constant_(model.entity_bias, self.entity_loss.initial_bias())
        nn.init.constant_(model.relation_bias, self.relation_loss.initial_bias())

    def loss(self, model: PathModel, batch: Tensor) -> Tensor:
        """The loss of all entities and of all relations that follow in the paths of a batch (B, T)."""
        hidden, noise = model(batch), torch.default_generator
        entities, relations = (batch[:, first::2].T.contiguous() for first in (2, 1))  # both (n, B)
        total: Tensor = self.entity_loss(  # states are (n, B, d)
            hidden.for_entities, entities, model.entity_out.weight, model.entity_bias, noise
        ) + self.relation_loss(hidden.for_relations, relations, model.relation_out.weight, model.relation_bias, noise)
        return total


def path_trainer(
    entities: int,
    relations: int,
    objective: Callable[[int, PathModel], Objective[PathModel]],
    after_epoch: AfterEpoch[PathModel],
    settings: Settings,
    checkpoint: Path,
) -> Trainer[PathModel]:
    """A trainer of the settings' path model, with fresh weights."""
    model = fresh_model(settings, entities, relations)
    return Trainer(model, ending_alike(objective, after_epoch), TrainingPlan.of(settings), checkpoint)


def fresh_model(settings: Settings, entities: int, relations: int) -> PathModel:
    """The settings' model with the fresh weights of their seed."""
    torch.manual_seed(settings.seed)
    return model_of(settings, entities, relations)


def path_objective(graph: JointGraph, settings: Settings, epoch: int, cross_bias: float) -> PathObjective:
    """Walks of an epoch over a graph, and the losses that suit it."""
    return PathObjective(walks_of(graph, settings, epoch, cross_bias), *path_losses(graph, settings))


def walks_of(graph: JointGraph, settings: Settings, epoch: int, cross_bias: float) -> Rows:
    """The paths of an epoch: drawn for it, or those of an earlier one in another order."""
    again = settings.walk_epochs and epoch >= settings.walk_epochs
    paths = SAMPLERS[settings.walk_steps](
        graph,
        length=settings.walk_length,
        walks_per_triple=settings.walks_per_triple,
        depth_bias=settings.depth_bias,
        cross_bias=cross_bias,
        seed=settings.seed,
        epoch=epoch % settings.walk_epochs if again else epoch,
    )
    return np.random.default_rng([settings.seed, epoch]).permutation(paths) if again else paths


def path_losses(graph: JointGraph, settings: Settings) -> tuple[Loss, Loss]:
    """The losses of entities and of relations, with noise as frequent as these are in the graph."""
    _, relation, tail = graph.triples.T  # every entity is a tail as often as a head
    return (
        make_loss(settings.loss, _frequency(tail, graph.entities), settings.entity_negatives),
        make_loss(settings.loss, _frequency(relation, graph.relations), settings.relation_negatives),
    )


def model_of(settings: Settings, entities: int, relations: int) -> PathModel:
    """The settings' model, with fresh weights."""
    return PathModel(
        entities,
        relations,
        width=settings.width,
        layers=settings.layers,
        kind=settings.model,
        cell=settings.cell,
        dropout=settings.dropout,
        norm=settings.norm,
    )


def _frequency(ids: Ids, count: int) -> Tensor:
    return torch.from_numpy(np.bincount(ids, minlength=count))
