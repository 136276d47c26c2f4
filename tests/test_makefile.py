"""`make demo` and `make test` are what a newcomer and the machine that checks every change start with."""

import os
import re
import shutil
import subprocess

import pytest

from helpers.documents import FENCED, ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def recipe(target):
    """The commands that `make target` would run."""
    told = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target],
        cwd=ROOT, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    return told.stdout.splitlines()


def runs(target, command):
    """Whether one of the commands of a target is this one, whatever follows it."""
    return any(re.search(rf"(^|/){command}( |$)", line) for line in recipe(target))


def test_make_demo_sets_up_and_runs_the_demo():
    assert runs("demo", "farlink demo")


@pytest.mark.parametrize("command", ["ruff check .", "ruff format --check .", "mypy", "lint-imports", "pytest"])
def test_make_test_runs_every_check(command):
    assert runs("test", command)


def test_make_test_leaves_no_test_out():
    (line,) = [line for line in recipe("test") if re.search(r"/pytest( |$)", line)]
    assert not re.search(r" (-m|-k|--ignore|--deselect|-x|--maxfail)\b", line)


def test_make_lint_runs_no_tests():
    assert runs("lint", "mypy")
    assert not runs("lint", "pytest")


def test_make_bench_measures():
    assert runs("bench", "python -m benchmarks")


def test_the_set_up_installs_the_versions_that_the_tests_run_with():
    told = subprocess.run(
        ["make", "--dry-run", "--always-make", "lint"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "-m venv .venv" in told
    assert re.search(r"pip install .*--constraint constraints.txt --editable '\.\[dev\]'", told)


def test_the_readme_begins_with_make_demo_and_make_test():
    first = FENCED.search((ROOT / "README.md").read_text())
    commands = [line.split("#")[0].strip() for line in first.group(2).splitlines()]
    assert commands[:2] == ["make demo", "make test"]


def test_every_change_is_checked_by_make_test():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "make test"
