from collections import Counter, defaultdict
from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.candidates import Candidates
from farlink.alignment.evidence import DOUBT, LEAST, LIKELY, PRIOR, Edges, Evidence
from farlink.graph.knowledge_graph import KnowledgeGraph


def graph(triples):
    return KnowledgeGraph.from_frame(pl.DataFrame(triples, schema=["head", "relation", "tail"], orient="row"))


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def listed(pairs, scores, shape):
    left, right = ids(*pairs).T
    zeros = np.zeros(len(pairs), dtype=np.float32)
    return Candidates(left.copy(), right.copy(), zeros, zeros, np.array(scores, dtype=float), shape)


def random_graph(rng, entities, triples, relations):
    rows = {(f"e{a}", f"r{b}", f"e{c}") for a, b, c in rng.integers(0, (entities, relations, entities), (triples, 3))}
    return graph(sorted(rows))


def edges_of(given_graph):
    """Entity -> [(directed relation, neighbour)], both ends of every triple."""
    edges, count = defaultdict(list), len(given_graph.relations)
    for head, relation, tail in given_graph.triples.tolist():
        edges[head].append((relation, tail))
        edges[tail].append((relation + count, head))
    return edges


def one_way(left, right, seeds, candidates):
    """The formula of the module's head, pair by pair with dictionaries."""
    ours, theirs = edges_of(left), edges_of(right)
    sharers = Counter(edge for edges in theirs.values() for edge in edges)
    everyone = len(right.entities)
    chance = {(a, b): p for (a, b), p in candidates.items() if p > LEAST} | dict.fromkeys(seeds, 1.0)
    partner = {a: b for (a, b), p in candidates.items() if p > LIKELY} | dict(seeds)

    known, both, answered = Counter(), Counter(), Counter()
    for x, edges in ours.items():
        for r, y in edges:
            if x in partner and y in partner:
                known[r] += 1
                matches = [s for s, z in theirs[partner[x]] if z == partner[y]]
                both.update((r, s) for s in matches)
                answered[r] += bool(matches)
    overall = sum(answered.values()) / sum(known.values()) if known else 0.5
    share = Counter(s for edges in theirs.values() for s, _ in edges)
    total = sum(share.values())

    def rate(r, s):
        return (both[r, s] + PRIOR * overall * share[s] / total) / (known[r] + PRIOR)

    odds = []
    for x, candidate in candidates:
        value = 0.0
        for r, y in ours[x]:
            thought = min(1.0, sum(p for (a, _), p in chance.items() if a == y))
            any_rate = (answered[r] + PRIOR * overall) / (known[r] + PRIOR)
            ratio = max(1 - thought * any_rate, DOUBT)
            for s, z in theirs[candidate]:
                ratio += chance.get((y, z), 0.0) * rate(r, s) * everyone / sharers[s, z]
            value += log(ratio)
        odds.append(value)
    return np.array(odds)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_evidence_is_the_formula(seed):
    rng = np.random.default_rng(seed)
    left, right = random_graph(rng, 7, 16, 3), random_graph(rng, 6, 14, 2)
    shape = len(left.entities), len(right.entities)
    seeds = [(0, 0), (1, 1)]
    pairs = sorted({(int(a), int(b)) for a, b in rng.integers(2, (shape[0], shape[1]), (12, 2))})
    scores = rng.random(len(pairs)).round(3)
    # a share is at most one in all, and only one candidate of an entity is likely
    total = np.bincount(ids(*pairs)[:, 0], scores, minlength=shape[0])
    scores = scores / (total[ids(*pairs)[:, 0]] + 0.1)
    columns = np.bincount(ids(*pairs)[:, 1], scores > LIKELY, minlength=shape[1])
    if (columns > 1).any():
        return  # two left entities likely to be the same right one: which of them counts is not specified
    found = Evidence(left, right, ids(*seeds)).of(listed(pairs, scores, shape))
    candidates = dict(zip(pairs, scores.tolist(), strict=True))
    turned = {(b, a): p for (a, b), p in candidates.items()}
    expected = one_way(left, right, seeds, candidates) + one_way(right, left, [(b, a) for a, b in seeds], turned)
    assert found == pytest.approx(expected / 2, abs=1e-6)


LEFT = graph(
    [("ann", "born in", "rome"), ("bob", "born in", "oslo"), ("ann", "knows", "bob"), ("cid", "born in", "rome")]
)
RIGHT = graph(
    [("a", "birthplace", "Rome"), ("b", "birthplace", "Oslo"), ("a", "friend", "b"), ("c", "birthplace", "Rome")]
)


def pair(left, right):
    return int(LEFT.ids(pl.Series([left]))[0]), int(RIGHT.ids(pl.Series([right]))[0])


def test_a_shared_neighbour_speaks_for_a_pair_and_a_missing_one_against_it():
    evidence = Evidence(LEFT, RIGHT, ids(pair("rome", "Rome"), pair("oslo", "Oslo"), pair("bob", "b")))
    candidates = listed([pair("ann", "a"), pair("ann", "c"), pair("cid", "c")], [0.4, 0.4, 0.4], (5, 5))
    both_agree, one_agrees, all_agree = evidence.of(candidates)
    assert both_agree > one_agrees
    assert all_agree > 0


def test_reasons_name_the_agreeing_triples_the_weightiest_first():
    evidence = Evidence(LEFT, RIGHT, ids(pair("rome", "Rome"), pair("oslo", "Oslo"), pair("bob", "b")))
    candidates = listed([pair("ann", "a")], [0.4], (5, 5))
    reasons = evidence.reasons(*pair("ann", "a"), candidates)
    told = [(LEFT.entities[reason.neighbour], RIGHT.entities[reason.other_neighbour]) for reason in reasons]
    assert sorted(told) == [("bob", "b"), ("rome", "Rome")]
    assert reasons[0].weight > reasons[1].weight > 0
    assert all(reason.chance == 1 for reason in reasons)


def test_edges_know_how_many_share_them():
    edges = Edges.of(LEFT)
    rome = LEFT.ids(pl.Series(["rome"]))[0]
    born_in = LEFT.relations.to_list().index("born in")
    place = np.flatnonzero((edges.neighbour == rome) & (edges.relation == born_in))
    assert len(place) == 2
    assert edges.sharers[place].tolist() == [2, 2]
