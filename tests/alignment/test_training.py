import pytest

import farlink
from farlink.alignment.methods import bootea
from farlink.alignment.run import AlignmentRun
from farlink.engine.trainer import Trainer
from farlink.errors import Interrupted
from helpers.pairs import Pair

SMALL = {"max_epochs": 4, "width": 16}


def align(pair, out, **changes):
    return farlink.align(
        pair.left,
        pair.right,
        pair.links[:20],
        valid=pair.links[20:26],
        test=pair.links[26:],
        out=out,
        **{**SMALL, **changes},
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mtranse", "iptranse", "jape", "bootea", "gcn-align"])
def test_a_run_of_another_method_is_used_like_any_other(method, pair: Pair, tmp_path):
    run = align(pair, tmp_path / "run", method=method)
    again = farlink.load(run.folder)
    assert isinstance(again, AlignmentRun)
    assert again.settings.method == method
    assert {side: len(vectors) for side, vectors in again.vectors.items()} == {"left": 40, "right": 40}
    assert again.alignment.height == 40
    assert again.match(pair.left.entities[0]).height > 0
    assert method in (run.folder / "README.md").read_text()


@pytest.mark.slow
def test_an_interrupted_run_ends_with_the_same_result(pair: Pair, tmp_path, monkeypatch):
    whole = align(pair, tmp_path / "whole", method="bootea", batch_size=64)
    step, steps = Trainer.step, []

    def stopping(self, *arguments):
        steps.append(1)
        if len(steps) == 40:
            raise Interrupted("stopped")
        return step(self, *arguments)

    monkeypatch.setattr(Trainer, "step", stopping)
    with pytest.raises(Interrupted):
        align(pair, tmp_path / "halves", method="bootea", batch_size=64)
    monkeypatch.setattr(Trainer, "step", step)
    halves = align(pair, tmp_path / "halves", method="bootea", batch_size=64, resume=True)
    assert halves.alignment.equals(whole.alignment)
    assert halves.metrics == whole.metrics


@pytest.mark.slow
def test_the_links_that_are_found_are_kept(pair: Pair, tmp_path, monkeypatch):
    monkeypatch.setattr(bootea, "SURE", 0.5)
    run = align(pair, tmp_path / "run", method="bootea", batch_size=64)
    assert len(run.links("found")) > 0
