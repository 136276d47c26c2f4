"""The command line of the benchmarks; see the package."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import __doc__ as about
from benchmarks import results
from benchmarks.measure import Row, resident_memory

SUBJECTS = ("walks", "training", "reading", "matching", "ranking")
FOLDER = Path(__file__).parent


def main() -> None:
    """Measure each subject in a process of its own, and write what came out.

    A process counts what its parent held when it was started towards its peak memory. That is why nothing
    large is imported here before all subjects are done.
    """
    options = _options()
    if options.child:
        print(json.dumps(measure_subject(options.child, options.quick)))
        return
    entries = {}
    for name in options.names or SUBJECTS:
        entries[name] = _measure_in_child(name, options.quick)
    if not options.quick:
        write_results(FOLDER, entries)


def measure_subject(name: str, quick: bool) -> dict[str, Any]:
    """The rows of a subject, and the memory in use before its work began."""
    subject = import_module(f"benchmarks.{name}")
    before = resident_memory()
    rows = subject.run(**(subject.QUICK if quick else {}))
    return {"resident_before": before, "rows": [asdict(row) for row in rows]}


def _measure_in_child(name: str, quick: bool) -> dict[str, Any]:
    print(f"{name} …", flush=True)
    command = [sys.executable, "-m", "benchmarks", "--child", name, *(["--quick"] if quick else [])]
    child = subprocess.run(command, cwd=FOLDER.parent, stdout=subprocess.PIPE, text=True, check=False)
    if child.returncode:
        sys.exit(f"{name} failed with exit code {child.returncode}")
    measured = json.loads(child.stdout)
    rows = [Row(**row) for row in measured["rows"]]
    print(results.table(rows), end="\n\n", flush=True)
    return results.entry(rows, measured["resident_before"])


def write_results(folder: Path, entries: dict[str, dict[str, Any]]) -> None:
    """Put the entries in place of the earlier ones of the same subjects."""
    from farlink.io.files import write_text

    data = folder / "results.json"
    earlier = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {}
    merged = earlier | entries
    write_text(data, json.dumps(merged, indent=2, ensure_ascii=False) + "\n")
    write_text(folder / "results.md", results.document(merged))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(SUBJECTS)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing is written")
    parser.add_argument("--child", choices=SUBJECTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.names) - set(SUBJECTS):
        parser.error(f"there is no subject {', '.join(sorted(unknown))}; choose from {', '.join(SUBJECTS)}")
    return options


if __name__ == "__main__":
    main()
