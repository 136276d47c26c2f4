import numpy as np
import polars as pl
import pytest
import torch
from pyoxigraph import RdfFormat, parse
from safetensors.torch import load_file, save_file

import farlink
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.exports import EXPORTS
from helpers.pairs import TINY, Pair


@pytest.fixture
def run(tiny_run):
    return tiny_run


@pytest.mark.slow
def test_matching_one_entity_gives_its_nearest_counterparts(run):
    found = run.match("a33", k=4)
    assert found.columns == ["rank", "entity", "name", "score"]
    assert found["rank"].to_list() == [1, 2, 3, 4]
    assert found["score"].is_sorted(descending=True)
    assert found["entity"].str.starts_with("b").all()
    assert run.match("b33", k=1)["entity"][0].startswith("a")


def test_the_counterpart_of_a_seed_is_known(run):
    seed = run.alignment.filter(status="seed").row(0, named=True)
    assert run.match(seed["left"])["entity"].to_list() == [seed["right"]]
    assert run.match(seed["right"])["entity"].to_list() == [seed["left"]]


def test_matching_agrees_with_the_mapping(run):
    matched = run.alignment.filter(status="matched").row(0, named=True)
    scores = dict(run.match(matched["left"], k=50).select("entity", "score").iter_rows())
    assert scores[matched["right"]] == pytest.approx(matched["score"], abs=1e-5)


def test_a_pair_is_explained_by_its_agreeing_triples(run):
    why = run.explain("a33", "b33")
    assert why
    assert all("a r" in reason and "b r" in reason for reason in why)
    with pytest.raises(FarlinkError, match="the right graph has no entity 'a33'"):
        run.explain("a33", "a33")


@pytest.mark.slow
def test_entities_that_look_exactly_alike_are_told(tmp_path):
    pair = Pair.make()
    twins = pl.DataFrame({"head": ["twin1", "twin2"], "relation": ["a_r0", "a_r0"], "tail": ["a1", "a1"]})
    left = pl.concat([pair.left_frame, twins])
    run = farlink.align(KnowledgeGraph.from_frame(left), pair.right, pair.links[:20], out=tmp_path / "run", **TINY)
    assert run.lookalikes("twin1") == ["twin2"]
    assert run.lookalikes("a1") == []
    assert run.lookalikes("b30") == []


def test_an_unknown_entity_gets_the_closest_names_suggested(run):
    with pytest.raises(FarlinkError, match=r"neither graph has an entity 'a333'; did you mean 'a33'"):
        run.match("a333")


def test_evaluating_again_gives_the_figures_of_the_run(run):
    pair = Pair.make()
    figures = run.evaluate(pair.links[20:])
    assert figures["all"] == run.metrics["test"]["all"]
    assert figures["links"] == 20


def test_evaluating_leaves_out_seeds_and_strangers_and_counts_them(run):
    pair = Pair.make()
    links = pl.concat([pair.links[17:], pl.DataFrame({"left": ["stranger"], "right": ["b1"]})])
    figures = run.evaluate(links)
    # of the first twenty links two are held out for validation, the others are seeds
    assert figures["left_out"]["unknown"] == 1
    assert figures["links"] + figures["left_out"]["seeds"] == 23


def test_evaluating_with_nothing_but_seeds_is_an_error(run):
    with pytest.raises(FarlinkError, match="that are not seeds"):
        run.evaluate([("a1", "stranger")])


@pytest.fixture(scope="module")
def run_of_ties(tmp_path_factory):
    """A run by plain cosine in which all entities have the same vector, so that all candidates tie."""
    pair, folder = Pair.make(), tmp_path_factory.mktemp("ties") / "run"
    plain = {**TINY, "temperature": 0.0, "evidence": 0.0, "rounds": 0, "vectors": "input", "max_epochs": 1}
    farlink.align(pair.left, pair.right, pair.links[:20], test=pair.links[20:], out=folder, **plain)
    weights = load_file(folder / "weights.safetensors")
    save_file({name: torch.ones_like(tensor) for name, tensor in weights.items()}, folder / "weights.safetensors")
    return farlink.load(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "rank"), [("optimistic", 1), ("realistic", 10.5), ("pessimistic", 20)])
def test_ties_count_as_asked(run_of_ties, kind, rank):
    figures = run_of_ties.evaluate(Pair.make().links[20:], kind)
    assert figures["ranks"] == kind
    for direction in ("left_to_right", "right_to_left"):
        assert figures["linked"][direction]["mr"] == rank
        assert figures["linked"][direction]["hits@1"] == (rank == 1)


@pytest.mark.parametrize("to", EXPORTS)
def test_every_export_is_written_where_asked_and_by_default_into_the_run(run, to, tmp_path):
    assert run.export(to, tmp_path / "file").exists()
    assert run.export(to).is_relative_to(run.folder)


def test_exported_vectors_come_with_their_names(run, tmp_path):
    folder = run.export("npy", tmp_path / "vectors")
    vectors, names = np.load(folder / "right.npy"), (folder / "right.txt").read_text().splitlines()
    assert len(vectors) == len(names) == 40
    assert names == run.vocabulary["right"]["name"].to_list()


def test_same_as_links_parse_again(run, tmp_path):
    quads = list(parse(path=run.export("sameas", tmp_path / "links.nt"), format=RdfFormat.N_TRIPLES))
    assert len(quads) == run.alignment.filter(pl.col("status") != "unmatched").height


def test_an_unknown_export_lists_the_known_ones(run):
    with pytest.raises(FarlinkError, match=r"cannot export to 'xlsx'; choose one of sssom, sameas, .*npy"):
        run.export("xlsx")
