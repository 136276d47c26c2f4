"""Models for completing one graph, put to alignment: TransR, TransD, ConvE and RotatE of PyKEEN on the joint graph.

The paper trained the original codes of these models on its joint graph, in which the ends of a seed stand in for each
other. Here the models are PyKEEN's, an optional extra; the loop and the loss are ours: right triples against corrupted
ones, by logistic regression; of ConvE, the right tail against those of the other triples of a batch.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from farlink.alignment.methods.base import Epoch, Method, TripleObjective, corrupted, one_way
from farlink.errors import FarlinkError
from farlink.rsn.joint import join

WRONG = 3  # corrupted triples for a right one
LITTLE = 0.03  # how fast the matrices of TransR learn, as a share of the rate of the vectors


class JointModel(Method[nn.Module]):
    """A model of PyKEEN; subclasses name it and tell what is special about it."""

    name: str
    options: ClassVar[dict[str, Any]] = {}
    numbers = 1  # in each element of a vector
    margin = 0.0  # distance at which a triple is as likely as not
    reverses = False  # whether it is asked for tails only, and heads are tails of reverse relations

    def fresh_model(self) -> nn.Module:
        """The model with PyKEEN's own way to begin."""
        try:
            from pykeen.models import model_resolver
            from pykeen.triples import CoreTriplesFactory
        except ImportError:
            raise FarlinkError(f"{self.name} needs PyKEEN: install farlink with the extra 'baselines'") from None
        self.joint = join(self.graphs.left, self.graphs.right, self.seeds)
        self.triples = one_way(self.joint, self.graphs)
        factory = CoreTriplesFactory.create(
            torch.from_numpy(self.triples).long(),
            num_entities=self.graphs.entities,
            num_relations=self.graphs.relations,
            create_inverse_triples=self.reverses,
        )
        width, seed = self.settings.width // self.numbers, self.settings.seed
        model: nn.Module = model_resolver.make(
            self.name, triples_factory=factory, embedding_dim=width, random_seed=seed, **self.options
        )
        return model

    def objective(self, epoch: Epoch) -> TripleObjective[nn.Module]:
        """Triples of the joint graph."""
        return TripleObjective.of_epoch(self.triples, self.settings.seed, epoch.number, self._learn)

    def _learn(self, model: Any, batch: Tensor) -> Tensor:
        triples = torch.cat([batch, corrupted(batch, self.graphs.entities, WRONG)])
        scores = self.margin + self._scores(model, triples)
        return _logistic(scores[: len(batch)], scores[len(batch) :])

    def _scores(self, model: Any, triples: Tensor) -> Tensor:
        """How likely the model finds each triple."""
        scores: Tensor = model.score_hrt(triples)[:, 0]
        return scores

    def vectors(self, model: Any) -> Tensor:
        """The entities' representations, complex ones as real ones twice as long."""
        found: Tensor = model.entity_representations[0](indices=None).detach()
        real = torch.view_as_real(found) if found.is_complex() else found
        return real.flatten(1)


class TransR(JointModel):
    """Lin et al.: Learning entity and relation embeddings for knowledge graph completion, AAAI 2015."""

    name = "TransR"
    options: ClassVar[dict[str, Any]] = {"relation_dim": 50, "relation_projection_initializer": nn.init.zeros_}

    def _scores(self, model: Any, triples: Tensor) -> Tensor:
        """As PyKEEN's, but projected relation by relation: a matrix serves all triples of its relation at once.

        A matrix is the identity, as the authors of TransR start it, and a little of what is learned: at the rate of the
        vectors it would soon map any head to any tail, whatever their vectors are.
        """
        from pykeen.utils import clamp_norm, negative_norm_of_sum  # an optional extra

        relation, order = triples[:, 1].sort()
        relations, counts = torch.unique(relation, return_counts=True)
        vectors, matrices = (representation(relations) for representation in model.relation_representations)
        matrices = torch.eye(*matrices.shape[1:]) + LITTLE * matrices
        ends = model.entity_representations[0](triples[order][:, 0::2]).split(counts.tolist())  # each (n, 2, d)
        kind = model.interaction
        projected = torch.cat([some @ matrix for some, matrix in zip(ends, matrices, strict=True)])
        head, tail = clamp_norm(projected, maxnorm=kind.max_projection_norm, p=kind.p, dim=-1).unbind(1)
        steps = vectors.repeat_interleave(counts, dim=0)
        scores = negative_norm_of_sum(head, steps, -tail, p=kind.p, power_norm=kind.power_norm)
        return scores[order.argsort()]


class TransD(JointModel):
    """Ji et al.: Knowledge graph embedding via dynamic mapping matrix, ACL 2015."""

    name = "TransD"


class ConvE(JointModel):
    """Dettmers et al.: Convolutional 2D knowledge graph embeddings, AAAI 2018."""

    name = "ConvE"
    reverses = True

    def objective(self, epoch: Epoch) -> TripleObjective[nn.Module]:
        """Triples of the joint graph and their reverses, once: a pass takes as long as many of the others' passes."""
        return TripleObjective.of_epoch(self.joint.triples, self.settings.seed, epoch.number, self._learn, passes=1)

    def _learn(self, model: Any, batch: Tensor) -> Tensor:
        """Tell the right tail from those of all others in the batch, which cost little after the convolution."""
        h, r, t = batch.T
        vectors, biases = model.entity_representations
        scores = convolved(model, vectors(h), model.relation_representations[0](r)) @ vectors(t).T + biases(t)
        again = (t == t[:, None]).fill_diagonal_(False)  # the right tail of another triple, too
        return nn.functional.cross_entropy(scores.masked_fill(again, -torch.inf), torch.arange(len(batch)))


class RotatE(JointModel):
    """Sun et al.: RotatE: Knowledge graph embedding by relational rotation in complex space, ICLR 2019."""

    name = "RotatE"
    numbers = 2  # they are complex
    margin = 3.0


def convolved(model: Any, head: Tensor, relation: Tensor) -> Tensor:
    """What PyKEEN's ConvE makes of heads and relations, all (B, d): a score is the product of this with a tail.

    This is the one place that knows the inside of a model of PyKEEN, the layers of `ConvEInteraction`.
    """
    shape = model.interaction.shape_info
    image = -1, shape.input_channels, shape.image_height, shape.image_width
    maps = model.interaction.hr2d(torch.cat([head.view(image), relation.view(image)], dim=-2))
    states: Tensor = model.interaction.hr1d(maps.flatten(1))
    return states


def _logistic(right: Tensor, wrong: Tensor) -> Tensor:
    """Right triples are to have scores above, wrong ones below zero."""
    return -nn.functional.logsigmoid(right).mean() - nn.functional.logsigmoid(-wrong).mean()
