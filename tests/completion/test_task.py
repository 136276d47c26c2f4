import numpy as np
import polars as pl
import pytest

from farlink.completion.task import _hold_out, open_task
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.sources import GraphFile
from farlink.progress import Silent
from farlink.settings import make_completion_settings
from helpers.rings import graph, ring

NEWCOMER = pl.DataFrame([("new", "next", "e0")], schema=["head", "relation", "tail"], orient="row")
RINGS = (
    pl.concat([ring(0, 28), ring(28, 40, ("next", "skip"))]),
    ring(28, 34, ("previous",)),
    ring(34, 40, ("previous",)).vstack(NEWCOMER),
)


def opened(train, valid=None, test=None, seed=0):
    settings = make_completion_settings(seed=seed)
    return open_task(train, valid=valid, test=test, settings=settings, reporter=Silent())


def named(task):
    """The triples of all parts by name."""
    entities, relations = task.graph.entities, task.graph.relations
    return {
        part: {(entities[int(h)], relations[int(r)], entities[int(t)]) for h, r, t in triples}
        for part, triples in task.parts.items()
    }


@pytest.fixture
def folder(tmp_path):
    """A benchmark folder of the ring, with a test entity that is nowhere else."""
    for name, part in zip(("train", "valid", "test"), RINGS, strict=True):
        part.write_csv(tmp_path / f"{name}.txt", separator="\t", include_header=False)
    return tmp_path


def test_a_folder_files_and_graphs_are_the_same_task(folder):
    paths = [folder / f"{part}.txt" for part in ("train", "valid", "test")]
    tasks = [
        opened(folder),
        opened(str(folder)),
        opened(*paths),
        opened(GraphFile(paths[0], "tsv"), *paths[1:]),
        opened(*(KnowledgeGraph.from_frame(frame).shuffled(seed) for seed, frame in enumerate(RINGS))),
    ]
    first = tasks[0]
    assert {part: len(triples) for part, triples in first.parts.items()} == {"train": 108, "validation": 6, "test": 7}
    for task in tasks:
        assert task.graph.entities.equals(first.graph.entities)
        assert np.array_equal(task.graph.triples, first.graph.triples)
        assert named(task) == named(first)


def test_ids_are_those_of_a_shuffle_of_the_sorted_names_of_all_parts(folder):
    names = sorted({f"e{place}" for place in range(40)} | {"new"})
    order = np.random.default_rng(7).permutation(len(names))
    assert opened(folder, seed=7).graph.entities.to_list() == [names[place] for place in order]


def test_an_entity_of_a_later_part_alone_is_in_the_vocabulary_and_told(folder):
    assert "1 entity of the test part has no triple to learn from and ranks last" in opened(folder).notes


def test_a_benchmark_folder_brings_its_own_parts(folder):
    with pytest.raises(FarlinkError, match="brings its own validation and test triples"):
        opened(folder, test=folder / "test.txt")


def test_what_is_held_out_leaves_a_triple_of_everything():
    triples = np.unique(np.random.default_rng(0).integers(0, 30, (60, 3)).astype(np.int32), axis=0)
    kept, held = _hold_out(triples, make_completion_settings(holdout=0.5))
    assert len(kept) + len(held) == len(triples)
    assert set(np.unique(triples[:, ::2])) == set(np.unique(kept[:, ::2]))
    assert set(triples[:, 1]) == set(kept[:, 1])


def test_triples_of_an_earlier_part_are_left_out_of_a_later_one():
    train, valid = graph(("a", "r", "b"), ("b", "r", "c")), graph(("a", "r", "b"), ("a", "r", "c"))
    test = graph(("a", "r", "c"), ("c", "r", "a"))
    task = opened(train, valid, test)
    assert (len(task.valid), len(task.test)) == (1, 1)
    assert "1 validation triple occurs in an earlier part, left out here" in task.notes


def test_a_part_without_anything_new_is_an_error():
    train = graph(("a", "r", "b"))
    with pytest.raises(FarlinkError, match=r"valid\.tsv: no validation triple is left"):
        opened(train, graph(("a", "r", "b"), source="valid.tsv"))


def test_entities_without_a_triple_are_left_out():
    literals = pl.DataFrame({"head": ["e1", "hermit"], "relation": ["name"] * 2, "value": ["one", "H"]})
    task, plain = (
        opened(KnowledgeGraph.from_frame(ring(), literals=literals)),
        opened(KnowledgeGraph.from_frame(ring())),
    )
    assert task.graph.entities.equals(plain.graph.entities)
    assert np.array_equal(task.graph.triples, plain.graph.triples)
    assert task.notes[0] == "1 entity has no triple, left out: nothing can be learned"


def test_a_graph_of_literals_cannot_be_completed():
    literals = pl.DataFrame({"head": ["e1"], "relation": ["name"], "value": ["one"]})
    alone = KnowledgeGraph.from_frame(
        pl.DataFrame(schema=dict.fromkeys("hrt", pl.String)), literals=literals, source="g.nt"
    )
    with pytest.raises(FarlinkError, match=r"^g\.nt: there is no triple to learn from, only 1 literal$"):
        opened(alone)


def test_without_validation_triples_some_are_held_out():
    task = opened(KnowledgeGraph.from_frame(ring()))
    assert (len(task.graph.triples), len(task.valid), len(task.test)) == (108, 12, 0)
    assert "12 of the 120 are held out" in task.notes[0]
