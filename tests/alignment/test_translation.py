"""A dictionary between the words of two graphs, learned from pairs."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.candidates import Candidates
from farlink.alignment.names import Names, NameSignal
from farlink.alignment.translation import PARTS, PRIOR, SAME, STEPS, TranslatedNames, Translations
from farlink.graph.knowledge_graph import KnowledgeGraph

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def called(prefix, names):
    """A graph whose entity i has the i-th name, and those ids."""
    entities = pl.Series([f"{prefix}:{i}" for i in range(len(names))])
    literals = pl.DataFrame({"head": entities, "relation": [LABEL] * len(names), "value": names})
    triples = pl.DataFrame({"h": entities, "r": ["r"] * len(names), "t": entities})
    graph = KnowledgeGraph.from_frame(triples, entities=entities, literals=literals)
    return graph, graph.ids(entities)


def in_other_words(count, words=40, seed=0):
    """Names of two words on the left, and on the right the same ones in a cipher, the other way round."""
    rng = np.random.default_rng(seed)
    names = rng.integers(0, words, (count, 2))
    letters = "abcdefghijklmnopqrstuvwxyz"
    spelled = [letters[i % 26] * 2 + letters[(7 * i) % 26] + letters[i // 26] for i in range(words)]
    cipher = [spelled[i][::-1] + "q" + letters[(11 * i) % 26] for i in range(words)]
    return [f"{spelled[a]} {spelled[b]}" for a, b in names], [f"{cipher[b]} {cipher[a]}" for a, b in names]


@pytest.fixture
def world():
    left_names, right_names = in_other_words(400)
    (left, left_ids), (right, right_ids) = called("l", left_names), called("r", right_names)
    return left, right, np.stack([left_ids, right_ids], axis=1)


def test_pairs_not_known_are_told_from_others_by_what_known_ones_teach(world):
    left, right, gold = world
    known, asked = gold[:300], gold[300:]
    dictionary = Translations(left, right, 0).learned(known)
    same = dictionary.weight(asked[:, 0], asked[:, 1])
    other = dictionary.weight(asked[:, 0], np.roll(asked[:, 1], 7))
    assert np.quantile(same, 0.05) > 3
    assert np.median(other) < -1


def test_who_is_called_so_in_other_words_is_looked_for(world):
    left, right, gold = world
    dictionary = Translations(left, right, 0).learned(gold[:300])
    found = {tuple(pair) for pair in dictionary.pairs(20).tolist()}
    assert np.mean([tuple(pair) in found for pair in gold[300:].tolist()]) > 0.95


def test_a_pair_does_not_confirm_itself():
    names = [f"only{letter}" for letter in "abcdefgh"], [f"nur{letter}" for letter in "abcdefgh"]
    (left, left_ids), (right, right_ids) = called("l", names[0]), called("r", names[1])
    dictionary = Translations(left, right, 0).learned(np.stack([left_ids, right_ids], axis=1))
    assert dictionary.weight(left_ids, right_ids).max() <= 0


def test_the_same_word_on_both_sides_needs_no_teaching():
    names = ["Oslo", "Rome", "Quito", "Vienna"]
    (left, left_ids), (right, right_ids) = called("l", names), called("r", names)
    dictionary = Translations(left, right, 0).learned(np.empty((0, 2), np.int32))
    assert dictionary.weight(left_ids, right_ids).min() > 0
    assert dictionary.weight(left_ids, np.roll(right_ids, 1)).max() < 0


def test_who_has_no_words_is_worth_nothing():
    (left, left_ids), (right, right_ids) = called("l", ["Oslo", "?!"]), called("r", ["Oslo", "Rome"])
    dictionary = Translations(left, right, 0).learned(np.empty((0, 2), np.int32))
    assert np.isnan(dictionary.weight(left_ids[[1, 1]], right_ids)).all()


def test_names_in_other_words_are_worth_something_beside_letters(world):
    left, right, gold = world
    known, asked = gold[:300], gold[300:]
    names = NameSignal(Names(left, right), known[:0], known[:0], 0)
    both = TranslatedNames(names, Translations(left, right, 0).learned(known), known[:0])
    ends = np.concatenate([asked[:, 0], asked[:, 0]]), np.concatenate([asked[:, 1], np.roll(asked[:, 1], 7)])
    alike = names.likeness(*ends)
    score = np.repeat([1.0, 0.0], len(asked))
    candidates = Candidates(*ends, alike, alike, score, (400, 400), 5, alike)
    weight = both.weight_of(*ends)(candidates)
    assert np.median(weight[: len(asked)]) > np.median(weight[len(asked) :]) + 3


small = st.lists(
    st.tuples(*(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True) for _ in range(2))),
    min_size=1,
    max_size=6,
)


@settings(deadline=None)
@given(small)
def test_it_is_the_ratio_of_the_first_model_of_brown(names):
    sides = [[" ".join(f"{word}{word}" for word in one) for one in side] for side in zip(*names, strict=True)]
    (left, left_ids), (right, right_ids) = called("l", sides[0]), called("r", sides[1])
    known = np.stack([left_ids, right_ids], axis=1)
    translations = Translations(left, right, 0)
    part = translations._part[left_ids]
    dictionary = translations.learned(known)
    words = [[set(name.split()) for name in side] for side in sides]
    for one in range(len(names)):
        others = [i for i in range(len(names)) if part[i] != part[one]]
        for other in range(len(names)):
            forth = by_hand([(words[0][i], words[1][i]) for i in others], *words, words[0][one], words[1][other])
            back = by_hand([(words[1][i], words[0][i]) for i in others], *words[::-1], words[1][other], words[0][one])
            found = dictionary.weight(left_ids[[one]], right_ids[[other]])
            assert found == pytest.approx((forth + back) / 2, abs=1e-6)
    assert PARTS > 1


def by_hand(pairs, ours, theirs, name, other):
    """How much likelier the words of the other name are, given those of a name, than in any."""
    every = [word for some in theirs for word in some]
    share = {word: every.count(word) / len(every) for word in every}
    known = {word for some in ours for word in some}

    def prior(one, word):
        return PRIOR * share[word] + SAME * (one == word)

    def weight(one):
        return PRIOR + SAME * (one in share)

    met = {(one, word) for some, words in pairs for one in some for word in words}
    met |= {(word, word) for word in known & set(share)}
    chance = dict.fromkeys(met, 1.0)
    for step in range(STEPS):
        count = {entry: prior(*entry) for entry in met}
        total = {one: weight(one) for one in known}
        for some, words in pairs:
            for word in words:
                rest = PRIOR * share[word] if step else 1.0
                whole = rest + sum(chance[one, word] for one in some)
                for one in some:
                    count[one, word] += chance[one, word] / whole
                    total[one] += chance[one, word] / whole
        chance = {(one, word): value / total[one] for (one, word), value in count.items()}
    ratio = 0.0
    for word in other:
        mean = share[word] + sum(chance.get((one, word), PRIOR * share[word] / total[one]) for one in name)
        ratio += np.log(mean / (len(name) + 1) / share[word])
    return ratio
