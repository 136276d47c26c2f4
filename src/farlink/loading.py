"""Opens a run folder, whatever task it is of: the only place that knows all kinds of run.

The kinds of run bring torch, which takes seconds; that a folder holds no run is told before.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.errors import InputError
from farlink.runs.folder import Run

if TYPE_CHECKING:
    from farlink.alignment.run import AlignmentRun
    from farlink.completion.run import CompletionRun


def load(folder: str | Path) -> AlignmentRun | CompletionRun:
    """Open a finished run, whatever it did. What an older farlink wrote is read; `run.notes` tells what is left out."""
    return load_alignment(folder) if _task_of(folder) == "align" else load_completion(folder)


def load_alignment(folder: str | Path) -> AlignmentRun:
    """Open a finished alignment."""
    if _task_of(folder) != "align":
        raise InputError(folder, "this run completes a graph; ask it with 'farlink predict'")
    from farlink.alignment.run import AlignmentRun

    return AlignmentRun(folder)


def load_completion(folder: str | Path) -> CompletionRun:
    """Open a finished completion."""
    if _task_of(folder) != "complete":
        raise InputError(folder, "this run aligns two graphs; ask it with 'farlink match'")
    from farlink.completion.run import CompletionRun

    return CompletionRun(folder)


def _task_of(folder: str | Path) -> str:
    run: Run[Any] = Run(folder)
    if not run.folder.is_dir():
        raise InputError(folder, "there is no such run folder")
    if not run.started:
        raise InputError(folder, "this folder holds no run (no config.toml in it)")
    if not run.finished:
        raise InputError(folder, "this run is not finished; resume it first")
    return str(run.about["task"])
