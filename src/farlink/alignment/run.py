"""A run that aligned two graphs: what its folder holds beside what every run keeps, and what it can be asked.

vocabulary.parquet    side, id, name, readable name and degree of every entity; the relations
links.parquet         the seed, validation and test links by id
found.parquet         the links found and used like seeds, by id
candidates.parquet    the pairs that came into question, by id, with what speaks for them
alignment.tsv         the mapping
"""

from __future__ import annotations

import datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor

from farlink.alignment import evaluation
from farlink.alignment.candidates import Candidates
from farlink.alignment.ceiling import colours
from farlink.alignment.evidence import Evidence, Reason
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import TwoGraphs
from farlink.errors import FarlinkError, InputError
from farlink.graph.ids import Ids, Pairs, lookup
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import closest, place_of, short_name
from farlink.io.exports import WRITERS
from farlink.io.exports.provenance import Provenance
from farlink.io.exports.tsv import write_tsv
from farlink.io.files import atomic_path, write_text
from farlink.io.sources import LinkSource, links_from
from farlink.measures.ranks import RankKind
from farlink.runs.folder import Run
from farlink.settings import AlignmentSettings

EXPORT_FORMATS = (*WRITERS, "npy")
SIDES = ("left", "right")


class AlignmentRun(Run):
    """A finished or unfinished alignment in a folder."""

    @cached_property
    def settings(self) -> AlignmentSettings:
        """The settings of the run."""
        settings = self.any_settings
        assert isinstance(settings, AlignmentSettings)
        return settings

    @cached_property
    def alignment(self) -> pl.DataFrame:
        """The mapping: left, right, score, margin, probability, status; one row per left entity."""
        columns = {
            "left": pl.String,
            "right": pl.String,
            "score": pl.Float64,
            "margin": pl.Float64,
            "probability": pl.Float64,
            "status": pl.String,
        }
        return pl.read_csv(self.folder / "alignment.tsv", separator="\t", quote_char=None, schema=columns)

    @cached_property
    def vocabulary(self) -> dict[str, pl.DataFrame]:
        """Entities of each side in the order of their ids: name, readable name, degree."""
        frame = pl.read_parquet(self.folder / "vocabulary.parquet")
        return {side: frame.filter(side=side, kind="entity").sort("id") for side in SIDES}

    @cached_property
    def vectors(self) -> dict[str, Tensor]:
        """The vectors by which entities are compared, for each side."""
        links = np.concatenate([self.links("seed"), self.links("found")])
        kept = load_file(self.folder / "weights.safetensors")
        graphs = TwoGraphs(self.graphs["left"], self.graphs["right"])
        compared = method_class(self.settings.method).compared_of(kept, graphs, links, self.settings)
        return dict(zip(SIDES, compared, strict=True))

    @cached_property
    def graphs(self) -> dict[str, KnowledgeGraph]:
        """The graphs that were aligned, without their literals."""
        vocabulary = pl.read_parquet(self.folder / "vocabulary.parquet").sort("id")
        triples = pl.read_parquet(self.folder / "triples.parquet")
        graphs = {}
        for side in SIDES:
            entities, relations = (vocabulary.filter(side=side, kind=kind)["name"] for kind in ("entity", "relation"))
            rows = triples.filter(side=side).select("head", "relation", "tail").to_numpy().astype(np.int32)
            graphs[side] = KnowledgeGraph(entities, relations, rows, source=self.about[side]["source"])
        return graphs

    @cached_property
    def candidates(self) -> Candidates:
        """The pairs that came into question, among the entities that are no seeds."""
        frame = pl.read_parquet(self.folder / "candidates.parquet")
        left, right, cosine, logit = (frame[name].to_numpy() for name in ("left", "right", "cosine", "logit"))
        shape = (self.vocabulary["left"].height, self.vocabulary["right"].height)
        candidates = Candidates(left, right, cosine, logit, cosine.clip(0, 1).astype(np.float64), shape)
        return candidates.balanced(logit) if self.settings.temperature else candidates

    def links(self, purpose: str) -> Pairs:
        """Links of one purpose by id: `seed`, `validation`, `test`, or `found` and used like seeds."""
        if purpose == "found":
            frame = pl.read_parquet(self.folder / "found.parquet")
        else:
            frame = pl.read_parquet(self.folder / "links.parquet").filter(purpose=purpose)
        return frame.select("left", "right").to_numpy().astype(np.int32)

    # what it is asked

    def match(self, entity: str, k: int = 5) -> pl.DataFrame:
        """The k most likely counterparts of an entity of either graph: rank, entity, name, score.

        A name that both graphs have is taken as one of the left graph.
        """
        side, place = self.find(entity)
        other = "right" if side == "left" else "left"
        ids, scores = self._counterparts(side, place)
        best = np.argsort(-scores, kind="stable")[:k]
        found = self.vocabulary[other][ids[best]]
        return pl.DataFrame(
            {
                "rank": np.arange(1, len(found) + 1),
                "entity": found["name"],
                "name": found["readable"],
                "score": scores[best],
            }
        )

    def explain(self, left: str, right: str) -> list[str]:
        """Why two entities may be the same: the triples of both that agree, in words, the weightiest first."""
        pair = [self._place(side, name) for side, name in zip(SIDES, (left, right), strict=True)]
        return [self._in_words(reason) for reason in self._evidence.reasons(pair[0], pair[1], self.candidates)]

    def lookalikes(self, entity: str) -> list[str]:
        """Other entities of the same graph that its triples do not tell from this one, by readable name."""
        side, place = self.find(entity)
        colour = colours(self.graphs[side], self.links("seed")[:, SIDES.index(side)])
        same = colour == colour[place]
        same[place] = False
        return self.vocabulary[side]["readable"].filter(pl.Series(same)).sort().to_list()

    def evaluate(self, links: LinkSource, ranks: RankKind = "realistic") -> dict[str, Any]:
        """Metrics of links under both protocols and both directions; seeds among them are left out."""
        frame, source = links_from(links)
        names = {side: self.vocabulary[side]["name"] for side in SIDES}
        pairs = np.stack([lookup(names[side], frame[side]) for side in SIDES], axis=1)
        seeds = self.links("seed")
        known = (pairs >= 0).all(axis=1)
        fresh = known & ~np.isin(pairs[:, 0], seeds[:, 0]) & ~np.isin(pairs[:, 1], seeds[:, 1])
        if not fresh.any():
            raise InputError(source, "no link here names two entities of this run that are not seeds")
        chosen = np.unique(pairs[fresh], axis=0)
        candidates = self.candidates if self.settings.temperature else None
        found = evaluation.protocol_ranks(
            self.vectors["left"], self.vectors["right"], chosen, linked=chosen, seeds=seeds, candidates=candidates
        )
        left_out = {"unknown": int((~known).sum()), "seeds": int((known & ~fresh).sum())}
        return {**evaluation.summaries(found, ranks), "ranks": ranks, "links": len(chosen), "left_out": left_out}

    def export(self, to: str, path: str | Path | None = None) -> Path:
        """Write the mapping (or, for `npy`, the vectors) in another format; returns where it lies."""
        if to not in EXPORT_FORMATS:
            raise FarlinkError(f"cannot export to '{to}'; choose one of {', '.join(EXPORT_FORMATS)}")
        if to == "npy":
            return self._export_vectors(Path(path) if path else self.folder / "vectors")
        target = Path(path) if path else self.folder / EXPORT_NAMES[to]
        WRITERS[to](self.alignment, target, self._provenance())
        return target

    # how it is written

    def write_found(self, found: Pairs, epoch: int) -> None:
        """Write the links that are used like seeds from an epoch on; `found_last` gives them back."""
        links = pl.DataFrame({"left": found[:, 0], "right": found[:, 1]})
        with atomic_path(self.folder / "found.parquet") as temporary:
            links.write_parquet(temporary, metadata={"epoch": str(epoch)})

    def found_last(self) -> tuple[int, Pairs] | None:
        """The epoch that links were found for last, and these links; None if none were looked for."""
        path = self.folder / "found.parquet"
        return (int(pl.read_parquet_metadata(path)["epoch"]), self.links("found")) if path.exists() else None

    def write_candidates(self, candidates: Candidates) -> None:
        """Write the pairs that came into question."""
        columns = {
            "left": candidates.left,
            "right": candidates.right,
            "cosine": candidates.cosine,
            "logit": candidates.logit,
        }
        self.write_table("candidates", pl.DataFrame(columns))

    def write_results(self, metrics: dict[str, Any], alignment: pl.DataFrame) -> None:
        """Write the figures and the mapping."""
        self.write_json("metrics.json", metrics)
        write_tsv(alignment, self.folder / "alignment.tsv")

    # behind the scenes

    def find(self, entity: str) -> tuple[str, int]:
        """The side and the id of an entity by its name or readable name; an unknown name is a clear error."""
        for side in SIDES:
            place = place_of(entity, *self._names(side))
            if place is not None:
                return side, place
        hint = closest(entity, *(column for side in SIDES for column in self._names(side)))
        raise FarlinkError(f"neither graph has an entity '{entity}'{hint}")

    def _place(self, side: str, entity: str) -> int:
        place = place_of(entity, *self._names(side))
        if place is None:
            raise FarlinkError(f"the {side} graph has no entity '{entity}'{closest(entity, *self._names(side))}")
        return place

    def _names(self, side: str) -> tuple[pl.Series, pl.Series]:
        return self.vocabulary[side]["name"], self.vocabulary[side]["readable"]

    def _counterparts(self, side: str, place: int) -> tuple[Ids, NDArray[np.float64]]:
        """Candidates of an entity and their scores; of a seed, its partner."""
        own, others = (0, 1) if side == "left" else (1, 0)
        seeds = self.links("seed")
        partner = seeds[seeds[:, own] == place, others]
        if len(partner):
            return partner, np.ones(1)
        connected = self.vocabulary[SIDES[others]]["degree"].to_numpy() > 0
        candidates = self.candidates if side == "left" else self.candidates.reversed()
        mine = (candidates.left == place) & connected[candidates.right]
        return candidates.right[mine], candidates.score[mine]

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self.graphs["left"], self.graphs["right"], self.links("seed"))

    def _in_words(self, reason: Reason) -> str:
        left = self._triple("left", reason.relation, reason.neighbour)
        right = self._triple("right", reason.other_relation, reason.other_neighbour)
        return f"{left} ≈ {right} ({'a seed' if reason.chance == 1 else f'the same with chance {reason.chance:.2f}'})"

    def _triple(self, side: str, relation: int, neighbour: int) -> str:
        """A triple of an entity in words; the entity itself is left out."""
        relations = self.graphs[side].relations
        name = self.vocabulary[side]["readable"][neighbour]
        if relation < len(relations):
            return f"{short_name(relations[relation])} is {name}"
        return f"{short_name(relations[relation - len(relations)])} of {name}"

    def _provenance(self) -> Provenance:
        return Provenance(
            left_source=self.about["left"]["source"],
            right_source=self.about["right"]["source"],
            version=version("farlink"),
            date=datetime.date.fromisoformat(self.about["date"]),
            threshold=self.metrics["threshold"],
        )

    def _export_vectors(self, folder: Path) -> Path:
        for side in SIDES:
            with atomic_path(folder / f"{side}.npy") as temporary:
                np.save(temporary, self.vectors[side].numpy())
            write_text(folder / f"{side}.txt", "\n".join(self.vocabulary[side]["name"]) + "\n")
        return folder


EXPORT_NAMES = {
    "tsv": "alignment.tsv",
    "sssom": "alignment.sssom.tsv",
    "sameas": "alignment.nt",
    "alignment-rdf": "alignment.rdf",
}
