"""What the authors' published code does otherwise than the paper says: its walks, and the activations of its LSTM.

They are here to be measured (`farlink experiment variants`); no preset uses them.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import linear

from farlink.engine.random_bits import GOLDEN, mix
from farlink.graph.edges import begins
from farlink.graph.ids import Rows
from farlink.rsn.joint import JointGraph
from farlink.rsn.walks import starts

PATIENCE = 64  # refusals before a step takes what it draws


def authors_paths(
    graph: JointGraph, linked: NDArray[np.bool_], *, length: int, walks_per_triple: float, depth: float, cross: float,
    seed: int, epoch: int,
) -> Rows:  # fmt: skip
    """Walks as in the authors' code; `linked` says which entities have a seed link.

    A step is drawn among the triples that leave an entity. It has the bias 1 - α where the same relation leads to the
    same entity from the first entity of the walk, else α; and β where the entity is linked, else 1 - β. The first
    step after the triple that a walk begins with has the second bias only.
    """
    stream = np.random.SeedSequence([seed, epoch])
    begin = starts(len(graph.triples), walks_per_triple, np.random.default_rng(stream))
    paths = np.empty((len(begin), length), dtype=np.int32)
    row = begins(graph.triples[:, 0], graph.entities)
    _walk(paths, graph.triples, begin, row, linked, depth, cross, stream.generate_state(1, np.uint64)[0])
    return paths


@njit(cache=True)
def _leaves(triples, row, entity, relation, tail):  # type: ignore[no-untyped-def]
    """Whether (entity, relation, tail) is one of the triples, which are sorted."""
    low, end = row[entity], row[entity + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if triples[middle, 1] < relation or (triples[middle, 1] == relation and triples[middle, 2] < tail):
            low = middle + 1
        else:
            high = middle
    return low < end and triples[low, 1] == relation and triples[low, 2] == tail


@njit(parallel=True, cache=True)
def _walk(paths, triples, starts, row, linked, depth, cross, seed):  # type: ignore[no-untyped-def]
    most = max(depth, 1 - depth) * max(cross, 1 - cross)
    for walk in prange(len(starts)):
        state = mix(seed + GOLDEN * np.uint64(walk + 1))
        paths[walk, :3] = triples[starts[walk]]
        first, current = paths[walk, 0], paths[walk, 2]
        for position in range(3, paths.shape[1], 2):
            degree = row[current + 1] - row[current]
            place = row[current]
            for _ in range(PATIENCE):
                state += GOLDEN
                bits = mix(state)
                place = row[current] + np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(degree)) >> np.uint64(32))
                tail = triples[place, 2]
                bias = cross if linked[tail] else 1 - cross
                if position == 3:
                    bias *= max(depth, 1 - depth)  # no bias by depth yet: as likely as the deepest
                else:
                    bias *= 1 - depth if _leaves(triples, row, first, triples[place, 1], tail) else depth
                if np.float64(bits >> np.uint64(32)) * 2.0**-32 * most < bias:
                    break
            current = triples[place, 2]
            paths[walk, position], paths[walk, position + 1] = triples[place, 1], current


class IdentityLSTM(nn.Module):
    """An LSTM layer whose candidates and outputs pass unchanged where others have tanh."""

    def __init__(self, layer: nn.LSTM) -> None:
        super().__init__()
        self.layer = layer  # for its weights

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """States (T, B, d) of inputs (T, B, d), and the last one."""
        weight, again, bias, more = self.layer.parameters()
        given = linear(x, weight, bias + more)
        h, c = x.new_zeros(x.shape[1:]), x.new_zeros(x.shape[1:])
        states = []
        for gates in given:
            i, f, g, o = (gates + linear(h, again)).chunk(4, dim=-1)
            c = f.sigmoid() * c + i.sigmoid() * g
            h = o.sigmoid() * c
            states.append(h)
        return torch.stack(states), h
