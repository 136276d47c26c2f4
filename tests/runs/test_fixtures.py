"""Run folders that earlier versions wrote open, and answer as they did; `tools.run_fixtures` made them."""

import json
import shutil
from pathlib import Path

import pytest
from tools.run_fixtures import UNFINISHED, align, alignment_answers, completion_answers

import farlink
from farlink.errors import FarlinkError
from farlink.runs.formats import FORMAT

FIXTURES = Path(__file__).parent / "fixtures"
FORMATS = range(FORMAT)
QUESTIONS = {"alignment": alignment_answers, "mtranse": alignment_answers, "completion": completion_answers}


def copy(format, name, folder):
    """A run to ask: what is asked may leave something in its folder."""
    return shutil.copytree(FIXTURES / f"format-{format}" / name, folder / name)


def recorded(format, name):
    return json.loads((FIXTURES / f"format-{format}" / f"{name}.answers.json").read_text(encoding="utf-8"))


def close(value):
    """The same with numbers as near as another processor computes them."""
    if isinstance(value, dict):
        return {key: close(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [close(inner) for inner in value]
    return pytest.approx(value, rel=1e-3, abs=1e-5) if isinstance(value, float) else value


def test_there_is_a_fixture_of_every_format():
    assert {path.name for path in FIXTURES.iterdir()} == {f"format-{format}" for format in FORMATS}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_run_of_every_format_answers_as_it_did(format, name, tmp_path):
    run = farlink.load(copy(format, name, tmp_path))
    assert run.format == format
    assert len(run.notes) == ((format, name) == (0, "completion"))  # its epochs on questions meant something else
    answers, expected = json.loads(json.dumps(QUESTIONS[name](run))), recorded(format, name)
    assert answers.keys() == expected.keys()
    for question, answer in answers.items():
        assert answer == close(expected[question]), question


@pytest.mark.parametrize("format", FORMATS)
def test_literals_are_there_since_format_1(format, tmp_path):
    graphs = farlink.AlignmentRun(copy(format, "alignment", tmp_path)).graphs
    assert graphs["right"].literals.height == (34 if format else 0)


@pytest.mark.parametrize("format", FORMATS)
def test_a_run_of_every_format_that_was_cut_off_goes_on(format, tmp_path):
    folder = copy(format, "unfinished", tmp_path)
    with pytest.raises(FarlinkError, match="not finished"):
        farlink.load(folder)
    with pytest.raises(FarlinkError, match=r"cannot resume, the settings differ: dropout was 0\.5 and is now 0\.1$"):
        align(folder, **UNFINISHED, dropout=0.1, resume=True)
    align(folder, **UNFINISHED, resume=True)
    run = farlink.load(folder)
    assert run.trace["epoch"].to_list() == [1, 2]
    assert "test" in run.metrics


def test_fixtures_stay_small():
    binary = [path for path in FIXTURES.rglob("*") if path.suffix in (".parquet", ".safetensors")]
    assert sum(path.stat().st_size for path in binary) < 100_000 * len(FORMATS)
