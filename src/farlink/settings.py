"""Every setting with its default, its range and its meaning; the presets; the run folder's `config.toml`.

The command line, the Python API (keyword arguments) and the run folder all come from
the classes below: one for all tasks, and one for each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from farlink.errors import FarlinkError
from farlink.presets import COMPLETION_PRESETS, DEFAULT_METHOD, METHODS, Changes, Preset, Presets
from farlink.wording import did_you_mean, similar

Precision = Literal["auto", "float32", "bfloat16"]
Kind = Literal["rsn", "rrn", "rnn"]  # networks that read paths
Cell = Literal["lstm", "gru", "lstm-identity"]
LossKind = Literal["nce", "softmax", "log-uniform"]
Steps = Literal["entities", "triples"]  # what the steps of a walk are drawn among
Norm = Literal["path", "step"]
Optimiser = Literal["rows", "dense"]
Auto = Literal["auto"]  # a value that is chosen while the run is made, and told in its folder
SIGNALS = ("structure", "types", "names", "values", "text")  # what two graphs may say of an entity
ALL_SIGNALS = "all"
NETWORK = "the network that reads paths"  # marks the settings that a method without it does not have


class OneOf(NamedTuple):
    """The names that a setting may have."""

    names: tuple[str, ...]


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

    walk_length: Annotated[int, NETWORK] = Field(
        15, ge=3, le=99, description="elements in a path, entities and relations; odd"
    )
    walks_per_triple: Annotated[float, NETWORK] = Field(
        0.5, ge=0.01, le=100, description="walks from every triple in an epoch"
    )
    walk_epochs: Annotated[int, NETWORK] = Field(
        0, ge=0, le=100_000, description="epochs with walks of their own, before the same come again; 0: all epochs"
    )
    walk_steps: Annotated[Steps, NETWORK] = Field(
        "entities",
        description="what a step is drawn among: entities next to the current one, with α for those far from the one "
        "before and β for the other graph (the paper); or triples that leave it, with α for those that do not leave "
        "the first entity of the walk, too, and β for linked entities (the authors' code)",
    )
    depth_bias: Annotated[float, NETWORK] = Field(0.9, gt=0.0, lt=1.0, description="α: preference for going far")

    model: Annotated[Kind, NETWORK] = Field("rsn", description="network that reads the paths")
    cell: Annotated[Cell, NETWORK] = Field(
        "gru",
        description="recurrent cell; lstm-identity: an LSTM without tanh, whose recurrent matrices start orthogonal "
        "(the authors' code)",
    )
    layers: Annotated[int, NETWORK] = Field(1, ge=1, le=8, description="recurrent layers")
    width: int = Field(256, ge=4, le=4096, description="length of every vector")
    dropout: Annotated[float, NETWORK] = Field(
        0.5, ge=0.0, lt=1.0, description="share of the recurrent outputs dropped in training"
    )

    norm: Annotated[Norm, NETWORK] = Field(
        "path", description="batch norm takes its statistics over whole paths, or for each step of them by itself"
    )

    loss: Annotated[LossKind, NETWORK] = Field(
        "softmax",
        description="NCE by type; sampled softmax; or NCE with log-uniform noise by falling frequency, anew for every "
        "position, log-Q correction, and the sum over a path in place of the mean (the authors' code)",
    )
    entity_negatives: Annotated[int, NETWORK] = Field(
        2048, ge=1, le=2**20, description="noise entities drawn for a batch, or for each position of it"
    )
    relation_negatives: Annotated[
        Annotated[int, Field(ge=1, le=2**20)] | Annotated[float, Field(gt=0.0, lt=1.0)], NETWORK
    ] = Field(256, description="noise relations drawn in the same way, or below 1: which share of all")

    batch_size: int = Field(512, ge=1, le=2**16, description="paths in a training step")
    learning_rate: float = Field(0.003, gt=0.0, le=1.0, description="Adam's rate")
    optimiser: Annotated[Optimiser, NETWORK] = Field(
        "rows", description="Adam moves the rows that a step touched; or all, whose moments go on (the authors' code)"
    )
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
        0.0, ge=0.0, description="training ends with the epoch in which this time is over; 0: no limit"
    )
    precision: Precision = Field(
        "auto",
        description="number format of the products in training; auto: bfloat16, half as wide as float32, where the "
        "processor has instructions for it",
    )
    threads: Auto | Annotated[int, Field(ge=1, le=1024)] = Field(
        "auto", description="processor threads; auto: as many as the process may use"
    )

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

    method: Annotated[str, OneOf(tuple(METHODS))] = Field(
        DEFAULT_METHOD, description="recurrent skipping networks, or a method of others to compare with"
    )
    signals: str = Field(
        ALL_SIGNALS,
        description=f"what entities are compared by: all that there is, or some of {', '.join(SIGNALS)}, with commas",
    )
    encoder: str = Field(
        "",
        description="folder of an encoder that understands texts (model2vec or sentence-transformers, with weights in "
        "safetensors); empty: texts are not read",
    )
    readings: Literal["auto", "never"] = Field(
        "auto",
        description="whether names in Chinese and Japanese script are read and translated; auto: where the other graph "
        "uses other scripts and the extra `languages` is installed",
    )
    network: Annotated[Literal["auto", "always", "never"], NETWORK] = Field(
        "auto",
        description="whether the network is trained; auto: where structure is all that is read, as names settle "
        "most of what it could find",
    )
    cardinality: Literal["one-to-one", "many-to-one", "one-to-many", "many-to-many"] = Field(
        "one-to-one",
        description="whether several left entities may have one counterpart (many-to-one), a left entity may have "
        "several (one-to-many), or both",
    )
    cross_bias: Annotated[float, NETWORK] = Field(
        0.9, gt=0.0, lt=1.0, description="β: preference for crossing to the other graph"
    )
    linking: Annotated[Literal["merge", "swap"], NETWORK] = Field(
        "merge", description="linked entities are one in the joint graph, or (the paper) stand in for each other"
    )
    start: Annotated[Literal["seeds", "random"], NETWORK] = Field(
        "seeds", description="entity vectors start from the seeds around them, or at random"
    )
    vectors: Annotated[Literal["input", "both", "all", "seeds"], NETWORK] = Field(
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
    rounds: Annotated[int, NETWORK] = Field(
        2,
        ge=0,
        le=100,
        description="rounds in which links are found around the seeds, before training; more as long as each finds "
        "many more, as with few seeds",
    )
    bootstrapping: Annotated[bool, NETWORK] = Field(
        True,
        description="links are found anew after every epoch, for the next one and for the vectors compared in the end",
    )
    most_rounds: Annotated[int, NETWORK] = Field(
        12,
        ge=1,
        le=1000,
        description="rounds of matching with names or values, and of looking around few seeds, at the most; they end "
        "when little changes",
    )
    confidence: Annotated[float, NETWORK] = Field(
        0.5, ge=0.0, lt=1.0, description="score above which a mutual best pair becomes a seed"
    )
    hops: Annotated[int, NETWORK] = Field(
        3, ge=2, le=9, description="steps that the vectors of seeds spread over the graphs"
    )
    sinkhorn_rounds: int = Field(15, ge=1, le=1000, description="rounds of Sinkhorn's balancing")
    refinements: int = Field(
        3, ge=1, le=100, description="times that candidates are judged by the candidates of their neighbours"
    )
    evidence_prior: float = Field(
        3.0, gt=0.0, le=1000, description="triples that the average over all relations counts as, beside those of one"
    )
    evidence_likely: float = Field(
        0.5, ge=0.0, lt=1.0, description="score above which a pair is taken as right to count which relations agree"
    )
    evidence_least: float = Field(
        0.02, ge=0.0, lt=1.0, description="score up to which neighbours of a pair do not count as the same"
    )
    evidence_doubt: float = Field(
        0.05, gt=0.0, le=1.0, description="least factor by which a triple without a counterpart lowers a pair's odds"
    )

    vector_entities: int = Field(
        60_000,
        ge=0,
        le=2**31 - 1,
        description="entities of both sides up to which vectors spread over the graphs beside names and values; in "
        "larger ones these and agreeing triples decide",
    )
    evidence_turn: float = Field(
        10.0,
        gt=0.0,
        le=1000,
        description="log odds of agreeing triples from which on more of them count ever less, beside names and values",
    )

    @field_validator("encoder", mode="before")
    @classmethod
    def _path(cls, value: Any) -> Any:
        return str(value) if isinstance(value, Path) else value

    @field_validator("signals")
    @classmethod
    def _of_the_list(cls, value: str) -> str:
        named = [name.strip() for name in value.split(",")]
        if value != ALL_SIGNALS and not set(named) <= set(SIGNALS):
            raise ValueError(f"there are {', '.join(SIGNALS)}")
        if "types" in named and "structure" not in named:
            raise ValueError("types are triples: name structure, too")
        return value if value == ALL_SIGNALS else ",".join(name for name in SIGNALS if name in named)

    @property
    def signals_read(self) -> tuple[str, ...]:
        """The names of the signals that are read."""
        return SIGNALS if self.signals == ALL_SIGNALS else tuple(self.signals.split(","))

    @property
    def several(self) -> tuple[bool, bool]:
        """Whether a left, and whether a right entity may have several counterparts."""
        return self.cardinality.endswith("many"), self.cardinality.startswith("many")

    @field_validator("method")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in METHODS:
            raise PydanticCustomError("unknown", "there is no such method")
        return value


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
        description="candidates in a step on questions: all entities, or in a larger graph this many, drawn at random "
        "to represent all",
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


AnySettings = TypeVar("AnySettings", bound=Settings)
TASKS: dict[str, tuple[type[Settings], Presets]] = {
    "align": (AlignmentSettings, METHODS[DEFAULT_METHOD].presets),
    "complete": (CompletionSettings, COMPLETION_PRESETS),
}


def make_settings(preset: str = "best", **changes: Any) -> AlignmentSettings:
    """A preset for alignment with some settings changed; an unknown name or value is a clear error."""
    method = str(changes.get("method", DEFAULT_METHOD))
    if method not in METHODS:
        return _checked(AlignmentSettings, {"method": method})
    if idle := AlignmentSettings.model_fields.keys() & changes.keys() - settings_of(method):
        raise FarlinkError(f"{method} has no setting {', '.join(sorted(idle))}; see 'farlink settings {method}'")
    presets = METHODS[method].presets
    if len(presets) == 1 and preset not in presets:
        raise FarlinkError(
            f"{method} has no preset '{preset}' but settings of its own; see 'farlink settings {method}'"
        )
    return _made(AlignmentSettings, presets, preset, changes)


def settings_of(method: str) -> set[str]:
    """The names of the settings that a method has."""
    entry = METHODS[method]
    own = {
        name for name, info in AlignmentSettings.model_fields.items() if entry.network or NETWORK not in info.metadata
    }
    return own - entry.lacks - (set() if len(entry.presets) > 1 else {"preset"})


def make_completion_settings(preset: str = "best", **changes: Any) -> CompletionSettings:
    """The preset for completion with some settings changed; an unknown name or value is a clear error."""
    return _made(CompletionSettings, COMPLETION_PRESETS, preset, changes)


def settings_from(values: Mapping[str, Any]) -> Settings:
    """The settings of whichever task, all of them or what differs from the defaults."""
    return _checked(TASKS[values["task"]][0], values)


def _made(kind: type[AnySettings], presets: Presets, preset: str, changes: Changes) -> AnySettings:
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
    for rule in rules:
        if isinstance(rule, OneOf):
            return " | ".join(rule.names)
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
