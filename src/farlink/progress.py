"""What is told while farlink works: who may listen, and the terminal as one that does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

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

from farlink.engine.trace import EpochRecord, Watcher
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.wording import counted

Counter = Callable[[int, int], None]
"""Called with (done, total)."""


class Reporter(Protocol):
    """Receives what is being done: a terminal, nothing at all, or the log of a service."""

    def say(self, text: str) -> None:
        """Take a line."""

    def working(self, what: str) -> AbstractContextManager[None]:
        """Something goes on until the block ends."""

    def counting(self, what: str) -> AbstractContextManager[Counter]:
        """Something that counts goes on until the block ends."""

    def training(self, epochs: int, what: str = "", measure: str = "Hits@1") -> AbstractContextManager[Watcher]:
        """A model trains until the block ends.

        `what` names the model where there are several, `measure` the validation score.
        """


def reporter_of(progress: bool | Reporter) -> Reporter:
    """The reporter that a caller asks for: the terminal, none, or the caller's own."""
    if isinstance(progress, bool):
        return Terminal() if progress else Silent()
    return progress


def tell_graph(reporter: Reporter, side: str, graph: KnowledgeGraph) -> None:
    """Tell what a graph holds."""
    aside = [f"{counted(graph.literals.height, 'literal')} set aside"] if graph.literals.height else []
    aside += [f"{counted(graph.duplicates, 'repeated triple')} dropped"] if graph.duplicates else []
    reporter.say(f"{side:<6} {graph.source}: {graph.sizes}" + (f" ({', '.join(aside)})" if aside else ""))


def tell_notes(reporter: Reporter, notes: list[str]) -> None:
    """Tell what was left out or held out."""
    for note in notes:
        reporter.say(f"note   {note}")


class Silent:
    """Tells nothing."""

    def say(self, text: str) -> None:
        """Drop the line."""

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show nothing."""
        yield

    @contextmanager
    def counting(self, what: str) -> Iterator[Counter]:
        """Show nothing."""
        yield lambda done, total: None

    @contextmanager
    def training(self, epochs: int, what: str = "", measure: str = "Hits@1") -> Iterator[Watcher]:
        """Show nothing."""
        yield _Blind()


class _Blind:
    def step(self, done: int, total: int, epoch: int, loss: float, best: float | None) -> None:
        """Look away."""

    def epoch(self, record: EpochRecord) -> None:
        """Look away."""


class Terminal:
    """Lines on the terminal, with a bar and the time left on anything long."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, markup=False)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something goes on, and since when."""
        columns = (SpinnerColumn(), TextColumn(f"{what} …"), TimeElapsedColumn())
        with Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal) as bar:
            bar.add_task(what, total=None)
            yield

    @contextmanager
    def counting(self, what: str) -> Iterator[Counter]:
        """A bar with the time left."""
        columns = (TextColumn(f"{what} …"), BarColumn(bar_width=16), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @contextmanager
    def training(self, epochs: int, what: str = "", measure: str = "Hits@1") -> Iterator[TrainingDisplay]:
        """A bar with loss, validation score and time left; one line per epoch where there is no terminal."""
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
