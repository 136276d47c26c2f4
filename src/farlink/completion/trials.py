"""Short trials that choose a setting by validation triples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from farlink.completion.run import CompletionRun
from farlink.engine.trainer import Trainer
from farlink.progress import Reporter


def best_by_trial(
    measured: bool,
    learner: str,
    name: str,
    choices: tuple[float, ...],
    trial: Callable[[float, Path], Trainer[Any]],
    run: CompletionRun,
    reporter: Reporter,
) -> float:
    """The choice with which a short training ranks the validation triples best; the trials are kept in the folder."""
    if not measured:
        return choices[0]
    for choice in choices:
        title = f"{name} {choice:g}"
        if title not in run.trials:
            checkpoint = run.checkpoint(f"trial-{name}-{choice:g}")
            trainer = trial(choice, checkpoint)
            epochs = trainer.settings.max_epochs
            with reporter.training(epochs, f"{learner} with {title}, a trial", "MRR") as watcher:
                trace = trainer.run(watcher)
            run.write_json("trials.json", {**run.trials, title: max(record.validation or 0 for record in trace)})
            checkpoint.unlink(missing_ok=True)
    return max(choices, key=lambda choice: float(run.trials[f"{name} {choice:g}"]))
