"""Which formats of run folders there are, and what older ones wrote in the words of today.

`run.json` tells the format of its folder; where it tells none, the format is 0. Settings of older formats are
translated here, step by step, so that the code that reads a run knows those of today only. What a folder lacks is told
where it is read. One of every format is in `tests/runs/fixtures` and must open for ever.

The number goes up, and a step comes to `STEPS`, when what a newer farlink writes would mean something else to an older
one, or the other way round: a table changes, a setting has another name, a value another meaning, or a new setting a
default that is not what was done before it came. A setting that is merely gone needs no step: it is left out, with a
note.

Format 1: the format is told; `literals.parquet` is there, and scores in `candidates.parquet`; every constant that the
figures of a run depend on is a setting; what is chosen while a run is made is "auto" in the settings.
Format 2: `literals.parquet` has the datatype and the language of every value; `links.parquet` has rejected pairs; what
entities are compared by is a setting; `candidates.parquet` has likenesses of names and chances where names are read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from farlink.errors import FarlinkError, InputError
from farlink.settings import TASKS, Settings, settings_from

FORMAT = 2
Values = dict[str, Any]  # of settings, by name


def format_of(about: Mapping[str, Any]) -> int:
    """The format of a run folder, given its `run.json`."""
    return int(about.get("format", 0))


def check_format(folder: Path, about: Mapping[str, Any]) -> None:
    """Whether this farlink can read the folder."""
    if format_of(about) > FORMAT:
        raise InputError(
            folder,
            f"this run folder has format {format_of(about)}, and this farlink knows formats up to {FORMAT}; "
            f"open it with a newer farlink (farlink {about.get('farlink', '?')} wrote it)",
        )


def settings_of_run(text: str, format: int) -> tuple[Settings, list[str]]:
    """The settings in a `config.toml` of some format, and notes on what is left out or means something else today."""
    try:
        values = tomllib.loads(text)
        kind, _ = TASKS[values["task"]]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise FarlinkError(f"config.toml is not what farlink writes ({error})") from error
    notes: list[str] = []
    for step in STEPS[format:]:
        values, said = step(values)
        notes += said
    gone = [name for name in values if name not in kind.model_fields]
    notes += [
        f"this run had the setting {name} = {values[name]}, which is none of this farlink: left out" for name in gone
    ]
    return settings_from({name: value for name, value in values.items() if name not in gone}), notes


def _from_format_0(values: Values) -> tuple[Values, list[str]]:
    values = {**values, "threads": values.get("threads") or "auto"}
    return (_alignment_from_format_0 if values["task"] == "align" else _completion_from_format_0)(values)


def _alignment_from_format_0(values: Values) -> tuple[Values, list[str]]:
    """What was fixed in the code is a setting. Without rounds before training there were none between epochs."""
    fixed = {"hops": 3, "sinkhorn_rounds": 15, "refinements": 3}
    evidence = {"evidence_prior": 3.0, "evidence_likely": 0.5, "evidence_least": 0.02, "evidence_doubt": 0.05}
    return {**fixed, **evidence, "bootstrapping": values.get("rounds", 2) > 0, **values}, []


def _completion_from_format_0(values: Values) -> tuple[Values, list[str]]:
    """What was fixed in the code is a setting; numbers that stood for a choice by trials are "auto".

    Where nothing was dropped the network learned three times as many epochs from questions as `question_epochs` said.
    """
    values, notes = {"min_steps": 100, **values}, []
    epochs, dropout = values.get("question_epochs", 20), values.get("question_dropout", -1.0)
    if dropout == 0:
        values["question_epochs"] = 3 * epochs
    elif dropout < 0:
        values["question_dropout"] = "auto"
        values["question_epochs"] = "auto" if epochs == 20 else epochs
        if epochs not in (0, 20):
            notes = [
                f"question_epochs = {epochs} meant {3 * epochs} in this run where nothing was dropped; no longer so"
            ]
    if not values.get("factor_decay", 0.0):
        values["factor_decay"] = "auto"
    return values, notes


def _from_format_1(values: Values) -> tuple[Values, list[str]]:
    """Entities were compared by structure alone, and the network was always trained."""
    if values["task"] != "align":
        return values, []
    before = {"signals": "structure,types", "network": "always", "readings": "never"}
    return {**before, **values}, []


# from each format to the next
STEPS: list[Callable[[Values], tuple[Values, list[str]]]] = [_from_format_0, _from_format_1]
