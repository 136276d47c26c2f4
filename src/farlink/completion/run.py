"""A run that learned to complete a graph: what its folder holds beside what every run keeps, and what it answers.

vocabulary.parquet     kind (entity or relation), id, name and readable name
triples.parquet        the triples by id, with the part each belongs to: train, validation or test
trials.json            validation MRR of short trainings, by the decay or dropout that they tried
stages.json            epochs, batch size, rates, dropout or decay of every stage of training, as chosen
factor_trace.jsonl     one line per epoch of the tensor model, if there is one
relations.tsv          figures by relation
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors import safe_open
from torch import Tensor

from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import Ensemble, scorers
from farlink.completion.explanation import Support, SupportingPath
from farlink.completion.prediction import FactSearch, predictions
from farlink.completion.questions import Questions
from farlink.completion.ranking import both_sides
from farlink.completion.rules import Rules
from farlink.completion.task import seen
from farlink.engine.trace import EpochRecord, trace_lines
from farlink.errors import FarlinkError
from farlink.graph.edges import Edges, with_reverses
from farlink.graph.ids import Ids, Triples, lookup
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import closest, place_of, short_name
from farlink.io.files import atomic_path
from farlink.io.sources import GraphSource, graph_from
from farlink.measures.calibration import Calibration
from farlink.measures.ranks import RankKind
from farlink.rsn.model import PathModel
from farlink.rsn.objective import model_of
from farlink.runs.folder import Run
from farlink.settings import CompletionSettings


class CompletionRun(Run):
    """A finished or unfinished completion in a folder."""

    @cached_property
    def settings(self) -> CompletionSettings:
        """The settings of the run."""
        settings = self.any_settings
        assert isinstance(settings, CompletionSettings)
        return settings

    @cached_property
    def factor_trace(self) -> pl.DataFrame:
        """One row per epoch of the tensor model; empty if there is none."""
        path = self.folder / "factor_trace.jsonl"
        return pl.read_ndjson(path) if path.exists() else pl.DataFrame()

    @property
    def trials(self) -> dict[str, Any]:
        """Validation MRR of short trainings by what they tried, for example `decay 0.05`."""
        return self._json("trials.json") if (self.folder / "trials.json").exists() else {}

    @property
    def stages(self) -> dict[str, dict[str, Any]]:
        """Epochs, batch size, rates, dropout or decay of every stage of training; all as they were, none "auto"."""
        return self._json("stages.json") if (self.folder / "stages.json").exists() else {}

    @cached_property
    def by_relation(self) -> pl.DataFrame:
        """Figures by relation, those with most triples first; empty if there was nothing to measure with."""
        path = self.folder / "relations.tsv"
        return pl.read_csv(path, separator="\t", quote_char=None) if path.exists() else pl.DataFrame()

    @cached_property
    def entities(self) -> pl.DataFrame:
        """Name and readable name of every entity in the order of the ids."""
        return self._vocabulary.filter(kind="entity").select("name", "readable")

    @cached_property
    def relations(self) -> pl.Series:
        """Names of the relations in the order of the ids."""
        return self._vocabulary.filter(kind="relation")["name"]

    @cached_property
    def _vocabulary(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "vocabulary.parquet").sort("kind", "id")

    def triples(self, *parts: str) -> Triples:
        """Triples by id, of some parts: `train`, `validation`, `test`."""
        frame = pl.read_parquet(self.folder / "triples.parquet").filter(pl.col("part").is_in(parts))
        return frame.select("head", "relation", "tail").to_numpy().astype(np.int32)

    @cached_property
    def ensemble(self) -> Ensemble:
        """The trained models, ready to answer."""
        size, relations = self.entities.height, len(self.relations)
        factors = Factors(size, 2 * relations, self.settings.factors) if self.settings.factors else None
        if factors is not None:
            factors.load_state_dict(self._weights("factors"))
        train = self.triples("train")
        edges = Edges.of_triples(with_reverses(train, relations), size, 2 * relations)
        rules = Rules(edges, self._weights("rules")) if self.settings.rules else None
        return Ensemble(scorers(self.network, factors, rules), self.metrics["weights"], *seen(train, size, relations))

    @cached_property
    def network(self) -> PathModel:
        """The trained network that reads paths."""
        network = model_of(self.settings, self.entities.height, 2 * len(self.relations))
        network.load_state_dict(self._weights("paths"))
        return network.eval()

    def _weights(self, model: str) -> dict[str, Tensor]:
        with safe_open(self.folder / "weights.safetensors", framework="pt") as file:
            names = [name for name in file.keys() if name.startswith(f"{model}/")]  # noqa: SIM118 (not a dict)
            return {name.removeprefix(f"{model}/"): file.get_tensor(name) for name in names}

    @cached_property
    def known(self) -> Questions:
        """All facts that the run was given, as questions with their answers; both ways."""
        triples = self.triples("train", "validation", "test")
        return Questions.about(with_reverses(triples, len(self.relations)))

    # what it answers

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

    def explain(self, head: str, relation: str, tail: str, k: int = 3) -> list[str]:
        """Paths in the graph that lead from the head to the tail and speak for the relation, in words, best first."""
        places = self.entity(head), self.relation(relation), self.entity(tail)
        return [self._in_words(path) for path in self._support.paths(*places)[:k]]

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

    # how it is written

    def write_factor_trace(self, trace: Sequence[EpochRecord]) -> None:
        """Write one line per epoch of the tensor model."""
        self.write_text("factor_trace.jsonl", trace_lines(trace))

    def write_stage(self, name: str, values: dict[str, Any]) -> None:
        """Write down how a stage of training goes."""
        self.write_json("stages.json", {**self.stages, name: values})

    def write_by_relation(self, table: pl.DataFrame) -> None:
        """Write the figures by relation."""
        with atomic_path(self.folder / "relations.tsv") as temporary:
            table.write_csv(temporary, separator="\t", quote_style="never", float_precision=4)

    # behind the scenes

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

    def _probability(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chance that an answer is true; nothing can be said without validation triples."""
        calibration = self.metrics["calibration"]
        if calibration is None:
            return np.full(len(features), np.nan)
        return Calibration(np.array(calibration["weights"]))(np.nan_to_num(features, neginf=-1e6))

    @cached_property
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


def _answers(questions: Questions, triples: Triples) -> NDArray[np.bool_]:
    """Which triples are answers of the questions."""
    first, answers = questions.known_answers(triples[:, 0], triples[:, 1])
    question = np.repeat(np.arange(len(triples)), np.diff(first))
    hit = np.zeros(len(triples), dtype=bool)
    hit[question[answers == triples[question, 2]]] = True
    return hit
