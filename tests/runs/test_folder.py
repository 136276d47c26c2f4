import subprocess
import sys
from dataclasses import replace
from subprocess import PIPE

import polars as pl
import pytest

import farlink
from farlink.errors import FarlinkError, InputError
from farlink.graph.knowledge_graph import literals_table
from farlink.graph.names import closest, place_of
from farlink.runs.folder import LOCK, Run, fingerprint, literals_fingerprint
from farlink.runs.formats import FORMAT
from farlink.settings import make_completion_settings, make_settings
from helpers.pairs import Pair

ABOUT = {"format": FORMAT, "task": "align", "fingerprint": "x", "literals_fingerprint": "l"}
TABLES = {"vocabulary": pl.DataFrame({"name": ["a"]})}


def start(run, settings=None, about=ABOUT, *, resume=False):
    with run.open(settings or make_settings(), about, TABLES, resume):
        pass


def test_a_run_is_unfinished_until_its_report_is_written(tmp_path):
    run = Run(tmp_path / "run")
    assert (run.started, run.finished) == (False, False)
    start(run)
    assert (run.started, run.finished) == (True, False)
    with pytest.raises(InputError, match="not finished"):
        farlink.load(run.folder)
    run.write_text("README.md", "done")
    assert run.finished


def test_a_folder_with_a_readme_of_its_own_is_no_finished_run(tmp_path):
    (tmp_path / "README.md").write_text("about something else")
    assert not Run(tmp_path).finished


def test_a_run_goes_on_only_with_the_settings_and_data_it_started_with(tmp_path):
    run = Run(tmp_path / "run")
    start(run)
    start(Run(run.folder), resume=True)
    with pytest.raises(FarlinkError, match="width was 256 and is now 8"):
        start(Run(run.folder), make_settings(width=8), resume=True)
    with pytest.raises(FarlinkError, match="another task"):
        start(Run(run.folder), make_completion_settings(), resume=True)
    with pytest.raises(FarlinkError, match="this is not the data that the run started with"):
        start(Run(run.folder), about={**ABOUT, "fingerprint": "y"}, resume=True)
    with pytest.raises(FarlinkError, match="these are not the literals that the run started with"):
        start(Run(run.folder), about={**ABOUT, "literals_fingerprint": "m"}, resume=True)
    with pytest.raises(FarlinkError, match=r"resume it, or choose another folder \(resume, out\)"):
        start(Run(run.folder))


def test_a_run_that_goes_on_clears_away_what_its_death_left(tmp_path):
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    (run.folder / LOCK).touch()
    (run.folder / ".vocabulary.parquet.abcd1234.parquet").write_text("half")
    start(run)
    assert [path.name for path in run.folder.glob(".*")] == [LOCK]
    (run.folder / ".trace.jsonl.abcd1234.jsonl").write_text("half")
    start(Run(run.folder), resume=True)
    assert [path.name for path in run.folder.glob(".*")] == [LOCK]


@pytest.mark.parametrize("name", ["letter.txt", "vocabulary.parquet"])
@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_with_other_things_is_left_alone(tmp_path, name, resume):
    (tmp_path / name).write_text("dear")
    with pytest.raises(FarlinkError, match="not empty"):
        start(Run(tmp_path), resume=resume)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("resume", [False, True])
def test_no_two_processes_work_in_one_folder(tmp_path, resume):
    program = f"""
import pathlib, sys
from filelock import FileLock
folder = pathlib.Path({str(tmp_path)!r})
with FileLock(folder / {LOCK!r}):
    print("locked", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(FarlinkError, match="another farlink is at work in this folder"):
            start(Run(tmp_path), resume=resume)
        assert [path.name for path in tmp_path.iterdir()] == [LOCK]
        other.kill()  # the lock ends with the process that held it, however that ends
    start(Run(tmp_path), resume=resume)
    assert Run(tmp_path).started


def test_a_folder_that_cannot_be_written_to_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(FarlinkError, match="cannot write"):
        start(Run(tmp_path / "file" / "run"))


def test_what_a_killed_start_left_is_written_over(tmp_path):
    (tmp_path / LOCK).touch()  # comes before all else
    (tmp_path / ".vocabulary.parquet.tmp").write_text("half")
    (tmp_path / "run.json").write_text("{}")
    run = Run(tmp_path)
    start(run)
    assert run.about == ABOUT


def test_the_fingerprint_follows_the_data():
    pair = Pair.make()
    links = pair.left.triples[:, :2]
    digests = {
        fingerprint((pair.left, pair.right), (links,)),
        fingerprint((pair.right, pair.left), (links,)),
        fingerprint((pair.left, pair.right), (links[1:],)),
    }
    assert len(digests) == 3


def test_the_fingerprint_of_literals_follows_them_whatever_their_order():
    def digest(*rows):
        schema = dict.fromkeys(("head", "relation", "value"), pl.String)
        literals = pl.DataFrame(rows, schema=schema, orient="row")
        return literals_fingerprint([replace(Pair.make().left, literals=literals_table(literals))])

    one, two = ("a1", "label", "one"), ("a2", "label", "two")
    assert digest(one, two) == digest(two, one)
    assert len({digest(), digest(one), digest(two), digest(("a1", "label,one", ""))}) == 4


def test_names_are_found_in_the_first_column_that_has_them():
    names, readable = pl.Series(["x/a", "x/b"]), pl.Series(["b", "x/a"])
    assert place_of("x/a", names, readable) == 0
    assert place_of("b", names, readable) == 0
    assert place_of("c", names, readable) is None


def test_the_closest_names_are_a_hint():
    assert closest("nanjin", pl.Series(["nanjing", "rome"])) == "; did you mean 'nanjing'?"
    assert closest("zzz", pl.Series(["nanjing"])) == ""
    assert closest("ROME", pl.Series(["nanjing", "Rome"])) == "; did you mean 'Rome'?"
