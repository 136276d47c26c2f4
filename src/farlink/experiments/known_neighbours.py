"""How well triples tell entities apart when nothing else is in doubt: every link but the one in question is known.

No aligner is in that position: it has to find the counterparts of the neighbours, too. So what it reaches with the
seeds alone can be set against this figure, which is made with all test links in hand and chooses nothing. The few
triples that lead from an entity to itself flatter it a little.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from farlink.alignment.candidates import Candidates, scored_candidates
from farlink.alignment.evaluation import candidate_ranks
from farlink.alignment.evidence import Evidence
from farlink.alignment.task import AlignmentTask, open_task
from farlink.alignment.views import Neighbourhoods, seed_views
from farlink.engine.machine import use_threads
from farlink.experiments.records import commit, cores
from farlink.graph.ids import Pairs
from farlink.measures.ranks import Ranks
from farlink.progress import Silent
from farlink.settings import AlignmentSettings, make_settings


def every_other_link_known(folder: Path, seed: int) -> dict[str, Any]:
    """Hits@1 of the test links of a benchmark folder, left to right, by triples whose other ends are all known."""
    started = time.monotonic()
    settings = make_settings(seed=seed)
    use_threads(settings.threads)
    task = open_task(folder, settings=settings, reporter=Silent())
    figure = expected_hits(judged_by_known_neighbours(task, settings))
    return {
        "command": f"farlink experiment alignment --part limits --seeds {seed + 1}",
        "commit": commit(),
        "cores": cores(),
        "seconds": round(time.monotonic() - started, 1),
        "metrics": {"test": {"linked": {"left_to_right": {"hits@1": figure}}}},
    }


def judged_by_known_neighbours(task: AlignmentTask, settings: AlignmentSettings) -> Ranks:
    """Ranks of the test links among candidates that are judged by triples alone, given all links."""
    neighbourhoods = Neighbourhoods(task.left, task.right)
    views = torch.cat(seed_views(neighbourhoods, task.seeds, settings), dim=1)
    sides = neighbourhoods.sides(views)
    sought = np.concatenate([task.valid, task.test])
    evidence = Evidence(task.left, task.right, task.seeds, settings)
    candidates = _with(scored_candidates(*sides, evidence, settings), sought)
    # the links of the candidates' neighbours count, and a candidate pair is not its own neighbour
    everything = Evidence(task.left, task.right, np.concatenate([task.seeds, sought]), settings)
    pools = np.unique(sought[:, 0]), np.unique(sought[:, 1])
    judged = candidates.within(pools, compete=False)
    judged = judged.balanced(settings.evidence * everything.of(judged))
    return candidate_ranks(judged, *sides, task.test, pools[1])


def expected_hits(ranks: Ranks) -> float:
    """Hits@1 where one of several equally good candidates is taken at random."""
    return float(np.mean((ranks.optimistic == 1) / ranks.pessimistic))


def _with(candidates: Candidates, links: Pairs) -> Candidates:
    """The candidates and, where they are missing, the right ones; nothing speaks for any of them yet."""
    width = candidates.shape[1]
    left, right = (
        np.concatenate([had, more]) for had, more in zip((candidates.left, candidates.right), links.T, strict=True)
    )
    places = np.unique(left.astype(np.int64) * width + right)
    nothing = np.zeros(len(places), dtype=np.float32)
    ends = (places // width).astype(np.int32), (places % width).astype(np.int32)
    return Candidates(*ends, nothing, nothing, nothing.astype(np.float64), candidates.shape, candidates.rounds)
