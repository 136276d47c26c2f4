"""Worlds whose graphs hold things twice, left, right, or on both sides: what each cardinality finds of them."""

import numpy as np
import pytest

import farlink
from helpers.worlds import make_world, quality

COPIED = {"nowhere": (0.0, 0.0), "left": (0.4, 0.0), "right": (0.0, 0.4), "both": (0.4, 0.4)}


@pytest.fixture(scope="module")
def worlds():
    return {name: make_world(copied=shares) for name, shares in COPIED.items()}


@pytest.fixture(scope="module")
def aligned(worlds, tmp_path_factory):
    """Runs by copies and cardinality, each made once."""
    runs = {}

    def run(copied, cardinality):
        if (copied, cardinality) not in runs:
            world, out = worlds[copied], tmp_path_factory.mktemp("run") / "run"
            options = {"cardinality": cardinality, "test": world.links}
            runs[copied, cardinality] = farlink.align(world.left, world.right, out=out, **options)
        return runs[copied, cardinality]

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copied", "cardinality", "precision", "recall"),
    [
        ("left", "many-to-one", 0.98, 0.95),
        ("right", "one-to-many", 0.98, 0.95),
        ("both", "many-to-many", 0.97, 0.88),
        ("left", "many-to-many", 0.97, 0.88),
        ("right", "many-to-many", 0.97, 0.88),
        ("nowhere", "many-to-many", 0.97, 0.92),
        ("nowhere", "one-to-one", 0.97, 0.97),
    ],
)
def test_copies_are_found(worlds, aligned, copied, cardinality, precision, recall):
    found = quality(aligned(copied, cardinality), worlds[copied].links)
    assert found[0] >= precision
    assert found[1] >= recall


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copied", "cardinality"), [("left", "many-to-one"), ("right", "one-to-many"), ("both", "many-to-many")]
)
def test_one_to_one_finds_far_fewer_of_them(worlds, aligned, copied, cardinality):
    links = worlds[copied].links
    one, several = (quality(aligned(copied, kind), links) for kind in ("one-to-one", cardinality))
    most = min(links["left"].n_unique(), links["right"].n_unique()) / links.height  # what one-to-one can reach
    assert one[1] <= most < several[1] - 0.2


@pytest.mark.slow
@pytest.mark.parametrize("cardinality", ["one-to-one", "many-to-one", "one-to-many", "many-to-many"])
def test_no_end_has_more_counterparts_than_it_may(worlds, aligned, cardinality):
    mapping = aligned("both", cardinality).alignment
    matched = mapping.filter(status="matched")
    assert matched["left"].is_duplicated().any() == cardinality.endswith("many")
    assert matched["right"].is_duplicated().any() == cardinality.startswith("many")
    assert set(mapping["left"]) == set(worlds["both"].left.entities)
    unmatched = mapping.filter(status="unmatched")
    assert not set(unmatched["left"]) & set(matched["left"])
    assert not unmatched["left"].is_duplicated().any()


@pytest.mark.slow
def test_the_figures_of_a_run_know_all_links(worlds, aligned):
    run, links = aligned("both", "many-to-many"), worlds["both"].links
    figures = run.metrics["test"]
    precision, recall = quality(run, links)
    assert run.metrics["test"]["linked"]["left_to_right"]["queries"] == links.height
    assert figures["mapping"]["recall"] == pytest.approx(recall)
    assert figures["mapping"]["precision"] >= precision
    assert figures["linked"]["left_to_right"]["hits@1"] >= 0.9
    again = run.evaluate(links)["all"]
    for direction, ranks in figures["all"].items():
        assert again[direction]["mrr"] == pytest.approx(ranks["mrr"], abs=1e-3)


@pytest.mark.slow
def test_a_run_read_again_has_all_counterparts(aligned):
    run = farlink.load(aligned("both", "many-to-many").folder)
    matched = run.alignment.filter(status="matched")
    entity = matched.filter(matched["left"].is_duplicated())["left"][0]
    partners = set(matched.filter(left=entity)["right"])
    assert partners <= set(run.match(entity, k=len(partners) + 1)["entity"])
    np.testing.assert_allclose(run.candidates.opened((True, True), compete=True).score, run.candidates.score)


@pytest.mark.slow
def test_copies_of_known_entities_are_found_and_known_pairs_stay(worlds, tmp_path):
    world = worlds["both"]
    seeds, rest = (
        world.links.gather_every(3),
        world.links.join(world.links.gather_every(3), on=world.links.columns, how="anti"),
    )
    options = {"cardinality": "many-to-many", "out": tmp_path / "run", "valid": rest[:10], "test": rest[10:]}
    run = farlink.align(world.left, world.right, seeds, **options)
    assert run.alignment.filter(status="seed").height == seeds.height
    precision, recall = quality(run, rest)
    assert precision >= 0.97
    assert recall >= 0.8
    matched = run.alignment.filter(status="matched")
    assert set(matched["left"]) & set(seeds["left"])
    assert run.match(seeds["left"][0], k=1)["entity"].to_list() == [seeds["right"][0]]


@pytest.mark.slow
def test_by_structure_alone_entities_share_counterparts_too(tmp_path):
    world = make_world(60, 0, copied=(0.4, 0.4))
    options = {"signals": "structure", "network": "never", "width": 32, "out": tmp_path / "run"}
    run = farlink.align(world.left, world.right, world.links[::2], cardinality="many-to-many", **options)
    matched = run.alignment.filter(status="matched")
    assert run.candidates.chance is None
    assert matched.height
    assert (matched["probability"] >= run.metrics["threshold"]).all()
