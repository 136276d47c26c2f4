"""What a command loads: what only prints or refuses must be there at once."""

import resource
import subprocess
import sys

import pytest

from helpers.pairs import Pair

HEAVY = {"torch", "numba", "matplotlib", "pykeen"}
BARE = "import polars, rich, typer"
COMMAND = """
import sys
from farlink.cli import main
sys.argv = ["farlink", *sys.argv[1:]]
try:
    main()
finally:
    print("loaded:", *sys.modules, file=sys.stderr)
"""


def python(code, *words, cwd=None):
    """Errors of the code in a process of its own, and the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, cwd=cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def bare_time():
    """What the libraries of any command take, on this machine as busy as it is."""
    return max(python(BARE)[1] for _ in range(2))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    Pair.make().write(folder)
    (folder / "broken.tsv").write_text("a\tr\tb\na\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("align", "--help"),
        ("settings",),
        ("settings", "complete"),
        ("align", "a", "b"),
        ("align", "a", "b", "--out", "run", "--set", "widht=3"),
        ("complete", "a"),
        ("sample", "a"),
        ("match", "nowhere", "a"),
    ],
    ids=" ".join,
)
def test_what_prints_or_refuses_is_there_at_once(words, bare_time, folder):
    errors, seconds = python(COMMAND, *words, cwd=folder)
    *_, loaded = errors.strip().splitlines()
    assert loaded.startswith("loaded: ")
    assert not HEAVY & set(loaded.split())
    assert seconds < 4 * bare_time  # torch alone takes seven times as long


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("align", "left.tsv", "right.tsv", "--trust", "all", "--out", "run"), "(--trust)"),
        (("align", "broken.tsv", "right.tsv", "--seeds", "seeds.tsv", "--out", "run"), "broken.tsv, line 2"),
        (("align", "left.tsv", "left.tsv", "--seeds", "seeds.tsv", "--out", "run"), "hold the same graph"),
        (("complete", "broken.tsv", "--out", "run"), "broken.tsv, line 2"),
        (("complete", "left.tsv", "--valid", "left.tsv", "--out", "run"), "no validation triple is left"),
        (("info", "left.tsv"), ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_in_files_are_told_before_anything_slow_is_loaded(words, message, folder):
    errors, _ = python(COMMAND, *words, cwd=folder)
    *_, loaded = errors.strip().splitlines()
    assert message in errors
    assert not HEAVY & set(loaded.split())


def test_the_package_loads_nothing_until_it_is_asked(bare_time):
    _, seconds = python("import sys, farlink; assert not {'polars', 'torch', 'rich'} & set(sys.modules)")
    assert seconds < bare_time


@pytest.mark.slow
def test_what_does_not_draw_loads_no_plots():
    errors, _ = python(
        "import sys, farlink; farlink.align, farlink.complete, farlink.load; assert 'matplotlib' not in sys.modules"
    )
    assert not errors
