"""What training is told: how long it lasts, how fast and how exactly it learns. Nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass

from farlink.settings import Optimiser, Precision, Settings


@dataclass(frozen=True)
class TrainingPlan:
    """How a model is trained, or one stage of it if it learns in several with one checkpoint."""

    seed: int
    epochs: int  # at the most
    batch_size: int
    learning_rate: float  # at the first step
    fall: float  # share of the rate that is gone at the end: 0 stays, 1 falls to zero
    clip_norm: float
    patience: int  # epochs without a better score before it ends; 0: never
    minutes: float  # of all stages together; 0: no limit
    precision: Precision
    optimiser: Optimiser
    stage: int = 0  # how many come before it

    @classmethod
    def of(cls, settings: Settings) -> TrainingPlan:
        """The plan of a training in one stage, all of it as the settings say."""
        return cls(
            seed=settings.seed,
            epochs=settings.max_epochs,
            batch_size=settings.batch_size,
            learning_rate=settings.learning_rate,
            fall=1.0 if settings.schedule == "linear" else 0.0,
            clip_norm=settings.clip_norm,
            patience=settings.patience,
            minutes=settings.minutes,
            precision=settings.precision,
            optimiser=settings.optimiser,
        )

    def rate(self, share_done: float) -> float:
        """The learning rate after a share of the steps."""
        return self.learning_rate * (1 - self.fall * share_done)
