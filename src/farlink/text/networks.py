"""The networks of encoders, forward only: tables of token vectors, and transformers of the kind of BERT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from pydantic import BaseModel, NonNegativeInt, PositiveFloat, PositiveInt, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from farlink.errors import InputError
from farlink.text.encoder_folder import CONFIG, Module, json_in, weights_in

ARCHITECTURES = ("bert", "roberta", "xlm-roberta")
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "torch.nn.modules.activation.Tanh": torch.tanh,
    "torch.nn.modules.linear.Identity": lambda states: states,
}

Tokens = Sequence[Sequence[int]]
Step = Callable[[Tensor], Tensor]


class Weights:
    """The tensors of a file, each asked for with the shape that it must have."""

    def __init__(self, folder: Path) -> None:
        self.file = weights_in(folder)
        try:
            self.tensors = load_file(self.file)
        except (SafetensorError, ValueError) as problem:
            raise InputError(self.file, f"is no safetensors file: {problem}") from None

    def named(self, *names: str) -> str:
        """The first of the names that there is, whatever stands before it."""
        for name in names:
            for found in self.tensors:
                if found == name or found.endswith(f".{name}"):
                    return found
        raise InputError(self.file, f"has no tensor {names[0]!r}")

    def tensor(self, name: str, *shape: int | None) -> Tensor:
        """A tensor in float32; None is any size."""
        if name not in self.tensors:
            raise InputError(self.file, f"has no tensor {name!r}")
        found = self.tensors[name]
        if len(found.shape) != len(shape) or any(b not in (None, a) for a, b in zip(found.shape, shape, strict=True)):
            raise InputError(self.file, f"{name} has the shape {_sizes(*found.shape)}; expected {_sizes(*shape)}")
        numbers = found.float()
        if not bool(torch.isfinite(numbers).all()):
            raise InputError(self.file, f"{name} has numbers that are not finite")
        return numbers


def _sizes(*shape: int | None) -> str:
    return " × ".join("any" if size is None else f"{size:,}" for size in shape) or "of a single number"


class TokenTable:
    """A vector for every token; that of a text is their sum, weighted where the folder has weights."""

    longest, special = 512, False

    def __init__(self, module: Module, tokens: int) -> None:
        weights = Weights(module.folder)
        self.table = weights.tensor(weights.named("embeddings", "embedding.weight"), None, None)
        self.rows = weights.tensor("mapping", tokens).long() if "mapping" in weights.tensors else torch.arange(tokens)
        self.share = weights.tensor("weights", tokens) if "weights" in weights.tensors else torch.ones(tokens)
        if tokens and not 0 <= int(self.rows.min()) <= int(self.rows.max()) < len(self.table):
            problem = f"has vectors for {len(self.table):,} tokens, and the tokenizer names {tokens:,}"
            raise InputError(weights.file, problem)
        self.width = self.table.shape[1]

    def __call__(self, texts: Tokens) -> Tensor:
        """A vector for every text."""
        tokens = torch.tensor([token for text in texts for token in text], dtype=torch.long)
        begins = torch.tensor([0, *(len(text) for text in texts)]).cumsum(0)[:-1]
        rows, share = self.rows[tokens], self.share[tokens]
        return functional.embedding_bag(rows, self.table, begins, mode="sum", per_sample_weights=share)


class BertConfig(BaseModel):
    """The sizes of a transformer as its config.json tells them."""

    hidden_size: PositiveInt
    num_hidden_layers: PositiveInt
    num_attention_heads: PositiveInt
    intermediate_size: PositiveInt
    max_position_embeddings: PositiveInt
    hidden_act: Literal["gelu", "relu"] = "gelu"
    position_embedding_type: Literal["absolute"] = "absolute"
    layer_norm_eps: PositiveFloat = 1e-12
    pad_token_id: NonNegativeInt = 0


def bert_config(folder: Path) -> tuple[BertConfig, int]:
    """The sizes, and the first position: RoBERTa counts from the one after that of padding."""
    settings = json_in(folder / CONFIG)
    kind = settings.get("model_type")
    if kind not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise InputError(
            folder / CONFIG, f"{kind!r} is no architecture that can be read; expected {known} or model2vec"
        )
    try:
        config = BertConfig.model_validate({name: value for name, value in settings.items() if value is not None})
    except ValidationError as problem:
        first = problem.errors()[0]
        raise InputError(folder / CONFIG, f"{first['loc'][0]}: {first['msg']}") from None
    if config.hidden_size % config.num_attention_heads:
        raise InputError(folder / CONFIG, "hidden_size is no multiple of num_attention_heads")
    return config, 0 if kind == "bert" else config.pad_token_id + 1


@dataclass(frozen=True)
class Norm:
    """Layer normalisation."""

    weight: Tensor
    bias: Tensor
    epsilon: float

    def __call__(self, states: Tensor) -> Tensor:
        """The states, normalised."""
        return functional.layer_norm(states, self.weight.shape, self.weight, self.bias, self.epsilon)


@dataclass(frozen=True)
class Linear:
    """A matrix and a bias."""

    weight: Tensor
    bias: Tensor

    def __call__(self, states: Tensor) -> Tensor:
        """The states, multiplied."""
        return functional.linear(states, self.weight, self.bias)


@dataclass(frozen=True)
class Layer:
    """A layer of a transformer."""

    attended: tuple[Linear, Linear, Linear]  # query, key and value
    gathered: Linear
    attention_norm: Norm
    wider: Linear
    narrower: Linear
    norm: Norm
    heads: int
    activation: Step

    def __call__(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """The states one layer further; no token looks at one that is masked."""
        query, key, value = (self._heads(part(states)) for part in self.attended)
        seen = functional.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2).flatten(2)
        states = self.attention_norm(states + self.gathered(seen))
        return self.norm(states + self.narrower(self.activation(self.wider(states))))

    def _heads(self, states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], self.heads, -1).transpose(1, 2)


class Transformer:
    """A transformer of the kind of BERT, the states of whose tokens make one vector."""

    special = True

    def __init__(self, modules: Sequence[Module], tokens: int) -> None:
        first, *further = modules
        self.config, self.first_position = bert_config(first.folder)
        weights = Weights(first.folder)
        words = "embeddings.word_embeddings.weight"
        self.prefix = weights.named(words)[: -len(words)]
        self._read(weights, tokens)
        self.first_token, self.steps, self.width = pooled(first.folder, further, self.config.hidden_size)
        self.longest = self._longest(first.folder)

    def _read(self, weights: Weights, tokens: int) -> None:
        config = self.config
        table = f"{self.prefix}embeddings."
        self.words = weights.tensor(f"{table}word_embeddings.weight", None, config.hidden_size)
        if len(self.words) < tokens:
            problem = f"has vectors for {len(self.words):,} tokens, and the tokenizer names {tokens:,}"
            raise InputError(weights.file, problem)
        positions = config.max_position_embeddings
        self.positions = weights.tensor(f"{table}position_embeddings.weight", positions, config.hidden_size)
        self.kind = weights.tensor(f"{table}token_type_embeddings.weight", None, config.hidden_size)[0]
        self.norm = self._norm(weights, f"{table}LayerNorm")
        self.layers = [self._layer(weights, number) for number in range(config.num_hidden_layers)]

    def _layer(self, weights: Weights, number: int) -> Layer:
        here, size, wide = (
            f"{self.prefix}encoder.layer.{number}",
            self.config.hidden_size,
            self.config.intermediate_size,
        )
        query, key, value = (
            _linear(weights, f"{here}.attention.self.{part}", size, size) for part in ("query", "key", "value")
        )
        return Layer(
            attended=(query, key, value),
            gathered=_linear(weights, f"{here}.attention.output.dense", size, size),
            attention_norm=self._norm(weights, f"{here}.attention.output.LayerNorm"),
            wider=_linear(weights, f"{here}.intermediate.dense", wide, size),
            narrower=_linear(weights, f"{here}.output.dense", size, wide),
            norm=self._norm(weights, f"{here}.output.LayerNorm"),
            heads=self.config.num_attention_heads,
            activation=functional.gelu if self.config.hidden_act == "gelu" else functional.relu,
        )

    def _norm(self, weights: Weights, name: str) -> Norm:
        size = self.config.hidden_size
        bias = weights.tensor(f"{name}.bias", size)
        return Norm(weights.tensor(f"{name}.weight", size), bias, self.config.layer_norm_eps)

    def _longest(self, folder: Path) -> int:
        """Tokens of a text that are read: as many as the folder says, and as there are positions for."""
        positions = self.config.max_position_embeddings - self.first_position
        file = folder / "sentence_bert_config.json"
        wanted = json_in(file).get("max_seq_length") if file.exists() else None
        return min(wanted, positions) if isinstance(wanted, int) and wanted > 2 else positions

    def __call__(self, texts: Tokens) -> Tensor:
        """A vector for every text."""
        lengths = torch.tensor([len(text) for text in texts])
        padded = torch.zeros(len(texts), int(lengths.max()), dtype=torch.long)
        for row, text in zip(padded, texts, strict=True):
            row[: len(text)] = torch.tensor(text)
        there = torch.arange(padded.shape[1]) < lengths[:, None]
        states = self._states(padded, there)
        found = states[:, 0] if self.first_token else (states * there[:, :, None]).sum(1) / lengths[:, None]
        for step in self.steps:
            found = step(found)
        return found

    def _states(self, tokens: Tensor, there: Tensor) -> Tensor:
        positions = self.positions[self.first_position : self.first_position + tokens.shape[1]]
        states = self.norm(self.words[tokens] + positions + self.kind)
        mask = None if bool(there.all()) else there[:, None, None, :]
        for layer in self.layers:
            states = layer(states, mask)
        return states


def _linear(weights: Weights, name: str, outputs: int | None, inputs: int) -> Linear:
    weight = weights.tensor(f"{name}.weight", outputs, inputs)
    return Linear(weight, weights.tensor(f"{name}.bias", len(weight)))


def pooled(folder: Path, modules: Sequence[Module], width: int) -> tuple[bool, list[Step], int]:
    """What becomes of the states: whether the first token speaks for all or their mean, further layers, the width."""
    first_token, steps = False, list[Step]()
    for module in modules:
        if module.kind == "Pooling":
            first_token = _pools_first_token(module.folder / CONFIG)
        elif module.kind == "Dense":
            dense, activation = _dense(module.folder, width)
            steps += [dense, activation]
            width = len(dense.weight)
        elif module.kind != "Normalize":  # rows get length one anyway
            raise InputError(folder, f"its module {module.kind} cannot be read; expected Pooling, Dense, Normalize")
    return first_token, steps, width


def _pools_first_token(file: Path) -> bool:
    settings = json_in(file)
    older = [name for name, on in settings.items() if name.startswith("pooling_mode_") and on is True]
    mode = settings.get("pooling_mode") or " and ".join(older)
    if mode not in ("mean", "cls", "pooling_mode_mean_tokens", "pooling_mode_cls_token"):
        raise InputError(file, f"{mode or 'no mode'!r} is no pooling that can be read; expected mean or cls")
    return "cls" in mode


def _dense(folder: Path, width: int) -> tuple[Linear, Step]:
    name = json_in(folder / CONFIG).get("activation_function", "torch.nn.modules.activation.Tanh")
    if name not in ACTIVATIONS:
        raise InputError(
            folder / CONFIG, f"{name!r} is no activation that can be read; expected {', '.join(ACTIVATIONS)}"
        )
    weights = Weights(folder)
    weight = weights.tensor("linear.weight", None, width)
    bias = weights.tensor("linear.bias", len(weight)) if "linear.bias" in weights.tensors else torch.zeros(len(weight))
    return Linear(weight, bias), ACTIVATIONS[name]
