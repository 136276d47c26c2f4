"""The folder of an alignment: every table beside what reads it again.

vocabulary.parquet    side, kind, id, name and readable name of every entity and relation
triples.parquet       side, head, relation, tail: the graphs by id
literals.parquet      side, head, relation, value, datatype, language: what is no triple, by name
readings.parquet      side, entity, reading: other spellings of names, where the other graph's script is another one
links.parquet         purpose, left, right: the seed, validation and test links and the rejected pairs by id
found.parquet         left, right: the links found and used like seeds, by id
candidates.parquet    left, right, cosine, logit, score: the pairs that came into question, by id; where names are read,
                      alike and chance, too, and in part_* what each signal adds to the logit
alignment.tsv         the mapping by name
relations.tsv         which relations and attributes correspond, and what was counted, by name; older runs have none
classes.tsv           the same of classes

The vectors by which entities are compared are not kept: in the preset `best` they are 1,792 numbers an entity, 215 MB
for two graphs of 15,000 entities, beside 62 MB of weights. They follow from the weights, the graphs, the links and the
settings: every constant that they, the ranks and the reasons depend on is a setting and stands in `config.toml`. So an
old run gives the figures that it gave, whatever the defaults have become.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from farlink.alignment.candidates import ROUNDS, Candidates
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import TwoGraphs
from farlink.alignment.ontology import CLASSES, RELATIONS, Columns, Ontology
from farlink.alignment.readings import NO_READINGS, Readings
from farlink.alignment.task import AlignmentTask
from farlink.errors import FarlinkError
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import LITERAL_SCHEMA, KnowledgeGraph
from farlink.io.exports.tsv import write_tsv
from farlink.io.files import atomic_path
from farlink.runs.folder import Run, described
from farlink.runs.lazy import lazy
from farlink.runs.tables import PAIR, graph_of, ids_of, named, pairs_table, stacked, triples_table, vocabulary_table
from farlink.settings import AlignmentSettings

SIDES = ("left", "right")
PART = "part_"  # begins the names of columns that tell what each signal adds to a logit
PURPOSES = ("seed", "validation", "test", "rejected")
NO_LITERALS = {"side": pl.String, **LITERAL_SCHEMA}
MAPPING: Columns = {
    "left": pl.String,
    "right": pl.String,
    "score": pl.Float64,
    "margin": pl.Float64,
    "probability": pl.Float64,
    "status": pl.String,
}


class AlignmentFolder(Run[AlignmentSettings]):
    """What the folder of an alignment holds, and how it is written."""

    # the task: written when the run starts

    @staticmethod
    def about_task(task: AlignmentTask) -> dict[str, Any]:
        """What `run.json` says."""
        links = {"seeds": len(task.seeds), "validation": len(task.valid), "test": len(task.test)}
        known = [task.seeds, task.valid, task.test]
        if len(task.rejected):  # without them a task is what it was in format 1
            links["rejected"] = len(task.rejected)
            known.append(task.rejected)
        graphs = dict(zip(SIDES, (task.left, task.right), strict=True))
        encoder = {} if task.encoder is None else {"encoder_fingerprint": task.encoder}
        return {**described("align", graphs, known, task.notes), **encoder, "links": links}

    @staticmethod
    def tables_of_task(task: AlignmentTask) -> dict[str, pl.DataFrame]:
        """The tables that a run needs to go on."""
        graphs = dict(zip(SIDES, (task.left, task.right), strict=True))
        links = dict(zip(PURPOSES, (task.seeds, task.valid, task.test, task.rejected), strict=True))
        return {
            "vocabulary": stacked("side", {side: vocabulary_table(graph) for side, graph in graphs.items()}),
            "triples": stacked("side", {side: triples_table(graph.triples) for side, graph in graphs.items()}),
            "literals": stacked("side", {side: graph.literals for side, graph in graphs.items()}),
            "links": stacked("purpose", {purpose: pairs_table(pairs) for purpose, pairs in links.items()}),
            **({"readings": stacked("side", task.readings._asdict())} if task.readings.any else {}),
        }

    @lazy
    def vocabulary(self) -> dict[str, pl.DataFrame]:
        """Entities of each side in the order of their ids: name, readable name."""
        table = self.read_table("vocabulary")
        return {side: named(table.filter(side=side), "entity").select("name", "readable") for side in SIDES}

    @lazy
    def graphs(self) -> dict[str, KnowledgeGraph]:
        """The graphs that were aligned; those of format 0 without their literals."""
        vocabulary, triples = self.read_table("vocabulary"), self.read_table("triples")
        literals = self.read_table("literals") if self.format else pl.DataFrame(schema=NO_LITERALS)
        return {
            side: graph_of(
                vocabulary.filter(side=side),
                triples.filter(side=side),
                literals.filter(side=side),
                source=self._source(side),
            )
            for side in SIDES
        }

    @lazy
    def readings(self) -> Readings:
        """What names were read as when the run started: another installation might read them otherwise."""
        if not (self.folder / "readings.parquet").exists():
            return NO_READINGS
        table = self.read_table("readings")
        return Readings(*(table.filter(side=side).select(*NO_READINGS.left.columns) for side in SIDES))

    def text_vectors(self, key: str, make: Callable[[], NDArray[np.float32]]) -> Tensor:
        """Vectors of texts: those that the run made before it was stopped if the key is theirs, else new ones.

        They have 16 bits, so that they are the same either way.
        """
        file = self.checkpoint("texts")
        if file.exists():
            with safe_open(file, "pt") as kept:
                if (kept.metadata() or {}).get("key") == key:
                    found: Tensor = kept.get_tensor("vectors")
                    return found
        vectors = torch.from_numpy(make()).half()
        with atomic_path(file) as temporary:
            save_file({"vectors": vectors}, temporary, {"key": key})
        return vectors

    def _source(self, side: str) -> str:
        return str(self.about[side]["source"])

    @lazy
    def _links(self) -> dict[str, Pairs]:
        table = self.read_table("links")
        return {purpose: ids_of(table.filter(purpose=purpose), PAIR) for purpose in PURPOSES}

    def links(self, purpose: str) -> Pairs:
        """Pairs of one purpose by id: `seed`, `validation`, `test`, `found` (and used like seeds), or `rejected`."""
        return self._found if purpose == "found" else self._links[purpose]

    # the links found: written again and again while the run trains

    def write_found(self, found: Pairs, epoch: int) -> None:
        """Write the links that are used like seeds from an epoch on; `found_last` gives them back."""
        with self.lock, atomic_path(self.folder / "found.parquet") as temporary:
            pairs_table(found).write_parquet(temporary, metadata={"epoch": str(epoch)})
        self.__dict__.pop("_found", None)

    def found_last(self) -> tuple[int, Pairs] | None:
        """The epoch that links were found for last, and these links; None if none were looked for."""
        path = self.folder / "found.parquet"
        return (int(pl.read_parquet_metadata(path)["epoch"]), self.links("found")) if path.exists() else None

    @lazy
    def _found(self) -> Pairs:
        return ids_of(self.read_table("found"), PAIR)

    # the results: written when it has trained

    @lazy
    def vectors(self) -> dict[str, Tensor]:
        """The vectors by which entities are compared, for each side."""
        links = np.concatenate([self.links("seed"), self.links("found")])
        kept = load_file(self.folder / "weights.safetensors")
        graphs = TwoGraphs(self.graphs["left"], self.graphs["right"])
        compared = method_class(self.settings.method).compared_of(kept, graphs, links, self.settings)
        return dict(zip(SIDES, compared, strict=True))

    def write_candidates(self, candidates: Candidates) -> None:
        """Write the pairs that came into question."""
        columns = ("left", "right", "cosine", "logit", "score", "alike", "chance")
        present = {name: values for name in columns if (values := getattr(candidates, name)) is not None}
        present |= {f"{PART}{name}": values for name, values in (candidates.parts or {}).items()}
        self.write_table("candidates", pl.DataFrame(present))

    @lazy
    def candidates(self) -> Candidates:
        """The pairs that came into question, among the entities that are no seeds."""
        table = self.read_table("candidates")
        left, right, cosine, logit = (table[name].to_numpy() for name in ("left", "right", "cosine", "logit"))
        score = table["score"].to_numpy() if "score" in table.columns else cosine.clip(0, 1).astype(np.float64)
        shape = (self.vocabulary["left"].height, self.vocabulary["right"].height)
        alike, chance = (table[name].to_numpy() if name in table.columns else None for name in ("alike", "chance"))
        rounds = self.settings.sinkhorn_rounds if alike is None else ROUNDS
        parts = {name.removeprefix(PART): table[name].to_numpy() for name in table.columns if name.startswith(PART)}
        several = self.settings.several
        candidates = Candidates(left, right, cosine, logit, score, shape, rounds, alike, parts or None, chance, several)
        if "score" not in table.columns and self.settings.temperature:
            return candidates.balanced(logit)  # as it was done when format 0 was read
        return candidates

    def write_results(self, metrics: dict[str, Any], alignment: pl.DataFrame) -> None:
        """Write the figures and the mapping."""
        self.write_json("metrics.json", metrics)
        write_tsv(alignment, self.folder / "alignment.tsv")

    @lazy
    def alignment(self) -> pl.DataFrame:
        """The mapping: left, right, score, margin, probability, status; one row per left entity."""
        return self._read_tsv("alignment", MAPPING)

    def write_ontology(self, ontology: Ontology) -> None:
        """Write which relations and which classes correspond."""
        for name, table in ontology._asdict().items():
            write_tsv(table, self.folder / f"{name}.tsv")

    @property
    def has_ontology(self) -> bool:
        """Whether relations and classes were aligned when the run was made."""
        return all((self.folder / f"{name}.tsv").exists() for name in Ontology._fields)

    @lazy
    def relations(self) -> pl.DataFrame:
        """Relations and attributes that correspond: left, kind, right, what, confidence, and what was counted."""
        return self._ontology("relations", RELATIONS)

    @lazy
    def classes(self) -> pl.DataFrame:
        """Classes that correspond: left, kind, right, confidence, and what was counted on their members."""
        return self._ontology("classes", CLASSES)

    def _ontology(self, name: str, columns: Columns) -> pl.DataFrame:
        if not self.has_ontology:
            raise FarlinkError(
                f"{self.folder} has no {name}.tsv: the farlink that made this run did not align {name}; align anew to "
                "have them, the mapping itself is there"
            )
        return self._read_tsv(name, columns)

    def _read_tsv(self, name: str, columns: Columns) -> pl.DataFrame:
        return pl.read_csv(self.folder / f"{name}.tsv", separator="\t", quote_char=None, schema=columns)
