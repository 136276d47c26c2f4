"""Filtered ranks of the test triples of FB15K, both sides, against the bare matrix products they need.

Network and tensor model are fresh, as what they have learned makes no difference to the time; the rules are learned.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import torch

from benchmarks.measure import CORES, GB, Row, measure
from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import Ensemble, scorers, seen
from farlink.completion.questions import Questions
from farlink.completion.ranking import CHUNK, both_sides
from farlink.completion.rules import learn_rules
from farlink.completion.task import CompletionTask, open_task
from farlink.demo import DATA as DEMO
from farlink.graph.edges import with_reverses
from farlink.progress import Silent
from farlink.rsn.objective import model_of
from farlink.settings import make_completion_settings

FB15K = Path(__file__).parents[2] / "shared" / "data" / "kgc" / "fb15k"
SECONDS, MEMORY = 60.0, 2.0  # at most

QUICK = {"folder": Path("nowhere"), "width": 8, "factors": 4}


def run(folder: Path = FB15K, width: int = 256, factors: int = 256) -> list[Row]:
    """Measure on a benchmark folder, or on a graph of the demo where that is absent."""
    torch.set_num_threads(CORES)
    settings = make_completion_settings(width=width, factors=factors)
    task, name = _task(folder)
    size, relations = len(task.graph.entities), len(task.graph.relations)
    both_ways = with_reverses(task.graph.triples, relations)
    rules = learn_rules(both_ways, size, 2 * relations, settings.rules, seed=0)
    said = scorers(model_of(settings, size, 2 * relations).eval(), Factors(size, 2 * relations, factors), rules)
    ensemble = Ensemble(said, dict.fromkeys(said, 1.0), *seen(task.graph.triples, size, relations))
    test, known = task.test if len(task.test) else task.valid, task.known(with_test=True)
    ranked = measure(partial(both_sides, ensemble, test, known, relations))
    questions = len(Questions.about(with_reverses(test, relations)))
    bare = measure(partial(multiply, questions, size, width + 2 * factors))
    what = f"filtered ranks of {len(test):,} triples, both sides, {questions:,} questions ({name})"
    return [
        Row(
            what=what,
            figure=ranked.seconds,
            unit="s",
            peak_memory=ranked.peak_memory,
            baseline=bare.seconds,
            baseline_what="bare products in chunks",
            at_most=SECONDS,
        ),
        Row(
            what=f"peak memory of {what}",
            figure=ranked.peak_memory / GB,
            unit="GB",
            peak_memory=ranked.peak_memory,
            baseline=CHUNK * size * 4 / GB,
            baseline_what="the scores of a chunk",
            at_most=MEMORY,
        ),
    ]


def _task(folder: Path) -> tuple[CompletionTask, str]:
    found = folder.is_dir()
    source, name = (folder, folder.name) if found else (DEMO / "atlas.nt.gz", "a demo graph, as FB15K is absent")
    return open_task(source, settings=make_completion_settings(), reporter=Silent()), name


def multiply(questions: int, entities: int, width: int) -> None:
    """Products of as many vectors as there are questions with one vector for each entity, a chunk at a time."""
    generator = torch.Generator().manual_seed(0)
    candidates = torch.randn(entities, width, generator=generator)
    states = torch.randn(CHUNK, width, generator=generator)
    for start in np.arange(0, questions, CHUNK):
        torch.mm(states[: min(CHUNK, questions - int(start))], candidates.T)
