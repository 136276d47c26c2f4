import pytest

import farlink
from farlink.alignment.report import result_lines
from helpers.pairs import TINY, Pair


@pytest.fixture
def run(tiny_run):
    return tiny_run


def test_the_card_tells_what_was_done_and_how_well(run):
    card = (run.folder / "README.md").read_text()
    assert card.startswith("# Alignment of left.tsv and right.tsv")
    hits = run.metrics["test"]["linked"]["left_to_right"]["hits@1"]
    assert f"| linked | left to right | {hits:.3f} |" in card
    assert "18 seeds, 2 for validation, 20 for the test" in card
    assert "name equality, for comparison" in card


def test_the_card_shows_every_plot_there_is(run):
    card = (run.folder / "README.md").read_text()
    plots = {path.name for path in (run.folder / "plots").iterdir()}
    assert plots == {"loss.png", "validation.png", "reliability.png", "probabilities.png", "degrees.png"}
    assert all(f"plots/{name}" in card for name in plots)


@pytest.mark.slow
def test_the_card_tells_in_words_which_relations_correspond(demo_run):
    card = (demo_run[0].folder / "README.md").read_text()
    assert f"12 of the {demo_run[0].relations.height} relations that correspond (`relations.tsv` has all):" in card
    assert "| bornIn | is the same as | geburtsort |" in card
    assert "| starring | is narrower than the inverse of | beteiligt an |" in card
    assert "classes.tsv" not in card  # there are none


def test_plots_are_pictures(run):
    for path in (run.folder / "plots").iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size > 5000


def test_without_links_to_measure_with_the_card_says_so():
    assert result_lines({"mapping": {}}) == ["No links were kept to measure with."]


@pytest.mark.slow
def test_without_test_links_training_and_validation_are_drawn(tmp_path):
    pair = Pair.make()
    run = farlink.align(pair.left, pair.right, pair.links[:20], out=tmp_path / "run", **TINY)
    plots = {path.name for path in (run.folder / "plots").iterdir()}
    assert plots == {"loss.png", "validation.png", "reliability.png"}
    assert "On the validation links" in (run.folder / "README.md").read_text()
