import polars as pl
import pytest

from farlink.cli import tables
from farlink.reports.tables import Column, Table

FIGURES = dict.fromkeys(("hits@1", "hits@3", "hits@5", "hits@10", "mrr"), 0.5) | {"mr": 2.0}


def test_a_table_on_the_terminal_holds_names_as_they_are(capsys):
    tables.show_table(Table([Column("name"), Column("triples", ",", "right")], [["[red]a", 1200]], "Title"))
    text = capsys.readouterr().out
    assert "Title" in text
    assert "\u2502 [red]a \u2502   1,200 \u2502" in text


def test_counterparts_are_shown_with_the_number_of_their_reasons(capsys):
    found = pl.DataFrame({"rank": [1], "entity": ["x/Rome"], "name": ["Rome"], "score": [0.5]})
    tables.show_matches(found, [["one", "other"]])
    assert (
        "\u2502 1    \u2502 x/Rome \u2502 Rome \u2502 0.500 \u2502 2                \u2502" in capsys.readouterr().out
    )


def test_predictions_are_shown_with_their_paths(capsys):
    rows = {"head": ["x/a"], "relation": ["x#likes"], "tail": ["b"], "probability": [float("nan")], "known": [True]}
    tables.show_predictions(pl.DataFrame(rows), [["a \u2500knows\u2192 b"]])
    text = capsys.readouterr().out
    assert "likes" in text
    assert "yes" in text
    assert "nan" not in text
    assert "  1  a \u2500knows\u2192 b" in text


def test_predictions_without_paths_say_so(capsys):
    rows = {"head": ["a"], "relation": ["r"], "tail": ["b"], "probability": [0.25], "score": [-1.0]}
    tables.show_predictions(pl.DataFrame(rows), [[]])
    text = capsys.readouterr().out
    assert "0.250" in text
    assert "no path of one or two steps" in text


def test_reasons_beyond_the_first_are_counted(capsys):
    reasons = [[f"reason {place}" for place in range(tables.REASONS + 3)]]
    tables.show_reasons(pl.DataFrame({"name": ["Rome"]}), reasons)
    text = capsys.readouterr().out
    assert "why Rome:" in text
    assert "and 3 more" in text


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"links": 5, "left_out": {"unknown": 1, "seeds": 2}}, "5 links, realistic ranks; left out: 1 with"),
        ({"triples": 5, "left_out": {"unknown": 1, "learned": 2}}, "2 that the run learned from"),
    ],
)
def test_an_evaluation_says_what_it_is_of(figures, words):
    assert words in tables.measured_with({**figures, "ranks": "realistic"})


def test_the_test_part_is_shown_if_there_is_one(capsys):
    part = dict.fromkeys(("tail", "head", "both"), FIGURES)
    tables.show_completion({"validation": part, "test": part})
    assert "test triples" in capsys.readouterr().out
    tables.show_completion({})
    assert "no triples were kept" in capsys.readouterr().out


def test_a_few_lookalikes_are_named_and_all_are_counted(capsys):
    tables.show_lookalikes([])
    assert capsys.readouterr().out == ""
    tables.show_lookalikes(["Ann"])
    assert capsys.readouterr().out == "1 other entity looks exactly like this one, so among them this is a guess: Ann\n"
    tables.show_lookalikes([f"e{i}" for i in range(9)])
    assert (
        "9 other entities look exactly like this one, so among them this is a guess: e0, e1" in capsys.readouterr().out
    )
