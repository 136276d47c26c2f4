"""Candidates: a sparse list of likely pairs, and the one place where what speaks for a pair adds up to its score.

What competes for an entity's attention is Σ weight · signal. A further signal, such as names, is one more term: a line
in `own_signals`, and one in `Candidates.features` if the probability of a pair is to know it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from farlink.alignment.assignment import one_to_one
from farlink.alignment.evidence import Evidence
from farlink.alignment.likelihood import Background, LikelihoodRatio, against_others
from farlink.alignment.names import Names, NameSignal
from farlink.alignment.nearest import cosines, nearest_both_ways
from farlink.alignment.neighbours import SharedNeighbours
from farlink.alignment.readings import NO_READINGS, Readings
from farlink.alignment.sinkhorn import MOST, balanced, shared_out, transported, uncontested
from farlink.alignment.texts import Texts, TextSignal
from farlink.alignment.translation import NEAREST, Dictionary, TranslatedNames, Translations
from farlink.alignment.values import Values
from farlink.graph.ids import Ids, Pairs, Pools, distinct_pairs, unseeded
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.links import ONE, Several, among, repeated
from farlink.measures.calibration import log_odds
from farlink.settings import AlignmentSettings

ROUNDS = 30  # of sharing out, in which the overlap is found, too
UNLEARNED = 0.1  # a likeness divided by this is its weight before anything is learned
DRAWN = 100_000  # pairs drawn at random to see how near any two entities are
NEIGHBOURS = 20  # pairs that an entity brings into question by shared neighbours, and by vectors beside names
EQUALS = 0.5  # of the best share of an entity: from there on a counterpart is as good as the best
TWINS = 4  # counterparts that an entity may have, as far as pairs are taken for known ones


@dataclass(frozen=True)
class Candidates:
    """Likely pairs of entities (left, right) by id, sorted, with their scores."""

    left: Ids
    right: Ids
    cosine: NDArray[np.float32]  # of their vectors
    logit: NDArray[np.float32]  # what speaks for the pair, before others compete
    score: NDArray[np.float64]  # what ranks the candidates of an entity: the cosine, or its balanced share
    shape: tuple[int, int]  # entities of either side
    rounds: int  # of the balance
    alike: NDArray[np.float32] | None = None  # how alike their names are, -1 where one has none; None: not read
    parts: dict[str, NDArray[np.float32]] | None = None  # what each signal adds to the logit
    chance: NDArray[np.float64] | None = None  # that the pair is right and its entities have a counterpart at all
    several: Several = ONE  # whether a left, and whether a right entity gives itself to several
    twins: bool = False  # whether entities may be so much alike that none is the best: one of them is a known pair then

    @classmethod
    def nearest(cls, left: Tensor, right: Tensor, pools: Pools, k: int, rounds: int) -> Candidates:
        """The k nearest of every left and every right entity of the pools, scored by cosine."""
        (left_scores, left_places), (right_scores, right_places) = nearest_both_ways(left[pools[0]], right[pools[1]], k)
        rows = np.concatenate([np.repeat(np.arange(len(pools[0])), left_places.shape[1]), right_places.ravel()])
        columns = np.concatenate([left_places.ravel(), np.repeat(np.arange(len(pools[1])), right_places.shape[1])])
        _, kept = np.unique(rows.astype(np.int64) * max(len(pools[1]), 1) + columns, return_index=True)
        cosine = np.concatenate([left_scores.ravel(), right_scores.ravel()])[kept]
        pairs = pools[0][rows[kept]], pools[1][columns[kept]]
        shape = (len(left), len(right))
        return cls(*pairs, cosine, cosine, cosine.clip(0, 1).astype(np.float64), shape, rounds)

    def balanced(self, logit: NDArray[np.floating]) -> Candidates:
        """The same pairs, competing with what now speaks for each of them."""
        logit = logit.astype(np.float32)
        if any(self.several):
            score = uncontested(self.left, self.right, logit, self.shape, self.several)
            return replace(self, logit=logit, score=score)
        return replace(self, logit=logit, score=balanced(self.left, self.right, logit, self.shape, self.rounds))

    def competing(self, logit: NDArray[np.floating]) -> Candidates:
        """The same pairs, competing with what now speaks for each of them.

        Where names are read the sides may be of very different sizes, and only the smaller one has to give all it has.
        """
        if self.alike is None or any(self.several):
            return self.balanced(logit)
        score = transported(self.left, self.right, logit, self.shape, self.rounds)
        return replace(self, logit=logit.astype(np.float32), score=score)

    def with_chances(self) -> Candidates:
        """The same pairs with the chance of each, given the logarithm of how much likelier it makes what is seen."""
        mutual = float(self.mutual().sum())
        chance, _ = shared_out(self.left, self.right, self.logit, self.shape, self.rounds, mutual, self.several)
        return replace(self, chance=chance)

    def opened(self, several: Several, *, compete: bool) -> Candidates:
        """The same pairs where left or right entities may have several counterparts: those give themselves to each.

        What speaks for a pair stays what it is, as it was learned one-to-one; only the sharing out is done anew.
        """
        if not any(several):
            return self
        some = replace(self, several=several)
        some = some.competing(some.logit) if compete else some
        return some if some.chance is None else some.with_chances()

    def within(self, pools: Pools, *, compete: bool) -> Candidates:
        """The pairs of some entities only; if they `compete`, the balance is found anew among them."""
        kept = np.isin(self.left, pools[0]) & np.isin(self.right, pools[1])
        if kept.all():
            return self
        some = self.only(kept)
        return some.competing(some.logit) if compete else some

    def only(self, kept: NDArray[np.bool_]) -> Candidates:
        """Some of the pairs, as they are."""
        columns = ("left", "right", "cosine", "logit", "score", "alike", "chance")
        present = {name: values for name in columns if (values := getattr(self, name)) is not None}
        parts = None if self.parts is None else {name: values[kept] for name, values in self.parts.items()}
        return replace(self, parts=parts, **{name: values[kept] for name, values in present.items()})

    def without(self, pairs: Pairs) -> Candidates:
        """All but some pairs."""
        if not len(pairs):
            return self
        return self.only(~among(np.stack([self.left, self.right], axis=1), pairs))

    def reversed(self) -> Candidates:
        """The same pairs seen from the right, in the same order."""
        return replace(self, left=self.right, right=self.left, shape=self.shape[::-1], several=self.several[::-1])

    def best(self) -> NDArray[np.bool_]:
        """Which pairs have the best score of their left entity."""
        most = np.full(self.shape[0], -np.inf)
        np.maximum.at(most, self.left, self.score)
        return self.score >= most[self.left]

    def mutual(self) -> NDArray[np.bool_]:
        """Which pairs are each other's best."""
        return self.best() & self.reversed().best()

    def of_the_best(self) -> Candidates:
        """The same pairs, but that only those that are each other's best have a score: what is learned from these is
        not drawn from what all entities without a counterpart share out.
        """
        return replace(self, score=self.score * self.mutual())

    def by_chance(self) -> Candidates:
        """The same pairs with their chance, as far as it is known, in place of the score."""
        return self if self.chance is None else replace(self, score=self.chance)

    def confident(self, confidence: float) -> Pairs:
        """Pairs that are each other's best, with a score above the confidence asked for."""
        if self.twins:
            return self._one_of_twins(confidence)
        sure = self.mutual() & (self.score > confidence)
        pairs = np.stack([self.left[sure], self.right[sure]], axis=1)
        return pairs[~(repeated(pairs[:, 0]) | repeated(pairs[:, 1]))]  # equal scores may leave an entity undecided

    def _one_of_twins(self, confidence: float) -> Pairs:
        """The same where an entity may have to share itself among a few equals: one of those is taken for all."""
        near = np.ones(len(self.left), dtype=bool)
        together = np.zeros(len(self.left))
        for side in (self, self.reversed()):
            most = np.full(side.shape[0], -np.inf)
            np.maximum.at(most, side.left, side.score)
            near &= side.score >= EQUALS * most[side.left]
        for side in (self, self.reversed()):
            few = np.bincount(side.left[near], minlength=side.shape[0])[side.left] <= TWINS
            share = np.bincount(side.left[near], side.score[near], minlength=side.shape[0])[side.left]
            together = np.maximum(together, np.where(few, share, 0.0))
        sure = self.only(near & (together > confidence))
        one = sure.only(one_to_one(sure.left, sure.right, sure.score, sure.shape))
        return np.stack([one.left, one.right], axis=1)

    def features(self) -> dict[str, NDArray[np.floating]]:
        """What the probability of a pair is made of, by name."""
        alike = {} if self.alike is None else {"names": self.alike}
        return {"score": log_odds(self.score), "cosine": self.cosine, **alike}


@dataclass(frozen=True)
class Signal:
    """Something that speaks for a pair, and how much that counts."""

    name: str
    weight: float
    of: Callable[[Candidates], NDArray[np.floating]]  # a logit for each pair


def own_signals(settings: AlignmentSettings) -> list[Signal]:
    """What two entities say about themselves."""
    return [Signal("vectors", 1.0, lambda pairs: pairs.cosine / settings.temperature)]


def context_signals(evidence: Evidence, settings: AlignmentSettings) -> list[Signal]:
    """What speaks for a pair in the light of who else is likely to be whom: it follows from the scores so far."""
    return [Signal("triples", settings.evidence, evidence.of)]


def scored_candidates(
    left: Tensor, right: Tensor, evidence: Evidence, settings: AlignmentSettings, rejected: Pairs | None = None
) -> Candidates:
    """Candidates among all entities that are no seeds: near by their vectors, then scored by all that speaks for them.

    Without a temperature nothing competes, and the score is the cosine.
    """
    seeds = evidence.seeds
    pools = unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])
    candidates = Candidates.nearest(left, right, pools, settings.candidates, settings.sinkhorn_rounds)
    if rejected is not None:
        candidates = candidates.without(rejected)
    if not settings.temperature:
        return candidates
    own = own_signals(settings)
    context = [signal for signal in context_signals(evidence, settings) if signal.weight]
    candidates = candidates.balanced(total(own, candidates))
    for _ in range(settings.refinements if context else 0):
        candidates = candidates.balanced(total([*own, *context], candidates))
    return candidates


def total(signals: Sequence[Signal], candidates: Candidates) -> NDArray[np.floating]:
    """Σ weight · signal, for each pair."""
    return np.asarray(sum(signal.weight * signal.of(candidates) for signal in signals))


Vectors = tuple[Tensor, Tensor]  # of the left and of the right entities


class PairScorer:
    """Lists pairs of entities of two graphs that come into question, and scores them by all that speaks for them.

    By structure alone these are the nearest by their vectors. With names and values there are more: those that are
    called alike or share a rare value, and those that share likely neighbours. What speaks for a pair is then the
    logarithm of a likelihood ratio, learned from the two graphs.
    """

    def __init__(
        self,
        left: KnowledgeGraph,
        right: KnowledgeGraph,
        seeds: Pairs,
        settings: AlignmentSettings,
        rejected: Pairs | None = None,
        readings: Readings = NO_READINGS,
        texts: Texts | None = None,
    ) -> None:
        self.seeds, self.settings = seeds, settings
        self.rejected = seeds[:0] if rejected is None else rejected
        self.shape = len(left.entities), len(right.entities)
        self.several = settings.several
        none = seeds[:0]  # where seeds may have further counterparts they compete for these with all others
        taken = none if any(self.several) else seeds
        self.pools = unseeded(self.shape[0], taken[:, 0]), unseeded(self.shape[1], taken[:, 1])
        self.evidence = Evidence(left, right, seeds, settings)
        values = Values(left, right, settings.seed) if "values" in settings.signals_read else None
        self.values = values if values and values.known else None
        rare = seeds[:0] if self.values is None else self.values.pairs()
        names = Names(left, right, readings) if "names" in settings.signals_read else None
        self.names = NameSignal(names, seeds, rare, settings.seed) if names and names.known else None
        self.words = None if self.names is None else Translations(left, right, settings.seed)
        self._always = rare if self.names is None else self.names.pairs
        self.texts = None
        if texts is not None and texts.known:
            near = sum(self.shape) <= settings.vector_entities
            self.texts = TextSignal(texts, seeds, settings.seed, list_pairs=near)
            self._always = distinct_pairs(np.concatenate([self._always, self.texts.pairs]))
        together = "structure" in settings.signals_read and not self.by_structure_alone
        self._neighbours = SharedNeighbours(left, right) if together else None

    @property
    def by_structure_alone(self) -> bool:
        """Whether nothing but the triples between entities is read, or there to be read."""
        return self.names is None and self.values is None and self.texts is None

    def scored(self, vectors: Vectors | None, known: Pairs) -> Candidates:
        """Candidates among all entities that are no seeds, given vectors of both sides and the pairs known so far."""
        if self.by_structure_alone:
            assert vectors is not None
            return scored_candidates(*vectors, self.evidence, self.settings, self.rejected)
        structure = "structure" in self.settings.signals_read
        if sum(self.shape) > self.settings.vector_entities or not structure:
            vectors = None
        dictionary = self.words.learned(known) if self.words is not None and len(known) else None
        candidates = self._listed(vectors, known, dictionary)
        given = among(np.stack([candidates.left, candidates.right], axis=1), self.seeds)
        if len(known) == len(self.seeds):  # nothing was found yet
            candidates = candidates.competing(np.where(given, MOST, self._unlearned(candidates)))
            likely = np.concatenate([known, candidates.confident(self.settings.confidence)])
        else:
            likely = known
        signals = [
            *self._name_signals(candidates, dictionary),
            *self._text_signals(candidates),
            *self._value_signals(candidates, likely),
            *self._vector_signals(candidates, vectors),
        ]
        for _ in range(self.settings.refinements):
            sure = candidates.of_the_best()
            parts = {signal.name: against_others(signal.weight * signal.of(sure), sure.score) for signal in signals}
            if structure:
                parts["triples"] = self._agreeing(candidates.by_chance()).astype(np.float64)
            logit = sum(parts.values(), np.zeros(len(candidates.left)))
            candidates = candidates.competing(np.where(given, MOST, logit)).with_chances()
        kept = {name: part.astype(np.float32) for name, part in parts.items()}
        return self._beside_seeds(replace(candidates, parts=kept))

    def opened(self, candidates: Candidates) -> Candidates:
        """Candidates whose entities may have as many counterparts as the settings say.

        What pairs are worth was learned one-to-one, where of several equals each keeps a share. So triples are judged
        once more by neighbours that are all the same.
        """
        if candidates.parts is None or "triples" not in candidates.parts:
            return candidates.opened(self.several, compete=self.settings.temperature > 0)
        others = candidates.logit - candidates.parts["triples"]
        for _ in range(self.settings.refinements if any(self.several) else 0):
            candidates = candidates.opened(self.several, compete=True)
            triples = self._agreeing(candidates.by_chance()).astype(np.float32)
            parts = {**(candidates.parts or {}), "triples": triples}
            candidates = replace(candidates, parts=parts, logit=others + triples)
        return candidates.opened(self.several, compete=True)

    def _beside_seeds(self, candidates: Candidates) -> Candidates:
        """All candidates but the seeds, and but those of a seed's end that may have one counterpart only."""
        if not any(self.several) or not len(self.seeds):
            return candidates
        closed = np.zeros(len(candidates.left), dtype=bool)
        for ids, seeds, may in zip((candidates.left, candidates.right), self.seeds.T, self.several, strict=True):
            closed |= False if may else np.isin(ids, seeds)
        return candidates.only(~closed).without(self.seeds)

    def _unlearned(self, candidates: Candidates) -> NDArray[np.floating]:
        """What speaks for pairs before anything is learned: likeness itself, and the rarity of a value both have."""
        assert candidates.alike is not None
        alike = np.maximum(candidates.alike, 0) / UNLEARNED
        if self.texts is not None:
            alike = np.maximum(alike, self.texts.unusual(candidates.left, candidates.right) / UNLEARNED)
        return alike if self.values is None else alike + self.values.rarity(candidates.left, candidates.right)

    def _agreeing(self, candidates: Candidates) -> NDArray[np.floating]:
        """What agreeing triples are worth. They depend on each other, so that the more there are the less each adds."""
        odds, turn = self.settings.evidence * self.evidence.of(candidates), self.settings.evidence_turn
        return np.where(odds > 0, turn * np.log1p(np.maximum(odds, 0) / turn), odds)

    def _name_signals(self, candidates: Candidates, dictionary: Dictionary | None) -> list[Signal]:
        """What names are worth; with the words that stand for each other once pairs are known that tell of them."""
        if self.names is None:
            return []
        if dictionary is None:
            return [Signal("names", 1.0, self.names.weight)]
        names = TranslatedNames(self.names, dictionary, self.seeds)
        return [Signal("names", 1.0, names.weight_of(candidates.left, candidates.right))]

    def _text_signals(self, candidates: Candidates) -> list[Signal]:
        if self.texts is None:
            return []
        return [Signal("text", 1.0, self.texts.weight_of(candidates.left, candidates.right))]

    def _value_signals(self, candidates: Candidates, likely: Pairs) -> list[Signal]:
        """What values are worth, learned on likely pairs."""
        if self.values is None:
            return []
        weight = self.values.weight(self.values.comparisons(likely), candidates.left, candidates.right)
        return [Signal("values", 1.0, lambda _: weight)]

    def _vector_signals(self, candidates: Candidates, vectors: Vectors | None) -> list[Signal]:
        """What vectors are worth. They follow from the triples, too, so that each counts half beside the other."""
        if vectors is None:
            return []
        rng = np.random.default_rng([self.settings.seed, 0xC051])
        drawn = cosines(*vectors, *(rng.integers(0, count, DRAWN, dtype=np.int32) for count in self.shape))
        background = Background.of(candidates.cosine, float(np.prod(self.shape, dtype=float)), drawn)

        def weight(pairs: Candidates) -> NDArray[np.floating]:
            return LikelihoodRatio.fit(background, pairs.cosine, pairs.score).of(pairs.cosine)

        return [Signal("vectors", self.settings.evidence, weight)]

    def _listed(self, vectors: Vectors | None, known: Pairs, dictionary: Dictionary | None) -> Candidates:
        """All pairs that come into question, with what they have in common; the known ones are taken for right."""
        translated = [] if dictionary is None else [dictionary.pairs(NEAREST)]
        pairs = distinct_pairs(np.concatenate([self._always, *translated, *self._further(vectors, known), known]))
        free = np.isin(pairs[:, 0], self.pools[0]) & np.isin(pairs[:, 1], self.pools[1])
        left, right = np.ascontiguousarray(pairs[free].T)
        cosine = np.zeros(len(left), np.float32) if vectors is None else cosines(*vectors, left, right)
        nameless = np.full(len(left), -1, dtype=np.float32)
        alike = nameless if self.names is None else self.names.likeness(left, right)
        right_so_far = among(pairs[free], known).astype(np.float64)
        listed = Candidates(left, right, cosine, cosine, right_so_far, self.shape, ROUNDS, alike)
        return replace(listed, twins=any(self.several)).without(self.rejected)

    def _further(self, vectors: Vectors | None, known: Pairs) -> Iterator[Pairs]:
        """Pairs that come into question by the structure of the graphs, given known pairs."""
        if len(known) and self._neighbours is not None:
            yield self._neighbours.pairs(known, np.ones(len(known)), NEIGHBOURS)
        if vectors is not None:
            open_left, open_right = (
                pool if may else np.setdiff1d(pool, ends)
                for pool, ends, may in zip(self.pools, known.T, self.several, strict=True)
            )
            near = Candidates.nearest(*vectors, (open_left, open_right), NEIGHBOURS, 1)
            yield np.stack([near.left, near.right], axis=1)
