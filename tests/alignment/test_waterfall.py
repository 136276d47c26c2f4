import numpy as np
import pytest

import farlink
from farlink.alignment.candidates import Candidates
from farlink.alignment.evidence import Reason
from farlink.alignment.report import agreement, sample_pairs
from farlink.alignment.waterfall import OTHERS, STRONGEST, Step, draw_steps, triple_steps, weights_of
from farlink.errors import FarlinkError
from farlink.reports.plots import figure_of
from helpers.commands import complaint, invoke
from helpers.worlds import make_world


@pytest.mark.parametrize("total", [-3.0, 0.0, 2.0, 25.0])
def test_steps_of_triples_add_up_to_what_the_signal_adds(total):
    steps = triple_steps(total, [(f"reason {i}", 9.0 - i) for i in range(9)], turn=10.0)
    assert [step.label for step in steps] == [*(f"reason {i}" for i in range(STRONGEST)), OTHERS]
    assert sum(step.log_odds for step in steps) == pytest.approx(total)


def test_many_triples_count_ever_less():
    reasons = [("one", 5.0), ("other", 4.0)]
    few, many = (triple_steps(total, reasons, turn=10.0)[0].log_odds for total in (0.01, 25.0))
    assert few == pytest.approx(5.0, rel=1e-3)
    assert many < few / 2


def test_a_triple_counts_by_what_it_says_from_both_ends():
    forth = [Reason(0, 1, 2, 3, 0.9, 4.0), Reason(0, 5, 2, 6, 0.9, 5.0)]
    back = [Reason(2, 3, 0, 1, 0.9, 2.0)]
    assert weights_of(forth, back, evidence=0.5) == {forth[0]: 1.5, forth[1]: 1.25}


def test_bars_lead_from_any_pair_to_the_sum_and_odd_names_are_drawn():
    steps = [Step("any pair", -7.0, "any pair"), Step("$a_{b\x07\n", 9.0, "names"), Step("x" * 500, -1.0, "triples")]
    figure = figure_of([lambda axes: draw_steps(axes, steps, "שָׁלוֹם ↔ 名前")])
    (axes,) = figure.axes
    bars = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert bars == [(0, -7), (-7, 9), (2, -1), (0, 1)]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[:2] == ["any pair", "$a_{b"]
    assert len(labels[2]) == 60
    assert labels[3] == "together"


def test_agreement_is_the_share_that_a_signal_alone_would_rank_first():
    ids = np.array([0, 0, 1, 1, 2], np.int32), np.array([0, 1, 0, 1, 2], np.int32)
    part = np.array([3.0, 1.0, 2.0, 2.0, -1.0], np.float32)
    pairs = Candidates(*ids, part, part, part, (3, 3), 1)
    assert agreement(pairs, part, np.array([True, False, False, True, True])) == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run without known links, and with test links."""
    world = make_world(80, 15)
    return farlink.align(world.left, world.right, test=world.links, out=tmp_path_factory.mktemp("world") / "run")


@pytest.mark.slow
def test_the_steps_of_a_pair_are_those_of_its_signals(run):
    rows = run.alignment.filter(run.alignment["right"].is_not_null()).head(10)
    for left, right in rows.select("left", "right").iter_rows():
        signals, steps = run.waterfall(left, right), run.waterfall_steps(left, right)
        assert {step.signal for step in steps} == set(signals["signal"])
        for name, odds in signals.iter_rows():
            assert sum(step.log_odds for step in steps if step.signal == name) == pytest.approx(odds, abs=1e-6)


@pytest.mark.slow
def test_a_pair_is_drawn_in_python_and_on_the_command_line(run, tmp_path):
    left, right = run.alignment.filter(status="matched").select("left", "right").row(0)
    (axes,) = run.plot(left, right).axes
    assert "matched, probability" in axes.get_title(loc="left")
    assert len(axes.patches) == len(run.waterfall_steps(left, right)) + 1
    for name in ("pair.png", "pair.svg"):
        assert invoke("match", run.folder, left, "--plot", tmp_path / name).exit_code == 0
        assert (tmp_path / name).stat().st_size > 5000
    assert ".pdf: plots are written as .png or .svg (--plot)" in complaint(
        "match", run.folder, left, "--plot", tmp_path / "pair.pdf"
    )


@pytest.mark.slow
def test_the_report_draws_a_sure_a_doubtful_and_a_rejected_pair(run):
    samples = sample_pairs(run)
    status = {(left, right): state for left, right, state in run.alignment.select("left", "right", "status").rows()}
    assert len(samples) == 3
    assert status[samples[0]] == "matched"
    assert status[samples[2]] == "unmatched"
    card = (run.folder / "README.md").read_text()
    for name in ("waterfall", "reliability"):  # the latter by the test links alone
        assert f"![{name}](plots/{name}.png)" in card
        assert (run.folder / "plots" / f"{name}.png").stat().st_size > 5000
    assert "| signal | matched pairs | other candidates | agreement |" in card
    assert "Names that are so much alike" in card


@pytest.mark.slow
def test_what_has_no_log_odds_is_not_drawn(run, tiny_run):
    far = next(
        name for name in run.graphs["right"].entities if not len(run.waterfall(run.graphs["left"].entities[0], name))
    )
    with pytest.raises(FarlinkError, match="no log odds to draw: it did not come into question"):
        run.plot(run.graphs["left"].entities[0], far)
    with pytest.raises(FarlinkError, match="names and values were not read"):
        tiny_run.plot("a33", "b33")
