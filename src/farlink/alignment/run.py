"""A run that aligned two graphs, and what it can be asked: counterparts, reasons, lookalikes, figures."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.alignment import evaluation
from farlink.alignment.candidates import Candidates
from farlink.alignment.ceiling import Colours, colours
from farlink.alignment.evidence import Evidence, Reason
from farlink.alignment.folder import SIDES, AlignmentFolder
from farlink.alignment.waterfall import Step, draw_steps, triple_steps, weights_of
from farlink.errors import FarlinkError, InputError
from farlink.graph.ids import Ids, lookup
from farlink.graph.links import among
from farlink.graph.names import closest, place_of, short_name
from farlink.io.exports import EXPORTS
from farlink.io.exports.content import Content, Provenance, Vectors
from farlink.io.sources import LinkSource, links_from
from farlink.measures.ranks import RankKind
from farlink.reports.plots import figure_of
from farlink.runs.lazy import lazy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class AlignmentRun(AlignmentFolder):
    """A finished or unfinished alignment in a folder."""

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

    # counterparts

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

    def _counterparts(self, side: str, place: int) -> tuple[Ids, NDArray[np.float64]]:
        """Candidates of an entity and their scores; of a seed, its partner, and others only if it may have them."""
        own, others = (0, 1) if side == "left" else (1, 0)
        seeds = self.links("seed")
        partner = seeds[seeds[:, own] == place, others]
        certain = np.ones(len(partner))
        if len(partner) and not self.settings.several[own]:
            return partner, certain
        candidates = self.candidates if side == "left" else self.candidates.reversed()
        mine = candidates.left == place
        if candidates.alike is None:  # of names and values nothing is known
            mine &= self._connected[SIDES[others]][candidates.right]
        return np.append(partner, candidates.right[mine]), np.append(certain, candidates.score[mine])

    @lazy
    def _connected(self) -> dict[str, NDArray[np.bool_]]:
        """Which entities have a triple; by structure alone nothing can be said of the others."""
        return {side: graph.degrees() > 0 for side, graph in self.graphs.items()}

    # reasons

    def explain(self, left: str, right: str) -> list[str]:
        """Why two entities may be the same: the triples of both that agree, in words, the weightiest first."""
        pair = [self._place(side, name) for side, name in zip(SIDES, (left, right), strict=True)]
        return [self._in_words(reason) for reason in self._evidence.reasons(pair[0], pair[1], self.candidates)]

    def waterfall(self, left: str, right: str) -> pl.DataFrame:
        """What each signal adds to the log odds of a pair: signal, log_odds; any pair starts from the first row.

        Empty where structure alone was read, and for pairs that did not come into question.
        """
        pair = [self._place(side, name) for side, name in zip(SIDES, (left, right), strict=True)]
        candidates = self.candidates
        place = np.flatnonzero((candidates.left == pair[0]) & (candidates.right == pair[1]))
        if candidates.parts is None or candidates.chance is None or not len(place):
            return pl.DataFrame(schema={"signal": pl.String, "log_odds": pl.Float64})
        start = float(np.log(max(candidates.chance.sum(), 1.0)) - np.log(np.prod(candidates.shape, dtype=float)))
        parts = {"any pair": start, **{name: float(part[place[0]]) for name, part in candidates.parts.items()}}
        return pl.DataFrame({"signal": list(parts), "log_odds": list(parts.values())})

    def waterfall_steps(self, left: str, right: str) -> list[Step]:
        """The same sum step by step: of the triples the strongest one by one, and all others in one step."""
        steps = [Step(signal, odds, signal) for signal, odds in self.waterfall(left, right).iter_rows()]
        pair = [self._place(side, name) for side, name in zip(SIDES, (left, right), strict=True)]
        told: list[tuple[str, float]] = []
        if any(step.signal == "triples" for step in steps):
            forth = self._evidence.reasons(pair[0], pair[1], self.candidates)
            back = self._evidence_back.reasons(pair[1], pair[0], self._candidates_back)
            weights = weights_of(forth, back, self.settings.evidence)
            told = [(self._triples_in_words(reason), weight) for reason, weight in weights.items()]
        turn = self.settings.evidence_turn
        apart = [triple_steps(step.log_odds, told, turn) if step.signal == "triples" else [step] for step in steps]
        return [step for some in apart for step in some]

    def plot(self, left: str, right: str) -> Figure:
        """The log odds of a pair as a figure, from any pair to this one: signal by signal, and triple by triple."""
        return figure_of([self.panel(left, right)], height=4.0, width=8.0)

    def panel(self, left: str, right: str) -> Callable[[Axes], None]:
        """What draws the log odds of a pair; a pair without them is a clear error."""
        steps = self.waterfall_steps(left, right)
        if not steps:
            unread = self.candidates.parts is None
            reason = "names and values were not read" if unread else "it did not come into question"
            raise FarlinkError(f"{left} ↔ {right} has no log odds to draw: {reason}", "plot")
        return lambda axes: draw_steps(axes, steps, self._pair_in_words(left, right))

    def _pair_in_words(self, left: str, right: str) -> str:
        """A pair by its readable names, and what became of it."""
        places = [self._place(side, name) for side, name in zip(SIDES, (left, right), strict=True)]
        names = [self.vocabulary[side]["name"][place] for side, place in zip(SIDES, places, strict=True)]
        shown = [self.vocabulary[side]["readable"][place] for side, place in zip(SIDES, places, strict=True)]
        row = self.alignment.filter(left=names[0], right=names[1])
        became = [
            f"{status}, probability {chance:.2f}" for status, chance in row.select("status", "probability").rows()
        ]
        return ": ".join([" ↔ ".join(shown), *(became or ["not in the mapping"])])

    @lazy
    def _evidence_back(self) -> Evidence:
        """What triples say as seen from the right."""
        return Evidence(self.graphs["right"], self.graphs["left"], self.links("seed")[:, ::-1], self.settings)

    @lazy
    def _candidates_back(self) -> Candidates:
        return self.candidates.reversed()

    @lazy
    def _evidence(self) -> Evidence:
        return Evidence(self.graphs["left"], self.graphs["right"], self.links("seed"), self.settings)

    def _in_words(self, reason: Reason) -> str:
        chance = "a seed" if reason.chance == 1 else f"the same with chance {reason.chance:.2f}"
        return f"{self._triples_in_words(reason)} ({chance})"

    def _triples_in_words(self, reason: Reason) -> str:
        left = self._triple("left", reason.relation, reason.neighbour)
        right = self._triple("right", reason.other_relation, reason.other_neighbour)
        return f"{left} ≈ {right}"

    def _triple(self, side: str, relation: int, neighbour: int) -> str:
        """A triple of an entity in words; the entity itself is left out."""
        relations = self.graphs[side].relations
        name = self.vocabulary[side]["readable"][neighbour]
        if relation < len(relations):
            return f"{short_name(relations[relation])} is {name}"
        return f"{short_name(relations[relation - len(relations)])} of {name}"

    # lookalikes

    def lookalikes(self, entity: str) -> list[str]:
        """Other entities of the same graph that its triples do not tell from this one, by readable name."""
        side, place = self.find(entity)
        colour = self._colours[side]
        same = colour == colour[place]
        same[place] = False
        return self.vocabulary[side]["readable"].filter(pl.Series(same)).sort().to_list()

    @lazy
    def _colours(self) -> dict[str, Colours]:
        seeds = self.links("seed")
        return {side: colours(self.graphs[side], seeds[:, place]) for place, side in enumerate(SIDES)}

    # figures

    def evaluate(self, links: LinkSource, ranks: RankKind = "realistic") -> dict[str, Any]:
        """Metrics of links under both protocols and both directions; seeds among them are left out."""
        frame, source = links_from(links)
        names = {side: self.vocabulary[side]["name"] for side in SIDES}
        pairs = np.stack([lookup(names[side], frame[side]) for side in SIDES], axis=1)
        seeds = self.links("seed")
        known = (pairs >= 0).all(axis=1)
        fresh = known & ~among(pairs, seeds)
        for ids, ends, may in zip(pairs.T, seeds.T, self.settings.several, strict=True):
            fresh &= True if may else ~np.isin(ids, ends)
        if not fresh.any():
            raise InputError(source, "no link here names two entities of this run that are not seeds")
        chosen = np.unique(pairs[fresh], axis=0)
        candidates = self.candidates if self.settings.temperature else None
        found = evaluation.protocol_ranks(
            self.vectors["left"], self.vectors["right"], chosen, linked=chosen, seeds=seeds, candidates=candidates
        )
        left_out = {"unknown": int((~known).sum()), "seeds": int((known & ~fresh).sum())}
        return {**evaluation.summaries(found, ranks), "ranks": ranks, "links": len(chosen), "left_out": left_out}

    # other formats

    def export(self, to: str, path: str | Path | None = None) -> Path:
        """Write the mapping, or what else a format holds, in another format; returns where it lies."""
        if to not in EXPORTS:
            raise FarlinkError(f"cannot export to '{to}'; choose one of {', '.join(EXPORTS)}")
        target = Path(path) if path else self.folder / EXPORTS[to].place
        ontology = (self.relations, self.classes) if self.has_ontology else (None, None)
        EXPORTS[to].write(Content(self.alignment, self._provenance(), self._arrays, *ontology), target)
        return target

    def _provenance(self) -> Provenance:
        return Provenance(
            left_source=self._source("left"),
            right_source=self._source("right"),
            version=self.about["farlink"],
            date=datetime.date.fromisoformat(self.about["date"]),
            threshold=self.metrics["threshold"],
        )

    def _arrays(self) -> Vectors:
        return {side: (self.vocabulary[side]["name"], self.vectors[side].numpy()) for side in SIDES}
