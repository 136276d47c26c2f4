"""A tensor model of single triples, ComplEx with the nuclear 3-norm, to stand beside the network that reads paths.

The score of (s, r, o) is Re⟨s, r, ō⟩ for complex vectors. Every relation has a reverse with a vector of its own, so
that subjects are asked for in the same way as objects (Trouillon et al. 2016; Lacroix et al. 2018).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from farlink.engine.row_adam import rows_of

START = 0.1  # spread of the fresh vectors


class Factors(nn.Module):
    """Complex vectors of entities and relations; a row holds the real parts, then the imaginary ones."""

    def __init__(self, entities: int, relations: int, factors: int) -> None:
        super().__init__()
        self.entity = nn.Parameter(torch.randn(entities, 2 * factors) * START)
        self.relation = nn.Parameter(torch.randn(relations, 2 * factors) * START)

    def forward(self, head: Tensor, relation: Tensor) -> Tensor:
        """Vectors s∘r of questions, (B, 2f); their products with `entity` are the scores of all answers."""
        (a, b), (c, d) = rows_of(self.entity, head).chunk(2, dim=1), self.relation[relation].chunk(2, dim=1)
        return torch.cat([a * c - b * d, a * d + b * c], dim=1)

    @torch.no_grad()
    def scores(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores (B, n) of all entities as answers."""
        vectors: Tensor = self(head, relation)
        return vectors @ self.entity.T

    def size(self, vectors: Tensor) -> Tensor:
        """Σ|z|³ of each row."""
        real, imaginary = vectors.chunk(2, dim=1)
        return (real**2 + imaginary**2 + 1e-12).pow(1.5).sum(1)
