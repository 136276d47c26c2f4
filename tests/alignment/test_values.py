import numpy as np
import polars as pl
import pytest

from farlink.alignment.values import MISSING, Values
from farlink.graph.knowledge_graph import KnowledgeGraph

SIZE = 60
RNG = np.random.default_rng(0)
DATES = [f"{1900 + i}-0{1 + i % 9}-{10 + i % 18}" for i in range(SIZE)]
HEIGHTS = (150 + 50 * RNG.random(SIZE)).round(2)
KINDS = ["red", "green"]


def graph(prefix, **attributes):
    """A graph of some entities by number; an attribute has a value of each, None where there is none."""
    size = max(map(len, attributes.values()))
    rows = [
        (f"{prefix}:{i}", f"http://{prefix}/{name}", str(value))
        for name, values in attributes.items()
        for i, value in enumerate(values)
        if value is not None
    ]
    literals = pl.DataFrame(rows, schema=dict.fromkeys(("head", "relation", "value"), pl.String), orient="row")
    entities = pl.Series([f"{prefix}:{i}" for i in range(size)])
    triples = pl.DataFrame({"h": entities, "r": ["r"] * size, "t": entities})
    return KnowledgeGraph.from_frame(triples, entities=entities, literals=literals)


def ids(graph, numbers):
    prefix = graph.entities[0].split(":")[0]
    return graph.ids(pl.Series([f"{prefix}:{i}" for i in numbers], dtype=pl.String))


def links(left, right, numbers=range(SIZE)):
    return np.stack([ids(left, numbers), ids(right, numbers)], axis=1)


def by_number(left, right, found):
    sides = (
        [int(graph.entities[int(i)].split(":")[1]) for i in column]
        for graph, column in zip((left, right), found.T, strict=True)
    )
    return set(zip(*sides, strict=True))


def compared(values, comparisons):
    """The names of the attributes that say the same."""
    return {
        (values.left.names[one.left].rsplit("/")[-1], values.right.names[one.right].rsplit("/")[-1])
        for one in comparisons
    }


def test_entities_that_share_a_rare_value_come_into_question_whatever_the_attribute():
    left = graph("a", born=["1901-02-03", "1950-05-05"], code=["X-17", None])
    right = graph("b", geboren=[None, "1950-05-05"], nummer=["X-17", "Y-18"])
    assert by_number(left, right, Values(left, right, 0).pairs()) == {(0, 0), (1, 1)}


def test_a_value_that_many_have_brings_nobody_together():
    left, right = graph("a", colour=["red"] * 11 + ["blue"]), graph("b", farbe=["blue"] + ["red"] * 10)
    assert by_number(left, right, Values(left, right, 0).pairs()) == {(11, 0)}  # 110 pairs are too many


def test_before_anything_is_learned_the_rarest_common_value_counts():
    left = graph("a", code=["X-1", "X-2", "X-3", "X-3"], colour=["red", "red", "red", "red"])
    right = graph("b", code=["X-1", "Y-2", "X-3", "Y-4"], colour=["red", "blue", "grey", "grey"])
    rarity = Values(left, right, 0).rarity(ids(left, [0, 1, 2, 1]), ids(right, [0, 0, 2, 2]))
    np.testing.assert_allclose(rarity, np.log([4 / 1, 4 / 4, 4 / 2, 1]))


def test_graphs_without_values_are_told():
    some, none = graph("a", code=["X-1"]), graph("b", code=[None])
    assert Values(some, graph("c", code=["X-2"]), 0).known
    for left, right in ((some, none), (none, some), (none, graph("c", code=[None]))):
        values = Values(left, right, 0)
        assert not values.known
        assert len(values.pairs()) == 0
        assert values.comparisons(links(left, right, [0])) == []


def test_names_are_no_values():
    left, right = graph("a", label=["Rome", "Oslo"]), graph("b", name=["Rome", "Oslo"])
    assert not Values(left, right, 0).known


@pytest.fixture(scope="module")
def people():
    """Two graphs that say the same in other words, with other things beside it; numbers differ by a hair."""
    left = graph("a", birth=DATES, height=HEIGHTS, colour=[KINDS[i % 2] for i in range(SIZE)])
    right = graph("b", geboren=DATES, groesse=HEIGHTS + 0.01, zufall=RNG.permutation(HEIGHTS).round(1))
    return left, right


def test_attributes_that_say_the_same_are_found_though_their_names_differ(people):
    values = Values(*people, 0)
    comparisons = values.comparisons(links(*people, range(40)))
    assert compared(values, comparisons) >= {("birth", "geboren"), ("height", "groesse")}
    gains = [one.gain for one in comparisons]
    assert gains == sorted(gains, reverse=True)
    assert min(gains) > 0


def test_an_attribute_says_the_same_as_one_other():
    left = graph("a", birth=DATES, copy=DATES)
    right = graph("b", geboren=DATES, kopie=DATES, dritte=DATES)
    comparisons = Values(left, right, 0).comparisons(links(left, right))
    assert len({one.left for one in comparisons}) == len({one.right for one in comparisons}) == len(comparisons) == 2


def test_without_likely_pairs_nothing_says_the_same(people):
    values = Values(*people, 0)
    assert values.comparisons(np.empty((0, 2), dtype=np.int32)) == []
    assert values.weight([], *links(*people).T).tolist() == [0] * SIZE


def judged(left, right, known=range(40)):
    """What the values of equal numbers that were not known are worth, and of numbers some way apart."""
    values = Values(left, right, 0)
    comparisons = values.comparisons(links(left, right, known))
    ours, theirs = range(40, SIZE), [(i + 17) % SIZE for i in range(40, SIZE)]
    return (
        values.weight(comparisons, ids(left, ours), ids(right, ours)),
        values.weight(comparisons, ids(left, ours), ids(right, theirs)),
    )


def test_equal_values_speak_for_a_pair_and_different_ones_against(people):
    same, other = judged(*people)
    assert same.min() > 5
    assert other.max() < 0


def test_equal_values_say_the_more_the_fewer_have_them():
    names = ["common"] * 30 + [f"rare {i}" for i in range(30)]
    left, right = graph("a", word=names), graph("b", wort=names)
    values = Values(left, right, 0)
    (comparison,) = values.comparisons(links(left, right))
    common, rare = values.weight([comparison], ids(left, [0, 40]), ids(right, [0, 40]))
    assert rare - common == pytest.approx(np.log(30))


def test_numbers_that_are_near_speak_for_a_pair():
    left, right = graph("a", height=HEIGHTS), graph("b", groesse=HEIGHTS + 0.001)
    same, other = judged(left, right)
    assert same.min() > 2
    assert np.median(other) < 0


def test_a_missing_value_says_nothing(people):
    left, _ = people
    gaps = graph("b", geboren=[date if i % 2 else None for i, date in enumerate(DATES)])
    values = Values(left, gaps, 0)
    comparisons = values.comparisons(links(left, gaps, range(40)))
    weight = values.weight(comparisons, *links(left, gaps).T)
    assert (weight[::2] == 0).all()
    assert (weight[1::2] > 2).all()
    level, _ = values.levels(comparisons[0], *links(left, gaps).T)
    assert (level[::2] == MISSING).all()


def test_of_several_values_the_most_alike_counts():
    left = graph("a", code=[f"A-{i}" for i in range(SIZE)])
    right = graph("b", code=[f"A-{i}" for i in range(SIZE)], other=[None])
    more = right.with_literals(
        pl.DataFrame(
            {"head": right.entities, "relation": ["http://b/code"] * SIZE, "value": [f"B-{i}" for i in range(SIZE)]}
        )
    )
    values = Values(left, more, 0)
    (comparison,) = values.comparisons(links(left, more))
    level, _ = values.levels(comparison, *links(left, more).T)
    assert (level == 0).all()


def test_the_same_seed_compares_the_same(people):
    one, other = (Values(*people, 3).comparisons(links(*people, range(40))) for _ in range(2))
    assert [(a.left, a.right, a.gain) for a in one] == [(b.left, b.right, b.gain) for b in other]


def test_names_are_values_where_they_are_asked_for():
    left, right = graph("a", label=DATES, born=DATES), graph("b", name=DATES)
    values = Values(left, right, 0, names=True)
    assert compared(values, values.comparisons(links(left, right))) == {("label", "name")}
    assert values.comparisons(links(left, right), ([], [0])) == []
    assert compared(
        values, values.comparisons(links(left, right), ([values.left.names.index("http://a/label")], []))
    ) == {("born", "name")}


def test_values_that_the_partner_has_or_nearly_has():
    size = 500
    heights = (150 + 50 * RNG.random(size)).round(4)
    other = heights + 0.003
    other[7] = 400.0  # nobody is as tall
    left = graph("a", height=[f"{height:.4f}" for height in heights])
    right = graph("b", size=[f"{height:.4f}" for height in other])
    values, pairs = Values(left, right, 0), links(left, right, range(size))
    (comparison,) = values.comparisons(pairs)
    ours, theirs = values.near(comparison, pairs, 3.0)
    for near, place in ((ours, 0), (theirs, 1)):
        assert near.height > 0.9 * size
        assert pairs[7, place] not in near["entity"].to_numpy()
    exact = values.near(comparison, pairs, 100.0)
    assert [len(side) for side in exact] == [0, 0]
