"""Opens a run folder, whatever task it is of: the only place that knows all kinds of run."""

from __future__ import annotations

from pathlib import Path

from farlink.alignment.run import AlignmentRun
from farlink.completion.run import CompletionRun
from farlink.errors import InputError
from farlink.runs.folder import Run


def load(folder: str | Path) -> Run:
    """Open a finished run, whatever it did."""
    run = Run(folder)
    if not run.folder.is_dir():
        raise InputError(folder, "there is no such run folder")
    if not run.started:
        raise InputError(folder, "this folder holds no run (no config.toml in it)")
    if not run.finished:
        raise InputError(folder, "this run is not finished; resume it first")
    return (AlignmentRun if run.about["task"] == "align" else CompletionRun)(folder)


def load_alignment(folder: str | Path) -> AlignmentRun:
    """Open a finished alignment."""
    run = load(folder)
    if not isinstance(run, AlignmentRun):
        raise InputError(folder, "this run completes a graph; ask it with 'farlink predict'")
    return run


def load_completion(folder: str | Path) -> CompletionRun:
    """Open a finished completion."""
    run = load(folder)
    if not isinstance(run, CompletionRun):
        raise InputError(folder, "this run aligns two graphs; ask it with 'farlink match'")
    return run
