import pytest
from matplotlib.figure import Figure

from farlink.experiments import figures


@pytest.fixture
def axes():
    return Figure().subplots()


def fill(axes, labels, lines):
    figures.draw_curves(axes, labels, lines, "paths read", "Hits@1", "DBP-WD")
    return axes.get_lines()


def test_a_run_is_a_line_of_validation_by_paths_read():
    trace = [{"examples": 10, "validation": 0.1}, {"examples": 20, "validation": 0.3}]
    assert figures.learned("RSN", {"trace": trace}) == ("RSN", [(10, 0.1), (20, 0.3)])


def test_runs_with_the_same_label_look_alike_and_are_named_once(axes):
    first, second = fill(axes, ["RSN"], [("RSN", [(0, 0.1)]), ("RSN", [(0, 0.2)])])
    assert first.get_color() == second.get_color()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["RSN"]


def test_a_label_keeps_its_looks_when_others_have_no_line(axes):
    (alone,) = fill(axes, ["RSN", "RNN"], [("RNN", [(0, 0.1)])])
    assert (alone.get_color(), alone.get_marker()) == (figures.COLOURS[1], figures.MARKERS[1])


def test_without_lines_there_is_no_legend(axes):
    assert not fill(axes, ["RSN"], [])
    assert axes.get_legend() is None


def drawn(found, published, methods=("one", "two"), data=("A", "B")):
    axes = Figure().subplots()
    figures.draw_dots(axes, methods, data, found, published, "MRR")
    return axes


def test_every_figure_is_a_dot_on_the_line_of_its_method():
    axes = drawn({("one", "A"): 0.3, ("two", "B"): 0.6}, {("two", "A"): 0.5})
    points = {(float(x), round(float(y))) for line in axes.lines for x, y in zip(*line.get_data(), strict=True)}
    assert points == {(0.3, 0), (0.6, 1), (0.5, 1)}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "two"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first is on top


def test_published_figures_are_rings_of_the_same_colour():
    axes = drawn({("one", "A"): 0.3}, {("one", "A"): 0.5})
    ring, dot = axes.lines
    assert (ring.get_markerfacecolor(), dot.get_markerfacecolor()) == ("none", dot.get_color())
    assert ring.get_color() == dot.get_color()


def test_data_sets_are_told_apart_by_place_colour_and_legend():
    axes = drawn({("one", "A"): 0.3, ("one", "B"): 0.3}, {})
    a, b = axes.lines
    assert a.get_color() != b.get_color()
    assert a.get_ydata()[0] != b.get_ydata()[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A", "B", "published"]


def test_more_methods_get_a_higher_figure():
    assert figures.height(["x"] * 12) > figures.height(["x"] * 2)
