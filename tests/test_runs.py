import polars as pl
import pytest

import farlink
from farlink.errors import FarlinkError, InputError
from farlink.runs import Run, closest, fingerprint, place_of
from farlink.settings import make_completion_settings, make_settings
from pairs import Pair

ABOUT = {"task": "align", "fingerprint": "x"}
TABLES = {"vocabulary": pl.DataFrame({"name": ["a"]})}


def test_a_run_is_unfinished_until_its_report_is_written(tmp_path):
    run = Run(tmp_path / "run")
    assert (run.started, run.finished) == (False, False)
    run.open(make_settings(), ABOUT, TABLES, resume=False)
    assert (run.started, run.finished) == (True, False)
    with pytest.raises(InputError, match="not finished"):
        farlink.load(run.folder)
    run.write_text("README.md", "done")
    assert run.finished


def test_a_run_goes_on_only_with_the_settings_and_data_it_started_with(tmp_path):
    run = Run(tmp_path / "run")
    run.open(make_settings(), ABOUT, TABLES, resume=False)
    Run(run.folder).open(make_settings(), ABOUT, TABLES, resume=True)
    with pytest.raises(FarlinkError, match="width was 256 and is now 8"):
        Run(run.folder).open(make_settings(width=8), ABOUT, TABLES, resume=True)
    with pytest.raises(FarlinkError, match="another task"):
        Run(run.folder).open(make_completion_settings(), ABOUT, TABLES, resume=True)
    with pytest.raises(FarlinkError, match="not the data"):
        Run(run.folder).open(make_settings(), {**ABOUT, "fingerprint": "y"}, TABLES, resume=True)
    with pytest.raises(FarlinkError, match="go on with --resume"):
        Run(run.folder).open(make_settings(), ABOUT, TABLES, resume=False)


def test_a_run_that_goes_on_clears_away_what_its_death_left(tmp_path):
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    (run.folder / ".vocabulary.parquet.abcd1234.parquet").write_text("half")
    run.open(make_settings(), ABOUT, TABLES, resume=False)
    assert not list(run.folder.glob(".*"))
    (run.folder / ".trace.jsonl.abcd1234.jsonl").write_text("half")
    Run(run.folder).open(make_settings(), ABOUT, TABLES, resume=True)
    assert not list(run.folder.glob(".*"))


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(FarlinkError, match="not empty"):
        Run(tmp_path).open(make_settings(), ABOUT, TABLES, resume=False)


def test_what_a_killed_start_left_is_written_over(tmp_path):
    (tmp_path / ".vocabulary.parquet.tmp").write_text("half")
    (tmp_path / "run.json").write_text("{}")
    run = Run(tmp_path)
    run.open(make_settings(), ABOUT, TABLES, resume=False)
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


def test_names_are_found_in_the_first_column_that_has_them():
    names, readable = pl.Series(["x/a", "x/b"]), pl.Series(["b", "x/a"])
    assert place_of("x/a", names, readable) == 0
    assert place_of("b", names, readable) == 0
    assert place_of("c", names, readable) is None


def test_the_closest_names_are_a_hint():
    assert closest("nanjin", pl.Series(["nanjing", "rome"])) == "; did you mean 'nanjing'?"
    assert closest("zzz", pl.Series(["nanjing"])) == ""
