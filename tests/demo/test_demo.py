import polars as pl
import pytest
from tools.demo.views import SCHEMA

from farlink.demo import DATA, run_demo
from farlink.io.links import read_links


@pytest.fixture(scope="module")
def finished(demo_run):
    return demo_run[0]


@pytest.mark.slow
def test_the_demo_finds_what_the_readme_promises(finished):
    figures = finished.metrics["test"]
    # measured 1.000, .998, .998, .996; other processors round otherwise
    assert figures["linked"]["left_to_right"]["hits@1"] >= 0.995
    assert figures["all"]["left_to_right"]["hits@1"] >= 0.99
    assert figures["mapping"]["precision"] >= 0.99
    assert figures["mapping"]["f1"] >= 0.985


@pytest.mark.slow
def test_names_of_any_spelling_and_triples_find_far_more_than_equal_names(finished):
    figures = finished.metrics["test"]
    assert figures["mapping"]["f1"] > 3 * figures["name_equality"]["f1"] > 0


@pytest.mark.slow
def test_the_demo_aligns_what_ships_with_the_package(finished):
    assert len(finished.links("test")) == read_links(DATA / "test.tsv").height == 1130
    assert len(finished.links("seed")) == len(finished.links("validation")) == 0


@pytest.mark.slow
def test_relations_of_the_demo_are_found_as_they_were_told(finished):
    relations = finished.relations
    facts = {"left_name": {}, "right_name": {}}  # of each name the kinds of facts that it tells
    for kind, names in SCHEMA.items():
        for side, name in zip(facts, names, strict=True):
            facts[side].setdefault(name.lstrip("^"), set()).add((kind, name.startswith("^")))
    equal = relations.filter(pl.col("kind").is_in(["equal", "inverse"]))
    assert equal.height >= 20
    for row in equal.to_dicts():
        ours, theirs = (facts[side][row[side]] for side in facts)
        assert {kind for kind, _ in ours} == {kind for kind, _ in theirs}
        assert len({turned for _, turned in ours | theirs}) == (2 if row["kind"] == "inverse" else 1)
    told_left = {kind for kinds in facts["left_name"].values() for kind, _ in kinds}
    for row in relations.filter(pl.col("kind").str.ends_with("broader")).to_dicts():
        ours, theirs = ({kind for kind, _ in facts[side][row[side]]} for side in facts)
        assert theirs & told_left <= ours  # of what the left graph never tells nothing can be counted


@pytest.mark.slow
def test_the_command_shows_figures_links_and_what_to_try_next(demo_run):
    run, text = demo_run
    words = " ".join(text.split())
    assert "0 seeds, 0 for validation, 1,130 for the final test" in words
    assert f"{run.metrics['test']['linked']['left_to_right']['hits@1']:.3f}" in words
    assert f"{run.metrics['test']['mapping']['precision']:.3f}" in words
    assert "report:" in words
    entity = words.split("try next: farlink match ")[1].split("'")[1]
    assert run.match(entity).height == 5


@pytest.mark.slow
def test_a_demo_that_is_finished_is_not_made_again(finished):
    before = (finished.folder / "weights.safetensors").stat().st_mtime_ns
    assert run_demo(finished.folder, resume=True).metrics == finished.metrics
    assert (finished.folder / "weights.safetensors").stat().st_mtime_ns == before
