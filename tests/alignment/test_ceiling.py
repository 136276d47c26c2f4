import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.alignment.ceiling import ceiling, colours
from farlink.graph.knowledge_graph import KnowledgeGraph

NONE = np.empty(0, dtype=np.int32)


def graph_of(*triples, more=()):
    frame = pl.DataFrame(triples, schema=["head", "relation", "tail"], orient="row")
    return KnowledgeGraph.from_frame(frame, entities=pl.Series([*more], dtype=pl.String))


def ids(graph, *names):
    return graph.ids(pl.Series(names))


def everyone(graph):
    return np.arange(len(graph.entities), dtype=np.int32)


TOWN = graph_of(
    ("ann", "born", "london"), ("bob", "born", "london"), ("cat", "died", "london"), ("dan", "born", "paris")
)  # fmt: skip


def groups(graph, known=NONE):
    """Names that have one colour, as a set of sets."""
    colour = colours(graph, known)
    return {frozenset(graph.entities.filter(pl.Series(colour == c)).to_list()) for c in np.unique(colour)}


def test_entities_with_the_same_triples_look_the_same():
    assert frozenset({"ann", "bob"}) in groups(TOWN)
    assert frozenset({"cat"}) in groups(TOWN)


def test_a_known_entity_looks_like_nobody_else_and_tells_others_apart():
    assert frozenset({"ann"}) in groups(TOWN, ids(TOWN, "bob"))
    two = graph_of(("a", "r", "x"), ("b", "r", "y"))
    assert groups(two) == {frozenset("ab"), frozenset("xy")}
    assert groups(two, ids(two, "x")) == {frozenset(name) for name in "abxy"}


def test_relations_and_their_direction_count():
    graph = graph_of(("a", "r", "m"), ("m", "r", "b"), ("c", "s", "m"))
    assert len(groups(graph)) == 4


def test_differences_further_away_are_seen():
    graph = graph_of(("a", "r", "b"), ("b", "r", "c"), ("x", "r", "y"), ("y", "r", "z"), ("z", "s", "w"))
    assert frozenset({"a", "x"}) not in groups(graph)


def test_the_ceiling_is_what_guessing_among_lookalikes_gives():
    pools, links = (everyone(TOWN), everyone(TOWN)), np.stack([everyone(TOWN)] * 2, axis=1)
    colour = colours(TOWN, NONE)
    # six entities: ann and bob can only be guessed
    assert ceiling(colour, colour, links, pools) == pytest.approx((4 + 2 / 2) / 6)
    with_a_seed = colours(TOWN, ids(TOWN, "ann"))
    assert ceiling(with_a_seed, with_a_seed, links, pools) == 1


def test_the_side_that_tells_less_decides():
    blurred = graph_of(("a", "born", "l"), ("b", "born", "l"), ("c", "born", "l"), ("d", "born", "p"))
    links = np.stack([ids(TOWN, "ann", "bob", "cat", "dan"), ids(blurred, "a", "b", "c", "d")], axis=1)
    sides = colours(TOWN, NONE), colours(blurred, NONE)
    expected = pytest.approx((1 / 3 + 1 / 3 + 1 / 3 + 1) / 4)
    assert ceiling(*sides, links, (everyone(TOWN), everyone(blurred))) == expected
    assert ceiling(*sides[::-1], links[:, ::-1], (everyone(blurred), everyone(TOWN))) == expected


def test_entities_outside_of_the_pool_do_not_stand_in_the_way():
    colour, pool = colours(TOWN, NONE), ids(TOWN, "ann", "cat")
    assert ceiling(colour, colour, np.stack([pool, pool], axis=1), (pool, pool)) == 1


def test_entities_without_triples_all_look_the_same():
    graph = graph_of(("a", "r", "b"), more=("alone", "lonely"))
    assert frozenset({"alone", "lonely"}) in groups(graph)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=12))
def test_entities_that_can_change_places_have_one_colour(triples):
    graph = graph_of(*{(f"e{h}", f"r{r}", f"e{t}") for h, r, t in triples})
    colour = colours(graph, NONE)
    plain = nx.MultiDiGraph()
    plain.add_nodes_from(everyone(graph).tolist())
    plain.add_edges_from((h, t, {"relation": r}) for h, r, t in graph.triples.tolist())
    match = nx.isomorphism.categorical_multiedge_match("relation", None)
    swaps = nx.isomorphism.MultiDiGraphMatcher(plain, plain, edge_match=match).isomorphisms_iter()
    for swap in (next(swaps, {}) for _ in range(50)):
        assert all(colour[one] == colour[other] for one, other in swap.items())
