"""How good a completion is: all figures of a run, by mapping class, by relation, and as probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.completion.ensemble import Ensemble, ranks_of, with_best_weights
from farlink.completion.prediction import predictions
from farlink.completion.questions import Questions
from farlink.completion.ranking import Score
from farlink.completion.task import CompletionTask
from farlink.completion.training_data import TrainingData
from farlink.graph.edges import distinct_ends, with_reverses
from farlink.graph.ids import Ids, Triples
from farlink.measures.calibration import Calibration, reliability
from farlink.measures.ranks import Ranks

CALIBRATED = 10  # best new answers of a validation question that probabilities are learned from


def measured(
    task: CompletionTask, data: TrainingData, scorers: Mapping[str, Score]
) -> tuple[dict[str, Any], pl.DataFrame | None]:
    """The figures of all scorers together, of each alone and of the others without it.

    And those by relation, of the part that measures best, if there is one.
    """
    ensemble = _weighed(data, scorers, list(scorers))
    variants = {("alone", name): ensemble.alone(name) for name in scorers}
    if len(scorers) > 1:
        variants |= {
            ("without", name): _weighed(data, scorers, [other for other in scorers if other != name])
            for name in scorers
        }
    metrics: dict[str, Any] = {"weights": dict(ensemble.weights)}
    by_relation = None
    for part, triples, known in (
        ("validation", task.valid, data.known),
        ("test", task.test, task.known(with_test=True)),
    ):
        if len(triples):
            ranks, *others = ranks_of([ensemble, *variants.values()], triples, known, data.relations)
            metrics[part] = {side: found.summary() for side, found in ranks.items()}
            for (variant, name), found in zip(variants, others, strict=True):
                metrics[part].setdefault(variant, {})[name] = found["both"].summary()
            classes = mapping_classes(task.graph.triples, data.relations)
            metrics[part]["classes"] = by_class(ranks, classes[triples[:, 1]])
            metrics[part]["unseen"] = _unseen(data, triples)
            by_relation = relation_table(ranks, triples[:, 1], task.graph.relations, classes)
    metrics["calibration"] = calibrated(ensemble, task.valid, data.questions, data.relations)
    return metrics, by_relation


def _weighed(data: TrainingData, scorers: Mapping[str, Score], names: list[str]) -> Ensemble:
    """Some of the scorers, with the weights that suit the validation triples."""
    return with_best_weights(data.ensemble(scorers), names, data.valid, data.known, data.relations)


def _unseen(data: TrainingData, triples: Triples) -> dict[str, int]:
    """Entities and triples of a part that the graph to learn from says nothing about."""
    entities, relations = (flags.numpy() for flags in data.seen)
    ends = np.unique(triples[:, ::2])
    unseen = ~(entities[triples[:, 0]] & entities[triples[:, 2]] & relations[triples[:, 1]])
    return {"entities": int((~entities[ends]).sum()), "triples": int(unseen.sum())}


def mapping_classes(triples: Triples, relations: int) -> NDArray[np.str_]:
    """1-1, 1-N, N-1 or N-N for every relation: N is more than 1.5 on average, as usual."""
    count = np.maximum(np.bincount(triples[:, 1], minlength=relations), 1)

    def mean_others(end: int) -> NDArray[np.float64]:
        others = distinct_ends(triples[:, 1], triples[:, end], relations)
        return np.asarray(count / np.maximum(others, 1))

    many_tails, many_heads = mean_others(0) > 1.5, mean_others(2) > 1.5
    return np.where(many_heads, np.where(many_tails, "N-N", "N-1"), np.where(many_tails, "1-N", "1-1"))


def by_class(ranks: dict[str, Ranks], classes: NDArray[np.str_]) -> dict[str, dict[str, dict[str, float]]]:
    """Figures by mapping class and side; `classes` has one for every triple."""
    return {
        str(name): {side: ranks[side].of(classes == name).summary() for side in ("tail", "head")}
        for name in np.unique(classes)
    }


def relation_table(ranks: dict[str, Ranks], relation: Ids, names: pl.Series, classes: NDArray[np.str_]) -> pl.DataFrame:
    """A row for every relation of the triples: its class, how many there are, and figures by side and for both."""
    frame = pl.DataFrame(
        {
            "relation": names.gather(relation),
            "class": classes[relation],
            **{f"{side}_rank": ranks[side].realistic for side in ("tail", "head")},
        }
    )
    sides = [pl.col(f"{side}_rank") for side in ("tail", "head")]
    figures = {f"mrr_{side}": (1 / rank).mean() for side, rank in zip(("tail", "head"), sides, strict=True)}
    figures["mrr"] = pl.mean_horizontal(*((1 / rank).mean() for rank in sides))
    figures["hits@10"] = pl.mean_horizontal(*((rank <= 10).mean() for rank in sides))
    grouped = frame.group_by("relation", "class").agg(triples=pl.len(), **figures)
    return grouped.sort("triples", "relation", descending=[True, False])


def calibrated(ensemble: Ensemble, valid: Triples, learned: Questions, relations: int) -> dict[str, Any] | None:
    """How likely a new answer is true, learned from the best new answers to the questions of validation triples.

    An answer counts as true if it is a validation triple. Facts that nobody wrote down count as false, so that the
    probability is rather too low than too high.
    """
    if not len(valid):
        return None
    truth = Questions.about(with_reverses(valid, relations))
    found = predictions(ensemble, truth.head, truth.relation, learned, CALIBRATED, keep_known=False)
    first, answers = truth.first, truth.answer
    true = np.zeros(found.entity.shape, dtype=bool)
    for place in range(found.entity.shape[1]):
        true[:, place] = _is_answer(found.entity[:, place], first, answers, len(ensemble.seen_entities))
    features, right = found.features(), true.ravel()
    finite = np.isfinite(features).all(axis=1)
    model = Calibration.fit(features[finite], right[finite])
    figures = reliability(model(features[finite]), right[finite])
    return {"weights": model.weights.tolist(), **figures}


def _is_answer(entity: NDArray[np.int64], first: NDArray[np.int64], answers: Ids, entities: int) -> NDArray[np.bool_]:
    """Whether entity i is an answer of question i."""
    question = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return np.isin(np.arange(len(entity)) * entities + entity, question * entities + answers)
