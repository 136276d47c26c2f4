import io

import pytest
from rich.console import Console

from farlink.engine.trace import EpochRecord
from farlink.progress import Reporter, duration


@pytest.mark.parametrize(("seconds", "words"), [(4.2, "4 s"), (63, "1:03 min"), (3599.6, "1:00 h"), (7800, "2:10 h")])
def test_durations_in_words(seconds, words):
    assert duration(seconds) == words


@pytest.fixture
def reporter():
    reporter = Reporter()
    reporter.console = Console(file=io.StringIO(), width=150, force_terminal=True, highlight=False)
    return reporter


def test_each_epoch_leaves_a_line(reporter):
    with reporter.training(2) as watcher:
        watcher.step(1, 4, 0, 5.0, None)
        watcher.step(2, 4, 0, 4.0, None)
        watcher.epoch(EpochRecord(epoch=1, examples=10, loss=4.0, validation=0.25, best=True, seconds=2.0))
        watcher.step(3, 4, 1, 3.0, 0.25)
    text = reporter.console.file.getvalue()
    assert "epoch 1: loss 4.000, validation Hits@1 0.250 (best so far), 2 s" in text
    assert "epoch 2/2 · loss 3.000 · best Hits@1 0.250" in text
    assert "left" in text


def test_without_a_terminal_there_are_lines_and_no_bar(reporter):
    reporter.console = Console(file=io.StringIO(), width=150)
    with reporter.working("thinking"), reporter.training(1) as watcher:
        watcher.step(1, 1, 0, 5.0, None)
        watcher.epoch(EpochRecord(epoch=1, examples=10, loss=4.0, validation=None, best=True, seconds=2.0))
    assert reporter.console.file.getvalue() == "epoch 1: loss 4.000, 2 s\n"


def test_a_graph_is_told_with_what_was_set_aside(reporter, pair):
    reporter.graph("left", pair.left)
    assert "left   left.tsv: 40 entities, 4 relations" in reporter.console.file.getvalue()


def test_a_reporter_that_is_not_shown_is_silent(capsys, pair):
    reporter = Reporter(shown=False)
    reporter.graph("left", pair.left)
    reporter.notes(["a note"])
    assert capsys.readouterr().out == ""
