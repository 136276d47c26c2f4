import ast
import re
from pathlib import Path

import pytest

import farlink
from farlink.errors import FarlinkError, InputError

PACKAGE = Path(farlink.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z]|\s--$")


def test_an_input_error_names_file_and_line():
    assert str(InputError("a.tsv", "no tabs here", 1234)) == "a.tsv, line 1,234: no tabs here"


def test_the_line_may_be_absent():
    assert str(InputError("a.tsv", "empty")) == "a.tsv: empty"


def test_arguments_that_mend_it_are_named_as_in_python():
    assert str(FarlinkError("run/ is not empty; choose another folder", "out")).endswith("choose another folder (out)")
    assert str(FarlinkError("too many", "seed_share", "size")) == "too many (seed_share, size)"


def options_in(tree: ast.AST) -> list[str]:
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [text for text in texts if OPTION.search(text)]


@pytest.mark.slow
def test_only_the_command_line_speaks_of_its_options():
    modules = {path.relative_to(PACKAGE): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assert len(modules) > 100
    for path, tree in modules.items():
        if path.parts[0] == "experiments":  # they run commands and write them down, but are functions as well
            raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
            assert not [text for node in raised for text in options_in(node)], path
        elif path.parts[0] != "cli":
            assert not options_in(tree), path
    assert options_in(modules[Path("cli/app.py")])
