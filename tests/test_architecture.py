"""The house rules that `.importlinter` and docs/architecture.md write down."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_every_contract_between_the_packages_is_kept():
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    told = subprocess.run([sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert " 0 broken" in told.stdout


# What is loaded where, besides what the contracts say of imports at the head of a file.
@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("farlink", {"torch", "numba", "matplotlib", "polars", "pykeen"}),
        ("farlink.cli", {"torch", "numba", "matplotlib", "polars", "pykeen"}),
        ("farlink.progress", {"torch", "numba", "matplotlib"}),
        ("farlink.runs.folder", {"torch", "numba", "matplotlib"}),
        ("farlink.engine.trace", {"torch", "numba", "matplotlib"}),
        ("farlink.io.sources", {"torch", "numba", "matplotlib", "rich", "typer"}),
        ("farlink.alignment.align", {"matplotlib", "pykeen"}),
        ("farlink.completion.complete", {"matplotlib", "pykeen"}),
    ],
)
def test_what_is_not_needed_is_not_loaded(module, unneeded):
    script = f"import sys, {module}; print(*sorted({unneeded!r} & sys.modules.keys()))"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
