"""The methods of alignment by name, and the presets of both tasks: what each changes about the default settings.

This is the one list of methods. Nothing heavy is imported here: the class of a method is when it is to run, by
`alignment/methods`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Preset = Literal["best", "fast", "paper", "authors"]
Changes = Mapping[str, Any]
Presets = Mapping[Preset, Changes]


@dataclass(frozen=True)
class MethodEntry:
    """A method of alignment."""

    home: str  # module and class, in `alignment/methods`
    presets: Presets  # one alone, `best`, is what the method has in place of presets
    network: bool = False  # whether it trains the network that reads paths, and has the settings of that
    lacks: frozenset[str] = frozenset()  # settings of all others that mean nothing to it


# `paper`, for both tasks. It names every setting that takes part, so that other defaults never change it.
_PAPER: Changes = {
    # the paper's appendix
    "model": "rsn",
    "cell": "lstm",
    "layers": 2,
    "width": 256,
    "loss": "nce",
    "walk_steps": "entities",
    "walk_epochs": 0,
    # the authors' setting where the paper is silent
    "dropout": 0.5,
    "clip_norm": 2.0,
    "schedule": "constant",
    # ours where neither suits or speaks
    "entity_negatives": 4096,
    "relation_negatives": 256,
    "norm": "path",
    "optimiser": "rows",
    "patience": 3,
    "holdout": 0.1,
    "precision": "auto",
    "minutes": 0.0,
}
_PAPER_ALIGNMENT: Changes = {
    **_PAPER,
    # the paper's appendix
    "walk_length": 15,
    "depth_bias": 0.9,
    "cross_bias": 0.9,
    "batch_size": 512,
    "learning_rate": 0.003,
    # the paper's text: linked entities in each other's triples, entity vectors compared as they are
    "signals": "structure,types",
    "encoder": "",
    "readings": "never",
    "network": "always",
    "cardinality": "one-to-one",
    "linking": "swap",
    "start": "random",
    "vectors": "input",
    "temperature": 0.0,
    "evidence": 0.0,
    "rounds": 0,
    "bootstrapping": False,
    # the authors' setting
    "walks_per_triple": 2.0,
    # ours: patience ends the training
    "max_epochs": 30,
    # ours: nearest entities that the one-to-one mapping chooses from
    "candidates": 50,
}
# What a method of others changes about the defaults. An epoch holds five passes over the triples.
_PLAIN: dict[str, Any] = {
    "precision": "float32",
    "width": 100,
    "batch_size": 4096,
    "learning_rate": 0.003,
    "schedule": "constant",
    "max_epochs": 120,
    "patience": 10,
    "temperature": 0.0,
    "evidence": 0.0,
    "signals": "structure,types",
}


def _of_others(home: str, lacks: frozenset[str] = frozenset(), **changes: Any) -> MethodEntry:
    own = {name: value for name, value in (_PLAIN | changes).items() if name not in lacks}
    return MethodEntry(home, {"best": own}, lacks=lacks)


METHODS: dict[str, MethodEntry] = {
    "rsn": MethodEntry(
        "rsn:RSN",
        {
            "best": {},
            "fast": {"max_epochs": 1, "entity_negatives": 1024},
            "paper": _PAPER_ALIGNMENT,
            "authors": {
                **_PAPER_ALIGNMENT,
                # what the authors' published code does otherwise than the paper's text, where it matters
                "walk_steps": "triples",
                "walk_epochs": 1,
                "cell": "lstm-identity",
                "norm": "step",
                "loss": "log-uniform",
                "entity_negatives": 8192,
                "relation_negatives": 0.333,
                "optimiser": "dense",
                # the epochs of their published log
                "max_epochs": 14,
                "patience": 0,
            },
        },
        network=True,
    ),
    "mtranse": _of_others("mtranse:MTransE"),
    "iptranse": _of_others("iptranse:IPTransE"),
    "jape": _of_others("jape:JAPE"),
    "bootea": _of_others("bootea:BootEA", learning_rate=0.006, schedule="linear", max_epochs=20, patience=0),
    # a step of it takes all seeds
    "gcn-align": _of_others("gcn_align:GCNAlign", frozenset({"batch_size"}), width=200, learning_rate=0.03),
    "transr": _of_others("pykeen:TransR", width=50, learning_rate=0.01),
    "transd": _of_others("pykeen:TransD", learning_rate=0.01),
    "conve": _of_others("pykeen:ConvE", batch_size=1024, learning_rate=0.01, precision="auto"),
    "rotate": _of_others("pykeen:RotatE", width=200, learning_rate=0.01),
}
DEFAULT_METHOD = "rsn"
_SHORT_WALKS: Changes = {"walk_length": 7, "depth_bias": 0.7}  # the paper's, for completion
COMPLETION_PRESETS: Presets = {
    "best": _SHORT_WALKS,
    "fast": {
        **_SHORT_WALKS,
        "max_epochs": 1,
        "question_epochs": 3,
        "question_dropout": 0.0,
        "factors": 128,
        "factor_epochs": 6,
    },
    "paper": {
        **_PAPER,
        # the paper's appendix
        "walk_length": 7,
        "depth_bias": 0.7,
        "batch_size": 2048,
        "learning_rate": 0.0001,
        # ours: patience ends the training
        "walks_per_triple": 1.0,
        "max_epochs": 100,
        "min_steps": 100,
        # the network alone, by its walks alone
        "question_epochs": 0,
        "factors": 0,
        "rules": 0,
    },
}
