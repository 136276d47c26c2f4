import numpy as np
import polars as pl
import pytest

from farlink.alignment.candidates import Candidates
from farlink.alignment.names import ALIASES, Names, NameSignal
from farlink.graph.knowledge_graph import KnowledgeGraph

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
CITIES = ["Nanjing", "Rome", "Lisbon", "Oslo", "Warsaw", "Kyiv", "Madrid", "Vienna", "Dublin", "Quito"]


def called(prefix, *names):
    """A graph whose i-th entity has the i-th name, or each of several, or none."""
    rows = [
        (f"{prefix}:{i}", LABEL, name)
        for i, some in enumerate(names)
        for name in ([some] if isinstance(some, str) else some)
    ]
    literals = pl.DataFrame(rows, schema=dict.fromkeys(("head", "relation", "value"), pl.String), orient="row")
    entities = pl.Series([f"{prefix}:{i}" for i in range(len(names))])
    triples = pl.DataFrame({"h": entities, "r": ["r"] * len(names), "t": entities})
    return KnowledgeGraph.from_frame(triples, entities=entities, literals=literals)


def numbers(graph, ids):
    return [int(name.split(":")[1]) for name in graph.entities.gather(ids)]


def ids(graph, *numbers):
    prefix = graph.entities[0].split(":")[0]
    return graph.ids(pl.Series([f"{prefix}:{i}" for i in numbers], dtype=pl.String))


def pairs(left, right, k=3):
    found = Names(left, right).pairs(k)
    return set(zip(numbers(left, found[:, 0]), numbers(right, found[:, 1]), strict=True))


def alike(left, right, one, other):
    return Names(left, right).of(ids(left, one), ids(right, other))[0]


def test_who_is_called_alike_comes_into_question():
    left, right = called("a", "Nanjing", "Rome", "Lisbon"), called("b", "LISBON", "Rome (city)", "Oslo")
    assert pairs(left, right, 1) == {(2, 0), (1, 1)}


def test_each_alias_brings_its_own_and_the_most_alike_counts():
    left, right = called("a", ["Bombay", "Mumbai"], "Rome"), called("b", ["Mumbai"], ["Bombay"], ["Roma", "Rome"])
    assert pairs(left, right, 1) >= {(0, 0), (0, 1), (1, 2)}
    for one, other in ((0, 0), (0, 1), (1, 2)):
        assert alike(left, right, one, other) == pytest.approx(1)
    assert alike(left, right, 0, 2) < 0.5


def test_the_spelling_of_a_name_is_not_what_counts():
    left, right = called("a", "São Paulo", "Москва"), called("b", "sao_paulo", "Moskva")
    assert alike(left, right, 0, 0) == pytest.approx(1)
    assert alike(left, right, 1, 1) == pytest.approx(1)


def test_k_names_come_into_question_from_either_side():
    left = called("a", "Springfield")
    right = called("b", "Springfield A", "Springfield B", "Springfield C", "Oslo")
    # from the right each has its nearest, which is the same
    assert pairs(left, right, 1) == {(0, 0), (0, 1), (0, 2)}
    left = called("a", "Springfield", "Springfield", "Springfield")
    assert pairs(left, called("b", "Springfield", "Oslo"), 3) == {(0, 0), (1, 0), (2, 0)}


def test_a_name_that_more_than_k_entities_have_tells_none_of_them_apart():
    left, right = called("a", "Springfield", "Springfield", "Springfield"), called("b", "Springfield", "Oslo")
    assert pairs(left, right, 2) == set()


def test_entities_without_a_name_are_alike_to_none():
    left, right = called("a", "Rome", [], "..."), called("b", "Rome", "Oslo", [])
    for one, other in ((1, 0), (0, 2), (1, 2), (2, 0)):  # marks alone are no name
        assert alike(left, right, one, other) == -1
    assert alike(left, right, 0, 1) >= 0
    assert pairs(left, right) == {(0, 0)}


def test_names_are_known_where_both_graphs_have_some():
    named, nameless = called("a", "Rome"), called("b", [], [])
    assert Names(named, called("b", "Oslo")).known
    for left, right in ((named, nameless), (nameless, named), (nameless, called("c", []))):
        assert not Names(left, right).known
        assert len(Names(left, right).pairs(3)) == 0


def test_only_so_many_names_of_an_entity_are_compared():
    many = [f"{i:03} Station" for i in range(ALIASES + 1)]
    left, right = called("a", many), called("b", many[-1], many[0], "Oslo")
    assert alike(left, right, 0, 1) == pytest.approx(1)
    assert alike(left, right, 0, 0) < 1


def candidates_of(signal, left, right, shape, score):
    zeros = np.zeros(len(left), np.float32)
    return Candidates(left, right, zeros, zeros, score, shape, 1, signal.likeness(left, right))


def judged(left, right, seeds, score=None):
    """What the name signal says of equal numbers, and of numbers that are one apart."""
    signal = NameSignal(Names(left, right), seeds, seeds[:0], 0)
    count = len(left.entities)
    same = ids(left, *range(count)), ids(right, *range(count))
    other = ids(left, *range(count)), ids(right, *np.roll(range(count), 1))
    rows, columns = (np.concatenate(ends) for ends in zip(same, other, strict=True))
    score = np.repeat([1.0, 0.0], count) if score is None else score
    weight = signal.weight(candidates_of(signal, rows, columns, (count, len(right.entities)), score))
    return weight[:count], weight[count:]


def named_by_number(prefix, order):
    return called(prefix, *(f"{CITIES[i % 10]} {CITIES[i // 10]}" for i in order))


@pytest.fixture(scope="module")
def agreeing():
    return named_by_number("a", range(100)), named_by_number("b", range(100))


@pytest.fixture(scope="module")
def scrambled():
    rng = np.random.default_rng(0)
    return named_by_number("a", range(100)), named_by_number("b", rng.permutation(100))


def links(left, right):
    return np.stack([ids(left, *range(100)), ids(right, *range(100))], axis=1)


def test_names_that_agree_on_known_pairs_weigh_the_more_the_more_alike_they_are(agreeing):
    same, other = judged(*agreeing, links(*agreeing))
    assert same.min() > 3
    assert other.max() < 0


def test_names_that_mean_nothing_weigh_little_where_enough_pairs_are_known(scrambled):
    left, right = scrambled
    score = np.ones(200)  # whatever is thought of the pairs
    for weight in judged(left, right, links(left, right), score):
        assert np.abs(weight).max() < 2
    signal = NameSignal(Names(left, right), links(left, right), links(left, right)[:0], 0)
    equal = signal.pairs[signal.likeness(*signal.pairs.T) > 0.999]
    weight = signal.weight(candidates_of(signal, equal[:, 0], equal[:, 1], (100, 100), np.ones(len(equal))))
    assert weight.max() < 2


def test_without_known_pairs_the_likely_ones_decide(agreeing):
    same, other = judged(*agreeing, np.empty((0, 2), dtype=np.int32))
    assert same.min() > 3
    assert other.max() < 0


def test_a_missing_name_weighs_nothing(agreeing):
    left = called("a", *([f"{CITIES[i % 10]} {CITIES[i // 10]}"] if i else [] for i in range(100)))
    same, _ = judged(left, agreeing[1], links(left, agreeing[1])[1:])
    assert same[0] == 0
    assert same[1:].min() > 3
