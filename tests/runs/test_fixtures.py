"""Run folders that earlier versions wrote open, and answer as they did; `tools.run_fixtures` made them."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tools.run_fixtures import UNFINISHED, align, alignment_answers, completion_answers

import farlink
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import LITERAL_SCHEMA
from farlink.runs.formats import FORMAT
from farlink.settings import AlignmentSettings, CompletionSettings

FIXTURES = Path(__file__).parent / "fixtures"
FORMATS = range(FORMAT)
QUESTIONS = {"alignment": alignment_answers, "mtranse": alignment_answers, "completion": completion_answers}
# Without competition many pairs are likely. Format 0 counted which relations agree on the last of an entity's likely
# counterparts in the list, today on the likeliest.
BETTER_NOW = {(0, "mtranse", "explain")}

# What was not a choice then, and has another default today.
AS_IT_WAS = 2 * [{"signals": "structure,types", "network": "always", "readings": "never"}]


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


def assert_answers_as_recorded(run, format, name):
    answers, expected = json.loads(json.dumps(QUESTIONS[name](run))), recorded(format, name)
    assert answers.keys() == expected.keys()
    for question, answer in answers.items():
        if (format, name, question) not in BETTER_NOW:
            assert answer == close(expected[question]), question


def test_there_is_a_fixture_of_every_format():
    assert {path.name for path in FIXTURES.iterdir()} == {f"format-{format}" for format in FORMATS}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_run_of_every_format_answers_as_it_did(format, name, tmp_path):
    run = farlink.load(copy(format, name, tmp_path))
    assert run.format == format
    assert len(run.notes) == ((format, name) == (0, "completion"))  # its epochs on questions meant something else
    assert_answers_as_recorded(run, format, name)


OTHER_DEFAULTS = {
    AlignmentSettings: {
        "hops": 2,
        "sinkhorn_rounds": 1,
        "refinements": 1,
        "evidence_prior": 9.0,
        "evidence_likely": 0.99,
        "evidence_least": 0.3,
        "evidence_doubt": 1.0,
        "evidence": 2.0,
        "temperature": 0.5,
        "vectors": "input",
    },
    CompletionSettings: {"width": 16, "factors": 4, "rules": 0},
}


@pytest.fixture
def other_defaults(monkeypatch):
    """Settings have other defaults than when the runs were made."""
    with monkeypatch.context() as patch:
        for kind, defaults in OTHER_DEFAULTS.items():
            for setting, value in defaults.items():
                patch.setattr(kind.model_fields[setting], "default", value)
            kind.model_rebuild(force=True)
        assert AlignmentSettings().hops == 2
        yield
    for kind in OTHER_DEFAULTS:
        kind.model_rebuild(force=True)


@pytest.mark.usefixtures("other_defaults")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answers_of_a_run_do_not_follow_the_defaults_of_today(format, name, tmp_path):
    assert_answers_as_recorded(farlink.load(copy(format, name, tmp_path)), format, name)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["alignment", "completion"])
def test_many_threads_ask_one_run_and_get_what_one_gets(format, name, tmp_path):
    run = farlink.load(copy(format, name, tmp_path))
    with ThreadPoolExecutor(6) as pool:
        for asked in [pool.submit(assert_answers_as_recorded, run, format, name) for _ in range(6)]:
            asked.result()


@pytest.mark.parametrize("format", FORMATS)
def test_literals_are_there_since_format_1(format, tmp_path):
    literals = farlink.AlignmentRun(copy(format, "alignment", tmp_path)).graphs["right"].literals
    assert literals.columns == list(LITERAL_SCHEMA)
    assert literals.height == (34 if format else 0)


@pytest.mark.parametrize("format", range(2))
def test_datatypes_and_languages_are_there_since_format_2(format, tmp_path):
    literals = farlink.AlignmentRun(copy(format, "alignment", tmp_path)).graphs["left"].literals
    assert literals.select("datatype", "language").null_count().row(0) == (literals.height,) * 2


@pytest.mark.parametrize("format", FORMATS)
def test_a_run_of_every_format_that_was_cut_off_goes_on(format, tmp_path):
    folder = copy(format, "unfinished", tmp_path)
    with pytest.raises(FarlinkError, match="not finished"):
        farlink.load(folder)
    with pytest.raises(FarlinkError, match=r"cannot resume, the settings differ: dropout was 0\.5 and is now 0\.1$"):
        align(folder, **UNFINISHED, **AS_IT_WAS[format], dropout=0.1, resume=True)
    align(folder, **UNFINISHED, **AS_IT_WAS[format], resume=True)
    run = farlink.load(folder)
    assert run.trace["epoch"].to_list() == [1, 2]
    assert "test" in run.metrics


@pytest.mark.parametrize("format", FORMATS)
def test_what_today_would_be_done_otherwise_is_told_where_a_run_is_to_go_on(format, tmp_path):
    folder = copy(format, "unfinished", tmp_path)
    signals, network = "signals was structure,types and is now all", "network was always and is now auto"
    with pytest.raises(FarlinkError, match=f"differ: {signals}, .*{network}"):
        align(folder, **UNFINISHED, resume=True)


def test_fixtures_stay_small():
    binary = [path for path in FIXTURES.rglob("*") if path.suffix in (".parquet", ".safetensors")]
    assert sum(path.stat().st_size for path in binary) < 100_000 * len(FORMATS)
