"""RSN as a way to align: the network learns from walks over the joint graph, whose links grow from epoch to epoch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from farlink.alignment import evaluation
from farlink.alignment.bootstrapping import confident_pairs
from farlink.alignment.candidates import scored_candidates
from farlink.alignment.evidence import Evidence
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask
from farlink.alignment.views import Neighbourhoods, compared_vectors, start_vectors
from farlink.engine.trainer import Trainer
from farlink.graph.ids import Pairs
from farlink.progress import Reporter
from farlink.rsn.joint import join, merge
from farlink.rsn.model import PathModel
from farlink.rsn.objective import PathObjective, path_objective, path_trainer
from farlink.settings import AlignmentSettings


class RsnTeacher:
    """Weaves the graph of every epoch from the seeds and from the links that the model finds as it learns."""

    def __init__(
        self,
        task: AlignmentTask,
        neighbourhoods: Neighbourhoods,
        evidence: Evidence,
        run: AlignmentRun,
        settings: AlignmentSettings,
        reporter: Reporter,
    ) -> None:
        self.task, self.neighbourhoods, self.evidence = task, neighbourhoods, evidence
        self.run, self.settings, self.reporter = run, settings, reporter
        self.row = torch.arange(neighbourhoods.entities)

    def trainer(self, checkpoint: Path) -> Trainer[PathModel]:
        """A trainer of the network, whose vectors start where the settings say."""
        task, settings = self.task, self.settings
        relations = 2 * (len(task.left.relations) + len(task.right.relations))
        trainer = path_trainer(
            self.neighbourhoods.entities, relations, self.objective, self.after_epoch, settings, checkpoint
        )
        if settings.start == "seeds" and not checkpoint.exists():
            start = start_vectors(self.neighbourhoods, self._known(), settings.width, settings.seed)
            trainer.model.start_from(start)
        return trainer

    def objective(self, epoch: int, model: PathModel) -> PathObjective:
        """What an epoch learns from. Its links are kept in the folder: a resumed run goes on with the same ones."""
        if self.settings.rounds and self.run.found_for(epoch) is None:
            self.run.write_found(self.sought(model), epoch)
        found = self.run.found_for(epoch)
        pairs = self.task.seeds if found is None else np.concatenate([self.task.seeds, found])
        weave = merge if self.settings.linking == "merge" else join
        graph = weave(self.task.left, self.task.right, pairs)
        self.row = torch.from_numpy(graph.row).long()
        return path_objective(graph, self.settings, epoch, self.settings.cross_bias)

    def sought(self, model: PathModel) -> Pairs:
        """Links that the model finds, starting from those it learned from."""
        vectors = compared_vectors(self.neighbourhoods, self._known(), model.eval(), self.settings)
        return confident_pairs(scored_candidates(*vectors, self.evidence, self.settings), self.settings)

    def compared(self, model: PathModel) -> tuple[Tensor, Tensor]:
        """The vectors by which entities are compared, left and right, when training is over."""
        settings = self.settings
        with self.reporter.working("looking for links with what was learned"):
            if settings.rounds and self.run.found_for(settings.max_epochs) is None:
                self.run.write_found(self.sought(model), settings.max_epochs)
            return compared_vectors(self.neighbourhoods, self._known(), model, settings)

    def weights(self, model: PathModel) -> dict[str, Tensor]:
        """What is kept of the trained network."""
        return model.state_dict()

    def _known(self) -> Pairs:
        """The seeds, and the links found last."""
        return np.concatenate([self.task.seeds, self.run.links("found")])

    def after_epoch(self, model: PathModel) -> float | None:
        """Give merged entities their common vectors, and measure these on the validation links."""
        model.share_rows(self.row)
        sides = self.neighbourhoods.sides(model.entity_in.weight.detach())
        return evaluation.validation_hits(*sides, self.task.seeds, self.task.valid)
