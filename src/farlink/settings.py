"""Every setting with its default, its range and its meaning; the presets; the run folder's `config.toml`.

The command line, the Python API (keyword arguments) and the run folder all come from
the classes below: one for all tasks, and one for each.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo

from farlink.errors import FarlinkError
from farlink.wording import did_you_mean, similar

Preset = Literal["best", "fast", "paper"]
Precision = Literal["auto", "float32", "bfloat16"]
Kind = Literal["rsn", "rrn", "rnn"]  # networks that read paths
Cell = Literal["lstm", "gru"]
LossKind = Literal["nce", "softmax"]
Auto = Literal["auto"]  # a value that is chosen while the run is made, and told in its folder


class Settings(BaseModel):
    """Settings of every task: walks, network, loss and training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: Preset = Field("best", description="the preset these settings started from")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="the one source of all randomness")

    holdout: float = Field(
        0.1,
        ge=0.0,
        le=0.5,
        description="share of what is known held out for validation when no validation part is given",
    )

    walk_length: int = Field(15, ge=3, le=99, description="elements in a path, entities and relations; odd")
    walks_per_triple: float = Field(0.5, ge=0.01, le=100, description="walks from every triple in an epoch")
    depth_bias: float = Field(0.9, gt=0.0, lt=1.0, description="α: preference for entities far from the previous one")

    model: Kind = Field("rsn", description="network that reads the paths")
    cell: Cell = Field("gru", description="recurrent cell")
    layers: int = Field(1, ge=1, le=8, description="recurrent layers")
    width: int = Field(256, ge=4, le=4096, description="length of every vector")
    dropout: float = Field(0.5, ge=0.0, lt=1.0, description="share of the recurrent outputs dropped in training")

    loss: LossKind = Field("softmax", description="type-based NCE, or sampled softmax")
    entity_negatives: int = Field(2048, ge=1, le=2**20, description="noise entities drawn for a batch")
    relation_negatives: int = Field(256, ge=1, le=2**20, description="noise relations drawn for a batch")

    batch_size: int = Field(512, ge=1, le=2**16, description="paths in a training step")
    learning_rate: float = Field(0.003, gt=0.0, le=1.0, description="Adam's rate")
    schedule: Literal["constant", "linear"] = Field(
        "linear",
        description="the rate stays, or falls evenly to zero at the last epoch, of every stage if there are several",
    )
    clip_norm: float = Field(2.0, gt=0.0, description="longest gradient; a longer one is scaled down to it")
    max_epochs: int = Field(3, ge=1, le=100_000, description="epochs at the most")
    patience: int = Field(
        0, ge=0, description="epochs without a better validation score before stopping; 0: no early stop"
    )
    minutes: float = Field(
        0.0, ge=0.0, description="training ends with the epoch in which so many minutes are over; 0: no limit"
    )
    precision: Precision = Field(
        "auto",
        description="numbers that are multiplied in training; auto: bfloat16, half as long, where the processor has "
        "instructions for it",
    )
    threads: int = Field(0, ge=0, le=1024, description="processor threads; 0: all")

    @field_validator("walk_length")
    @classmethod
    def _odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("a path begins and ends with an entity, so its length is odd")
        return value

    def to_toml(self) -> str:
        """The settings as a commented TOML document."""
        lines = ["# Settings of this run. `farlink settings` explains them all."]
        for name, info in type(self).model_fields.items():
            lines += [
                "",
                f"# {info.description} ({valid_range(info)})",
                f"{name} = {json.dumps(getattr(self, name))}",
            ]
        return "\n".join(lines) + "\n"


class AlignmentSettings(Settings):
    """Settings of an alignment. The defaults are those of the preset `best`."""

    task: Literal["align"] = Field("align", description="what the run does")

    method: Literal[
        "rsn", "mtranse", "iptranse", "jape", "bootea", "gcn-align", "transr", "transd", "conve", "rotate"
    ] = Field("rsn", description="recurrent skipping networks, or a method of others to compare with")
    cross_bias: float = Field(0.9, gt=0.0, lt=1.0, description="β: preference for crossing to the other graph")
    linking: Literal["merge", "swap"] = Field(
        "merge", description="linked entities are one in the joint graph, or (the paper) stand in for each other"
    )
    start: Literal["seeds", "random"] = Field(
        "seeds", description="entity vectors start from the seeds around them, or at random"
    )
    vectors: Literal["input", "both", "all", "seeds"] = Field(
        "all",
        description="vectors compared: the input table; input and output side by side; or these, those of the "
        "neighbours, and what the network predicts from them; or what follows from the seeds without the network",
    )
    candidates: int = Field(50, ge=1, le=1000, description="nearest candidates of an entity that come into question")
    temperature: float = Field(
        0.1,
        ge=0.0,
        le=1.0,
        description="of Sinkhorn's balancing of candidates, lower is stricter; 0: plain cosine, without balancing and "
        "without agreeing triples",
    )
    evidence: float = Field(
        0.5,
        ge=0.0,
        le=10.0,
        description="weight of agreeing triples beside the vectors in a candidate's score; 0: none",
    )
    rounds: int = Field(
        2, ge=0, le=100, description="rounds in which links are found around the seeds, before training"
    )
    bootstrapping: bool = Field(
        True,
        description="links are found anew after every epoch, for the next one and for the vectors compared in the end",
    )
    confidence: float = Field(0.5, ge=0.0, lt=1.0, description="score above which a mutual best pair becomes a seed")


class CompletionSettings(Settings):
    """Settings of a completion. The defaults are those of the preset `best`."""

    task: Literal["complete"] = Field("complete", description="what the run does")

    min_steps: int = Field(
        100,
        ge=1,
        le=2**20,
        description="least steps in an epoch of walks, or of the tensor model: in a small graph batches are smaller "
        "than batch_size and factor_batch say",
    )
    question_epochs: Auto | Annotated[int, Field(ge=0, le=100_000)] = Field(
        "auto",
        description="epochs after those on walks in which the network learns from single questions, every entity a "
        "candidate; auto: 20, or 60 where question_dropout is 0; 0: walks only",
    )
    question_dropout: Auto | Annotated[float, Field(ge=0.0, lt=1.0)] = Field(
        "auto",
        description="share of the network's states dropped in those epochs, and half that share of the vectors it "
        "reads; auto: 0.4 or 0, by trials of two epochs on validation triples",
    )
    question_candidates: int = Field(
        8192,
        ge=1,
        le=2**20,
        description="entities that a step on questions tells the answers from; in a larger graph so many are drawn "
        "and stand for all",
    )
    rules: int = Field(
        200, ge=0, le=10_000, description="kinds of short paths that may speak for each relation; 0: no rules"
    )
    factors: int = Field(
        256, ge=0, le=4096, description="complex factors of the tensor model beside the network; 0: no tensor model"
    )
    factor_epochs: int = Field(12, ge=1, le=100_000, description="epochs of the tensor model")
    factor_batch: int = Field(512, ge=1, le=2**16, description="distinct questions in a step of the tensor model")
    factor_rate: float = Field(0.03, gt=0.0, le=1.0, description="Adam's rate for the tensor model")
    factor_decay: Auto | Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        "auto",
        description="weight of the nuclear 3-norm that keeps the factors small; auto: 0.05 or 0.01, by trials of four "
        "epochs with up to 128 factors on validation triples",
    )


# `paper`, for both tasks. It names every setting that takes part, so that other defaults never change it.
_PAPER: dict[str, Any] = {
    # the paper's appendix
    "model": "rsn",
    "cell": "lstm",
    "layers": 2,
    "width": 256,
    "loss": "nce",
    # the authors' setting where the paper is silent
    "dropout": 0.5,
    "clip_norm": 2.0,
    "schedule": "constant",
    # ours where neither suits or speaks
    "entity_negatives": 4096,
    "relation_negatives": 256,
    "patience": 3,
    "holdout": 0.1,
    "precision": "auto",
    "minutes": 0.0,
}
# What each preset changes about the defaults.
ALIGNMENT_PRESETS: dict[Preset, dict[str, Any]] = {
    "best": {},
    "fast": {"max_epochs": 1, "entity_negatives": 1024},
    "paper": {
        **_PAPER,
        # the paper's appendix
        "walk_length": 15,
        "depth_bias": 0.9,
        "cross_bias": 0.9,
        "batch_size": 512,
        "learning_rate": 0.003,
        # the paper's text: linked entities in each other's triples, entity vectors compared as they are
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
    },
}
# What a method of others changes about the defaults instead of a preset. An epoch holds five passes over the triples.
_PLAIN: dict[str, Any] = {
    "precision": "float32",
    "width": 100,
    "batch_size": 4096,
    "learning_rate": 0.003,
    "schedule": "constant",
    "max_epochs": 120,
    "patience": 10,
    "vectors": "input",
    "temperature": 0.0,
    "evidence": 0.0,
    "rounds": 0,
    "bootstrapping": False,
}
METHOD_SETTINGS: dict[str, dict[str, Any]] = {
    "mtranse": _PLAIN,
    "iptranse": _PLAIN,
    "jape": _PLAIN,
    "bootea": {**_PLAIN, "learning_rate": 0.006, "schedule": "linear", "max_epochs": 20, "patience": 0},
    "gcn-align": {**_PLAIN, "width": 200, "learning_rate": 0.03},
    "transr": {**_PLAIN, "width": 50, "learning_rate": 0.01},
    "transd": {**_PLAIN, "learning_rate": 0.01},
    "conve": {**_PLAIN, "batch_size": 1024, "learning_rate": 0.01, "precision": "auto"},
    "rotate": {**_PLAIN, "width": 200, "learning_rate": 0.01},
}
_OF_THE_NETWORK = {
    *("walk_length", "walks_per_triple", "depth_bias", "cross_bias", "linking", "start", "vectors", "model", "cell"),
    *("layers", "dropout", "loss", "entity_negatives", "relation_negatives"),
}  # settings that the methods of others do not know
_SHORT_WALKS: dict[str, Any] = {"walk_length": 7, "depth_bias": 0.7}  # the paper's, for completion
COMPLETION_PRESETS: dict[Preset, dict[str, Any]] = {
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
AnySettings = TypeVar("AnySettings", bound=Settings)
TASKS: dict[str, tuple[type[Settings], dict[Preset, dict[str, Any]]]] = {
    "align": (AlignmentSettings, ALIGNMENT_PRESETS),
    "complete": (CompletionSettings, COMPLETION_PRESETS),
}


def make_settings(preset: str = "best", **changes: Any) -> AlignmentSettings:
    """The preset for alignment with some settings changed; an unknown name or value is a clear error.

    A method of others has no presets but settings of its own, whatever the preset.
    """
    own = METHOD_SETTINGS.get(str(changes.get("method", "rsn")), {})
    if own and (idle := _OF_THE_NETWORK & changes.keys()):
        raise FarlinkError(f"{changes['method']} has no setting {', '.join(sorted(idle))}: only rsn has")
    return _made(
        AlignmentSettings, dict.fromkeys(ALIGNMENT_PRESETS, own) if own else ALIGNMENT_PRESETS, preset, changes
    )


def make_completion_settings(preset: str = "best", **changes: Any) -> CompletionSettings:
    """The preset for completion with some settings changed; an unknown name or value is a clear error."""
    return _made(CompletionSettings, COMPLETION_PRESETS, preset, changes)


def settings_from_toml(text: str) -> Settings:
    """The settings that `Settings.to_toml` wrote, of whichever task."""
    values = tomllib.loads(text)
    return _checked(TASKS[values["task"]][0], values)


def _made(
    kind: type[AnySettings], presets: Mapping[Preset, dict[str, Any]], preset: str, changes: Mapping[str, Any]
) -> AnySettings:
    chosen = next((values for name, values in presets.items() if name == preset), None)
    if chosen is None:
        raise FarlinkError(f"there is no preset '{preset}'; choose one of {', '.join(presets)}")
    return _checked(kind, {**chosen, **changes, "preset": preset})


def valid_range(info: FieldInfo) -> str:
    """What a setting may be, in words."""
    return _range(info.annotation, info.metadata)


def _range(kind: Any, rules: Iterable[Any]) -> str:
    """What a value of some type may be; of several types, what it may be of each."""
    if get_origin(kind) is Literal:
        return " | ".join(map(str, get_args(kind)))
    if get_origin(kind) is Annotated:
        inner, field = get_args(kind)
        return _range(inner, field.metadata)
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(_range(one, ()) for one in get_args(kind))
    if kind is bool:
        return "true | false"
    bounds = {name: getattr(rule, name) for rule in rules for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)}
    lower = f"from {bounds['ge']}" if "ge" in bounds else f"above {bounds['gt']}" if "gt" in bounds else ""
    upper = f"to {bounds['le']}" if "le" in bounds else f"below {bounds['lt']}" if "lt" in bounds else ""
    name = {int: "whole number", float: "number"}.get(kind, kind.__name__)
    return " ".join(part for part in (name, lower, upper) if part)


def _checked(kind: type[AnySettings], values: Mapping[str, Any]) -> AnySettings:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems = [_explain(kind, problem) for problem in error.errors()]  # of several types, one for each of them
        raise FarlinkError("; ".join(dict.fromkeys(problems))) from None


def _explain(kind: type[Settings], problem: Any) -> str:
    name, value = problem["loc"][0], problem["input"]
    fields = kind.model_fields
    if problem["type"] == "extra_forbidden":
        hint = did_you_mean(similar(name, list(fields), most=1)) or f"; there are: {', '.join(fields)}"
        return f"there is no setting '{name}'{hint}"
    reason = f" ({problem['ctx']['error']})" if problem["type"] == "value_error" else ""
    return f"{name} = {value}: expected {valid_range(fields[name])}{reason}"
