"""Trains a method of others in the loop of all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from torch import Tensor, nn

from farlink.alignment.evaluation import validation_hits
from farlink.alignment.methods import METHODS, TwoGraphs
from farlink.alignment.run import AlignmentRun
from farlink.engine.plan import TrainingPlan
from farlink.engine.trainer import Objective, Trainer
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.settings import AlignmentSettings


class MethodTeacher:
    """Gives a method its objective, keeps the links it finds, and measures it on the validation links."""

    def __init__(
        self,
        graphs: tuple[KnowledgeGraph, KnowledgeGraph],
        seeds: Pairs,
        valid: Pairs,
        run: AlignmentRun,
        settings: AlignmentSettings,
    ) -> None:
        self.seeds, self.valid, self.run, self.settings = seeds, valid, run, settings
        self.method = METHODS[settings.method](TwoGraphs(*graphs), seeds, settings)
        self.epoch = 0

    def trainer(self, checkpoint: Path) -> Trainer[nn.Module]:
        """A trainer of the method's model, with fresh weights."""
        return Trainer(self.method.model, self.objective, self.after_epoch, TrainingPlan.of(self.settings), checkpoint)

    def objective(self, epoch: int, model: nn.Module) -> Objective[nn.Module]:
        """What an epoch learns from. Links found are kept in the folder: a resumed run goes on with the same ones."""
        self.epoch = epoch
        if self.run.found_for(epoch) is None:
            found = self.method.sought(epoch, model.eval())
            self.run.write_found(self.seeds[:0] if found is None else found, epoch)
        links = np.concatenate([self.seeds, self.run.links("found")])
        return self.method.objective(epoch, links)

    def after_epoch(self, model: nn.Module) -> float | None:
        """Measure on the validation links."""
        self.method.after_epoch(self.epoch, model)
        return validation_hits(*self.compared(model), self.seeds, self.valid)

    def compared(self, model: nn.Module) -> tuple[Tensor, Tensor]:
        """The vectors by which entities are compared, left and right."""
        return self.method.sides(model)

    def weights(self, model: nn.Module) -> dict[str, Tensor]:
        """What is kept of a trained model: all that is asked of it later."""
        left, right = self.compared(model)
        return {"left": left.contiguous(), "right": right.contiguous()}
