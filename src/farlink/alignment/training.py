"""How a method learns: one loop for all of them, over epochs whose links grow with what the method finds."""

from __future__ import annotations

from functools import partial
from typing import Generic

import numpy as np

from farlink.alignment.evaluation import validation_hits
from farlink.alignment.methods.base import Epoch, Method
from farlink.alignment.run import AlignmentRun
from farlink.engine.trainer import AfterEpoch, Model, Objective, Trainer
from farlink.graph.ids import Pairs
from farlink.progress import Reporter
from farlink.wording import counted


class KnownLinks(Generic[Model]):
    """The links that an epoch learns from: the seeds, and those that the method found with what it had learned by then.

    What was found is kept in the run's folder, as `found.parquet`, with the number of the epoch that it is for. The
    model that found it learns on, and could not find the same again: a resumed run goes on with what is kept.
    """

    def __init__(self, method: Method[Model], run: AlignmentRun) -> None:
        self.method, self.run = method, run
        self.number, self.found = run.found_last() or (-1, method.seeds[:0])

    def of_epoch(self, number: int, model: Model) -> Pairs:
        """The seeds, and what was found for an epoch; it is looked for if this was not done before."""
        if self.number != number:
            self.found = self.method.find_links(number, self._all(), model.eval())
            self.number = number
            self.run.write_found(self.found, number)
        return self._all()

    def _all(self) -> Pairs:
        return np.concatenate([self.method.seeds, self.found])


def train(method: Method[Model], valid: Pairs, run: AlignmentRun, reporter: Reporter) -> tuple[Model, Pairs]:
    """Train the method's model, from the checkpoint if there is one: the best of it, and the links known in the end."""
    if not method.trains:
        return method.model, _matched(method, run, reporter)
    links, plan, checkpoint = KnownLinks(method, run), method.plan(), run.checkpoint("paths")

    def epoch(number: int, model: Model) -> tuple[Objective[Model], AfterEpoch[Model]]:
        now = Epoch(number, links.of_epoch(number, model))
        return method.objective(now), partial(_after, method, valid, now)

    trainer = Trainer(method.model, epoch, plan, checkpoint)
    if not checkpoint.exists():
        with reporter.working("looking around the seeds"):
            found = len(links.of_epoch(0, trainer.model)) - len(method.seeds)
        if found:
            reporter.say(f"found  {counted(found, 'link')} around the seeds to train with")
    with reporter.training(plan.epochs) as watcher:
        run.write_trace(trainer.run(watcher))
    with reporter.working("looking for links with what was learned"):
        return trainer.model, links.of_epoch(plan.epochs, trainer.model)


def _matched(method: Method[Model], run: AlignmentRun, reporter: Reporter) -> Pairs:
    """The links known in the end where nothing is trained."""
    with reporter.working("matching names and triples"):
        links = KnownLinks(method, run).of_epoch(0, method.model)
    reporter.say(f"found  {counted(len(links) - len(method.seeds), 'link')} to go by")
    run.write_trace([])
    return links


def _after(method: Method[Model], valid: Pairs, epoch: Epoch, model: Model) -> float | None:
    method.after_epoch(epoch, model)
    return validation_hits(*method.sides(model), method.seeds, valid)
