"""Training paths per second of each preset, against what the machine's arithmetic would allow.

The arithmetic is that of the matrix products, which a step cannot do without. The limit is the speed of one
large product of the same precision in the same run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import get_args

import numba
import torch
from torch import Tensor

from benchmarks.data import joint_graph
from benchmarks.measure import CORES, GB, Row, measure, peak_memory
from farlink.engine.machine import memory_kept, multiplies_bfloat16
from farlink.engine.trainer import Trainer
from farlink.rsn import model as networks
from farlink.rsn.joint import JointGraph
from farlink.rsn.log_uniform import LogUniformNoise
from farlink.rsn.loss import Noise
from farlink.rsn.model import PathModel
from farlink.rsn.objective import path_objective, path_trainer
from farlink.settings import AlignmentSettings, Precision, Preset, make_settings

BACKWARD = 2  # a product of matrices has two gradients, each a product of the same size

QUICK = {"steps": 1, "warm_ups": 1, "product": 256, "width": 16, "batch_size": 32}


class CountedDraws:
    """Remembers how many distinct elements each draw of a loss had; they come first in what a draw gives."""

    def __init__(self, noise: Noise | LogUniformNoise) -> None:
        self._draw = noise.draw
        self.distinct: list[int] = []
        noise.draw = self.draw  # type: ignore[assignment,method-assign]

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        drawn = self._draw(count, generator)
        self.distinct.append(len(drawn[0]))
        return drawn


def run(steps: int = 10, warm_ups: int = 3, product: int = 2048, **changes: int) -> list[Row]:
    """Measure some steps of every preset on real paths; `changes` are settings."""
    threads = CORES
    torch.set_num_threads(threads)
    numba.set_num_threads(threads)
    graph, name = joint_graph()
    rows = []
    for precision in _precisions():
        peak = product_speed(product, getattr(torch, precision))
        rows.append(_speed_row(product, precision, peak))
        for preset in sorted(get_args(Preset)):
            settings = make_settings(preset, precision=precision, **changes)
            what = f"training, preset {preset}, {precision} ({name})"
            rows.append(_preset_row(graph, settings, what, peak, steps, warm_ups))
    return rows


def _precisions() -> list[Precision]:
    """Those that training uses by itself on some machine, and that this one is made for."""
    return ["float32", "bfloat16"] if multiplies_bfloat16() else ["float32"]


def product_speed(size: int, dtype: torch.dtype) -> float:
    """Floating-point operations per second in a product of two square matrices, at best."""
    one, other, result = (torch.randn(size, size).to(dtype) for _ in range(3))
    multiply = partial(torch.mm, one, other, out=result)
    return 2 * size**3 / min(measure(multiply).seconds for _ in range(20))


def _speed_row(size: int, precision: Precision, speed: float) -> Row:
    what = f"product of two {size:,} × {size:,} {precision} matrices, {torch.get_num_threads()} threads"
    return Row(what, figure=speed / GB, unit="GFLOP/s", peak_memory=peak_memory())


def _preset_row(
    graph: JointGraph, settings: AlignmentSettings, what: str, peak: float, steps: int, warm_ups: int
) -> Row:
    trainer, noises = make_trainer(graph, settings)
    with memory_kept():  # as in `Trainer.run`
        seconds = _seconds_per_step(trainer, steps, warm_ups)
    entities, relations = (sum(noise.distinct[-steps:]) / steps for noise in noises)
    operations = step_operations(settings, entities, relations)
    return Row(
        what=f"{what}, {operations / GB:.3g} GFLOP a step",
        figure=settings.batch_size / seconds,
        unit="paths/s",
        peak_memory=peak_memory(),
        baseline=settings.batch_size / (operations / peak),
        baseline_what="at the speed of the product above",
    )


def make_trainer(
    graph: JointGraph, settings: AlignmentSettings
) -> tuple[Trainer[PathModel], tuple[CountedDraws, CountedDraws]]:
    """A trainer as an alignment makes it, and the noise of its entity loss and its relation loss."""
    objective = path_objective(graph, settings, 0, settings.cross_bias)
    trainer = path_trainer(
        graph.entities, graph.relations, lambda epoch, model: objective, lambda model: None, settings, Path(os.devnull)
    )
    objective.prepare(trainer.model)
    return trainer, (CountedDraws(objective.entity_loss.noise), CountedDraws(objective.relation_loss.noise))


def _seconds_per_step(trainer: Trainer[PathModel], steps: int, warm_ups: int) -> float:
    trainer.model.train()
    (objective, _), rate = trainer.epochs(0, trainer.model), trainer.plan.learning_rate
    batches = _batches(torch.from_numpy(objective.examples), trainer.plan.batch_size)
    for batch in islice(batches, warm_ups):
        trainer.step(objective, batch, rate)
    measured = list(islice(batches, steps))
    started = time.perf_counter()
    for batch in measured:
        trainer.step(objective, batch, rate)
    return (time.perf_counter() - started) / steps


def _batches(paths: Tensor, size: int) -> Iterator[Tensor]:
    """Whole batches, over and over."""
    whole = [batch for batch in torch.split(paths, size) if len(batch) == size]
    return (batch.long() for batch in cycle(whole))


def step_operations(settings: AlignmentSettings, noise_entities: float, noise_relations: float) -> float:
    """Floating-point operations in the matrix products of one step, forward and backward.

    The noise is counted by its distinct elements, as each is scored once however often it was drawn.
    """
    square = 2 * settings.width**2  # a vector times a square matrix
    triples = (settings.walk_length - 1) // 2  # in a path; each has two elements that are read
    gates = len(networks.CORES[settings.cell].layer(1, 1).weight_ih_l0)  # of width one: a row for each
    core = 2 * triples * settings.layers * gates * 2 * square  # from the input and the last state
    skip = triples * 2 * square if settings.model == "rsn" else 0  # S1 and S2
    scores = triples * 2 * settings.width * (noise_entities + noise_relations)
    return (1 + BACKWARD) * settings.batch_size * (core + skip + scores)
