from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch

from farlink.alignment.methods.base import AGAINST, REACH, TwoGraphs
from farlink.alignment.methods.jape import ALIKE, JAPE
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.settings import make_settings


@pytest.mark.slow
def test_it_aligns_the_demo_graphs(demo_hits):
    assert demo_hits("jape", max_epochs=4) > 0.08  # a guess is right in one of 1,130 cases


def with_attributes(prefix, size=80, kinds=60):
    """Entities in a ring, each with three of the attributes, by its number."""
    names = [f"{prefix}{place}" for place in range(size)]
    ring = pl.DataFrame({"head": names, "relation": ["next"] * size, "tail": names[1:] + names[:1]})
    rows = [(name, f"has{(place + step) % kinds}", "x") for place, name in enumerate(names) for step in (0, 7, 19)]
    literals = pl.DataFrame(rows, schema=["head", "relation", "value"], orient="row")
    return KnowledgeGraph.from_frame(ring, literals=literals)


def jape_of(left, right):
    seeds = np.array([[left.ids(pl.Series([f"a{n}"]))[0], right.ids(pl.Series([f"b{n}"]))[0]] for n in range(10)])
    return JAPE(TwoGraphs(left, right), seeds.astype(np.int32), make_settings(method="jape"))


def test_entities_with_the_same_attributes_are_drawn_together():
    left, right = with_attributes("a"), with_attributes("b")
    method = jape_of(left, right)
    border = method.graphs.first_right
    for one, other in method.alike[:50].tolist():
        mine, its = left.entities[one], right.entities[other - border]
        assert int(mine[1:]) % 60 == int(its[1:]) % 60
    assert len(method.alike) > 60


def test_without_literals_on_both_sides_there_are_no_such_pairs():
    left, right = with_attributes("a"), with_attributes("b")
    bare = replace(right, literals=right.literals.clear())
    assert len(jape_of(left, bare).alike) == 0


def test_entities_with_the_attributes_of_a_crowd_are_drawn_to_none():
    left, right = with_attributes("a"), with_attributes("b")
    names = [f"b{n}" for n in range(20, 21 + ALIKE)]  # one more than an entity may be drawn to; none is a seed
    crowd = [left.literals.filter(pl.col("head") == "a20").with_columns(head=pl.lit(name)) for name in names]
    others = right.literals.filter(~pl.col("head").is_in(names))
    method = jape_of(left, replace(right, literals=pl.concat([*crowd, others])))
    assert left.ids(pl.Series(["a20"]))[0] not in method.alike[:, 0]
    assert len(method.alike) > 0


def test_a_few_attributes_are_compared_as_they_are():
    method = jape_of(with_attributes("a", kinds=30), with_attributes("b", kinds=30))
    assert len(method.alike) > 60


def test_the_demo_graphs_are_compared_by_their_triples_alone(make_method):
    assert len(make_method("jape").alike) == 0  # one of them has no literals


def test_corrupted_triples_push_no_farther_than_their_reach(make_method):
    method = make_method("jape")
    batch = torch.from_numpy(method.triples[:50]).long()
    with torch.no_grad():
        method.model.relation.mul_(1000)  # every triple is far off, so the corrupted ones have had their say
    torch.manual_seed(0)
    loss, right = method._learn(method.model, batch), method.model.distances(batch, batch)[0].mean()
    torch.testing.assert_close(loss, right - AGAINST * REACH)
