"""The stages of training: the network learns from walks and then from questions, the tensor model from questions.

Settings leave some values open ("auto", or batches that shrink in a small graph). A stage has all of them, and the run
folder tells them in `stages.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic

from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import scorers
from farlink.completion.objectives import ComplExKvsAll, NetworkKvsAll
from farlink.completion.training_data import TrainingData
from farlink.engine.plan import TrainingPlan
from farlink.engine.trainer import Model, Objective, Trainer, ending_alike
from farlink.rsn.model import PathModel
from farlink.rsn.objective import PathObjective, path_losses, walks_of
from farlink.settings import CompletionSettings

NO_CROSSING = 0.5  # one graph only: the bias towards the other one is off
QUESTION_EPOCHS = 20
MEMORISING_EPOCHS = 60  # on questions where nothing is dropped: to know a graph by heart takes longer


@dataclass(frozen=True)
class Stage(Generic[Model]):
    """Some epochs of a model with one objective."""

    name: str
    plan: TrainingPlan
    objective: Callable[[int, Model], Objective[Model]]
    score: Callable[[Model], float | None]  # on validation triples, after every epoch
    epochs_before: int = 0  # of earlier stages
    regularisation: Mapping[str, float] = field(default_factory=dict)  # by its name, for the record

    @property
    def last_epoch(self) -> int:
        """The number of its last epoch, those of earlier stages counted."""
        return self.epochs_before + self.plan.epochs

    def trainer(self, model: Model, checkpoint: Path) -> Trainer[Model]:
        """Trains the model, or goes on from the checkpoint, be it of this stage or of the one before."""
        return Trainer(model, ending_alike(self.objective, self.score), self.plan, checkpoint)

    def record(self) -> dict[str, Any]:
        """What the run folder tells of the stage."""
        plan = self.plan
        rates = {"learning_rate": plan.learning_rate, "last_rate": plan.rate(1.0)}
        return {"epochs": plan.epochs, "batch_size": plan.batch_size, **rates, **self.regularisation}


def walk_stage(data: TrainingData, settings: CompletionSettings) -> Stage[PathModel]:
    """The network learns to predict walks, which are drawn anew for every epoch."""
    losses = path_losses(data.graph, settings)

    def objective(epoch: int, model: PathModel) -> PathObjective:
        return PathObjective(walks_of(data.graph, settings, epoch, NO_CROSSING), *losses)

    return Stage("walks", _network_plan(data, settings, settings.max_epochs), objective, _network_score(data))


def question_stage(data: TrainingData, settings: CompletionSettings, dropout: float) -> Stage[PathModel]:
    """The network, which knows the walks, learns from all questions, in a new order in every epoch."""
    epochs = settings.question_epochs
    if epochs == "auto":
        epochs = QUESTION_EPOCHS if dropout else MEMORISING_EPOCHS
    trial = question_trial(data, settings, dropout, epochs)
    return replace(trial, plan=replace(trial.plan, stage=1), epochs_before=settings.max_epochs)


def question_trial(data: TrainingData, settings: CompletionSettings, dropout: float, epochs: int) -> Stage[PathModel]:
    """The same for some epochs, on a checkpoint of its own."""

    def objective(epoch: int, model: PathModel) -> NetworkKvsAll:
        drawn = settings.question_candidates
        return NetworkKvsAll.of_epoch(data.questions, settings.seed, epoch, drawn=drawn, dropout=dropout)

    plan = _network_plan(data, settings, epochs)
    return Stage("questions", plan, objective, _network_score(data), regularisation={"dropout": dropout})


def factor_stage(data: TrainingData, settings: CompletionSettings, decay: float, epochs: int) -> Stage[Factors]:
    """The tensor model learns from all questions, in a new order in every epoch."""

    def objective(epoch: int, model: Factors) -> ComplExKvsAll:
        drawn = settings.question_candidates
        return ComplExKvsAll.of_epoch(data.questions, settings.seed, epoch, drawn=drawn, decay=decay)

    batch = _batch(len(data.questions), settings.factor_batch, settings)
    plan = replace(TrainingPlan.of(settings), epochs=epochs, batch_size=batch, learning_rate=settings.factor_rate)

    def score(model: Factors) -> float | None:
        return data.mrr(scorers(None, model, None))

    return Stage("factors", plan, objective, score, regularisation={"decay": decay})


def _network_plan(data: TrainingData, settings: CompletionSettings, epochs: int) -> TrainingPlan:
    batch = _batch(len(data.graph.triples) * settings.walks_per_triple, settings.batch_size, settings)
    return replace(TrainingPlan.of(settings), epochs=epochs, batch_size=batch)


def _network_score(data: TrainingData) -> Callable[[PathModel], float | None]:
    return lambda model: data.mrr(scorers(model, None, None))


def _batch(examples: float, most: int, settings: CompletionSettings) -> int:
    return max(1, min(most, int(examples / settings.min_steps)))
