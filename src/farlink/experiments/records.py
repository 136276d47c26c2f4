"""One JSON line for every run: what was run, what came of it, how long it took and how much memory."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from farlink.engine.machine import stop_signal
from farlink.errors import FarlinkError, InputError, Interrupted
from farlink.io.files import write_text
from farlink.loading import load

Record = dict[str, Any]
STARTED = "started"  # a file written when an attempt at a run starts; it holds the seconds of those before


class Records:
    """A file of records; each has a key that tells which run it is of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.all = self._read()

    def has(self, key: Mapping[str, Any]) -> bool:
        """Whether there is a record of this run."""
        return any(record["key"] == key for record in self.all)

    def add(self, record: dict[str, Any]) -> None:
        """Add a record to those that are there by now; the file is replaced whole, so it is never cut short."""
        self.all = [*self._read(), record]
        write_text(self.path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.all))

    def make_folder(self) -> None:
        """Make the folder of the file: what could not be written down need not be run."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FarlinkError(f"{self.path}: cannot be written ({error.strerror}); name a folder", "out") from None

    def _read(self) -> list[dict[str, Any]]:
        lines = self.path.read_bytes().splitlines() if self.path.is_file() else []
        return [self._record(line, number) for number, line in enumerate(lines, 1) if line.strip()]

    def _record(self, line: bytes, number: int) -> Record:
        try:
            record = json.loads(line)
        except ValueError:  # no UTF-8, or no JSON
            record = None
        if not (isinstance(record, dict) and isinstance(record.get("key"), dict)):
            raise InputError(self.path, "not a record of a run, expected a JSON object with a key; remove it", number)
        return record


class Job(Protocol):
    """A run to be made."""

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""

    @property
    def folder(self) -> str:
        """Where its data set is, below the folder of all."""


AnyJob = TypeVar("AnyJob", bound=Job)


def carry_out(
    jobs: Iterable[AnyJob],
    only: Sequence[str] | None,
    records: Records,
    data: Path | None,
    make: Callable[[AnyJob, Path], Record],
    tell: Callable[[AnyJob, Record], str],
) -> Iterator[str]:
    """Make the runs that are not recorded yet, on some data sets only, and record them; tells how each went.

    `make` makes a run on the data set in a folder and gives its record; `tell` puts it in words. Without `data`, the
    folder of all data sets, no run is made.
    """
    jobs = list(jobs)
    folders = list(dict.fromkeys(job.folder for job in jobs))
    for folder in only or ():
        if folder not in folders:
            raise FarlinkError(f"no run of these parts is on {folder}; they are on {', '.join(folders) or 'none'}")
    missing = [job for job in jobs if (only is None or job.folder in only) and not records.has(job.key)]
    if data is None or not missing:
        return
    if not data.is_dir():
        raise FarlinkError(f"{data}: no such folder; name the folder with the benchmark data sets", "data")
    records.make_folder()
    absent = [folder for folder in dict.fromkeys(job.folder for job in missing) if not (data / folder).is_dir()]
    yield from (f"left out: there is no {data / folder}" for folder in absent)
    for job in missing:
        if job.folder not in absent:
            record = {"key": job.key, **make(job, data / job.folder)}
            records.add(record)
            yield tell(job, record)


def longest(records: Iterable[Record]) -> list[Record]:
    """Of the runs that differ in nothing but their minutes, the one that had most; 0 minutes are no limit.

    Of runs with the same key the last counts.
    """
    kept: dict[str, Record] = {}
    for record in records:
        run = json.dumps({name: value for name, value in record["key"].items() if name != "minutes"}, sort_keys=True)
        if run not in kept or _limit(record) >= _limit(kept[run]):
            kept[run] = record
    return list(kept.values())


def _limit(record: dict[str, Any]) -> float:
    return record["key"].get("minutes") or math.inf


def measured(arguments: Sequence[str], log: Path) -> dict[str, Any]:
    """Run `farlink` with arguments in a process of its own: cores it may use, seconds, and peak memory in bytes.

    A signal that stops this process is passed on to that one, which then saves what it has.
    """
    started = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "farlink", *arguments], stdout=output, stderr=subprocess.STDOUT
        )
        with stop_signal(process.terminate) as stopped:
            _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if stopped.is_set():
        raise Interrupted("stopped; the same command goes on from here")
    if process.returncode:
        raise FarlinkError(f"'farlink {' '.join(arguments)}' failed; see {log}")
    return {"cores": cores(), "seconds": round(time.monotonic() - started, 1), "peak_memory": usage.ru_maxrss * 1024}


def cores() -> int:
    """Cores that this process and those it starts may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def finished_run(
    arguments: Callable[[str], list[str]], also: Callable[[Any], Record] = lambda run: {}
) -> dict[str, Any]:
    """Run `farlink` with arguments that depend on where the run is written: command, commit, cost and what came of it.

    The run itself is not kept, but what `also` finds in it is part of the record. If it is stopped, the same call at
    the same commit goes on with it; the seconds of all attempts are added up.
    """
    command, version = " ".join(["farlink", *arguments("RUN")]), commit()
    name = hashlib.sha256(f"{command} {version}".encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"farlink-experiment-{name}"
    folder.mkdir(exist_ok=True)
    earlier = _seconds_before(folder)
    write_text(folder / STARTED, f"{earlier:.1f}")
    cost = measured([*arguments(str(folder / "run")), "--resume"], folder / "log")
    run = load(folder / "run")
    record = {
        "command": command,
        "commit": version,
        **cost,
        "seconds": round(earlier + cost["seconds"], 1),
        "metrics": run.metrics,
        "trace": run.trace.to_dicts(),
        **also(run),
    }
    shutil.rmtree(folder)
    return record


def _seconds_before(folder: Path) -> float:
    """Seconds of all earlier attempts at a run, however they ended: from the start of each to the last file written."""
    mark = folder / STARTED
    if not mark.exists():
        return 0.0
    last = max(path.stat().st_mtime for path in folder.rglob("*"))
    return float(mark.read_text(encoding="utf-8")) + last - mark.stat().st_mtime


def written(*figures: float) -> str:
    """Figures as the pages have them."""
    return " / ".join(f"{figure:.3f}".removeprefix("0") for figure in figures)


def check_parts(parts: Iterable[str], known: Sequence[str]) -> None:
    """A part that an experiment does not have is a clear error."""
    for part in parts:
        if part not in known:
            raise FarlinkError(f"there is no part '{part}'; choose of {', '.join(known)}")


def commit() -> str:
    """The commit of the working tree, with a + where it was changed since; empty outside a repository."""
    here = Path(__file__).parent
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=here, capture_output=True, text=True, check=False
    )
    return said.stdout.strip()
