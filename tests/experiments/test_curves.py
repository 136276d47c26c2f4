import pytest
from matplotlib.figure import Figure

from farlink.experiments import curves


@pytest.fixture
def axes():
    return Figure().subplots()


def fill(axes, labels, lines):
    curves.fill(axes, labels, lines, "paths read", "Hits@1", "DBP-WD")
    return axes.get_lines()


def test_a_run_is_a_line_of_validation_by_paths_read():
    trace = [{"examples": 10, "validation": 0.1}, {"examples": 20, "validation": 0.3}]
    assert curves.learned("RSN", {"trace": trace}) == ("RSN", [(10, 0.1), (20, 0.3)])


def test_runs_with_the_same_label_look_alike_and_are_named_once(axes):
    first, second = fill(axes, ["RSN"], [("RSN", [(0, 0.1)]), ("RSN", [(0, 0.2)])])
    assert first.get_color() == second.get_color()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["RSN"]


def test_a_label_keeps_its_looks_when_others_have_no_line(axes):
    (alone,) = fill(axes, ["RSN", "RNN"], [("RNN", [(0, 0.1)])])
    assert (alone.get_color(), alone.get_marker()) == (curves.COLOURS[1], curves.MARKERS[1])


def test_without_lines_there_is_no_legend(axes):
    assert not fill(axes, ["RSN"], [])
    assert axes.get_legend() is None
