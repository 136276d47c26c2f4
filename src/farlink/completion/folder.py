"""The folder of a completion: every table beside what reads it again.

vocabulary.parquet     kind, id, name and readable name of every entity and relation
triples.parquet        part (train, validation or test), head, relation, tail: the triples by id
weights.safetensors    of the network (`paths/`), the tensor model (`factors/`) and the rules (`rules/`)
trials.json            validation MRR of short trainings, by the decay or dropout that they tried
stages.json            epochs, batch size, rates, dropout or decay of every stage of training, as chosen
factor_trace.jsonl     one line per epoch of the tensor model, if there is one
relations.tsv          figures by relation
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from safetensors import safe_open
from torch import Tensor

from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import Ensemble, scorers, seen
from farlink.completion.rules import Rules
from farlink.completion.task import PARTS, CompletionTask
from farlink.engine.trace import EpochRecord, trace_lines
from farlink.graph.edges import Edges, with_reverses
from farlink.graph.ids import Triples
from farlink.io.files import atomic_path
from farlink.rsn.model import PathModel
from farlink.rsn.objective import model_of
from farlink.runs.folder import Run, described
from farlink.runs.lazy import lazy
from farlink.runs.tables import TRIPLE, ids_of, named, stacked, triples_table, vocabulary_table
from farlink.settings import CompletionSettings


class CompletionFolder(Run[CompletionSettings]):
    """What the folder of a completion holds, and how it is written."""

    # the task: written when the run starts

    @staticmethod
    def about_task(task: CompletionTask) -> dict[str, Any]:
        """What `run.json` says."""
        triples = {part: len(rows) for part, rows in task.parts.items()}
        return {**described("complete", {"graph": task.graph}, (task.valid, task.test), task.notes), "triples": triples}

    @staticmethod
    def tables_of_task(task: CompletionTask) -> dict[str, pl.DataFrame]:
        """The tables that a run needs to go on."""
        return {
            "vocabulary": vocabulary_table(task.graph),
            "triples": stacked("part", {part: triples_table(rows) for part, rows in task.parts.items()}),
        }

    @lazy
    def entities(self) -> pl.DataFrame:
        """Name and readable name of every entity in the order of the ids."""
        return named(self.read_table("vocabulary"), "entity").select("name", "readable")

    @lazy
    def relations(self) -> pl.Series:
        """Names of the relations in the order of the ids."""
        return named(self.read_table("vocabulary"), "relation")["name"]

    def triples(self, *parts: str) -> Triples:
        """Triples by id, of some parts: `train`, `validation`, `test`."""
        return np.concatenate([self._parts[part] for part in parts])

    @lazy
    def _parts(self) -> dict[str, Triples]:
        table = self.read_table("triples")
        return {part: ids_of(table.filter(part=part), TRIPLE) for part in PARTS}

    # trials and stages: written one after the other while the run trains

    def write_trial(self, title: str, score: float) -> None:
        """Keep what a trial reached beside the earlier ones."""
        self.write_json("trials.json", {**self.trials, title: score})

    @property
    def trials(self) -> dict[str, Any]:
        """Validation MRR of short trainings by what they tried, for example `decay 0.05`."""
        return self._json("trials.json") if (self.folder / "trials.json").exists() else {}

    def write_stage(self, name: str, values: dict[str, Any]) -> None:
        """Write down how a stage of training goes."""
        self.write_json("stages.json", {**self.stages, name: values})

    @property
    def stages(self) -> dict[str, dict[str, Any]]:
        """Epochs, batch size, rates, dropout or decay of every stage of training; all as they were, none "auto"."""
        return self._json("stages.json") if (self.folder / "stages.json").exists() else {}

    # the results: written when it has trained

    def write_factor_trace(self, trace: Sequence[EpochRecord]) -> None:
        """Write one line per epoch of the tensor model."""
        self.write_text("factor_trace.jsonl", trace_lines(trace))

    @lazy
    def factor_trace(self) -> pl.DataFrame:
        """One row per epoch of the tensor model; empty if there is none."""
        path = self.folder / "factor_trace.jsonl"
        return pl.read_ndjson(path) if path.exists() else pl.DataFrame()

    @lazy
    def network(self) -> PathModel:
        """The trained network that reads paths."""
        network = model_of(self.settings, self.entities.height, 2 * len(self.relations))
        network.load_state_dict(self._weights("paths"))
        return network.eval()

    @lazy
    def ensemble(self) -> Ensemble:
        """The trained models, ready to be asked."""
        size, relations = self.entities.height, len(self.relations)
        factors = Factors(size, 2 * relations, self.settings.factors) if self.settings.factors else None
        if factors is not None:
            factors.load_state_dict(self._weights("factors"))
        train = self.triples("train")
        edges = Edges.of_triples(with_reverses(train, relations), size, 2 * relations)
        rules = Rules(edges, self._weights("rules")) if self.settings.rules else None
        members = scorers(self.network, factors, rules)
        return Ensemble(members, self.metrics["weights"], *seen(train, size, relations))

    def _weights(self, model: str) -> dict[str, Tensor]:
        with safe_open(self.folder / "weights.safetensors", framework="pt") as file:
            names = [name for name in file.keys() if name.startswith(f"{model}/")]  # noqa: SIM118 (not a dict)
            return {name.removeprefix(f"{model}/"): file.get_tensor(name) for name in names}

    def write_by_relation(self, table: pl.DataFrame) -> None:
        """Write the figures by relation."""
        with atomic_path(self.folder / "relations.tsv") as temporary:
            table.write_csv(temporary, separator="\t", quote_style="never", float_precision=4)

    @lazy
    def by_relation(self) -> pl.DataFrame:
        """Figures by relation, those with most triples first; empty if there was nothing to measure with."""
        path = self.folder / "relations.tsv"
        return pl.read_csv(path, separator="\t", quote_char=None) if path.exists() else pl.DataFrame()
