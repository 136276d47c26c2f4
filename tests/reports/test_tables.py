import pytest

from farlink.reports.tables import Column, Table, columns, markdown, measured_part, ranks_cells, ranks_columns

TABLE = Table([Column("name"), Column("Hits@1", ".3f"), Column("triples", ",", "right")], [["a", 0.5, 1200]])


def test_values_are_written_as_their_columns_say():
    assert TABLE.cells() == [["a", "0.500", "1,200"]]


def test_a_table_in_markdown():
    assert markdown(TABLE) == ["| name | Hits@1 | triples |", "|---|---|---:|", "| a | 0.500 | 1,200 |"]


def test_a_title_stands_above_the_table():
    assert markdown(Table(columns("a"), [["b"]], "Title:")) == ["Title:", "", "| a |", "|---|", "| b |"]


def test_what_is_missing_is_an_empty_cell_and_text_stays_as_it_is():
    assert Table([Column("x", ".3f")] * 2, [[None, "none yet"]]).cells() == [["", "none yet"]]


def test_a_bar_in_a_name_does_not_begin_a_cell():
    assert markdown(Table(columns("name"), [["a|b"]]))[-1] == "| a\\|b |"


def test_a_row_has_a_value_for_every_column():
    with pytest.raises(ValueError, match="zip"):
        Table(columns("a", "b"), [["only one"]]).cells()


def test_ranks_stand_in_the_order_of_their_columns():
    ranks = {"mrr": 0.7, "hits@1": 0.5, "hits@10": 0.9, "mr": 1234.5}
    names = ("hits@1", "hits@10", "mrr")
    table = Table(ranks_columns(*names), [ranks_cells(ranks, *names)])
    assert markdown(table)[0] == "| Hits@1 | Hits@10 | MRR | MR |"
    assert markdown(table)[-1] == "| 0.500 | 0.900 | 0.700 | 1,234.5 |"


def test_the_test_part_measures_best():
    assert measured_part({"validation": {}, "test": {}}) == "test"
    assert measured_part({"validation": {}}) == "validation"
    assert measured_part({}) == ""
