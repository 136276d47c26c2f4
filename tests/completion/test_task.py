import numpy as np
import pytest

from farlink.completion.task import _hold_out, open_task
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.progress import Silent
from farlink.settings import make_completion_settings
from helpers.rings import graph, ring


def opened(*parts):
    train, valid, test = parts
    return open_task(train, valid=valid, test=test, settings=make_completion_settings(), reporter=Silent())


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
        opened(train, graph(("a", "r", "b"), source="valid.tsv"), None)


def test_without_validation_triples_some_are_held_out():
    task = opened(KnowledgeGraph.from_frame(ring()), None, None)
    assert (len(task.graph.triples), len(task.valid), len(task.test)) == (108, 12, 0)
    assert "12 of the 120 are held out" in task.notes[0]
