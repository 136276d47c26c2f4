import polars as pl
import pytest

from farlink.reports.card import network_words, training_lines
from farlink.reports.plots import draw, draw_reliability, draw_training
from farlink.settings import make_settings

TRACE = pl.DataFrame(
    {
        "epoch": [1, 2],
        "examples": [10, 20],
        "loss": [2.0, 1.0],
        "validation": [0.1, 0.3],
        "best": [True, True],
        "seconds": [1.0, 2.0],
    }
)


def test_training_is_drawn_and_told(tmp_path):
    draw_training(TRACE, tmp_path, "MRR")
    assert {path.name for path in tmp_path.iterdir()} == {"loss.png", "validation.png"}
    assert (
        "2 epochs, 20 examples, 2 s. The weights are those of epoch 2, the best on validation (MRR 0.300)."
        in (training_lines(TRACE, network_words(make_settings()), "MRR")[0])
    )


def test_without_validation_only_the_loss_is_drawn(tmp_path):
    trace = TRACE.with_columns(validation=pl.lit(None, dtype=pl.Float64))
    draw_training(trace, tmp_path, "MRR")
    assert [path.name for path in tmp_path.iterdir()] == ["loss.png"]
    assert training_lines(trace, "A network", "MRR")[0].endswith("The weights are those of epoch 2.")


def test_reliability_is_drawn(tmp_path):
    figures = {"pairs": [3, 4], "probability": [0.1, 0.9], "right": [0.0, 1.0], "gap": 0.1}
    draw_reliability(tmp_path / "plot.png", figures, "links")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_figure_gives_the_same_file(tmp_path, kind):
    def fill(axes):
        axes.plot([1, 2, 3], [3, 1, 2], marker="o", label="a line")
        axes.legend()

    for name in ("one", "other"):
        draw(tmp_path / f"{name}.png", fill, vector=True)
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"other.{kind}").read_bytes()
