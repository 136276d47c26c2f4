"""Short trials that choose by validation triples what the settings leave open."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import torch

from farlink.completion.complex_n3 import Factors
from farlink.completion.run import CompletionRun
from farlink.completion.stages import Stage, factor_stage, question_trial
from farlink.completion.training_data import TrainingData
from farlink.engine.trainer import Model
from farlink.progress import Reporter
from farlink.rsn.model import PathModel
from farlink.settings import CompletionSettings

DROPOUTS = (0.4, 0.0)  # the first is taken where there is nothing to measure by
DROPOUT_EPOCHS = 2
DECAYS = (0.05, 0.01)
DECAY_EPOCHS, DECAY_FACTORS = 4, 128  # a shorter or smaller trial favours too small a decay


def chosen_dropout(
    data: TrainingData, settings: CompletionSettings, network: PathModel, run: CompletionRun, reporter: Reporter
) -> float:
    """What the network, trained on walks, gains most from. Some graphs repeat themselves, others punish rote."""
    if settings.question_dropout != "auto":
        return settings.question_dropout
    if not len(data.valid):
        return DROPOUTS[0]

    def trial(dropout: float) -> tuple[PathModel, Stage[PathModel]]:
        return deepcopy(network), question_trial(data, settings, dropout, DROPOUT_EPOCHS)

    return _best("dropout", DROPOUTS, trial, "the network", run, reporter)


def chosen_decay(data: TrainingData, settings: CompletionSettings, run: CompletionRun, reporter: Reporter) -> float:
    """How much the factors must be held back, which differs from graph to graph."""
    if settings.factor_decay != "auto":
        return settings.factor_decay
    if not len(data.valid):
        return DECAYS[0]

    def trial(decay: float) -> tuple[Factors, Stage[Factors]]:
        model = fresh_factors(data, settings, min(DECAY_FACTORS, settings.factors))
        return model, factor_stage(data, settings, decay, DECAY_EPOCHS)

    return _best("decay", DECAYS, trial, "the tensor model", run, reporter)


def fresh_factors(data: TrainingData, settings: CompletionSettings, factors: int) -> Factors:
    """A tensor model with the fresh weights of the run's seed."""
    torch.manual_seed(settings.seed)
    return Factors(data.entities, 2 * data.relations, factors)


def _best(
    name: str,
    choices: tuple[float, ...],
    trial: Callable[[float], tuple[Model, Stage[Model]]],
    learner: str,
    run: CompletionRun,
    reporter: Reporter,
) -> float:
    """The choice with which a short training ranks the validation triples best; the trials are kept in the folder."""
    for choice in choices:
        title = f"{name} {choice:g}"
        if title not in run.trials:
            model, stage = trial(choice)
            checkpoint = run.checkpoint(f"trial-{name}-{choice:g}")
            with reporter.training(stage.plan.epochs, f"{learner} with {title}, a trial", "MRR") as watcher:
                trace = stage.trainer(model, checkpoint).run(watcher)
            run.write_trial(title, max(record.validation or 0 for record in trace))
            checkpoint.unlink(missing_ok=True)
    return max(choices, key=lambda choice: run.trials[f"{name} {choice:g}"])
