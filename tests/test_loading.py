import json
import shutil

import pytest

import farlink
from farlink.errors import FarlinkError, InputError
from farlink.loading import load_alignment, load_completion
from farlink.runs.formats import FORMAT
from farlink.settings import make_settings


def test_loading_says_what_is_wrong_with_a_folder(tmp_path):
    with pytest.raises(FarlinkError, match="no such run folder"):
        farlink.load(tmp_path / "nowhere")
    with pytest.raises(FarlinkError, match="holds no run"):
        farlink.load(tmp_path)
    (tmp_path / "config.toml").write_text(make_settings().to_toml())
    with pytest.raises(FarlinkError, match="not finished; resume it first"):
        farlink.load(tmp_path)


def test_a_run_of_a_newer_format_is_not_opened_and_not_resumed(tiny_run, tmp_path):
    shutil.copytree(tiny_run.folder, tmp_path / "run")
    about = tmp_path / "run" / "run.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "format": FORMAT + 1}))
    with pytest.raises(FarlinkError, match=f"has format {FORMAT + 1}"):
        farlink.load(tmp_path / "run")
    with pytest.raises(FarlinkError, match=f"has format {FORMAT + 1}"):
        farlink.AlignmentRun(tmp_path / "run").settings  # noqa: B018 - what a resume asks for first


def test_each_kind_of_run_is_opened_as_what_it_is(ring_run, tiny_run):
    assert load_completion(ring_run.folder).metrics == ring_run.metrics
    with pytest.raises(InputError, match="ask it with 'farlink predict'"):
        load_alignment(ring_run.folder)
    with pytest.raises(InputError, match="ask it with 'farlink match'"):
        load_completion(tiny_run.folder)
