"""The results as tables and as data, with the machine they are from."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measure import GB, Row
from farlink.reports.tables import Table, columns, markdown

PACKAGES = ("farlink", "numba", "numpy", "polars", "scipy", "torch")
HEADINGS = ("what", "figure", "baseline", "ratio", "target", "peak memory")
INTRODUCTION = """# Benchmarks

Written by `make bench`. Each baseline was measured in the same run as the figure beside it. The ratio is the
figure divided by the baseline: more is better for a rate, less for a time or a size. Peak memory is the most that
the process of a subject had resident until the figure was taken, Python and all libraries included; a process
does nothing but its subject.
"""


def entry(rows: list[Row], resident_before: int) -> dict[str, Any]:
    """What is kept of a subject: its rows, and under which circumstances they came about."""
    return {
        "machine": machine(),
        "date": datetime.date.today().isoformat(),
        "command": " ".join(["python -m benchmarks", *sys.argv[1:]]),
        "resident_before": resident_before,
        "rows": [asdict(row) | {"ratio": row.ratio, "met": row.met} for row in rows],
    }


def machine() -> dict[str, Any]:
    """The processor and the software."""
    versions = {package: version(package) for package in PACKAGES}
    return {"cores": os.cpu_count(), "cpu": _cpu_model(), "python": platform.python_version(), "versions": versions}


def document(entries: dict[str, dict[str, Any]]) -> str:
    """All entries as a Markdown document."""
    return "\n".join([INTRODUCTION, *(_section(name, content) for name, content in sorted(entries.items()))])


def _section(name: str, content: dict[str, Any]) -> str:
    machine = content["machine"]
    software = ", ".join(f"{package} {number}" for package, number in machine["versions"].items())
    about = [
        f"- {content['date']}, `{content['command']}`",
        f"- {machine['cpu']}, {machine['cores']} cores; Python {machine['python']}, {software}",
        f"- resident before the work began: {content['resident_before'] / GB:.2f} GB",
    ]
    return "\n".join([f"## {name}", "", table(_rows(content)), "", *about, ""])


def _rows(content: dict[str, Any]) -> list[Row]:
    return [Row(**{key: value for key, value in row.items() if key not in ("ratio", "met")}) for row in content["rows"]]


def table(rows: list[Row]) -> str:
    """Rows as a Markdown table."""
    return "\n".join(markdown(Table(columns(*HEADINGS), [_cells(row) for row in rows])))


def _cells(row: Row) -> list[str]:
    baseline = "" if row.baseline is None else f"{_number(row.baseline)} {row.unit} ({row.baseline_what})"
    ratio = "" if row.ratio is None else _number(row.ratio)
    figure = f"{_number(row.figure)} {row.unit}"
    return [row.what, figure, baseline, ratio, _target(row), f"{row.peak_memory / GB:.2f} GB"]


def _target(row: Row) -> str:
    if row.met is None:
        return ""
    bound = f"≥ {_number(row.at_least)}" if row.at_least is not None else f"≤ {_number(row.at_most or 0)}"
    return f"{bound}: {'met' if row.met else 'missed'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _cpu_model() -> str:
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return names[0].partition(":")[2].strip() if names else platform.machine()
