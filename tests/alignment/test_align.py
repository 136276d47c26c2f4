import json

import numpy as np
import polars as pl
import pytest

import farlink
from farlink.alignment.run import AlignmentRun
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from helpers.pairs import TINY, Pair


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small run with everything: seeds, validation and test links."""
    pair = Pair.make()
    return farlink.align(
        pair.left,
        pair.right,
        pair.links[:20],
        valid=pair.links[20:26],
        test=pair.links[26:],
        out=tmp_path_factory.mktemp("runs") / "run",
        seed=1,
        **{**TINY, "max_epochs": 25, "patience": 0, "width": 32},
    )


@pytest.mark.slow
def test_two_copies_of_a_graph_find_each_other(finished):
    figures = finished.metrics["test"]["linked"]["left_to_right"]
    assert figures["hits@1"] > 0.5  # a guess would be right in one of 20 cases
    assert figures["queries"] == 14


def test_the_metrics_are_nested_by_part_protocol_and_direction(finished):
    for part in ("validation", "test"):
        for protocol in ("linked", "all"):
            for direction in ("left_to_right", "right_to_left"):
                assert set(finished.metrics[part][protocol][direction]) == {
                    "hits@1", "hits@3", "hits@5", "hits@10", "mrr", "mr", "queries",
                }  # fmt: skip
        assert set(finished.metrics[part]["mapping"]) >= {"precision", "recall", "f1"}
        assert set(finished.metrics[part]["name_equality"]) >= {"precision", "recall", "f1"}


def test_the_mapping_is_one_to_one_and_has_every_left_entity(finished):
    mapping = finished.alignment
    assert mapping.height == 40
    assert mapping["left"].is_unique().all()
    assert mapping["right"].drop_nulls().is_unique().all()
    assert mapping.filter(status="seed").height == 20


def test_the_folder_holds_all_it_should(finished):
    files = {str(path.relative_to(finished.folder)) for path in finished.folder.rglob("*") if path.is_file()}
    assert files == {
        ".lock", "config.toml", "run.json", "vocabulary.parquet", "triples.parquet", "literals.parquet",
        "links.parquet", "found.parquet", "candidates.parquet",
        "weights.safetensors", "trace.jsonl",
        "metrics.json", "alignment.tsv", "relations.tsv", "classes.tsv", "README.md",
        "plots/loss.png", "plots/validation.png", "plots/degrees.png",
        "plots/reliability.png", "plots/probabilities.png",
    }  # fmt: skip


def tiny(pair, out, **changes):
    """A tiny run with the first links as seeds, and nothing to measure it with."""
    return farlink.align(pair.left, pair.right, pair.links[:20], out=out, **{**TINY, **changes})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The tiny run that others are compared with."""
    return tiny(Pair.make(), tmp_path_factory.mktemp("undisturbed") / "run")


def same_files(one, two, *names):
    return all((one.folder / name).read_bytes() == (two.folder / name).read_bytes() for name in names)


@pytest.mark.slow
def test_identical_seeds_give_identical_results(undisturbed, pair, tmp_path):
    again = tiny(pair, tmp_path / "run")
    assert same_files(again, undisturbed, "weights.safetensors", "alignment.tsv", "metrics.json")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "times"),
    [("write_found", 1), ("write_found", 2), ("write_found", 4), ("write_weights", 1), ("write_candidates", 1)],
)
def test_a_run_cut_off_after_a_file_was_written_resumes_to_the_same_result(
    undisturbed, pair, tmp_path, monkeypatch, write, times
):
    written, left = getattr(AlignmentRun, write), [times]

    def cut_off(run, *values, **named):
        written(run, *values, **named)
        left[0] -= 1
        if not left[0]:
            raise RuntimeError("power cut")

    monkeypatch.setattr(AlignmentRun, write, cut_off)
    with pytest.raises(RuntimeError, match="power cut"):
        tiny(pair, tmp_path / "cut")
    monkeypatch.undo()
    resumed = tiny(pair, tmp_path / "cut", resume=True)
    assert same_files(resumed, undisturbed, "weights.safetensors", "alignment.tsv", "metrics.json", "found.parquet")


@pytest.mark.slow
def test_another_seed_gives_another_result(undisturbed, pair, tmp_path):
    assert not same_files(tiny(pair, tmp_path / "run", seed=5), undisturbed, "weights.safetensors")


@pytest.mark.slow
def test_the_order_of_lines_in_the_files_changes_nothing(undisturbed, pair, tmp_path):
    mixed = KnowledgeGraph.from_frame(pair.left_frame.sample(fraction=1, shuffle=True, seed=1)).shuffled(9)
    run = farlink.align(mixed, pair.right, pair.links[:20], out=tmp_path / "run", **TINY)
    assert same_files(run, undisturbed, "weights.safetensors")


@pytest.mark.slow
def test_the_test_links_change_nothing_but_the_figures(undisturbed, pair, tmp_path):
    run = tiny(pair, tmp_path / "run", test=pair.links[26:])
    assert same_files(run, undisturbed, "weights.safetensors", "alignment.tsv")
    assert "test" in run.metrics
    assert "test" not in undisturbed.metrics


def test_without_validation_links_a_tenth_of_the_seeds_is_held_out_and_said(undisturbed):
    assert undisturbed.about["links"] == {"seeds": 18, "validation": 2, "test": 0}
    assert "2 of the 20 seeds are held out" in undisturbed.about["notes"][0]
    assert "held out" in (undisturbed.folder / "README.md").read_text()


def test_too_few_seeds_to_hold_any_out_is_said(pair, tmp_path):
    run = farlink.align(pair.left, pair.right, pair.links[:5], out=tmp_path / "run", **TINY)
    assert run.about["links"]["validation"] == 0
    assert "too few seeds" in run.about["notes"][0]
    assert run.metrics["threshold"] is None
    assert run.alignment.filter(status="matched").height == 35


@pytest.mark.slow
def test_graphs_that_share_names_are_aligned_by_structure_and_the_names_are_counted(tmp_path):
    pair = Pair.make()
    right = KnowledgeGraph.from_frame(
        pair.right_frame.with_columns(pl.col("head", "tail").str.replace("b", "a")), source="right.tsv"
    )
    links = pair.links.with_columns(pl.col("right").str.replace("b", "a"))
    run = farlink.align(pair.left, right, links[:20], test=links[20:], out=tmp_path / "run", **TINY)
    assert any("40 entity names occur in both graphs" in note for note in run.about["notes"])
    assert run.metrics["test"]["name_equality"]["f1"] == 1


@pytest.mark.slow
def test_an_entity_without_a_triple_stays_unmatched(pair, tmp_path):
    left = KnowledgeGraph.from_frame(pair.left_frame, entities=pl.Series(["hermit"]), source="left.tsv")
    run = farlink.align(left, pair.right, pair.links[:20], out=tmp_path / "run", **TINY)
    assert run.alignment.filter(left="hermit").row(0, named=True) == {
        "left": "hermit", "right": None, "score": None, "margin": None, "probability": None, "status": "unmatched",
    }  # fmt: skip


def test_a_graph_with_one_triple_is_no_problem(pair, tmp_path):
    left = KnowledgeGraph.from_frame(pl.DataFrame({"h": ["a0"], "r": ["r"], "t": ["a1"]}))
    run = farlink.align(left, pair.right, [("a0", "b0")], out=tmp_path / "run", **TINY)
    assert run.alignment.height == 2


def test_the_same_graph_twice_is_refused(pair, tmp_path):
    with pytest.raises(FarlinkError, match="hold the same graph"):
        farlink.align(pair.left, pair.left.shuffled(3), [("a0", "a0")], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_holds_something_else_is_left_alone(pair, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(FarlinkError, match="exists and is not empty"):
        farlink.align(pair.left, pair.right, pair.links[:20], out=tmp_path, **TINY)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_run_is_not_overwritten(finished, pair):
    with pytest.raises(FarlinkError, match=r"holds a run already; resume it, or choose another folder \(resume, out\)"):
        farlink.align(pair.left, pair.right, pair.links[:20], out=finished.folder, **TINY)


def test_out_must_not_be_a_file(pair, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FarlinkError, match="is a file"):
        farlink.align(pair.left, pair.right, pair.links[:20], out=tmp_path / "file", **TINY)


def test_resuming_with_other_settings_or_data_is_refused(undisturbed, pair):
    with pytest.raises(FarlinkError, match="width was 16 and is now 20"):
        tiny(pair, undisturbed.folder, resume=True, width=20)
    with pytest.raises(FarlinkError, match="not the data that the run started with"):
        farlink.align(pair.left, pair.right, pair.links[:19], out=undisturbed.folder, resume=True, **TINY)


def test_resuming_a_finished_run_changes_nothing(undisturbed, pair):
    before = {path: path.stat().st_mtime_ns for path in undisturbed.folder.rglob("*")}
    again = tiny(pair, undisturbed.folder, resume=True)
    assert {path: path.stat().st_mtime_ns for path in undisturbed.folder.rglob("*")} == before
    assert again.metrics == undisturbed.metrics


@pytest.mark.slow
def test_links_that_overlap_are_counted_and_left_out(pair, tmp_path):
    run = farlink.align(
        pair.left,
        pair.right,
        pair.links[:20],
        valid=pair.links[18:26],
        test=pair.links[24:],
        out=tmp_path / "run",
        **TINY,
    )
    assert run.about["links"] == {"seeds": 20, "validation": 6, "test": 14}
    assert "2 validation links are seeds too, left out of the validation part" in run.about["notes"]
    assert "2 test links are validation links too, left out of the test part" in run.about["notes"]


def test_metrics_are_plain_json(finished):
    text = (finished.folder / "metrics.json").read_text()
    assert json.loads(text)["test"]["linked"]["left_to_right"]["hits@1"] == pytest.approx(
        finished.metrics["test"]["linked"]["left_to_right"]["hits@1"]
    )
    assert "NaN" not in text
    assert np.isfinite(finished.metrics["threshold"])
