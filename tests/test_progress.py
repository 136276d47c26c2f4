import io
from contextlib import contextmanager

import pytest
from rich.console import Console

import farlink
from farlink.engine.trace import EpochRecord
from farlink.progress import Silent, Terminal, duration, reporter_of, tell_graph, tell_notes
from helpers.pairs import TINY


@pytest.mark.parametrize(("seconds", "words"), [(4.2, "4 s"), (63, "1:03 min"), (3599.6, "1:00 h"), (7800, "2:10 h")])
def test_durations_in_words(seconds, words):
    assert duration(seconds) == words


@pytest.fixture
def terminal():
    return Terminal(Console(file=io.StringIO(), width=150, force_terminal=True, highlight=False))


def test_each_epoch_leaves_a_line(terminal):
    with terminal.training(2) as watcher:
        watcher.step(1, 4, 0, 5.0, None)
        watcher.step(2, 4, 0, 4.0, None)
        watcher.epoch(EpochRecord(epoch=1, examples=10, loss=4.0, validation=0.25, best=True, seconds=2.0))
        watcher.step(3, 4, 1, 3.0, 0.25)
    text = terminal.console.file.getvalue()
    assert "epoch 1: loss 4.000, validation Hits@1 0.250 (best so far), 2 s" in text
    assert "epoch 2/2 · loss 3.000 · best Hits@1 0.250" in text
    assert "left" in text


def test_in_a_file_there_are_lines_and_no_bar():
    reporter = Terminal(Console(file=io.StringIO(), width=150))
    with reporter.working("thinking"), reporter.counting("asking") as progress, reporter.training(1) as watcher:
        progress(1, 2)
        watcher.step(1, 1, 0, 5.0, None)
        watcher.epoch(EpochRecord(epoch=1, examples=10, loss=4.0, validation=None, best=True, seconds=2.0))
    assert reporter.console.file.getvalue() == "epoch 1: loss 4.000, 2 s\n"


def test_a_graph_is_told_with_what_was_set_aside(terminal, pair):
    tell_graph(terminal, "left", pair.left)
    assert "left   left.tsv: 40 entities, 4 relations" in terminal.console.file.getvalue()


def test_silence_is_silent(capsys, pair):
    reporter = Silent()
    tell_graph(reporter, "left", pair.left)
    tell_notes(reporter, ["a note"])
    with reporter.working("thinking"), reporter.counting("asking") as progress, reporter.training(1) as watcher:
        progress(1, 2)
        watcher.step(1, 1, 0, 5.0, None)
        watcher.epoch(EpochRecord(epoch=1, examples=10, loss=4.0, validation=None, best=True, seconds=2.0))
    assert capsys.readouterr() == ("", "")


class Recorder:
    """Remembers all it is told."""

    def __init__(self):
        self.lines, self.work, self.steps, self.epochs = [], [], [], []

    def say(self, text):
        self.lines.append(text)

    @contextmanager
    def working(self, what):
        self.work.append(f"{what} …")
        yield
        self.work.append(f"{what} done")

    @contextmanager
    def counting(self, what):
        yield lambda done, total: None

    @contextmanager
    def training(self, epochs, what="", measure="Hits@1"):
        with self.working(f"training {epochs} epochs"):
            yield self

    def step(self, done, total, epoch, loss, best):
        self.steps.append((done, total, epoch))

    def epoch(self, record):
        self.epochs.append(record.epoch)


def test_progress_is_told_to_whoever_is_named(pair, tmp_path, capsys):
    recorder = Recorder()
    farlink.align(pair.left, pair.right, pair.links[:20], out=tmp_path / "run", progress=recorder, **TINY)
    assert any(line.startswith("links  18 seeds, 2 for validation") for line in recorder.lines)
    done, total, epoch = zip(*recorder.steps, strict=True)
    assert list(done) == list(range(1, total[-1] + 1))
    assert sorted(set(epoch)) == [0, 1, 2]
    assert recorder.epochs == [1, 2, 3]
    assert recorder.work[:2] == ["reading the graphs …", "reading the graphs done"]
    training = [f"training {TINY['max_epochs']} epochs {state}" for state in ("…", "done")]
    assert [work for work in recorder.work if work in training] == training
    assert capsys.readouterr() == ("", "")


def test_progress_is_yes_no_or_a_reporter():
    recorder = Recorder()
    assert isinstance(reporter_of(True), Terminal)
    assert isinstance(reporter_of(False), Silent)
    assert reporter_of(recorder) is recorder
