from matplotlib.figure import Figure

from farlink.experiments import dots


def drawn(found, published, methods=("one", "two"), data=("A", "B")):
    axes = Figure().subplots()
    dots.fill(axes, methods, data, found, published, "MRR")
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
    assert dots.height(["x"] * 12) > dots.height(["x"] * 2)
