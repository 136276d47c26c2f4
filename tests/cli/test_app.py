import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import farlink
from farlink.cli import app, main
from farlink.cli.app import in_words, parse_assignments
from farlink.errors import FarlinkError, InputError
from farlink.settings import make_settings
from helpers.commands import TINY_OPTIONS, graphs, invoke, shell


def test_the_version_is_told():
    assert invoke("--version").output.startswith("farlink ")


def test_help_teaches_the_commands():
    shown = re.findall(r"^│ ([a-z]+) +(\w)", invoke("--help").output, re.MULTILINE)
    assert {command for command, _ in shown} == {
        *("align", "demo", "match", "export"),
        *("complete", "predict"),
        *("evaluate", "info", "settings"),
        *("sample", "experiment"),
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["align", "left.tsv", "right.tsv", "--out", "run"],
            "pair a line (--seeds)",
        ),
        (["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv"], "--out is missing"),
        (["align", "left.tsv", "nowhere.tsv", "--seeds", "seeds.tsv", "--out", "run"], "nowhere.tsv"),
        (["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv", "--out", "run", "--preset", "slow"], "no preset"),
        (["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv", "--out", "run", "--set", "width=0"], "from 4 to"),
        (["match", "nowhere", "a"], "no such run folder"),
        (["info", "left.xyz"], "left.xyz"),
    ],
)
def test_a_mistake_gives_one_line(files, words, message, monkeypatch, capsys):
    monkeypatch.chdir(files["left"].parent)
    monkeypatch.setattr(sys, "argv", ["farlink", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("farlink: ")
    assert message in line
    assert not Path("run").exists()


@pytest.mark.slow
def test_a_mistake_ends_the_process_without_a_traceback(tmp_path):
    result = shell("info", "left.xyz", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("farlink: left.xyz")
    assert len(result.stderr.splitlines()) == 1


def test_words_become_values_of_settings():
    settings = make_settings("fast", **parse_assignments(["width=128", "learning-rate = 1e-3", "model=rnn"]))
    assert (settings.width, settings.learning_rate, settings.model) == (128, 0.001, "rnn")


def test_an_assignment_needs_an_equals_sign():
    with pytest.raises(FarlinkError, match="--set width: expected key=value"):
        parse_assignments(["width"])


def raised_arguments():
    """The names that errors of the package carry."""
    for path in Path(farlink.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("FarlinkError", "Interrupted"):
                yield from (word.value for word in node.args[1:] if isinstance(word, ast.Constant))


def test_every_argument_that_an_error_names_is_an_option_of_some_command():
    commands = typer.main.get_command(app).commands.values()
    options = {option for command in commands for parameter in command.params for option in parameter.opts}
    raised = set(raised_arguments())
    assert raised >= {"out", "resume", "seeds", "links", "size"}
    for argument in raised - {"languages", "encoder"}:  # of `text`, which no command calls so far
        assert f"--{argument.replace('_', '-')}" in options


def test_the_arguments_that_mend_a_mistake_are_options_here():
    assert in_words(FarlinkError("too many", "seed_share", "size")) == "too many (--seed-share, --size)"
    assert in_words(InputError("a.tsv", "empty", 3)) == "a.tsv, line 3: empty"


@pytest.mark.slow
def test_a_full_disk_is_one_clear_message_and_no_half_written_file(files, tmp_path):
    # a limit on the size of files makes real writes fail, as a full disk does
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000));"
        "from farlink.cli import main; main()"
    )
    command = [sys.executable, "-B", "-c", limited, "align", *map(str, graphs(files)), "--out", str(tmp_path / "run")]
    result = subprocess.run([*command, *TINY_OPTIONS], capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 1
    assert "no room left to write this file" in result.stderr
    assert "Traceback" not in result.stderr
    left_behind = [path.name for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert [name for name in left_behind if name.startswith(".")] == [".lock"]
    assert "alignment.tsv" not in left_behind
