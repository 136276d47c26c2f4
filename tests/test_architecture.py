"""The house rules that `.importlinter` and docs/architecture.md write down."""

import ast
import re
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


@pytest.mark.slow
# What is loaded where, besides what the contracts say of imports at the head of a file.
@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("farlink", {"torch", "numba", "matplotlib", "polars", "pykeen"}),
        ("farlink.cli", {"torch", "numba", "matplotlib", "polars", "pykeen"}),
        ("farlink.progress", {"torch", "numba", "matplotlib"}),
        ("farlink.runs.folder", {"torch", "numba", "matplotlib"}),
        ("farlink.engine.trace", {"torch", "numba", "matplotlib"}),
        ("farlink.text.normal", {"torch", "numba", "matplotlib", "pypinyin", "pykakasi", "tokenizers"}),
        ("farlink.text.skeleton", {"torch", "numba", "matplotlib", "pypinyin", "pykakasi", "tokenizers"}),
        ("farlink.text.readings", {"torch", "numba", "matplotlib", "pypinyin", "pykakasi", "tokenizers"}),
        ("farlink.text.encoder", {"torch", "numba", "matplotlib", "pypinyin", "pykakasi", "tokenizers"}),
        ("farlink.io.sources", {"torch", "numba", "matplotlib", "rich", "typer"}),
        ("farlink.alignment.align", {"matplotlib", "pykeen"}),
        ("farlink.completion.complete", {"matplotlib", "pykeen"}),
    ],
)
def test_what_is_not_needed_is_not_loaded(module, unneeded):
    script = f"import sys, {module}; print(*sorted({unneeded!r} & sys.modules.keys()))"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []


def behaviours():
    """The rows of the table "Where is what": behaviour, file and names."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    table = text.split("## Where is what")[1].split("## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "`" in line]
    return [(behaviour, file.strip("`"), re.findall(r"`(\w+)`", names)) for behaviour, file, names in rows]


@pytest.mark.parametrize(("behaviour", "file", "names"), behaviours())
def test_what_the_documentation_names_is_where_it_says(behaviour, file, names):
    there = ast.parse((ROOT / "src" / "farlink" / file).read_text())
    defined = {node.name for node in ast.walk(there) if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assigned = [
        node.targets if isinstance(node, ast.Assign) else [node.target] for node in there.body if is_value(node)
    ]
    defined |= {target.id for targets in assigned for target in targets if isinstance(target, ast.Name)}
    assert names
    assert set(names) <= defined


def is_value(node):
    return isinstance(node, ast.Assign | ast.AnnAssign)


def test_the_documentation_names_thirty_behaviours_and_every_folder():
    assert len(behaviours()) >= 30
    text = (ROOT / "docs" / "architecture.md").read_text().split("## Who imports whom")[0]
    packages = {path.parent.name for path in (ROOT / "src" / "farlink").glob("*/__init__.py")}
    assert packages <= set(re.findall(r"`(\w+)/`", text))


# A module and what it defines, as the documentation writes them: seen from the top, or from the folder of a task.
DOTTED = re.findall(r"`((?:[a-z_0-9]+\.)+\w+)`", (ROOT / "docs" / "architecture.md").read_text())


@pytest.mark.parametrize("dotted", sorted({word for word in DOTTED if not re.search(r"\.(py|json|svg)$", word)}))
def test_every_module_and_name_in_the_text_exists(dotted):
    *modules, name = dotted.split(".")
    folders = [ROOT / "src" / "farlink" / task for task in ("", "alignment", "completion")]
    homes = [folder.joinpath(*modules) for folder in folders]
    files = [path for home in homes for path in (home.with_suffix(".py"), home / "__init__.py") if path.exists()]
    defined = any(re.search(rf"^(class|def) {name}\b", path.read_text(), re.MULTILINE) for path in files)
    assert defined or any((home / f"{name}.py").exists() for home in homes)
