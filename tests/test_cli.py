import json
import re
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from farlink.cli import app
from farlink.settings import AlignmentSettings, CompletionSettings
from pairs import TINY, Pair

TINY_OPTIONS = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Pair.make().write(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def finished(files, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    result = invoke("align", *graphs(files), "--test", files["test"], "--out", out, *TINY_OPTIONS)
    assert result.exit_code == 0, result.output
    return out, result.output


def graphs(files):
    return files["left"], files["right"], "--seeds", files["seeds"]


def invoke(*words, stdin=None):
    """The command in this process; mistakes of the user come out as they do in a shell."""
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def shell(*words, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "farlink", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)


def test_align_tells_what_it_read_did_and_found(finished):
    out, text = finished
    assert "40 entities, 4 relations" in text
    assert "2 of the 20 seeds are held out for validation" in text
    assert "epoch 3: loss" in text
    assert "linked" in text
    assert "name equality" in text
    assert str(out / "alignment.tsv") in text.replace("\n", "")


def test_align_takes_a_benchmark_folder(shared_data, tmp_path):
    result = invoke(
        "align", shared_data / "srprs/dbp_wd_15k_v1", "--out", tmp_path / "run",
        "--set", "width=4", "--set", "walk_length=3", "--set", "max_epochs=1",
        "--set", "entity_negatives=8", "--set", "batch_size=8192",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "4,500 seeds, 1,050 for validation, 9,450 for the final test" in result.output


def test_match_shows_counterparts_as_a_table_or_json(finished):
    out, _ = finished
    text = invoke("match", out, "a33", "-k", "2").output
    assert "score" in text
    assert "why b" in text
    rows = json.loads(invoke("match", out, "a33", "-k", "2", "--json").output)
    assert len(rows) == 2
    assert all(isinstance(row["reasons"], list) for row in rows)


def test_evaluate_shows_both_protocols(finished, files):
    out, _ = finished
    text = invoke("evaluate", out, "--links", files["test"]).output
    assert "20 links, realistic ranks" in text
    assert "right to left" in text
    figures = json.loads(invoke("evaluate", out, "--links", files["test"], "--json").output)
    assert figures["all"]["left_to_right"]["queries"] == 20


def test_export_says_where_the_file_lies(finished, tmp_path):
    out, _ = finished
    result = invoke("export", out, "--to", "sssom", "--out", tmp_path / "mapping.sssom.tsv")
    assert (tmp_path / "mapping.sssom.tsv").exists()
    assert "mapping.sssom.tsv" in result.output.replace("\n", "")


def test_info_describes_graphs(files):
    text = invoke("info", files["left"], files["right"]).output
    assert "components" in text
    figures = json.loads(invoke("info", files["left"], "--json").output)
    assert figures[str(files["left"])]["entities"] == 40


def test_info_reads_standard_input(files):
    with open(files["left"]) as stdin:
        result = shell("info", "-", "--format", "tsv", "--json", stdin=stdin)
    assert json.loads(result.stdout)["-"]["entities"] == 40


@pytest.mark.parametrize(("task", "kind"), [("align", AlignmentSettings), ("complete", CompletionSettings)])
def test_settings_lists_every_setting(task, kind):
    text = invoke("settings", task).output
    assert all(name[:8] in text for name in kind.model_fields if name not in ("preset", "task"))


def test_the_settings_of_a_method_to_compare_with_are_listed():
    text = invoke("settings", "gcn-align").output
    assert "gcn-align" in text
    assert "entity_negatives"[:8] in text


def test_settings_of_something_unknown_are_a_clear_error():
    error = CliRunner().invoke(app, ["settings", "bake"]).exception
    assert "there is no task or method 'bake'; choose one of align, complete, mtranse" in str(error)


def test_the_version_is_told():
    assert invoke("--version").output.startswith("farlink ")


def test_help_teaches_the_commands():
    text = invoke("--help").output
    for command in ("align", "demo", "match", "evaluate", "export", "info", "settings"):
        assert command in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["align", "left.tsv", "right.tsv", "--out", "run"], "--seeds is missing"),
        (["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv"], "--out is missing"),
        (["align", "left.tsv", "nowhere.tsv", "--seeds", "seeds.tsv", "--out", "run"], "nowhere.tsv"),
        (["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv", "--out", "run", "--preset", "slow"], "no preset"),
        (["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv", "--out", "run", "--set", "width=0"], "from 4 to"),
        (["match", "nowhere", "a"], "no such run folder"),
        (["info", "left.xyz"], "left.xyz"),
    ],
)
def test_a_mistake_gives_one_line_and_no_traceback(files, words, message):
    result = shell(*words, cwd=files["left"].parent)
    assert result.returncode == 1
    assert message in result.stderr
    assert result.stderr.startswith("farlink: ")
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (files["left"].parent / "run").exists()


RESULTS = ("weights.safetensors", "alignment.tsv", "metrics.json")


@pytest.fixture(scope="module")
def long_run(files, tmp_path_factory):
    """A command that trains for a few seconds, and the results of letting it."""
    options = [*graphs(files), "--test", files["test"], *TINY_OPTIONS, "--set", "max_epochs=40", "--set", "patience=0"]
    out = tmp_path_factory.mktemp("whole") / "run"
    assert shell("align", *options, "--out", out).returncode == 0
    return options, {name: (out / name).read_bytes() for name in RESULTS}


def start(options, out):
    """Start the command and wait until it has saved its first checkpoint."""
    command = [sys.executable, "-m", "farlink", "align", *map(str, options), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (out / "checkpoint.safetensors").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def test_a_run_killed_at_any_moment_resumes_to_the_same_result(long_run, tmp_path):
    options, expected = long_run
    process = start(options, tmp_path / "run")
    time.sleep(0.3)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "run" / "README.md").exists()
    result = shell("align", *options, "--out", tmp_path / "run", "--resume")
    assert result.returncode == 0, result.stderr
    assert {name: (tmp_path / "run" / name).read_bytes() for name in RESULTS} == expected
    assert not list((tmp_path / "run").glob(".*"))


def test_ctrl_c_saves_says_how_to_go_on_and_loses_nothing(long_run, tmp_path):
    options, expected = long_run
    process = start(options, tmp_path / "run")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"stopped after \d+ steps; the same command with --resume goes on", errors)
    assert "Traceback" not in errors
    assert shell("align", *options, "--out", tmp_path / "run", "--resume").returncode == 0
    assert {name: (tmp_path / "run" / name).read_bytes() for name in RESULTS} == expected


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
    assert all(not name.startswith(".") for name in left_behind)
    assert "alignment.tsv" not in left_behind
