"""BootEA (Sun, Hu, Zhang, Qu: Bootstrapping entity alignment with knowledge graph embedding, IJCAI 2018): translations
with limits for right and wrong triples, wrong triples that are hard to tell, and links found and revised on the way.

Left out: the extra loss on the distribution over candidates of newly found entities; found links enter by exchanging
their ends in the triples, as the seeds do. Two limits are not the original's, which suit denser graphs: right triples
may be farther off, and a pair must be nearer to count as found. In sparse graphs many entities have nearly the same
vector, and few of the pairs above the original's limit are right.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from farlink.alignment.assignment import one_to_one
from farlink.alignment.methods.base import Epoch, Method, Translation, TripleObjective
from farlink.alignment.nearest import nearest
from farlink.graph.ids import Pairs
from farlink.rsn.joint import swapped

NEAR, FAR = 0.3, 2.0  # right triples are to be nearer, wrong ones farther
AGAINST = 0.2  # weight of the wrong ones
WRONG = 5  # wrong triples for a right one
TRUNCATED = 0.1  # share of a graph, nearest to an entity, that is exchanged for it in wrong triples
ASKED = 0.2  # share of a graph, at random, among which these are looked for in an epoch
SURE = 0.95  # cosine from which on a pair comes into question
CANDIDATES = 10  # of each entity
ALONE = 3  # epochs before the first links are sought and wrong triples are hard


class Lookalikes(Translation):
    """A translation that remembers which entities are hard to tell from each other."""

    near: Tensor

    def __init__(self, entities: int, relations: int, width: int, count: int) -> None:
        super().__init__(entities, relations, width)
        # kept with the weights, so that a run that is resumed goes on with the same ones; all alike to begin with
        self.register_buffer("near", torch.randint(0, entities, (entities, count), dtype=torch.int32))


class BootEA(Method[Lookalikes]):
    """One space for both graphs."""

    def fresh_model(self) -> Lookalikes:
        """Seeds meet in the triples only."""
        graphs = self.graphs
        smaller = min(graphs.first_right, graphs.entities - graphs.first_right)
        count = max(1, int(TRUNCATED * ASKED * smaller))
        return Lookalikes(graphs.entities, graphs.relations, self.settings.width, count)

    def objective(self, epoch: Epoch) -> TripleObjective[Lookalikes]:
        """Triples of both graphs, and those with linked entities exchanged for each other."""
        partner = np.full(self.graphs.entities, -1, dtype=np.int32)
        one, other = self.graphs.shifted(epoch.links).T
        partner[one], partner[other] = other, one
        triples = self.graphs.triples
        everything = np.concatenate([triples, swapped(triples, partner)])
        return TripleObjective.of_epoch(everything, self.settings.seed, epoch.number, self._learn)

    def _learn(self, model: Lookalikes, batch: Tensor) -> Tensor:
        wrong = batch.repeat(WRONG, 1)
        which, side = torch.arange(len(wrong)), torch.randint(0, 2, (len(wrong),)) * 2
        place = torch.randint(0, model.near.shape[1], (len(wrong),))
        wrong[which, side] = model.near[wrong[which, side], place].long()
        near, far = model.distances(batch, wrong)
        return ((near - NEAR).relu().sum() + AGAINST * (FAR - far).relu().sum()) / len(batch)

    def after_epoch(self, epoch: Epoch, model: Lookalikes) -> None:
        """Look anew who is hard to tell from whom in each graph."""
        if epoch.number + 1 < ALONE:
            return
        count, rng = model.near.shape[1], np.random.default_rng([self.settings.seed, epoch.number])
        for first, vectors in zip((0, self.graphs.first_right), self.sides(model), strict=True):
            asked = rng.permutation(len(vectors))[: max(count + 1, int(ASKED * len(vectors)))]
            _, places = nearest(vectors, vectors[asked], count + 1)
            model.near[first : first + len(vectors)] = torch.from_numpy(asked[places[:, 1:]] + first)

    def vectors(self, model: Lookalikes) -> Tensor:
        """As they are."""
        return model.vectors()

    def find_links(self, number: int, known: Pairs, model: Lookalikes) -> Pairs:
        """The one-to-one choice, among pairs that are near enough, with the greatest sum of cosines."""
        if number < ALONE:
            return self.seeds[:0]
        candidates = self.candidates(model, CANDIDATES)
        near = candidates.cosine > SURE
        left, right = candidates.left[near], candidates.right[near]
        chosen = one_to_one(left, right, candidates.cosine[near], candidates.shape)
        return np.stack([left[chosen], right[chosen]], axis=1)
