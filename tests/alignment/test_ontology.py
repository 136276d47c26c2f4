from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.alignment import ontology
from farlink.alignment.ontology import CLASSES, RELATIONS, aligned_ontology
from farlink.graph.edges import Edges
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import RDF_TYPE

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
RNG = np.random.default_rng(0)


def graph(triples, literals=(), entities=()):
    frame = pl.DataFrame(triples, schema=dict.fromkeys(("head", "relation", "tail"), pl.String), orient="row")
    values = dict.fromkeys(("head", "relation", "value"), pl.String)
    return KnowledgeGraph.from_frame(
        frame,
        entities=pl.Series(entities, dtype=pl.String),
        literals=pl.DataFrame(literals, schema=values, orient="row"),
    )


def aligned(left, right, names):
    """What corresponds, where entity x of the left is x' of the right."""
    pairs = np.stack([left.ids(pl.Series(names)), right.ids(pl.Series([f"{name}'" for name in names]))], axis=1)
    assert (pairs >= 0).all()
    return aligned_ontology(left, right, pairs, seed=0)


def primed(rows):
    return [(f"{head}'", relation, f"{tail}'") for head, relation, tail in rows]


def told(frame):
    return {(row["left"], row["kind"], row["right"]) for row in frame.iter_rows(named=True)}


PEOPLE = [f"p{i}" for i in range(60)]
PLACES = [f"c{i}" for i in range(8)]
NAMES = PEOPLE + PLACES


def some(relation, count=60, heads=PEOPLE, tails=PLACES, seed=0):
    """Distinct triples between people and places, or others."""
    rng = np.random.default_rng([seed, *relation.encode()])
    pairs = rng.permutation(len(heads) * len(tails))[:count]
    return [(heads[pair // len(tails)], relation, tails[pair % len(tails)]) for pair in pairs.tolist()]


def renamed(rows, relation):
    return [(head, relation, tail) for head, _, tail in rows]


def turned(rows, relation):
    return [(tail, relation, head) for head, _, tail in rows]


# what it is told


def test_a_world_with_equal_split_and_turned_relations():
    born, parent, taught = some("born"), some("parent", 50, tails=PEOPLE), some("taught", 80)
    left = graph([*born, *parent, *taught])
    right = graph(
        primed(
            [
                *renamed(born, "geboren"),
                *turned(parent, "kind"),
                *renamed(taught[:50], "dozent"),
                *renamed(taught[50:], "lehrer"),
            ]
        )
    )
    names = [name for name in NAMES if left.ids(pl.Series([name]))[0] >= 0]
    assert told(aligned(left, right, names).relations) == {
        ("born", "equal", "geboren"),
        ("parent", "inverse", "kind"),
        ("taught", "broader", "dozent"),
        ("taught", "broader", "lehrer"),
    }


def test_seen_from_the_other_side_broader_is_narrower():
    taught, sings = some("taught", 80), some("sings", 80)
    parts = [*renamed(taught[:50], "dozent"), *renamed(taught[50:], "lehrer"), *turned(sings[:50], "choir")]
    parts += turned(sings[50:], "band")
    left, right = graph(parts), graph(primed([*taught, *sings]))
    assert told(aligned(left, right, sorted(left.entities)).relations) == {
        ("dozent", "narrower", "taught"),
        ("lehrer", "narrower", "taught"),
        ("choir", "inverse narrower", "sings"),
        ("band", "inverse narrower", "sings"),
    }
    left, right = graph([*taught, *sings]), graph(primed(parts))
    assert ("sings", "inverse broader", "choir") in told(aligned(left, right, sorted(left.entities)).relations)


def test_what_neither_graph_says_of_a_fact_does_not_count():
    born = some("born", 100)
    left, right = graph(born[:80]), graph(primed(renamed(born[20:], "geboren")))
    names = sorted(set(left.entities) & {name[:-1] for name in right.entities})
    (row,) = aligned(left, right, names).relations.iter_rows(named=True)
    assert (row["kind"], row["left_agreeing"], row["left_answered"]) == ("equal", 60, 60)
    assert row["left_triples"] > 60 < row["right_triples"]
    assert row["left_share"] == row["confidence"] == pytest.approx(60 / 61, abs=1e-6)


def test_a_relation_that_only_goes_along_with_another_is_not_narrower():
    born = some("born", 60)
    lives = [triple for triple in some("lives", 200) if (triple[0], "born", triple[2]) not in born]
    left = graph([*born, *renamed(born[:40], "lives"), *lives])  # some live where they were born
    right = graph(primed(renamed(born, "geboren")))
    names = sorted({name[:-1] for name in right.entities})
    assert told(aligned(left, right, names).relations) == {("born", "equal", "geboren")}


def test_relations_that_always_lead_to_the_same_place_agree_by_chance():
    here = [(person, "citizen of", "c0") for person in PEOPLE]
    left, right = graph(here), graph(primed(renamed(here, "sleeps in")))
    assert aligned(left, right, [*PEOPLE, "c0"]).relations.is_empty()


def test_too_few_triples_say_nothing():
    few = some("rules", 3)
    other = some("born", 60)
    left, right = graph([*few, *other]), graph(primed([*few, *other]))
    assert told(aligned(left, right, sorted(left.entities)).relations) == {("born", "equal", "born")}


@pytest.mark.parametrize(("name", "kind"), [("playedIn", "equal"), ("played_in", "equal"), ("cast", "narrower")])
def test_names_decide_only_where_the_other_graph_says_little(name, kind):
    played = some("played in", 200)
    left, right = graph(renamed(played[:30], name)), graph(primed(played))
    names = sorted(left.entities)  # the right graph knows the others as well, but also six times as much of these
    left = graph([*renamed(played[:30], name)], entities=[each[:-1] for each in right.entities])
    names = sorted(left.entities)
    assert told(aligned(left, right, names).relations) == {(name, kind, "played in")}


def test_equal_names_alone_are_nothing():
    left, right = graph(some("born", 60)), graph(primed(some("born", 60, seed=7)))
    names = sorted(set(left.entities) & {name[:-1] for name in right.entities})
    assert aligned(left, right, names).relations.is_empty()


def test_a_relation_that_holds_both_ways_is_equal_before_it_is_inverse():
    near = some("near", 40, tails=PEOPLE)
    both = [*near, *turned(near, "near")]
    left, right = graph(both), graph(primed(renamed(both, "borders")))
    assert told(aligned(left, right, sorted(left.entities)).relations) == {("near", "equal", "borders")}


def test_left_entities_may_share_a_counterpart():
    born = some("born", 60)
    twice = [*born, *((f"{head}b", relation, tail) for head, relation, tail in born)]
    left, right = graph(twice), graph(primed(renamed(born, "geboren")))
    names = sorted(left.entities)
    partners = right.ids(pl.Series([f"{name.removesuffix('b')}'" for name in names]))
    pairs = np.stack([left.ids(pl.Series(names)), partners], axis=1)
    (row,) = aligned_ontology(left, right, pairs, seed=0).relations.iter_rows(named=True)
    assert (row["kind"], row["left_agreeing"], row["right_agreeing"]) == ("equal", 120, 60)


# attributes


def values(relation, texts, entities=PEOPLE):
    return [(entity, relation, text) for entity, text in zip(entities, texts, strict=False)]


def attributes_of(left, right, names=PEOPLE):
    theirs = [(f"{head}'", *rest) for head, *rest in right]
    graphs = graph([], left, names), graph([], theirs, [f"{name}'" for name in names])
    return told(aligned(*graphs, names).relations)


def test_attributes_that_have_the_same_values():
    phones, words = [f"({i}) 555-{1000 + 7 * i}" for i in range(60)], [f"Number {i * i}" for i in range(60)]
    left = [*values("phone", phones), *values(LABEL, words)]
    right = [*values("tel", [phone.replace("-", "") for phone in phones]), *values("name", map(str.upper, words))]
    assert attributes_of(left, right) == {("phone", "equal", "tel"), (LABEL, "equal", "name")}


def test_an_attribute_that_the_other_graph_splits():
    phones = [f"({i}) 555-{1000 + 7 * i}" for i in range(60)]
    home, mobile = values("home", phones[:40]), values("mobile", phones[40:], PEOPLE[40:])
    assert attributes_of(values("phone", phones), [*home, *mobile]) == {
        ("phone", "broader", "home"),
        ("phone", "broader", "mobile"),
    }


def test_numbers_that_are_nearly_the_same():
    towns = [f"t{i}" for i in range(500)]
    counts = RNG.integers(1000, 1_000_000, 500).tolist()
    left = values("population", [str(count) for count in counts], towns)
    right = values("inhabitants", [f"{count * 1.0001:.1f}" for count in counts], towns)
    assert attributes_of(left, right, towns) == {("population", "equal", "inhabitants")}


def test_numbers_that_have_nothing_to_do_with_each_other():
    left, right = ([str(number) for number in RNG.integers(0, 5, 60)] for _ in range(2))
    assert attributes_of(values("children", left), values("cars", right)) == set()


# classes


def test_classes_that_split_and_classes_of_all():
    classes = ["Film"] * 25 + ["Book"] * 20 + ["Person"] * 15
    left = graph([(entity, RDF_TYPE, kind) for entity, kind in zip(PEOPLE, classes, strict=True)])
    kinds = ["Short"] * 10 + ["Feature"] * 15 + ["Book"] * 20 + ["Agent"] * 15
    right = [(f"{entity}'", RDF_TYPE, kind) for entity, kind in zip(PEOPLE, kinds, strict=True)]
    right += [(f"{entity}'", RDF_TYPE, "Work") for entity in PEOPLE[:45]]
    found = aligned(left, graph(right), PEOPLE).classes
    assert told(found) == {
        ("Book", "equal", "Book"),
        ("Person", "equal", "Agent"),
        ("Film", "narrower", "Work"),
        ("Book", "narrower", "Work"),
        ("Film", "broader", "Short"),
        ("Film", "broader", "Feature"),
    }
    row = found.row(by_predicate=(pl.col("left") == "Film") & (pl.col("right") == "Work"), named=True)
    assert (row["left_agreeing"], row["left_members"], row["right_members"]) == (25, 25, 45)
    assert row["by_chance"] == pytest.approx(25 * 45 / 60)


def test_members_without_any_class_in_the_other_graph_do_not_count():
    left = graph([(entity, RDF_TYPE, "A" if place % 2 else "B") for place, entity in enumerate(PEOPLE)])
    right = graph(
        [(f"{entity}'", RDF_TYPE, "X" if place % 2 else "Y") for place, entity in enumerate(PEOPLE[:20])],
        entities=[f"{entity}'" for entity in PEOPLE],
    )
    found = aligned(left, right, PEOPLE).classes
    assert told(found) == {("A", "equal", "X"), ("B", "equal", "Y")}
    assert found["left_answered"].to_list() == [10, 10]
    assert found["left_members"].to_list() == [30, 30]


def test_classes_may_be_literals_and_have_labels():
    kinds = ["Q5" if place % 2 else "Q6" for place in range(60)]
    left = graph([], [*values(RDF_TYPE, kinds), ("Q5", LABEL, "human \n being")], [*PEOPLE, "Q5"])
    right = graph([(f"{entity}'", "rdf:type", kind) for entity, kind in zip(PEOPLE, kinds, strict=True)])
    found = aligned(left, right, PEOPLE)
    assert told(found.classes) == {("Q5", "equal", "Q5"), ("Q6", "equal", "Q6")}
    assert set(found.classes["left_name"]) == {"human being", "Q6"}
    assert found.relations.is_empty()


def test_one_class_of_all_says_nothing():
    left, right = ([(entity + mark, RDF_TYPE, "Thing") for entity in PEOPLE] for mark in ("", "'"))
    assert aligned(graph(left), graph(right), PEOPLE).classes.is_empty()


def test_without_matched_entities_there_is_nothing():
    left, right = graph(some("born")), graph(primed(some("born")))
    found = aligned_ontology(left, right, np.empty((0, 2), dtype=np.int32), seed=0)
    assert (found.relations.is_empty(), found.classes.is_empty()) == (True, True)
    assert dict(found.relations.schema) == RELATIONS
    assert dict(found.classes.schema) == CLASSES


# what is counted

ENTITIES, KINDS = 6, 3
TRIPLES = st.lists(
    st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, KINDS - 1), st.integers(0, ENTITIES - 1)), min_size=1
)


def counted_by_hand(left, right, partner):
    """The same counts triple by triple."""
    left, right = set(map(tuple, left)), set(map(tuple, right))
    matched = {other for other in partner if other >= 0}
    ours = [(h, r, t) for h, r, t in left if partner[h] >= 0 <= partner[t]]
    theirs = [(h, r, t) for h, r, t in right if h in matched and t in matched]
    forth, back = Counter(), Counter()
    answered: tuple[Counter, Counter] = (Counter(), Counter())
    for h, r, t in ours:
        agreeing = [s for s in range(KINDS) if (partner[h], s, partner[t]) in right]
        forth.update((r, s) for s in agreeing)
        answered[0][r] += bool(agreeing)
    for h, s, t in theirs:
        agreeing = {r for x, r, y in ours if (partner[x], partner[y]) == (h, t)}
        back.update((r, s) for r in agreeing)
        answered[1][s] += bool(agreeing)
    there = [Counter(r for _, r, _ in triples) for triples in (ours, theirs)]
    return {
        (r, s): (forth[r, s], answered[0][r], there[0][r], back[r, s], answered[1][s], there[1][s]) for r, s in forth
    }


def chance_by_hand(left, right, partner, r, s):
    """How many would agree if one end did not depend on the other, whichever end makes it more."""
    matched = {other for other in partner if other >= 0}
    ours = [(partner[h], partner[t]) for h, k, t in set(left) if k == r and partner[h] >= 0 <= partner[t]]
    theirs = [(h, t) for h, k, t in set(right) if k == s and h in matched and t in matched]
    both = []
    for end in (0, 1):
        shared = sum(one[end] == other[end] for one in ours for other in theirs)
        both.append(shared / max(len({pair[1 - end] for pair in pairs}) for pairs in (ours, theirs)))
    return max(both)


@given(
    left=TRIPLES,
    right=TRIPLES,
    partner=st.lists(st.integers(-1, ENTITIES - 1), min_size=ENTITIES, max_size=ENTITIES),
)
def test_counts_are_those_of_brute_force(left, right, partner):
    sides = [Edges.of_triples(np.array(side, dtype=np.int32), ENTITIES, KINDS) for side in (left, right)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ontology, "SUPPORT", 0)
        patch.setattr(ontology, "HIGH", 0.0)
        found = ontology._counts(ontology._Facts.of(*sides, np.array(partner, dtype=np.int32)))
    columns = [f"{side}_{what}" for side in ("left", "right") for what in ("agreeing", "answered", "triples")]
    counts = {(row["left"], row["right"]): tuple(row[name] for name in columns) for row in found.to_dicts()}
    assert counts == counted_by_hand(left, right, partner)
    for row in found.to_dicts():
        expected = chance_by_hand(left, right, partner, row["left"], row["right"])
        assert row["by_chance"] == pytest.approx(expected)


@given(
    counts=st.tuples(*[st.integers(0, 40)] * 4),
    more=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    by_chance=st.floats(0, 40),
    inverse=st.booleans(),
)
def test_left_and_right_are_judged_alike(counts, more, by_chance, inverse):
    agreeing = min(counts[0], counts[1])
    answered, there = [agreeing + extra for extra in counts[2:]], [agreeing + extra for extra in more]
    there = [max(pair) for pair in zip(answered, there, strict=True)]

    def judged(one, other):
        sides = {"left": one, "right": other}
        row = {"left": "a", "right": "b", "left_name": "a", "right_name": "b", "inverse": inverse}
        row |= {"by_chance": by_chance}
        for side, place in sides.items():
            row |= {f"{side}_agreeing": agreeing, f"{side}_answered": answered[place], f"{side}_triples": there[place]}
            row |= {f"{side}_share": agreeing / (answered[place] + 1)}
        return [
            (found["kind"], found["confidence"])
            for found in ontology._judged(pl.DataFrame([row]), ontology.MOST).to_dicts()
        ]

    mirrored = {"narrower": "broader", "broader": "narrower"}
    words = [(" ".join(mirrored.get(word, word) for word in kind.split()), share) for kind, share in judged(1, 0)]
    assert judged(0, 1) == words
