"""What the user sees while farlink works; silent when not asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from farlink.engine.trace import EpochRecord
from farlink.graph.knowledge_graph import KnowledgeGraph


class Reporter:
    """Says what is being done, with the time left on anything long."""

    def __init__(self, *, shown: bool = True) -> None:
        self.console = Console(highlight=False, quiet=not shown, soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, markup=False)

    def graph(self, side: str, graph: KnowledgeGraph) -> None:
        """Tell what a graph holds."""
        aside = [f"{graph.literals.height:,} literals set aside"] if graph.literals.height else []
        aside += [f"{graph.duplicates:,} repeated triples dropped"] if graph.duplicates else []
        sizes = f"{len(graph.entities):,} entities, {len(graph.relations):,} relations, {len(graph.triples):,} triples"
        self.say(f"{side:<6} {graph.source}: {sizes}" + (f" ({', '.join(aside)})" if aside else ""))

    def links(self, seeds: int, valid: int, test: int) -> None:
        """Tell how many links serve which purpose."""
        self.say(f"links  {seeds:,} seeds, {valid:,} for validation, {test:,} for the final test")

    def notes(self, notes: list[str]) -> None:
        """Tell what was left out or held out."""
        for note in notes:
            self.say(f"note   {note}")

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something goes on, and since when."""
        columns = (SpinnerColumn(), TextColumn(f"{what} …"), TimeElapsedColumn())
        with Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal) as bar:
            bar.add_task(what, total=None)
            yield

    @contextmanager
    def counting(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """A bar with the time left, for work that counts; call what it gives with (done, total)."""
        columns = (TextColumn(f"{what} …"), BarColumn(bar_width=16), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @contextmanager
    def training(self, epochs: int, what: str = "", measure: str = "Hits@1") -> Iterator[TrainingDisplay]:
        """A bar with loss, validation score and time left; one line per epoch where there is no terminal.

        `what` names the model where there are several, `measure` the score.
        """
        columns = (
            TextColumn(f"training {what}".rstrip()),
            BarColumn(bar_width=16),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}"),
            TextColumn("{task.fields[left]}"),
        )
        shown = self.console.is_terminal
        with Progress(*columns, console=self.console, refresh_per_second=4, disable=not shown) as bar:
            yield TrainingDisplay(bar, bar.add_task("training", total=None, figures="", left=""), epochs, what, measure)


class TrainingDisplay:
    """Watches training and moves the bar."""

    def __init__(self, bar: Progress, task: TaskID, epochs: int, what: str = "", measure: str = "Hits@1") -> None:
        self.bar, self.task, self.epochs = bar, task, epochs
        self.what, self.measure = f"{what}, " if what else "", measure
        self._first: tuple[float, int] | None = None

    def step(self, done: int, total: int, epoch: int, loss: float, best: float | None) -> None:
        """Move the bar by a step."""
        now = time.monotonic()
        if self._first is None:  # the first step compiles and warms up: it tells nothing of the pace
            self._first = (now, done)
        figures = f"epoch {epoch + 1}/{self.epochs} · loss {loss:.3f}"
        figures += f" · best {self.measure} {best:.3f}" if best is not None else ""
        began, skipped = self._first
        left = (now - began) / (done - skipped) * (total - done) if done > skipped else None
        self.bar.update(
            self.task,
            completed=done,
            total=total,
            figures=figures,
            left="" if left is None else f"{duration(left)} left",
        )

    def epoch(self, record: EpochRecord) -> None:
        """Write the epoch's line."""
        score = "" if record.validation is None else f", validation {self.measure} {record.validation:.3f}"
        mark = " (best so far)" if record.best and record.validation is not None else ""
        text = f"{self.what}epoch {record.epoch}: loss {record.loss:.3f}{score}{mark}, {duration(record.seconds)}"
        self.bar.console.print(text, markup=False)
        if record.epoch == self.epochs:
            self.bar.update(self.task, visible=False)  # the lines of the epochs say it all


def duration(seconds: float) -> str:
    """Seconds in words: 48 s, 5:03 min, 2:10 h."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"
