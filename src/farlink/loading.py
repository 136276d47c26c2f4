"""Opens a run folder, whatever task it is of: the only place that knows all kinds of run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from farlink.alignment.run import AlignmentRun
from farlink.completion.run import CompletionRun
from farlink.errors import InputError
from farlink.runs.folder import Run

Kind = TypeVar("Kind", AlignmentRun, CompletionRun)


def load(folder: str | Path) -> AlignmentRun | CompletionRun:
    """Open a finished run, whatever it did. What an older farlink wrote is read; `run.notes` tells what is left out."""
    run: Run[Any] = Run(folder)
    if not run.folder.is_dir():
        raise InputError(folder, "there is no such run folder")
    if not run.started:
        raise InputError(folder, "this folder holds no run (no config.toml in it)")
    if not run.finished:
        raise InputError(folder, "this run is not finished; resume it first")
    return (AlignmentRun if run.about["task"] == "align" else CompletionRun)(folder)


def load_alignment(folder: str | Path) -> AlignmentRun:
    """Open a finished alignment."""
    return _of_kind(AlignmentRun, folder, "this run completes a graph; ask it with 'farlink predict'")


def load_completion(folder: str | Path) -> CompletionRun:
    """Open a finished completion."""
    return _of_kind(CompletionRun, folder, "this run aligns two graphs; ask it with 'farlink match'")


def _of_kind(kind: type[Kind], folder: str | Path, otherwise: str) -> Kind:
    run = load(folder)
    if not isinstance(run, kind):
        raise InputError(folder, otherwise)
    return run
