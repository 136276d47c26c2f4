"""The loop: epochs over examples, validation, early stop, best weights, checkpoints. It knows no task.

Every random choice of a step comes from (seed, number of the step), and the paths of an epoch from (seed,
epoch). A run that is killed and resumed from its last checkpoint therefore repeats what was lost, bit by
bit, and ends with the result of an undisturbed run.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from farlink.engine.dense_adam import DenseAdam
from farlink.engine.machine import memory_kept, products_in, stop_signal
from farlink.engine.plan import TrainingPlan
from farlink.engine.row_adam import RowAdam
from farlink.engine.trace import EpochRecord, Watcher
from farlink.errors import FarlinkError, Interrupted
from farlink.graph.ids import Rows
from farlink.io.files import atomic_path
from farlink.settings import Optimiser
from farlink.wording import counted

SECONDS_BETWEEN_CHECKPOINTS = 60.0
ADAMS: dict[Optimiser, type[RowAdam] | type[DenseAdam]] = {"rows": RowAdam, "dense": DenseAdam}
Model = TypeVar("Model", bound=nn.Module)
Learner = TypeVar("Learner", bound=nn.Module, contravariant=True)


class Objective(Protocol[Learner]):
    """What an epoch learns from."""

    @property
    def examples(self) -> Rows:
        """One example a row, in the order in which they are read."""

    def prepare(self, model: Learner) -> None:
        """Make a fresh model ready to learn."""

    def loss(self, model: Learner, batch: Tensor) -> Tensor:
        """The loss on some of the examples."""


AfterEpoch = Callable[[Model], float | None]  # may tidy the model up; gives the score on validation links, or None
Epochs = Callable[[int, Model], tuple[Objective[Model], AfterEpoch[Model]]]


def ending_alike(objective: Callable[[int, Model], Objective[Model]], after_epoch: AfterEpoch[Model]) -> Epochs[Model]:
    """Epochs with an objective for each, after which the same is done."""
    return lambda number, model: (objective(number, model), after_epoch)


@dataclass
class Progress:
    """How far training has come; with the tensors, all that a checkpoint holds."""

    stage: int = 0
    stage_start: int = 0  # epochs of the stages before
    epoch: int = 0
    step: int = 0  # within the epoch
    loss_sum: float = 0.0  # over the steps of this epoch
    best_score: float | None = None
    best_epoch: int = -1
    seconds: float = 0.0
    trace: list[EpochRecord] = field(default_factory=list)


class Trainer(Generic[Model]):
    """Trains a model on the objectives of a task.

    `epochs(number, model)` gives what an epoch learns from, and what is to be done after it. When a run is resumed
    within an epoch it is asked again, with a model that has learned since, and must give the same answer.

    A model learns in several stages if trainers with the same checkpoint run one after the other: the optimiser, the
    count of epochs and the best weights go on, the rate is that of each stage's plan.
    """

    def __init__(
        self,
        model: Model,
        epochs: Epochs[Model],
        plan: TrainingPlan,
        checkpoint: Path,
    ) -> None:
        self.model, self.epochs = model, epochs
        self.plan, self.checkpoint = plan, checkpoint
        self.optimiser = ADAMS[plan.optimiser](model.named_parameters())
        self.best: dict[str, Tensor] = {}
        self.progress = Progress()

    def run(self, watcher: Watcher) -> list[EpochRecord]:
        """Train to the end, from the checkpoint if there is one; the model is left with its best weights."""
        fresh = not self.checkpoint.exists()
        if not fresh:
            self._load()
        self._begin_stage()
        with torch.random.fork_rng(devices=[]), memory_kept(), stop_signal() as stop:
            while not self._finished():
                objective, after_epoch = self.epochs(self.progress.epoch, self.model)
                if fresh:
                    objective.prepare(self.model)
                    fresh = False
                self._epoch(objective, after_epoch, watcher, stop)
        self.model.load_state_dict(self.best)
        self.model.eval()
        return self.progress.trace

    def _begin_stage(self) -> None:
        if self.progress.stage < self.plan.stage:
            self.progress.stage, self.progress.stage_start = self.plan.stage, self.progress.epoch

    def _finished(self) -> bool:
        progress, plan = self.progress, self.plan
        if progress.stage > plan.stage:
            return True
        if progress.epoch and plan.minutes and progress.seconds >= 60 * plan.minutes:
            return True
        last_gain = max(progress.best_epoch, progress.stage_start - 1)
        stale = plan.patience > 0 and progress.epoch - 1 - last_gain >= plan.patience
        return progress.epoch - progress.stage_start >= plan.epochs or (stale and progress.best_score is not None)

    def _epoch(
        self, objective: Objective[Model], after_epoch: AfterEpoch[Model], watcher: Watcher, stop: threading.Event
    ) -> None:
        progress, size = self.progress, self.plan.batch_size
        examples = torch.from_numpy(objective.examples)
        steps = -(-len(examples) // size)
        total = steps * self.plan.epochs  # of the stage, as far as this epoch can tell
        before = (progress.epoch - progress.stage_start) * steps
        started, saved = time.monotonic(), time.monotonic()
        self.model.train()
        while progress.step < steps:
            done = before + progress.step
            batch = examples[progress.step * size : (progress.step + 1) * size].long()
            progress.loss_sum += self.step(objective, batch, self.plan.rate(done / total))
            progress.step += 1
            watcher.step(done + 1, total, progress.epoch, progress.loss_sum / progress.step, progress.best_score)
            now = time.monotonic()
            if stop.is_set() or now - saved > SECONDS_BETWEEN_CHECKPOINTS:
                progress.seconds += now - started
                self._save()
                started = saved = time.monotonic()
            if stop.is_set():
                raise Interrupted(
                    f"stopped after {counted(done + 1, 'step')}; the run can be resumed from here", "resume"
                )
        record = self._close_epoch(after_epoch, steps, len(examples), started)
        self._save()
        watcher.epoch(record)

    def step(self, objective: Objective[Model], batch: Tensor, rate: float) -> float:
        """Learn from one batch; the loss it had before."""
        place = [self.plan.seed, self.progress.epoch, self.progress.step]
        torch.manual_seed(int(np.random.SeedSequence(place).generate_state(1)[0]))
        with products_in(self.plan.precision):
            loss = objective.loss(self.model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step(rate, self.plan.clip_norm)
        return float(loss.detach())

    def _close_epoch(self, after_epoch: AfterEpoch[Model], steps: int, examples: int, started: float) -> EpochRecord:
        progress = self.progress
        self.model.eval()
        score = after_epoch(self.model)
        better = score is None or progress.best_score is None or score > progress.best_score
        if better:
            progress.best_score, progress.best_epoch = score, progress.epoch
            self.best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        progress.seconds += time.monotonic() - started
        record = EpochRecord(
            epoch=progress.epoch + 1,
            examples=examples + (progress.trace[-1].examples if progress.trace else 0),
            loss=progress.loss_sum / steps,
            validation=score,
            best=better,
            seconds=round(progress.seconds, 3),
        )
        progress.trace.append(record)
        progress.epoch, progress.step, progress.loss_sum = progress.epoch + 1, 0, 0.0
        return record

    def _save(self) -> None:
        tensors = {f"model/{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"best/{name}": tensor for name, tensor in self.best.items()}
        for name, state in self.optimiser.state.items():
            tensors |= {f"adam/{name}/{part}": tensor for part, tensor in state.items()}
        with atomic_path(self.checkpoint) as temporary:
            save_file(tensors, temporary, metadata={"progress": json.dumps(asdict(self.progress))})

    def _load(self) -> None:
        try:
            with safe_open(self.checkpoint, framework="pt") as file:
                progress = json.loads(file.metadata()["progress"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
        except (SafetensorError, KeyError, ValueError) as error:
            raise FarlinkError(
                f"{self.checkpoint}: not a checkpoint of farlink ({error}); start again in a new folder"
            ) from error
        trace = [EpochRecord(**record) for record in progress.pop("trace")]
        self.progress = Progress(**progress, trace=trace)
        self.model.load_state_dict(_part(tensors, "model/"))
        self.best = _part(tensors, "best/")
        for name, state in self.optimiser.state.items():
            state.update(_part(tensors, f"adam/{name}/"))


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
