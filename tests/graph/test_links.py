import numpy as np
import polars as pl
import pytest

from farlink.errors import FarlinkError, InputError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.links import LinkSet, hold_out, resolve, without

LEFT = KnowledgeGraph.from_frame(pl.DataFrame({"h": ["a", "b"], "r": ["r", "r"], "t": ["b", "c"]}))
RIGHT = KnowledgeGraph.from_frame(pl.DataFrame({"h": ["x", "y"], "r": ["r", "r"], "t": ["y", "z"]}))


def links(*rows):
    frame = pl.DataFrame(rows, schema={"left": pl.String, "right": pl.String}, orient="row")
    return frame.with_row_index("line", offset=1).select("left", "right", "line")


def resolved(*rows):
    return resolve(links(*rows), LEFT, RIGHT, "seed", "seeds.tsv")


def by_name(link_set):
    return [(LEFT.entities[int(a)], RIGHT.entities[int(b)]) for a, b in link_set.pairs]


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def test_good_links_become_ids_without_a_word():
    result = resolved(("a", "x"), ("b", "y"))
    assert by_name(result) == [("a", "x"), ("b", "y")]
    assert result.notes == []


def test_a_link_to_an_unknown_entity_is_left_out_and_reported_with_its_line():
    result = resolved(("a", "x"), ("nobody", "y"))
    assert by_name(result) == [("a", "x")]
    assert result.notes == [
        "1 seed link names an entity that its graph does not have, left out; first: seeds.tsv, line 2 (nobody ↔ y)"
    ]


def test_a_repeated_link_counts_once():
    result = resolved(("a", "x"), ("a", "x"))
    assert by_name(result) == [("a", "x")]
    assert result.notes == ["1 seed link is repeated and counts once"]


def test_links_that_give_one_entity_several_counterparts_are_all_left_out():
    result = resolved(("a", "x"), ("a", "y"), ("b", "z"))
    assert by_name(result) == [("b", "z")]
    assert "2 seed links contradict each other" in result.notes[0]
    assert "line 1 (a ↔ x)" in result.notes[0]


@pytest.mark.parametrize(
    ("several", "kept"),
    [
        ((False, True), [("a", "x"), ("b", "x")]),
        ((True, False), [("c", "y"), ("c", "z")]),
        ((True, True), [("a", "x"), ("b", "x"), ("c", "y"), ("c", "z")]),
    ],
)
def test_entities_that_may_have_several_counterparts_contradict_nothing(several, kept):
    given = links(("a", "x"), ("b", "x"), ("c", "y"), ("c", "z"))
    assert by_name(resolve(given, LEFT, RIGHT, "seed", "seeds.tsv", several)) == kept


def test_if_all_links_contradict_each_other_nothing_sensible_is_left():
    with pytest.raises(InputError, match=r"seeds.tsv: all seed links contradict each other.*line 1"):
        resolved(("a", "x"), ("a", "y"))


def test_exchanged_columns_are_recognised():
    with pytest.raises(InputError, match="columns are exchanged"):
        resolved(("x", "a"), ("y", "b"))


def test_links_between_other_graphs_are_an_error_that_shows_names():
    with pytest.raises(
        InputError, match=r"line 1: no seed link names entities of both graphs; this one reads 'p' ↔ 'q'"
    ):
        resolved(("p", "q"))


def test_no_links_are_an_error():
    with pytest.raises(InputError, match="no seed links"):
        resolved()


def test_links_that_touch_taken_entities_are_left_out():
    result = without(LinkSet(ids((0, 0), (1, 2), (3, 3))), ids((0, 0), (1, 1)), "seed", "test")
    assert result.pairs.tolist() == [[3, 3]]
    assert result.notes == [
        "1 test link is a seed too, left out of the test part",
        "1 test link contradicts a seed, left out of the test part",
    ]


def test_if_all_links_touch_taken_entities_there_is_nothing_to_measure():
    with pytest.raises(FarlinkError, match="every test link touches"):
        without(LinkSet(ids((0, 0))), ids((0, 0)), "seed", "test")


def test_links_that_touch_what_may_have_several_are_kept_but_for_the_same_ones():
    links = LinkSet(ids((0, 0), (1, 0), (0, 1)))
    taken = ids((0, 0))
    assert without(links, taken, "seed", "test", (True, True)).pairs.tolist() == [[1, 0], [0, 1]]
    assert without(links, taken, "seed", "test", (False, True)).pairs.tolist() == [[1, 0]]


def test_links_apart_pass():
    link_set = LinkSet(ids((3, 3)))
    assert without(link_set, ids((0, 0)), "seed", "test") is link_set


def test_holding_out_splits_the_seeds():
    seeds = ids(*((i, i) for i in range(50)))
    kept, held = hold_out(seeds, 0.1, seed=1)
    assert len(held) == 5
    assert sorted(np.concatenate([kept, held]).tolist()) == seeds.tolist()
    assert np.array_equal(held, hold_out(seeds, 0.1, seed=1)[1])
    assert not np.array_equal(held, hold_out(seeds, 0.1, seed=2)[1])


def test_a_few_seeds_are_all_kept():
    kept, held = hold_out(ids((0, 0), (1, 1)), 0.1, seed=0)
    assert (len(kept), len(held)) == (2, 0)
