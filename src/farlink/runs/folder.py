"""The run folder: what every run keeps in it, how it is written and read again.

config.toml             the settings
run.json                what was worked on: sources, sizes, fingerprint, notes
vocabulary.parquet      id and name of every entity and relation
triples.parquet         the graphs by id
checkpoint-*.safetensors  while training only
weights.safetensors     the best weights
trace.jsonl             one line per epoch
.lock                   held by the process that works in the folder, empty
metrics.json            all figures, nested
plots/, README.md       the report

What a task keeps besides is told where its kind of run is: `aligned.py`, `completed.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from farlink.engine.trace import EpochRecord, trace_lines
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.files import atomic_path, cannot_write, sweep, write_text
from farlink.settings import Settings, settings_from_toml

if TYPE_CHECKING:
    from torch import Tensor

LOCK = ".lock"  # a file that a process holds while it works in the folder


class Run:
    """A finished or unfinished run in a folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    # what the folder says

    @property
    def started(self) -> bool:
        """Whether the folder holds a run: `config.toml` is written when all a resume needs is there."""
        return (self.folder / "config.toml").exists()

    @property
    def finished(self) -> bool:
        """Whether the run has its results: the report is written last."""
        return self.started and (self.folder / "README.md").exists()

    @cached_property
    def any_settings(self) -> Settings:
        """The settings of the run, of whichever task it is."""
        return settings_from_toml((self.folder / "config.toml").read_text(encoding="utf-8"))

    @cached_property
    def about(self) -> dict[str, Any]:
        """What was worked on: sources, sizes, fingerprint, notes."""
        return self._json("run.json")

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """All figures, nested as in `metrics.json`."""
        return self._json("metrics.json")

    @cached_property
    def trace(self) -> pl.DataFrame:
        """One row per epoch: loss, validation score, seconds."""
        return pl.read_ndjson(self.folder / "trace.jsonl")

    # how it is written

    @contextmanager
    def open(
        self, settings: Settings, about: dict[str, Any], tables: Mapping[str, pl.DataFrame], resume: bool
    ) -> Iterator[None]:
        """Start a run in the folder, or go on with the one in it; no other process can, until the block ends.

        A resumed run must have the settings and the data it started with. `tables` are what it needs to go on.
        """
        self._check(settings, about, tables, resume)
        with self._locked():
            sweep(self.folder)
            if not self.started:
                for name, table in tables.items():
                    self.write_table(name, table)
                self.write_json("run.json", about)
                self.write_text("config.toml", settings.to_toml())  # last: it marks the folder as a run
            yield

    def checkpoint(self, part: str) -> Path:
        """Where the training of one of the models keeps what it needs to go on."""
        return self.folder / f"checkpoint-{part}.safetensors"

    def clear_checkpoints(self) -> None:
        """Take away what only an unfinished run needs."""
        for path in self.folder.glob("checkpoint-*.safetensors"):
            path.unlink()

    def write_table(self, name: str, table: pl.DataFrame) -> None:
        """Write a table as `name`.parquet."""
        with atomic_path(self.folder / f"{name}.parquet") as temporary:
            table.write_parquet(temporary)

    def write_weights(self, weights: dict[str, Tensor]) -> None:
        """Write the best weights."""
        from safetensors.torch import save_file  # brings torch, which a finished run may not need

        with atomic_path(self.folder / "weights.safetensors") as temporary:
            save_file(weights, temporary)

    def write_trace(self, trace: Sequence[EpochRecord]) -> None:
        """Write one line per epoch."""
        self.write_text("trace.jsonl", trace_lines(trace))

    def write_text(self, name: str, text: str) -> None:
        """Write a text file of the folder."""
        write_text(self.folder / name, text)

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        """Write a document of the folder."""
        self.write_text(name, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    # behind the scenes

    def _check(self, settings: Settings, about: dict[str, Any], tables: Iterable[str], resume: bool) -> None:
        """Whether a run can start or go on here; nothing is written before that is clear."""
        if self.started and resume:
            if self.any_settings != settings:
                raise FarlinkError(f"{self.folder}: cannot resume, {_differences(self.any_settings, settings)}")
            if self.about["fingerprint"] != about["fingerprint"]:
                raise FarlinkError(f"{self.folder}: cannot resume, this is not the data that the run started with")
            return
        if self.folder.exists() and not self.folder.is_dir():
            raise FarlinkError(f"{self.folder} is a file, expected a folder", "out")
        if self.started:
            raise FarlinkError(
                f"{self.folder} holds a run already; resume it, or choose another folder", "resume", "out"
            )
        if self.folder.exists() and any(self.folder.iterdir()) and not self._only_leftovers(tables):
            raise FarlinkError(f"{self.folder} exists and is not empty; choose another folder", "out")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes out of the folder; the system lets go of the lock when this process ends, however."""
        lock = FileLock(self.folder / LOCK)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(blocking=False)
        except Timeout:
            raise FarlinkError(
                f"{self.folder}: another farlink is at work in this folder; wait for it, or choose another", "out"
            ) from None
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        try:
            yield
        finally:
            lock.release()

    def _only_leftovers(self, tables: Iterable[str]) -> bool:
        """Whether all the folder holds is what a run leaves that was killed while it started: a lock comes first."""
        names = (*(f"{table}." for table in tables), "run.json", "config.toml")
        found = {path.name for path in self.folder.iterdir()}
        return LOCK in found and all(name.lstrip(".").startswith(names) for name in found - {LOCK})

    def _json(self, name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / name).read_text(encoding="utf-8"))
        return content


def graph_sizes(graph: KnowledgeGraph) -> dict[str, Any]:
    """What `run.json` says of a graph."""
    return {
        "source": graph.source,
        "entities": len(graph.entities),
        "relations": len(graph.relations),
        "triples": len(graph.triples),
        "duplicates": graph.duplicates,
        "literals": graph.literals.height,
    }


def fingerprint(graphs: Iterable[KnowledgeGraph], parts: Iterable[NDArray[np.int32]]) -> str:
    """A digest that changes when the graphs or what is known of them change."""
    digest = hashlib.sha256()
    for graph in graphs:
        digest.update("\n".join(pl.concat([graph.entities, graph.relations])).encode())
        digest.update(graph.triples.tobytes())
    for part in parts:
        digest.update(np.ascontiguousarray(part).tobytes() + b"|")
    return digest.hexdigest()


def _differences(before: Settings, now: Settings) -> str:
    if type(before) is not type(now):
        return "the run in this folder is of another task"
    changed = [
        f"{name} was {getattr(before, name)} and is now {getattr(now, name)}"
        for name in type(now).model_fields
        if getattr(before, name) != getattr(now, name)
    ]
    return "the settings differ: " + ", ".join(changed)
