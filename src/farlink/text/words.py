"""The words of names: what is learned about how two languages call the same."""

from __future__ import annotations

import polars as pl

from farlink.text.normal import by_distinct, normal_names

UNSPACED = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"  # scripts that put no blank between words
)


def words_of(names: pl.Series) -> pl.Series:
    """The distinct words of each name, as a list, in order.

    Words are parted as in the normal form, and are the same as there. Of scripts that write no blank, every character
    is a word, and so are every two that follow each other.
    """
    return by_distinct(names, _words)


def _words(names: pl.Series) -> pl.Series:
    clean = names.str.normalize("NFKC")
    spaced = normal_names(clean.str.replace_all(UNSPACED, " ")).str.split(" ")
    runs = clean.str.extract_all(UNSPACED + "+")
    if not runs.list.len().sum():
        return _distinct(spaced)
    table = pl.DataFrame({"name": range(len(names)), "run": runs}, schema_overrides={"name": pl.UInt32}).explode("run")
    table = table.filter(pl.col("run").is_not_null()).with_row_index("place")
    table = table.with_columns(pl.col("run").str.extract_all(".")).explode("run")
    table = table.with_columns(then=pl.col("run").shift(-1).over("place"))
    both = table.select("name", word=pl.col("run") + pl.col("then").fill_null(""))
    single = table.select("name", word="run")
    split = pl.concat([single, both]).group_by("name").agg("word")
    order = pl.DataFrame({"name": range(len(names)), "spaced": spaced}, schema_overrides={"name": pl.UInt32})
    joined = order.join(split, on="name", how="left", maintain_order="left")
    empty = pl.lit([], dtype=pl.List(pl.String))
    return _distinct(joined.select(pl.concat_list("spaced", pl.coalesce("word", empty)))["spaced"])


def _distinct(words: pl.Series) -> pl.Series:
    return words.list.eval(pl.element().filter(pl.element() != "")).list.unique().list.sort()
