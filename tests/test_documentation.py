"""What the documents show works: every command has the options it is shown with, and every snippet runs."""

import re
import shlex
import shutil
import textwrap
from functools import partial

import pytest

import farlink
from helpers.commands import complaint, invoke, options_of
from helpers.documents import ROOT, documents, python_snippets, shown_commands, write_world

SMALL = {"width": 16, "batch_size": 128, "max_epochs": 1, "threads": 1}
ASKED = {"question_epochs": 1, "question_dropout": 0.1, "factors": 8, "factor_epochs": 1, "factor_decay": 0.01}
SHORTER = {  # what makes a command that is shown one of a second
    "align": options_of(SMALL),
    "complete": options_of(SMALL | ASKED),
    "sample": ["--size", "20", "--epsilon", "1"],
}


def shown_commands_of_all_pages():
    return dict.fromkeys(command for path in documents() for command in shown_commands(path))


@pytest.mark.slow
@pytest.mark.parametrize("command", shown_commands_of_all_pages(), ids=str)
def test_a_command_that_is_shown_takes_the_options_it_is_shown_with(command):
    told = invoke(*command.words, "--help")  # an option that is not there is found before help is given
    assert told.exit_code == 0, told.output


def test_an_experiment_that_is_shown_is_there():
    known = complaint("experiment", "none").split(":", 1)[1].replace(" ", "").split(",")
    for command in shown_commands_of_all_pages():
        if command.words[0] == "experiment" and command.words[1] != "--help":
            assert command.words[1] in known, str(command)


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with all the files that are named."""
    write_world(tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("document", "folder"),
    [
        ("README.md", None),
        ("docs/alignment.md", "path/to/dbp_wd_15k_v1"),
        ("docs/completion.md", "completion"),
        ("docs/sampling.md", "hubs"),
    ],
)
def test_the_commands_of_a_page_run_one_after_the_other(world, document, folder):
    if folder:
        (world / "folder").symlink_to(world / folder)
    ran = 0
    for command in shown_commands(ROOT / document):
        if not command.alone or command.words[0] in ("demo", "experiment"):  # these have tests of their own
            continue
        words = [*command.words, *SHORTER.get(command.words[0], [])]
        if command.words[0] in SHORTER:
            shutil.rmtree(command.words[command.words.index("--out") + 1], ignore_errors=True)
        result = invoke(*words)
        assert result.exit_code == 0, f"{shlex.join(words)}\n{result.output}\n{result.exception!r}"
        ran += 1
    assert ran


@pytest.mark.slow
@pytest.mark.parametrize(
    "snippet",
    [
        *python_snippets(ROOT / "README.md"),
        "import farlink" + textwrap.dedent(farlink.__doc__.split("import farlink", 1)[1]),
    ],
    ids=lambda snippet: f"{len(snippet.splitlines())} lines",
)
def test_a_snippet_of_python_runs(world, monkeypatch, snippet):
    monkeypatch.setattr(farlink, "align", partial(farlink.align, **SMALL))
    monkeypatch.setattr(farlink, "complete", partial(farlink.complete, **SMALL | ASKED))
    names = {}
    exec(compile(snippet, "snippet", "exec"), names)
    assert names["run"].finished
    columns = ["left", "right", "score", "margin", "probability", "status"]
    if isinstance(names["run"], farlink.AlignmentRun):
        assert names["run"].alignment.columns == columns
        said = next(line for line in snippet.splitlines() if line.startswith("run.alignment"))
        assert said.split(":")[1].replace(" ", "").split(",") == columns


def test_every_path_that_the_documents_link_to_exists():
    for path in documents():
        for target in links_of(path.read_text()):
            assert (path.parent / target).exists(), f"{path.relative_to(ROOT)} links to {target}"


def links_of(text):
    """Where a page's Markdown links lead within the project."""
    return re.findall(r"\]\(([^)#: ]+)(?:#[^)]*)?\)", text)
