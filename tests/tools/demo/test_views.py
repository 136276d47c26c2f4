from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from farlink.demo import DATA
from tools.demo import views

LINKS = ["seeds.tsv", "valid.tsv", "test.tsv"]
Triple = tuple[str, str, str]
Link = tuple[str, str]


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in content(DATA / name).decode().splitlines()]


def ends(triples: Iterable[Triple]) -> Counter[str]:
    return Counter(name for head, _, tail in triples for name in (head, tail))


@pytest.fixture(scope="module")
def atlas() -> list[Triple]:
    quads = parse(content(DATA / "atlas.nt.gz"), format=RdfFormat.N_TRIPLES)
    return [
        (quad.subject.value, quad.predicate.value, quad.object.value)
        for quad in quads
        if isinstance(quad.object, NamedNode)
    ]


@pytest.fixture(scope="module")
def gazette() -> list[Triple]:
    return [(head, relation, tail) for head, relation, tail in rows("gazette.tsv.gz")]


@pytest.fixture(scope="module")
def graphs(atlas: list[Triple], gazette: list[Triple]) -> list[list[Triple]]:
    return [atlas, gazette]


@pytest.fixture(scope="module")
def splits() -> list[list[Link]]:
    return [[(left, right) for left, right in rows(name)] for name in LINKS]


@pytest.fixture(scope="module")
def links(splits: list[list[Link]]) -> list[Link]:
    return [link for split in splits for link in split]


@pytest.mark.parametrize("side", [0, 1])
def test_size_of_each_graph(graphs: list[list[Triple]], side: int) -> None:
    triples = graphs[side]
    assert len(set(triples)) == len(triples)
    assert 1_500 <= len(ends(triples)) <= 3_000
    assert 2.5 <= len(triples) / len(ends(triples)) <= 3.5


@pytest.mark.parametrize("side", [0, 1])
def test_degrees_have_a_heavy_tail(graphs: list[list[Triple]], side: int) -> None:
    degrees = ends(graphs[side]).values()
    assert max(degrees) > 20 * median(degrees)


def test_every_entity_of_the_atlas_has_one_label_and_some_have_numbers(atlas: list[Triple]) -> None:
    quads = parse(content(DATA / "atlas.nt.gz"), format=RdfFormat.N_TRIPLES)
    literals = [quad for quad in quads if isinstance(quad.object, Literal)]
    labels = [quad.subject.value for quad in literals if quad.predicate.value.endswith("#label")]
    assert sorted(labels) == sorted(ends(atlas))
    assert len(literals) > len(labels)


def test_relation_vocabularies_share_nothing(atlas: list[Triple], gazette: list[Triple]) -> None:
    left = {relation.rpartition("/")[2].lower() for _, relation, _ in atlas}
    right = {relation for _, relation, _ in gazette}
    assert left.isdisjoint(right)


@pytest.mark.parametrize("side", [0, 1])
def test_links_are_one_to_one_between_entities_with_triples(
    graphs: list[list[Triple]], links: list[Link], side: int
) -> None:
    linked = [link[side] for link in links]
    assert len(set(linked)) == len(linked)
    assert set(linked) <= ends(graphs[side]).keys()


def test_links_are_split_30_7_63(splits: list[list[Link]], links: list[Link]) -> None:
    assert [round(100 * len(split) / len(links)) for split in splits] == [30, 7, 63]


@pytest.mark.parametrize("side", [0, 1])
def test_some_entities_have_no_counterpart(graphs: list[list[Triple]], links: list[Link], side: int) -> None:
    entities = ends(graphs[side])
    alone = entities.keys() - {link[side] for link in links}
    assert 0.05 < len(alone) / len(entities) < 0.2


def test_events_have_no_counterpart(gazette: list[Triple], links: list[Link]) -> None:
    events = {name for name in ends(gazette) if " Nr. " in name}
    assert events
    assert events.isdisjoint(right for _, right in links)


def test_equal_names_give_few_links_away(links: list[Link]) -> None:
    equal = [left for left, right in links if left.rpartition("/")[2].replace("_", " ") == right]
    assert 0.1 < len(equal) / len(links) < 0.2


def test_a_mark_turns_a_relation_around() -> None:
    assert views.directed_triple("a", "knows", "b") == ("a", "knows", "b")
    assert views.directed_triple("a", "^knows", "b") == ("b", "knows", "a")


def test_every_event_has_two_roles(gazette: list[Triple]) -> None:
    roles = Counter(head for head, _, _ in gazette if " Nr. " in head)
    assert set(roles.values()) == {2}
