"""The files of an encoder in a local folder, as model2vec and sentence-transformers lay them out."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from farlink.errors import FarlinkError, InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS, TOKENIZER, VOCABULARY, CONFIG, MODULES = (
    "model.safetensors", "tokenizer.json", "vocab.txt", "config.json", "modules.json",
)  # fmt: skip
PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle", "*.ckpt")


class Module(NamedTuple):
    """One step from a text to its vector: the kind that sentence-transformers calls it, and its folder."""

    kind: str
    folder: Path


def checked(path: str | Path) -> Path:
    """The folder, if it is one; what is not there is not downloaded."""
    folder = Path(path)
    if not folder.is_dir():
        kind = "a file" if folder.exists() else "not there"
        raise InputError(folder, f"an encoder is a folder, and this is {kind}; encoders are read, never downloaded")
    return folder


def modules_of(folder: Path) -> list[Module]:
    """The steps that the folder names, or those that one without modules.json stands for."""
    if not (folder / MODULES).exists():
        static = json_in(folder / CONFIG).get("model_type") == "model2vec"
        return [Module("StaticEmbedding" if static else "Transformer", folder)]
    listed = _parsed(folder / MODULES)
    try:
        return [Module(step["type"].rsplit(".", 1)[-1], folder / step["path"]) for step in listed]
    except (TypeError, KeyError, AttributeError):
        raise InputError(folder / MODULES, "expected a list of modules, each with its type and path") from None


def json_in(file: Path) -> dict[str, Any]:
    """The object that a JSON file holds."""
    found = _parsed(file)
    if not isinstance(found, dict):
        raise InputError(file, "expected an object of settings")
    return found


def _parsed(file: Path) -> Any:
    try:
        return json.loads(there(file).read_text(encoding="utf-8"))
    except ValueError as problem:
        raise InputError(file, f"is no JSON: {problem}") from None


def there(file: Path) -> Path:
    """The file, if it is there."""
    if not file.is_file():
        raise InputError(file.parent, f"the encoder has no {file.name}")
    return file


def weights_in(folder: Path) -> Path:
    """The file of weights. Pickles are refused, as reading one runs whatever code is in it."""
    file = folder / WEIGHTS
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    if not file.exists() and pickles:
        raise InputError(
            folder / pickles[0], f"pickled weights are not read, as they may run any code; save them as {WEIGHTS}"
        )
    if not file.exists() and (folder / f"{WEIGHTS}.index.json").exists():
        raise InputError(folder, f"weights in several files are not read; save them as one {WEIGHTS}")
    return there(file)


def fingerprint(path: str | Path) -> str:
    """A digest that changes when an encoder's weights or words change; what cannot be one is an error."""
    digest = hashlib.sha256()
    for module in modules_of(checked(path))[:1]:
        words = module.folder / VOCABULARY
        for file in (weights_in(module.folder), words if words.exists() else there(module.folder / TOKENIZER)):
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def tokenizer_in(folder: Path) -> Tokenizer:
    """The tokenizer of the folder: tokenizer.json, or the words of BERT in vocab.txt."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise FarlinkError("an encoder needs tokenizers: pip install 'farlink[encoder]'", "encoder") from None
    if not (folder / TOKENIZER).exists() and (folder / VOCABULARY).exists():
        return _of_words(folder)
    file = there(folder / TOKENIZER)
    try:
        tokenizer: Tokenizer = Tokenizer.from_file(str(file))
    except Exception as problem:  # the tokenizer raises bare exceptions
        raise InputError(file, f"is no tokenizer: {problem}") from None
    tokenizer.no_padding()
    return tokenizer


def _of_words(folder: Path) -> Tokenizer:
    """BERT's tokenizer, of a list of words and parts of words."""
    from tokenizers import BertWordPieceTokenizer

    settings = json_in(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").exists() else {}
    words = (folder / VOCABULARY).read_text(encoding="utf-8").splitlines()
    if lacking := {"[UNK]", "[CLS]", "[SEP]"} - set(words):
        raise InputError(folder / VOCABULARY, f"has no {min(lacking)}")
    numbered = {word: number for number, word in enumerate(words)}
    lowercase = bool(settings.get("do_lower_case", True))
    tokenizer: Tokenizer = BertWordPieceTokenizer(numbered, lowercase=lowercase)._tokenizer
    return tokenizer
