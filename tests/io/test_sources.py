from pathlib import Path

import polars as pl
import pytest

from farlink.errors import FarlinkError
from farlink.io.sources import graph_from, links_from

EXPECTED = [("a", "x", 1), ("b", "y", 2)]


def test_a_graph_is_taken_as_it_is_or_read_from_its_path(pair, tmp_path):
    assert graph_from(pair.left) is pair.left
    path = pair.write(tmp_path)["left"]
    for source in (path, str(path)):
        assert graph_from(source).same_as(pair.left)


def write_links(folder) -> Path:
    path = folder / "links.tsv"
    path.write_text("a\tx\nb\ty\n")
    return path


@pytest.mark.parametrize(
    "source",
    [
        [("a", "x"), ("b", "y")],
        pl.DataFrame({"left": ["a", "b"], "right": ["x", "y"]}),
        pl.DataFrame({"right": ["x", "y"], "left": ["a", "b"]}),
        pl.DataFrame({"one": ["a", "b"], "two": ["x", "y"], "note": [1, 2]}),
        pl.DataFrame({"left": ["a", "b", "c"], "right": list("xyz"), "status": ["seed", "matched", "unmatched"]}),
    ],
    ids=["pairs", "frame", "columns by name", "first two columns", "a mapping"],
)
def test_links_may_be_pairs_or_a_frame(source):
    frame, name = links_from(source)
    assert frame.rows() == EXPECTED
    assert name == "the given links"


def test_links_may_be_a_path(tmp_path):
    path = write_links(tmp_path)
    frame, name = links_from(path)
    assert frame.rows() == EXPECTED
    assert name == str(path)


def test_a_frame_of_one_column_is_no_list_of_links():
    with pytest.raises(FarlinkError, match="two columns"):
        links_from(pl.DataFrame({"left": ["a"]}))


@pytest.mark.parametrize("source", [["a", "bcd"], [("a", "x", "more")], 7])
def test_what_is_no_list_of_pairs_is_a_clear_error(source):
    with pytest.raises(FarlinkError, match="pairs of a left and a right name"):
        links_from(source)
