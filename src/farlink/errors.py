"""Mistakes that a user can mend: one clear message each, shown without a traceback."""

from __future__ import annotations

from pathlib import Path


class FarlinkError(Exception):
    """Something the user can mend; the message says what is wrong and what to do.

    `arguments` are those of the call that mend it. Here they are named as in Python; the command line, where they
    are options, spells them in its own way.
    """

    def __init__(self, reason: str, *arguments: str) -> None:
        self.reason, self.arguments = reason, arguments
        super().__init__(f"{reason} ({', '.join(arguments)})" if arguments else reason)


class InputError(FarlinkError):
    """A problem in an input file; the message names the file and, where there is one, the line."""

    def __init__(self, source: str | Path, problem: str, line: int | None = None) -> None:
        self.source, self.problem, self.line = str(source), problem, line
        place = self.source if line is None else f"{self.source}, line {line:,}"
        super().__init__(f"{place}: {problem}")


class Interrupted(FarlinkError):
    """Work was asked to stop; what was done so far is saved."""
