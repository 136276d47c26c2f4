"""RSN (Guo, Sun, Hu: Learning to exploit long-term relational dependencies in knowledge graphs, ICML 2019): the network
learns from walks over the joint graph of two graphs, whose links grow from epoch to epoch.

The preset `paper` does as the paper says. By default linked entities are one, vectors start from the seeds around them,
confident pairs are found before and between epochs, and entities are compared by views laid side by side.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import torch
from torch import Tensor

from farlink.alignment.bootstrapping import grown_pairs
from farlink.alignment.candidates import Candidates
from farlink.alignment.methods.base import Epoch, Method, TwoGraphs
from farlink.alignment.views import Neighbourhoods, compared_vectors, judging_views, seed_views, start_vectors
from farlink.graph.ids import Pairs
from farlink.reports.card import network_words
from farlink.rsn.joint import join, merge, shared_rows
from farlink.rsn.model import PathModel
from farlink.rsn.objective import PathObjective, model_of, path_objective
from farlink.settings import AlignmentSettings


class RSN(Method[PathModel]):
    """One network for both graphs, which links weave into one."""

    @property
    def trains(self) -> bool:  # type: ignore[override]
        """Whether the network is trained: by itself where there is nothing but structure to go by."""
        return self.settings.network == "always" or (self.settings.network == "auto" and self.scorer.by_structure_alone)

    def fresh_model(self) -> PathModel:
        """The network of the settings."""
        return model_of(self.settings, self.graphs.entities, 2 * self.graphs.relations)

    def objective(self, epoch: Epoch) -> PathObjective:
        """Walks over the graph that the links of the epoch make of both."""
        weave = merge if self.settings.linking == "merge" else join
        graph = weave(self.graphs.left, self.graphs.right, epoch.links)
        objective = path_objective(graph, self.settings, epoch.number, self.settings.cross_bias)
        if self.settings.start == "seeds" and epoch.number == 0:
            start = start_vectors(self.neighbourhoods, epoch.links, self.settings)
            return replace(objective, start=start)
        return objective

    def after_epoch(self, epoch: Epoch, model: PathModel) -> None:
        """Give merged entities their common vectors."""
        if self.settings.linking == "merge":
            row = shared_rows(self.graphs.left, self.graphs.right, epoch.links)
            model.share_rows(torch.from_numpy(row).long())

    def find_links(self, number: int, known: Pairs, model: PathModel) -> Pairs:
        """Pairs that are each other's best; before the first epoch by propagation and agreeing triples alone."""
        if number == 0:
            most = self.settings.most_rounds
            rounds = self.settings.rounds if self.scorer.by_structure_alone else most
            return grown_pairs(self.seeds, self._around, rounds, self.settings.confidence, most)[len(self.seeds) :]
        if not self.settings.bootstrapping:
            return known[len(self.seeds) :]
        return self.scorer.scored(self.compared(model, known), known).confident(self.settings.confidence)

    def vectors(self, model: PathModel) -> Tensor:
        """Those that the network reads."""
        return model.entity_in.weight.detach()

    def compared(self, model: PathModel, links: Pairs) -> tuple[Tensor, Tensor]:
        """The views of the settings, or those that follow from the links where no network is trained."""
        if not self.trains:
            return judging_views(self.neighbourhoods, links, self.settings)
        return compared_vectors(self.neighbourhoods, links, model, self.settings)

    def kept(self, model: PathModel) -> dict[str, Tensor]:
        """The weights: they are fewer than the views, which follow from them. None where no network is trained."""
        return model.state_dict() if self.trains else {}

    @classmethod
    def compared_of(
        cls, kept: dict[str, Tensor], graphs: TwoGraphs, links: Pairs, settings: AlignmentSettings
    ) -> tuple[Tensor, Tensor]:
        """The views, made anew."""
        neighbourhoods = Neighbourhoods(graphs.left, graphs.right)
        if not kept:
            return judging_views(neighbourhoods, links, settings)
        return compared_vectors(neighbourhoods, links, network_of(kept, settings), settings)

    @classmethod
    def description(cls, settings: AlignmentSettings) -> str:
        """The network, and the paths it reads."""
        return network_words(settings)

    @cached_property
    def neighbourhoods(self) -> Neighbourhoods:
        """Who is next to whom in the two graphs."""
        return Neighbourhoods(self.graphs.left, self.graphs.right)

    def _around(self, known: Pairs) -> Candidates:
        """Candidates by what follows from known pairs without the network."""
        if self.scorer.by_structure_alone:
            views = seed_views(self.neighbourhoods, known, self.settings)
            return self.scorer.scored(self.neighbourhoods.sides(torch.cat(views, dim=1)), known)
        vectors = judging_views(self.neighbourhoods, known, self.settings) if len(known) else None
        return self.scorer.scored(vectors, known)


def network_of(weights: dict[str, Tensor], settings: AlignmentSettings) -> PathModel:
    """The trained network, ready to be asked."""
    model = model_of(settings, len(weights["entity_bias"]), len(weights["relation_bias"]))
    model.load_state_dict(weights)
    return model.eval()
