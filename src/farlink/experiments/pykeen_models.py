"""Link-prediction models of others, trained by PyKEEN on our splits and measured by our code."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import torch

from farlink.completion.ranking import both_sides
from farlink.completion.task import open_task
from farlink.errors import FarlinkError
from farlink.progress import Silent
from farlink.settings import make_completion_settings


def _margin(margin: float) -> dict[str, Any]:
    return {"loss": "nssa", "loss_kwargs": {"margin": margin, "adversarial_temperature": 1.0}}


# Distances and products are learned from drawn wrong triples, ConvE from all entities at once, heads by reverse
# relations. Widths, draws, rates and margins suit the minutes that a processor is given; short trainings, measured on
# validation triples of FB15K-237 and WN18, chose them. Bounded vectors want a small margin; fresh vectors
# of products are short, or nothing is learned for epochs.
SHORT = {name: partial(torch.nn.init.normal_, std=0.1) for name in ("entity_initializer", "relation_initializer")}
BASELINES: dict[str, dict[str, Any]] = {
    "TransE": {"model": {"embedding_dim": 128, "scoring_fct_norm": 1}, **_margin(9)},
    "TransR": {
        "model": {"embedding_dim": 64, "relation_dim": 64, "scoring_fct_norm": 2, "power_norm": True},
        **_margin(2),
    },
    "TransD": {"model": {"embedding_dim": 128, "relation_dim": 128}, **_margin(2)},
    "DistMult": {"model": {"embedding_dim": 128, "entity_constrainer": None, **SHORT}, **_margin(6)},
    "ComplEx": {"model": {"embedding_dim": 64, **SHORT}, **_margin(0)},
    "ConvE": {"model": {"embedding_dim": 200, "embedding_height": 10, "embedding_width": 20}, "loss": "bcewithlogits"},
    "RotatE": {"model": {"embedding_dim": 64}, **_margin(9)},
}
RATES = {"ConvE": 0.003, "ComplEx": 0.03}
RATE = 0.01  # of all others
BATCH = 1024
BATCHES = {"ConvE": 256}
NEGATIVES = 16  # drawn for every triple


def train_baseline(folder: Path, name: str, seed: int, seconds: float) -> dict[str, Any]:
    """Train a model for some seconds (whole epochs, one at the least): metrics, cost and last loss."""
    try:
        from farlink.experiments.pykeen_training import Scorer, facts, fresh_model, train
    except ImportError:
        raise FarlinkError("models of others need PyKEEN: install farlink with the extra 'baselines'") from None
    task = open_task(folder, settings=make_completion_settings(seed=seed), reporter=Silent())
    relations = len(task.graph.relations)
    factory = facts(task.graph.triples, len(task.graph.entities), relations, name)
    model = fresh_model(name, factory, seed, BASELINES[name])
    started = time.monotonic()
    rate, batch = RATES.get(name, RATE), BATCHES.get(name, BATCH)
    losses = train(model, factory, rate=rate, batch=batch, negatives=NEGATIVES, seconds=seconds)
    took = time.monotonic() - started
    ranks = both_sides(Scorer(name, model, relations), task.test, task.known(with_test=True), relations)
    metrics = {"test": {side: found.summary() for side, found in ranks.items()}}
    cost = {"seconds": round(took, 1), "epochs": len(losses), "threads": torch.get_num_threads()}
    return {"metrics": metrics, **cost, "loss": losses[-1]}
