from collections import Counter, defaultdict
from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.candidates import Candidates
from farlink.alignment.evidence import Evidence
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.settings import make_settings


def graph(triples):
    return KnowledgeGraph.from_frame(pl.DataFrame(triples, schema=["head", "relation", "tail"], orient="row"))


DEFAULTS = make_settings()
SETTINGS = make_settings(evidence_prior=2.0, evidence_likely=0.4, evidence_least=0.1, evidence_doubt=0.2)


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def listed(pairs, scores, shape):
    left, right = ids(*pairs).T
    zeros = np.zeros(len(pairs), dtype=np.float32)
    return Candidates(left.copy(), right.copy(), zeros, zeros, np.array(scores, dtype=float), shape, rounds=15)


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
    chance = {(a, b): p for (a, b), p in candidates.items() if p > SETTINGS.evidence_least} | dict.fromkeys(seeds, 1.0)
    partner = dict(seeds)
    for a, b in sorted(candidates, key=candidates.get, reverse=True):  # the first in the list of equally likely ones
        if candidates[a, b] > SETTINGS.evidence_likely:
            partner.setdefault(a, b)

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
    total, prior = sum(share.values()), SETTINGS.evidence_prior

    def rate(r, s):
        return (both[r, s] + prior * overall * share[s] / total) / (known[r] + prior)

    odds = []
    for x, candidate in candidates:
        value = 0.0
        for r, y in ours[x]:
            thought = min(1.0, sum(p for (a, _), p in chance.items() if a == y))
            any_rate = (answered[r] + prior * overall) / (known[r] + prior)
            ratio = max(1 - thought * any_rate, SETTINGS.evidence_doubt)
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
    found = Evidence(left, right, ids(*seeds), SETTINGS).of(listed(pairs, scores, shape))
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
    evidence = Evidence(LEFT, RIGHT, ids(pair("rome", "Rome"), pair("oslo", "Oslo"), pair("bob", "b")), DEFAULTS)
    candidates = listed([pair("ann", "a"), pair("ann", "c"), pair("cid", "c")], [0.4, 0.4, 0.4], (5, 5))
    both_agree, one_agrees, all_agree = evidence.of(candidates)
    assert both_agree > one_agrees
    assert all_agree > 0


def test_reasons_name_the_agreeing_triples_the_weightiest_first():
    evidence = Evidence(LEFT, RIGHT, ids(pair("rome", "Rome"), pair("oslo", "Oslo"), pair("bob", "b")), DEFAULTS)
    candidates = listed([pair("ann", "a")], [0.4], (5, 5))
    reasons = evidence.reasons(*pair("ann", "a"), candidates)
    told = [(LEFT.entities[reason.neighbour], RIGHT.entities[reason.other_neighbour]) for reason in reasons]
    assert sorted(told) == [("bob", "b"), ("rome", "Rome")]
    assert reasons[0].weight > reasons[1].weight > 0
    assert all(reason.chance == 1 for reason in reasons)


def test_of_several_likely_counterparts_the_likeliest_counts_wherever_it_is_listed():
    seeds = ids(pair("rome", "Rome"), pair("bob", "b"))
    pairs = [pair("ann", "a"), pair("ann", "c"), pair("cid", "c"), pair("oslo", "Oslo")]
    scores = [0.9, 0.6, 0.7, 0.1]  # ann may be a or c; c may be ann or cid
    evidence = Evidence(LEFT, RIGHT, seeds, DEFAULTS)
    forwards = evidence.of(listed(pairs, scores, (5, 5)))
    backwards = evidence.of(listed(pairs[::-1], scores[::-1], (5, 5)))
    assert forwards == pytest.approx(backwards[::-1])
    # ann is a, who knows b: the relations agree in every triple that is counted on, and more than if she were c
    other = evidence.of(listed(pairs, [0.6, 0.9, 0.7, 0.1], (5, 5)))
    assert forwards[0] > other[0]


def test_what_is_believed_is_counted_once_for_the_same_candidates():
    evidence = Evidence(LEFT, RIGHT, ids(pair("rome", "Rome"), pair("bob", "b")), DEFAULTS)
    one, other = (listed([pair("ann", "a"), pair("oslo", "Oslo")], [0.4, chance], (5, 5)) for chance in (0.9, 0.1))
    assert evidence.believed(one) is not evidence.believed(other)
    assert all(ours is theirs for ours, theirs in zip(evidence.believed(one), evidence.believed(one), strict=True))
    assert evidence.reasons(*pair("bob", "b"), one) != evidence.reasons(*pair("bob", "b"), other)
    assert evidence.reasons(*pair("bob", "b"), one) == Evidence(LEFT, RIGHT, evidence.seeds, DEFAULTS).reasons(
        *pair("bob", "b"), one
    )
