"""A run that learned to complete a graph, and what it answers: predictions, new facts, reasons, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.completion.explanation import Support, SupportingPath
from farlink.completion.folder import CompletionFolder
from farlink.completion.prediction import FactSearch, predictions
from farlink.completion.questions import Questions
from farlink.completion.ranking import both_sides
from farlink.errors import FarlinkError
from farlink.graph.edges import with_reverses
from farlink.graph.ids import Ids, Triples, lookup
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import closest, place_of, short_name
from farlink.io.sources import GraphSource, graph_from
from farlink.measures.calibration import Calibration
from farlink.measures.ranks import RankKind
from farlink.runs.lazy import lazy


class CompletionRun(CompletionFolder):
    """A finished or unfinished completion in a folder."""

    def entity(self, name: str | None) -> int:
        """The id of an entity by its name or readable name; an unknown name is a clear error."""
        assert name is not None
        columns = self.entities["name"], self.entities["readable"]
        place = place_of(name, *columns)
        if place is None:
            raise FarlinkError(f"the graph has no entity '{name}'{closest(name, *columns)}")
        return place

    def relation(self, name: str) -> int:
        """The id of a relation by its name or the last part of it; an unknown name is a clear error."""
        short = pl.Series([short_name(relation) for relation in self.relations])
        place = place_of(name, self.relations, short)
        if place is None:
            raise FarlinkError(f"the graph has no relation '{name}'{closest(name, self.relations, short)}")
        return place

    # answers

    def predict(
        self,
        *,
        head: str | None = None,
        relation: str,
        tail: str | None = None,
        k: int = 10,
        new_only: bool = False,
    ) -> pl.DataFrame:
        """The k likeliest tails of (head, relation, ?), or heads of (?, relation, tail)."""
        if (head is None) == (tail is None):
            raise FarlinkError("name either a head or a tail: the other one is the answer")
        return self.predict_many([(head, relation, tail)], k=k, new_only=new_only)

    def predict_many(
        self, queries: Sequence[tuple[str | None, str, str | None]], *, k: int = 10, new_only: bool = False
    ) -> pl.DataFrame:
        """Answers to many questions, each (head, relation, None) or (None, relation, tail), in one table.

        Columns: head, relation, tail, rank, answer, score (log of the chance among all entities), probability, known.
        """
        entity, relation = self._named_in(queries)
        reverse = np.array([head is None for head, _, _ in queries])
        directed = (relation + reverse * len(self.relations)).astype(np.int32)
        found = predictions(self.ensemble, entity, directed, self.known, k, keep_known=not new_only)
        probability = self._probability(found.features())
        width = found.entity.shape[1]
        kept = np.isfinite(found.score.ravel())
        own, other = np.repeat(entity, width), found.entity.ravel()
        turned = np.repeat(reverse, width)
        names = self.entities["name"]
        return pl.DataFrame(
            {
                "head": names.gather(np.where(turned, other, own)),
                "relation": self.relations.gather(np.repeat(relation, width)),
                "tail": names.gather(np.where(turned, own, other)),
                "rank": np.tile(np.arange(1, width + 1), len(queries)),
                "answer": self.entities["readable"].gather(other),
                "score": found.score.ravel(),
                "probability": probability,
                "known": found.known.ravel(),
            }
        ).filter(kept)

    def _named_in(self, queries: Sequence[tuple[str | None, str, str | None]]) -> tuple[Ids, Ids]:
        """The entity and the relation that each question names."""
        places = np.empty((len(queries), 2), dtype=np.int32)
        for number, (head, relation, tail) in enumerate(queries):
            try:
                places[number] = self.entity(tail if head is None else head), self.relation(relation)
            except FarlinkError as error:
                which = f"question {number + 1:,}: " if len(queries) > 1 else ""
                raise FarlinkError(f"{which}{error}") from None
        return places[:, 0], places[:, 1]

    @lazy
    def known(self) -> Questions:
        """All facts that the run was given, as questions with their answers; both ways."""
        triples = self.triples("train", "validation", "test")
        return Questions.about(with_reverses(triples, len(self.relations)))

    def _probability(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chance that an answer is true; nothing can be said without validation triples."""
        calibration = self.metrics["calibration"]
        if calibration is None:
            return np.full(len(features), np.nan)
        return Calibration(np.array(calibration["weights"]))(np.nan_to_num(features, neginf=-1e6))

    # new facts

    def new_facts(self, k: int, progress: Callable[[int, int], None] = lambda done, total: None) -> pl.DataFrame:
        """The k likeliest facts of the whole graph that are not known: head, relation, tail, probability, score.

        `progress` is told how many entities of how many were asked about.
        """
        search = FactSearch(self.ensemble, self.network, self.known, len(self.relations), self._probability)
        best, names = search.best(k, progress), self.entities["name"]
        return best.select(
            names.gather(best["head"]).alias("head"),
            self.relations.gather(best["relation"]).alias("relation"),
            names.gather(best["tail"]).alias("tail"),
            "probability",
            "score",
        )

    # reasons

    def explain(self, head: str, relation: str, tail: str, k: int = 3) -> list[str]:
        """Paths in the graph that lead from the head to the tail and speak for the relation, in words, best first."""
        places = self.entity(head), self.relation(relation), self.entity(tail)
        return [self._in_words(path) for path in self._support.paths(*places)[:k]]

    @lazy
    def _support(self) -> Support:
        graph = KnowledgeGraph(self.entities["name"], self.relations, self.triples("train"))
        return Support(graph)

    def _in_words(self, path: SupportingPath) -> str:
        count = len(self.relations)
        text = self.entities["readable"][path.entities[0]]
        for relation, entity in zip(path.relations, path.entities[1:], strict=True):
            name = short_name(self.relations[relation % count])
            text += f" ←{name}─ " if relation >= count else f" ─{name}→ "
            text += self.entities["readable"][entity]
        return f"{text} (true for {path.agree:,} of {path.cases:,} such paths)"

    # figures

    def evaluate(self, triples: GraphSource, ranks: RankKind = "realistic") -> dict[str, Any]:
        """Filtered figures of triples on both sides; those the run learned from are left out."""
        part = graph_from(triples)
        head, relation, tail = part.triples.T
        entity, kind = lookup(self.entities["name"], part.entities), lookup(self.relations, part.relations)
        rows = np.stack([entity[head], kind[relation], entity[tail]], axis=1)
        named = (rows >= 0).all(axis=1)
        learned = Questions.about(self.triples("train"))
        fresh = named & ~_answers(learned, rows)
        if not fresh.any():
            raise FarlinkError(f"{part.source}: no triple here is of known entities and relations and was not learned")
        chosen = rows[fresh]
        facts = np.concatenate([self.triples("train", "validation", "test"), chosen])
        known = Questions.about(with_reverses(facts, len(self.relations)))
        found = both_sides(self.ensemble, chosen, known, len(self.relations))
        left_out = {"unknown": int((~named).sum()), "learned": int((named & ~fresh).sum())}
        figures = {side: one.summary(ranks) for side, one in found.items()}
        return {**figures, "ranks": ranks, "triples": len(chosen), "left_out": left_out}


def _answers(questions: Questions, triples: Triples) -> NDArray[np.bool_]:
    """Which triples are answers of the questions."""
    first, answers = questions.known_answers(triples[:, 0], triples[:, 1])
    question = np.repeat(np.arange(len(triples)), np.diff(first))
    hit = np.zeros(len(triples), dtype=bool)
    hit[question[answers == triples[question, 2]]] = True
    return hit
