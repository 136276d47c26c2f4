import json
import re
import signal
import subprocess
import sys
import time

import pytest

from helpers.commands import TINY_OPTIONS, complaint, graphs, invoke, shell
from helpers.pairs import Pair

RESULTS = ("weights.safetensors", "alignment.tsv", "metrics.json")


@pytest.mark.slow
def test_align_tells_what_it_read_did_and_found(finished):
    out, text = finished
    assert "40 entities, 4 relations" in text
    assert "2 of the 20 seeds are held out for validation" in text
    assert "epoch 3: loss" in text
    assert "linked" in text
    assert "name equality" in text
    assert str(out / "alignment.tsv") in text.replace("\n", "")


@pytest.mark.slow
def test_align_takes_a_benchmark_folder(tmp_path):
    pair, folder = Pair.make(), tmp_path / "benchmark"
    tables = {"rel_triples_1": pair.left_frame, "rel_triples_2": pair.right_frame}
    tables |= {"train_links": pair.links[:20], "valid_links": pair.links[20:26], "test_links": pair.links[26:]}
    folder.mkdir()
    for name, table in tables.items():
        table.write_csv(folder / name, separator="\t", include_header=False)
    result = invoke("align", folder, "--out", tmp_path / "run", *TINY_OPTIONS)
    assert result.exit_code == 0, result.output
    assert "20 seeds, 6 for validation, 14 for the final test" in result.output


@pytest.mark.slow
def test_align_takes_attributes_rejected_pairs_and_what_to_trust(files, tmp_path):
    (tmp_path / "names").write_text("a1\tone\nghost\tboo\n")
    (tmp_path / "rejected.tsv").write_text("a30\tb31\n")
    options = ("--left-attributes", tmp_path / "names", "--rejected", tmp_path / "rejected.tsv")
    trust = ("--trust", "same-as", "--trust", "same-iris")
    result = invoke("align", *graphs(files), *options, *trust, "--out", tmp_path / "run", *TINY_OPTIONS)
    assert result.exit_code == 0, result.output
    said = result.output.replace("\n", "")
    assert "1 literal set aside" in said
    assert "left out; first: 'ghost'" in said
    assert "for the final test; 1 pair rejected" in said
    assert "no entity name occurs in both graphs" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("left.tsv", "right.tsv", "--seeds", "seeds.tsv", "--fold", 2),
            "two graphs come with links (--share, --fold)",
        ),
        (("l.tsv", "r.tsv", "--trust", "names"), "choose same-iris or same-as (--trust)"),
        (("-", "-", "--seeds", "seeds.tsv"), "standard input can be one of the two graphs only"),
    ],
)
def test_align_says_what_does_not_go_together(tmp_path, words, message):
    assert message in complaint("align", *words, "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_seed_outside_its_range_is_refused_before_anything_is_read():
    result = invoke("align", "no.tsv", "no.tsv", "--seed", -1, "--out", "run")
    assert result.exit_code == 2
    assert "--seed" in result.output


def test_match_shows_counterparts_as_a_table_or_json(finished):
    out, _ = finished
    text = invoke("match", out, "a33", "-k", "2").output
    assert "score" in text
    assert "why b" in text
    rows = json.loads(invoke("match", out, "a33", "-k", "2", "--json").output)
    assert len(rows) == 2
    assert all(isinstance(row["reasons"], list) for row in rows)


def test_export_says_where_the_file_lies(finished, tmp_path):
    out, _ = finished
    result = invoke("export", out, "--to", "sssom", "--out", tmp_path / "mapping.sssom.tsv")
    assert (tmp_path / "mapping.sssom.tsv").exists()
    assert "mapping.sssom.tsv" in result.output.replace("\n", "")


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
    while not (out / "checkpoint-paths.safetensors").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


@pytest.mark.slow
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
    assert [path.name for path in (tmp_path / "run").glob(".*")] == [".lock"]


@pytest.mark.slow
def test_ctrl_c_saves_says_how_to_go_on_and_loses_nothing(long_run, tmp_path):
    options, expected = long_run
    process = start(options, tmp_path / "run")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"stopped after \d+ steps; the run can be resumed from here \(--resume\)", errors)
    assert "Traceback" not in errors
    assert shell("align", *options, "--out", tmp_path / "run", "--resume").returncode == 0
    assert {name: (tmp_path / "run" / name).read_bytes() for name in RESULTS} == expected
