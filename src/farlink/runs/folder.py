"""The run folder: what every run keeps in it, how it is written and read again.

config.toml             the settings
run.json                what was worked on: format of the folder, sources, sizes, fingerprints, notes
vocabulary.parquet      id and name of every entity and relation, readable names of entities
triples.parquet         the graphs by id
checkpoint-*.safetensors  while training only
weights.safetensors     the best weights
trace.jsonl             one line per epoch
.lock                   held by the process that works in the folder, empty
metrics.json            all figures, nested
plots/, README.md       the report

What a task keeps besides is told in its own `folder.py`. Every file is written whole or not at all, and `config.toml`
comes after all that a resume needs: a process may die at any moment. Several threads may ask one run.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, cast

import numpy as np
import polars as pl
from filelock import FileLock, Timeout

from farlink.engine.trace import EpochRecord, trace_lines
from farlink.errors import FarlinkError
from farlink.graph.ids import Pairs, Triples
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.files import atomic_path, cannot_write, sweep, write_text
from farlink.progress import Reporter, tell_notes
from farlink.runs.formats import FORMAT, check_format, format_of, settings_of_run
from farlink.runs.lazy import lazy
from farlink.settings import AnySettings, Settings

if TYPE_CHECKING:
    from torch import Tensor

FINGERPRINTS = {
    "fingerprint": "this is not the data",
    "literals_fingerprint": "these are not the literals",
    "encoder_fingerprint": "this is not the encoder",
}  # of `run.json`, and what is wrong if one differs
TRACE = {
    "epoch": pl.Int64,
    "examples": pl.Int64,
    "loss": pl.Float64,
    "validation": pl.Float64,
    "best": pl.Boolean,
    "seconds": pl.Float64,
}
LOCK = ".lock"  # a file that a process holds while it works in the folder


class Run(Generic[AnySettings]):
    """A finished or unfinished run in a folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.lock = threading.RLock()  # held while a lazy part is read

    # what the folder says

    @property
    def started(self) -> bool:
        """Whether the folder holds a run: `config.toml` is written when all a resume needs is there."""
        return (self.folder / "config.toml").exists()

    @property
    def finished(self) -> bool:
        """Whether the run has its results: the report is written last."""
        return self.started and (self.folder / "README.md").exists()

    @lazy
    def about(self) -> dict[str, Any]:
        """What was worked on: sources, sizes, fingerprints, notes."""
        about = self._json("run.json")
        check_format(self.folder, about)
        return about

    @property
    def format(self) -> int:
        """The number of the folder's format."""
        return format_of(self.about)

    @property
    def settings(self) -> AnySettings:
        """The settings of the run."""
        return cast(AnySettings, self._settings_and_notes[0])

    @property
    def notes(self) -> list[str]:
        """What an older farlink wrote in this folder that this one leaves out."""
        return self._settings_and_notes[1]

    @lazy
    def _settings_and_notes(self) -> tuple[Settings, list[str]]:
        return settings_of_run((self.folder / "config.toml").read_text(encoding="utf-8"), self.format)

    @lazy
    def metrics(self) -> dict[str, Any]:
        """All figures, nested as in `metrics.json`."""
        return self._json("metrics.json")

    @lazy
    def trace(self) -> pl.DataFrame:
        """One row per epoch: loss, validation score, seconds."""
        path = self.folder / "trace.jsonl"
        return pl.read_ndjson(path) if path.stat().st_size else pl.DataFrame(schema=TRACE)  # nothing was trained

    def read_table(self, name: str) -> pl.DataFrame:
        """Read `name`.parquet."""
        return pl.read_parquet(self.folder / f"{name}.parquet")

    # how it is written

    def carry_out(
        self,
        settings: AnySettings,
        about: dict[str, Any],
        tables: Mapping[str, pl.DataFrame],
        work: Callable[[], None],
        *,
        resume: bool,
        reporter: Reporter,
    ) -> None:
        """Do the work of a run in its folder, from the start or from where it stopped, unless it is done."""
        with self.open(settings, about, tables, resume):
            tell_notes(reporter, self.notes)
            if self.finished:
                reporter.say(f"{self.folder} holds this run already, finished; nothing to do")
            else:
                work()
            self.clear_checkpoints()

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
            if self.settings != settings:
                raise FarlinkError(f"{self.folder}: cannot resume, {_differences(self.settings, settings)}")
            for name, what in FINGERPRINTS.items():
                now = about.get(name)
                if self.about.get(name, now) != now:  # format 0 has none of the literals, and few runs an encoder
                    raise FarlinkError(f"{self.folder}: cannot resume, {what} that the run started with")
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


def described(
    task: str, graphs: Mapping[str, KnowledgeGraph], known: Iterable[Pairs | Triples], notes: list[str]
) -> dict[str, Any]:
    """What every `run.json` says; `known` is what is known of the graphs besides their triples."""
    return {
        "format": FORMAT,
        "task": task,
        "farlink": version("farlink"),
        "date": datetime.date.today().isoformat(),
        **{name: _sizes(graph) for name, graph in graphs.items()},
        "notes": notes,
        "fingerprint": fingerprint(graphs.values(), known),
        "literals_fingerprint": literals_fingerprint(graphs.values()),
    }


def _sizes(graph: KnowledgeGraph) -> dict[str, Any]:
    return {
        "source": graph.source,
        "entities": len(graph.entities),
        "relations": len(graph.relations),
        "triples": len(graph.triples),
        "duplicates": graph.duplicates,
        "literals": graph.literals.height,
    }


def fingerprint(graphs: Iterable[KnowledgeGraph], known: Iterable[Pairs | Triples]) -> str:
    """A digest that changes when the graphs or what is known of them change."""
    digest = hashlib.sha256()
    for graph in graphs:
        digest.update("\n".join(pl.concat([graph.entities, graph.relations])).encode())
        digest.update(graph.triples.tobytes())
    for part in known:
        digest.update(np.ascontiguousarray(part).tobytes() + b"|")
    return digest.hexdigest()


def literals_fingerprint(graphs: Iterable[KnowledgeGraph]) -> str:
    """A digest that changes when the literals of the graphs change, whatever their order.

    It goes by what format 1 kept of a literal, so that a run of that format can still be resumed.
    """
    digest = hashlib.sha256()
    for graph in graphs:
        columns = ["head", "relation", "value"]
        digest.update(graph.literals.select(columns).sort(columns).write_csv().encode() + b"|")
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
