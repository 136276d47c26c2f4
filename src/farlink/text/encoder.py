"""Vectors of texts by an encoder in a local folder; nothing is ever downloaded, and pickles are not read.

PyTorch and the extra `encoder` are loaded with the first folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from farlink.errors import InputError
from farlink.text.encoder_folder import checked, modules_of, tokenizer_in

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

SLICE = 4096  # texts that are tokens at a time
BATCH = 1024  # tokens that pass through the network at a time, padding among them; more no longer fit the cache
LETTERS = 16  # of a text that are read for each token it may have; no language comes near


class Network(Protocol):
    """What makes vectors of tokens."""

    width: int
    longest: int  # tokens of a text
    special: bool  # whether it expects the tokens for begin and end

    def __call__(self, texts: Sequence[Sequence[int]], /) -> Tensor:
        """A vector for every text, of any length."""


@dataclass(frozen=True)
class Encoder:
    """Makes vectors of texts. What of a text is beyond the tokens that the network can take is not read."""

    folder: Path
    tokenizer: Tokenizer
    network: Network
    unknown: int | None = None  # a token that says nothing, and is left out

    @property
    def width(self) -> int:
        """Numbers in a vector."""
        return self.network.width

    def vectors(self, texts: list[str]) -> NDArray[np.float32]:
        """A row of length one for every text; zeros where the encoder knows nothing of a text.

        The memory beyond the result does not depend on how many texts there are or how long they are.
        """
        distinct = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        order, found = list(distinct), np.zeros((len(distinct), self.width), np.float32)
        for begin in range(0, len(order), SLICE):
            self._fill(found[begin : begin + SLICE], order[begin : begin + SLICE])
        return found if len(order) == len(texts) else found[[distinct[text] for text in texts]]

    def _fill(self, rows: NDArray[np.float32], texts: Sequence[str]) -> None:
        import torch

        tokens = self._tokens(texts)
        with torch.inference_mode():
            for batch in _batches([len(text) for text in tokens]):
                found = self.network([tokens[place] for place in batch])
                rows[batch] = torch.nn.functional.normalize(found, dim=1).numpy()

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        read = [text[: LETTERS * self.network.longest] for text in texts]
        encoded = self.tokenizer.encode_batch_fast(read, add_special_tokens=self.network.special)
        if self.unknown is None:
            return [text.ids for text in encoded]
        return [[token for token in text.ids if token != self.unknown] for text in encoded]


def load_encoder(folder: str | Path) -> Encoder:
    """The encoder in a folder of model2vec or sentence-transformers; whatever of it cannot be read is an error."""
    path = checked(folder)
    modules = modules_of(path)
    if not modules or modules[0].kind not in ("Transformer", "StaticEmbedding"):
        kinds = ", ".join(module.kind for module in modules) or "nothing"
        raise InputError(path, f"is made of {kinds}; expected a Transformer or a StaticEmbedding first")
    tokenizer = tokenizer_in(modules[0].folder)
    names = tokenizer.get_vocab(with_added_tokens=True).values()
    tokens = max(names, default=-1) + 1

    from farlink.text.networks import TokenTable, Transformer

    static = modules[0].kind == "StaticEmbedding"
    network: Network = TokenTable(modules[0], tokens) if static else Transformer(modules, tokens)
    tokenizer.enable_truncation(network.longest)
    return Encoder(path, tokenizer, network, _unknown(tokenizer) if static else None)


def _unknown(tokenizer: Tokenizer) -> int | None:
    """The token for what the tokenizer does not know."""
    name = getattr(tokenizer.model, "unk_token", None)
    return tokenizer.token_to_id(name) if name else None


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts of like length, the longest first, as many as a batch has tokens for; no empty ones."""
    batch = list[int]()
    some = (place for place, length in enumerate(lengths) if length)
    for place in sorted(some, key=lengths.__getitem__, reverse=True):
        if batch and (len(batch) + 1) * lengths[batch[0]] > BATCH:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
