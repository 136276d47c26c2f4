import polars as pl
import pytest

from farlink.errors import FarlinkError, InputError
from farlink.io.exports.facts import write_predictions
from farlink.io.questions import read_queries

FOUND = pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b, c"], "probability": [0.5]})


def test_a_question_mark_is_what_is_asked(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("a\tr\t?\n?\tr\tb\n")
    assert read_queries(path) == [("a", "r", None), (None, "r", "b")]


@pytest.mark.parametrize("line", ["a\tr\tb", "?\tr\t?", "a\t?\tb", "a\t?\t?"])
def test_a_question_asks_for_a_head_or_a_tail(tmp_path, line):
    path = tmp_path / "queries.tsv"
    path.write_text(f"a\tr\t?\n{line}\n")
    with pytest.raises(InputError, match=r"queries\.tsv.*question 2.*expected one \?"):
        read_queries(path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("facts.tsv", lambda path: pl.read_csv(path, separator="\t", quote_char=None)),
        ("facts.csv", pl.read_csv),
        ("facts.parquet", pl.read_parquet),
    ],
)
def test_predictions_are_written_by_the_extension(tmp_path, name, read):
    write_predictions(FOUND, tmp_path / name)
    assert read(tmp_path / name).equals(FOUND)


def test_another_extension_is_an_error(tmp_path):
    with pytest.raises(FarlinkError, match=r"written as \.tsv, \.csv or \.parquet"):
        write_predictions(FOUND, tmp_path / "facts.xlsx")
