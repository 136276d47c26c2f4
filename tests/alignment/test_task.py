import re

import numpy as np
import polars as pl
import pytest

import farlink
from farlink.alignment.task import open_task
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.sources import GraphFile
from farlink.progress import Silent
from farlink.settings import make_settings
from helpers.pairs import TINY


def opened(*graphs, seed=0, **options):
    return open_task(*graphs, **options, settings=make_settings(seed=seed), reporter=Silent())


def same(one, two):
    """Whether two tasks agree in every id."""
    graphs = ((one.left, two.left), (one.right, two.right))
    links = ((one.seeds, two.seeds), (one.valid, two.valid), (one.test, two.test))
    return (
        all(a.entities.equals(b.entities) and a.relations.equals(b.relations) for a, b in graphs)
        and all(np.array_equal(a.triples, b.triples) for a, b in graphs)
        and all(np.array_equal(a, b) for a, b in links)
    )


@pytest.fixture
def folder(pair, tmp_path):
    """A benchmark folder of the pair: 20 seeds, 4 validation links, 16 test links."""
    place = tmp_path / "benchmark"
    place.mkdir()
    tables = {
        "rel_triples_1": pair.left_frame, "rel_triples_2": pair.right_frame, "train_links": pair.links[:20],
        "valid_links": pair.links[20:24], "test_links": pair.links[24:],
    }  # fmt: skip
    for name, table in tables.items():
        table.write_csv(place / name, separator="\t", include_header=False)
    return place


def test_a_folder_files_and_frames_are_the_same_task(pair, folder):
    links = {"seeds": pair.links[:20], "valid": pair.links[20:24], "test": pair.links[24:]}
    tasks = [
        opened(folder),
        opened(str(folder)),
        opened(pair.left, pair.right, **links),
        opened(
            GraphFile(folder / "rel_triples_1", "tsv"),
            pair.right,
            seeds=list(pair.links[:20].rows()),
            valid=links["valid"],
            test=links["test"],
        ),
    ]
    assert all(same(tasks[0], task) for task in tasks)
    assert (len(tasks[0].seeds), len(tasks[0].valid), len(tasks[0].test)) == (20, 4, 16)


@pytest.mark.slow
def test_a_benchmark_folder_is_all_that_align_needs(folder, tmp_path):
    run = farlink.align(folder, out=tmp_path / "run", **{**TINY, "max_epochs": 1})
    assert run.about["links"] == {"seeds": 20, "validation": 4, "test": 16}
    assert run.metrics["test"]["linked"]["left_to_right"]["queries"] == 16


def test_ids_are_those_of_a_shuffle_of_the_sorted_names(pair):
    task = opened(pair.left.shuffled(9), pair.right, seeds=pair.links[:20], seed=5)
    for graph, frame, seed in ((task.left, pair.left_frame, 5), (task.right, pair.right_frame, 6)):
        names = sorted(pl.concat([frame["head"], frame["tail"]]).unique())
        order = np.random.default_rng(seed).permutation(len(names))
        assert graph.entities.to_list() == [names[place] for place in order]


def test_equal_names_on_both_sides_do_not_get_equal_ids(pair):
    right = pair.right_frame.with_columns(pl.col("head", "tail").str.replace("b", "a"))
    links = pair.links.with_columns(pl.col("right").str.replace("b", "a"))
    task = opened(pair.left, type(pair.left).from_frame(right), seeds=links)
    assert np.mean(task.seeds[:, 0] == task.seeds[:, 1]) < 0.2


def test_a_share_splits_the_links_of_a_folder_anew(folder):
    task = opened(folder, share=0.1)
    assert (len(task.seeds), len(task.valid), len(task.test)) == (4, 3, 33)


@pytest.mark.parametrize(
    ("graphs", "options", "message", "arguments"),
    [
        (("folder",), {"seeds": [("a0", "b0")]}, "brings its own links", ()),
        (("left.tsv", "right.tsv"), {"trust": "names"}, "choose same-iris or same-as", ("trust",)),
        (("left.tsv", "right.tsv"), {"fold": 2, "seeds": "s.tsv"}, "only a benchmark folder", ("share", "fold")),
        (("-", GraphFile("-", "tsv")), {"seeds": "s.tsv"}, "standard input can be one of the two", ()),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_read(graphs, options, message, arguments):
    with pytest.raises(FarlinkError, match=re.escape(message)) as mistake:
        opened(*graphs, **options)
    assert mistake.value.arguments == arguments


def test_one_graph_alone_cannot_be_aligned(pair):
    with pytest.raises(FarlinkError, match="name the right graph"):
        opened(pair.left)


def test_attributes_are_literals_of_their_graph(pair, folder, tmp_path):
    (tmp_path / "names").write_text("a1\tone\nb1\tuno\n")
    task = opened(folder, left_attributes=tmp_path / "names", right_attributes=tmp_path / "names")
    assert task.left.literals.rows() == [("a1", "names", "one", None, None)]
    assert task.right.literals.rows() == [("b1", "names", "uno", None, None)]
    assert [note.split(" is about ")[0] for note in task.notes] == [f"1 value of {tmp_path / 'names'}"] * 2
    frame = pl.DataFrame({"head": ["a2"], "relation": ["label"], "value": ["two"]})
    both = opened(pair.left, pair.right, seeds=pair.links, left_attributes=frame)
    assert both.left.literals.height == 1
    assert same(opened(folder), task)
    with pytest.raises(FarlinkError, match="a data frame of attributes has the columns head, relation and value"):
        opened(pair.left, pair.right, seeds=pair.links, right_attributes=frame.rename({"head": "entity"}))


# No links, or those that the graphs themselves hold


def test_seeds_are_not_needed(pair):
    task = opened(pair.left, pair.right)
    assert (len(task.seeds), len(task.valid), len(task.test), task.notes) == (0, 0, 0, [])
    task = opened(pair.left, pair.right, valid=pair.links[:4], test=pair.links[4:])
    assert (len(task.seeds), len(task.valid), len(task.test)) == (0, 4, 36)


def test_with_a_share_of_0_all_links_measure(folder):
    task = opened(folder, share=0)
    assert (len(task.seeds), len(task.valid), len(task.test)) == (0, 0, 40)
    assert same(opened(folder, share=0), task)
    with pytest.raises(FarlinkError, match="the share of seeds is 1; expected a number from 0 on and below 1"):
        opened(folder, share=1)


def test_structure_alone_needs_seeds(pair, tmp_path):
    with pytest.raises(FarlinkError, match="seeds are missing") as mistake:
        farlink.align(pair.left, pair.right, out=tmp_path / "run")
    assert mistake.value.arguments == ("seeds",)
    assert not (tmp_path / "run").exists()


@pytest.fixture
def sharing(pair):
    """The pair, where ten entities have one name on both sides."""
    right = pair.right_frame.with_columns(pl.col("head", "tail").str.replace("^b(.)$", "a$1"))
    return pair.left, type(pair.left).from_frame(right, source="right.tsv")


def named(task, pairs):
    return {(task.left.entities[int(one)], task.right.entities[int(other)]) for one, other in pairs}


def test_entities_of_one_name_are_seeds_if_that_is_trusted(sharing):
    task = opened(*sharing)
    said = "10 entity names occur in both graphs, which means nothing here; trust same-iris to take them as seeds"
    assert (len(task.seeds), task.notes) == (0, [said])
    task = opened(*sharing, trust="same-iris")
    assert named(task, np.concatenate([task.seeds, task.valid])) == {(f"a{i}", f"a{i}") for i in range(10)}
    assert "10 entity names occur in both graphs: taken as seeds" in task.notes


def test_seeds_that_are_given_win_over_trusted_ones(pair, sharing):
    given = [("a1", "a1"), ("a2", "a3")]
    task = opened(*sharing, seeds=given, trust=["same-iris"], valid=pair.links[20:22])
    assert named(task, task.seeds) == {*given, *((f"a{i}", f"a{i}") for i in (0, *range(4, 10)))}
    assert "1 trusted link is a seed too, left out of the trusted part" in task.notes
    assert "2 trusted links contradict a seed, left out of the trusted part" in task.notes


# Rejected pairs


def test_rejected_pairs_are_kept_by_id(pair):
    rejected = [("a1", "b2"), ("a1", "b3"), ("a1", "b2"), ("a1", "ghost")]
    task = opened(pair.left, pair.right, seeds=pair.links[:20], rejected=rejected)
    assert named(task, task.rejected) == {("a1", "b2"), ("a1", "b3")}
    assert len(task.rejected) == 2
    left_out = "1 rejected pair names an entity that its graph does not have, left out; first: the given links, line 4"
    assert any(note.startswith(left_out) for note in task.notes)


@pytest.mark.parametrize("purpose", ["seeds", "valid"])
def test_a_pair_cannot_be_rejected_and_a_link(pair, purpose):
    links = {"seeds": pair.links[:20], "valid": pair.links[20:]}
    one, other = links[purpose].row(2)
    with pytest.raises(
        FarlinkError, match=rf"line 2: {one} ↔ {other} is rejected here, and is a (seed|validation) link"
    ):
        opened(pair.left, pair.right, **links, rejected=[("a3", "b4"), (one, other)])


def test_what_is_rejected_is_not_trusted(sharing):
    task = opened(*sharing, trust=["same-iris"], rejected=[("a5", "a5")])
    assert len(task.seeds) + len(task.valid) == 9
    assert "1 trusted link is rejected, left out" in task.notes


def test_exchanged_columns_of_rejected_pairs_are_told(pair):
    with pytest.raises(FarlinkError, match="the columns are exchanged"):
        opened(pair.left, pair.right, rejected=[("b1", "a2")])


def with_types(graph):
    names = pl.DataFrame(
        {
            name: column.gather(graph.triples[:, place])
            for place, (name, column) in enumerate(
                (("h", graph.entities), ("r", graph.relations), ("t", graph.entities))
            )
        }
    )
    types = pl.DataFrame({"h": graph.entities, "r": "rdf:type", "t": f"{graph.source}Thing"})
    return KnowledgeGraph.from_frame(pl.concat([names, types]), source=graph.source)


def test_types_are_read_if_the_signals_name_them(pair):
    graphs = [with_types(graph) for graph in (pair.left, pair.right)]
    seeds, told = pair.links[:9], len(graphs[0].entities) - 1 + len(graphs[1].entities) - 1
    for signals in ("all", "structure,types"):
        task = open_task(*graphs, seeds=seeds, settings=make_settings(signals=signals), reporter=Silent())
        assert [len(task.left.triples), len(task.right.triples)] == [len(graph.triples) for graph in graphs]
    task = open_task(*graphs, seeds=seeds, settings=make_settings(signals="structure"), reporter=Silent())
    assert [len(task.left.triples), len(task.right.triples)] == [len(pair.left.triples), len(pair.right.triples)]
    assert any(f"{told:,} triples telling types left out" in note for note in task.notes)


def test_types_are_triples_and_not_read_without_them():
    with pytest.raises(FarlinkError, match="types are triples: name structure, too"):
        make_settings(signals="names,types")


@pytest.mark.parametrize(
    ("changes", "message", "argument"),
    [
        ({"signals": "names,text"}, "texts cannot be read without an encoder", "encoder"),
        ({"signals": "names", "encoder": "folder"}, "no texts are read with the signals names", "signals"),
        ({"preset": "paper", "encoder": "folder"}, "no texts are read with the signals structure,types", "signals"),
        ({"encoder": "nowhere"}, "nowhere: an encoder is a folder, and this is not there", None),
    ],
)
def test_an_encoder_and_texts_go_together(pair, changes, message, argument):
    with pytest.raises(FarlinkError, match=message) as error:
        open_task(pair.left, pair.right, settings=make_settings(**changes), reporter=Silent())
    assert argument is None or argument in error.value.arguments


def test_pickles_are_refused_before_anything_is_read(pair, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"no matter")
    with pytest.raises(FarlinkError, match=r"pytorch_model\.bin: pickled weights are not read"):
        open_task(pair.left, pair.right, settings=make_settings(encoder=tmp_path), reporter=Silent())
