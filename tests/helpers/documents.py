"""Commands and code that the documents of the project show, and small files for them to work on."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import polars as pl

from helpers.pairs import Pair

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "experiments/*.md")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(farlink [^`]+)`")
LEFT = {"a0": "Nanjing", "a1": "China", "a_r0": "country"}
RIGHT = {"b0": "南京市", "b1": "中国", "b_r0": "国家"}


class Shown(NamedTuple):
    """A command as a document shows it; `alone` if it stands in a line of its own and not in a sentence."""

    document: str
    words: tuple[str, ...]
    alone: bool

    def __str__(self) -> str:
        return f"{self.document}: {shlex.join(('farlink', *self.words))}"


def documents() -> list[Path]:
    """The pages that are written for users."""
    return [path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))]


def shown_commands(path: Path) -> list[Shown]:
    """The commands of a page, those that stand alone in their order first."""
    text, name = path.read_text(), str(path.relative_to(ROOT))
    lines = [line for _, block in FENCED.findall(text) for line in block.splitlines() if line.startswith("farlink ")]
    alone = [(line, True) for line in lines] + [(line, False) for line in INLINE.findall(FENCED.sub("", text))]
    return [Shown(name, tuple(shlex.split(line, comments=True)[1:]), own) for line, own in alone]


def python_snippets(path: Path) -> list[str]:
    """The Python code of a page."""
    return [block for language, block in FENCED.findall(path.read_text()) if language == "python"]


def write_world(folder: Path) -> None:
    """Write files of the names that the documents use: two small graphs, their links, questions, benchmark folders."""
    pair = Pair.make()
    left, right = _with_iris(pair.left_frame, LEFT), _with_iris(pair.right_frame, RIGHT)
    links = pair.links.select(_iri("left", LEFT), _iri("right", RIGHT))
    parts = {"train": left[:-20], "valid": left[-20:-10], "test": left[-10:]}
    for name, frame in {"left": left, "right": right, "graph": left}.items():
        lines = "".join(f"<{head}> <{relation}> <{tail}> .\n" for head, relation, tail in frame.iter_rows())
        (folder / f"{name}.nt.gz").write_bytes(gzip.compress(lines.encode()))
    right.write_parquet(folder / "right.parquet")
    _write(folder, ".tsv", {"right": right, "graph": left, **parts, "more": parts["test"]})
    _write(folder, ".tsv", {"seeds": links[:20], "links": links, "known": links[15:]})
    (folder / "questions.tsv").write_text("Nanjing\tcountry\t?\n?\tcountry\tChina\n")
    _write(folder / "completion", ".txt", parts)
    benchmark = folder / "path/to/dbp_wd_15k_v1"
    _write(benchmark, "", {"rel_triples_1": left, "rel_triples_2": right})
    _write(benchmark, "_links", {"train": links[:20], "valid": links[20:25], "test": links[25:]})
    _write_hubs(folder / "hubs")


def _write_hubs(folder: Path) -> None:
    """A benchmark folder of graphs that get twice as dense without their entities of low degree."""
    ends = [(f"hub{i}", f"hub{j}") for i in range(40) for j in range(i)]
    ends += [(f"leaf{i}", f"hub{i % 40}") for i in range(200)]
    graphs = [pl.DataFrame([(side + h, "r", side + t) for h, t in ends], orient="row") for side in "ab"]
    _write(folder, "", {"rel_triples_1": graphs[0], "rel_triples_2": graphs[1]})
    names = sorted({name for pair in ends for name in pair})
    links = pl.DataFrame([(f"a{name}", f"b{name}") for name in names], orient="row")
    _write(folder, "_links", {"train": links[:80], "valid": links[80:90], "test": links[90:]})


def _write(folder: Path, ending: str, tables: dict[str, pl.DataFrame]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.write_csv(folder / f"{name}{ending}", separator="\t", include_header=False)


def _iri(column: str, names: dict[str, str]) -> pl.Expr:
    return (pl.lit("http://dbpedia.org/resource/") + pl.col(column).replace(names)).alias(column)


def _with_iris(frame: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    return frame.select(_iri(column, names) for column in ("head", "relation", "tail"))
