"""What is true of every method, be it RSN or one of others: each is a parameter of the same tests."""

import re

import numpy as np
import pytest
import torch

import farlink
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import Epoch, Method, TwoGraphs
from farlink.alignment.run import AlignmentRun
from farlink.engine.row_adam import RowAdam
from farlink.engine.trainer import Trainer
from farlink.errors import FarlinkError
from farlink.presets import METHODS
from farlink.settings import make_settings
from helpers.commands import complaint, invoke
from helpers.pairs import Pair

SMALL = {"width": 36, "max_epochs": 3}  # a square: ConvE makes a picture of a vector
BATCHES = {"batch_size": 64}
OWN = {"rsn": {"entity_negatives": 32, "relation_negatives": 8, "walk_length": 5}, "gcn-align": {}}


def small(name, **changes):
    """Settings under which a method trains in a second."""
    batches = {} if "batch_size" in METHODS[name].lacks else BATCHES
    return {"method": name, **SMALL, **batches, **OWN.get(name, {}), **changes}


def align(name, out, **changes):
    pair = Pair.make()
    parts = {"valid": pair.links[20:26], "test": pair.links[26:]}
    return farlink.align(pair.left, pair.right, pair.links[:20], **parts, out=out, **small(name, **changes))


@pytest.fixture(params=METHODS)
def name(request):
    if METHODS[request.param].home.startswith("pykeen:"):
        pytest.importorskip("pykeen", reason="PyKEEN is an optional extra")
    return request.param


@pytest.fixture
def method(name):
    """A fresh method on a small pair of graphs, half of whose links are seeds."""
    pair = Pair.make()
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    return method_class(name)(TwoGraphs(pair.left, pair.right), links[:20], make_settings(**small(name)))


@pytest.mark.parametrize("listed", METHODS)
def test_every_name_of_the_registry_is_a_method(listed):
    assert issubclass(method_class(listed), Method)


def test_the_commands_list_the_names_of_the_registry():
    text = re.sub(r"[\s│]+", " ", invoke("align", "--help").output)
    assert ", ".join(METHODS) in text
    assert ", ".join(METHODS) in complaint("settings", "bake")


@pytest.mark.slow
def test_the_loss_falls(method):
    objective = method.objective(Epoch(0, method.seeds))
    objective.prepare(method.model)
    optimiser = RowAdam(method.model.named_parameters())
    batch = torch.from_numpy(objective.examples[:256]).long()
    losses = []
    method.model.train()
    for _ in range(15):
        torch.manual_seed(0)  # the same noise at every step
        loss = objective.loss(method.model, batch)
        loss.backward()
        optimiser.step(0.03, 2.0)
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.95 * losses[0]


def test_every_entity_has_a_vector_that_is_real_and_finite(method):
    vectors = method.vectors(method.model)
    assert len(vectors) == method.graphs.entities
    assert vectors.is_floating_point()
    assert vectors.isfinite().all()
    left, right = method.compared(method.model, method.seeds)
    assert (len(left), len(right)) == (len(method.graphs.left.entities), len(method.graphs.right.entities))
    assert left.shape[1] == right.shape[1]


def test_what_is_kept_gives_the_vectors_again(method):
    model = method.model.eval()
    again = type(method).compared_of(method.kept(model), method.graphs, method.seeds, method.settings)
    for one, other in zip(method.compared(model, method.seeds), again, strict=True):
        assert torch.equal(one, other)


def test_links_that_are_found_are_no_seeds(method):
    found = method.find_links(9, method.seeds, method.model.eval())
    assert not np.isin(found[:, 0], method.seeds[:, 0]).any()
    assert not np.isin(found[:, 1], method.seeds[:, 1]).any()


def test_a_fresh_model_is_the_same_for_the_same_seed(method):
    again = type(method)(method.graphs, method.seeds, method.settings)
    state, same = method.model.state_dict(), again.model.state_dict()
    assert state.keys() == same.keys()
    assert all(torch.equal(state[part].to_dense(), same[part].to_dense()) for part in state)


def test_a_setting_that_it_does_not_have_is_refused(name):
    with pytest.raises(FarlinkError, match="there is no setting 'depth'"):
        make_settings(method=name, depth=3)
    for setting in set(make_settings().model_dump()) - farlink.settings.settings_of(name) - {"preset"}:
        with pytest.raises(FarlinkError, match=f"{name} has no setting {setting}"):
            make_settings(method=name, **{setting: 1})


@pytest.mark.slow
def test_a_run_is_used_like_any_other_and_resumes_bit_by_bit(name, tmp_path, monkeypatch):
    whole = align(name, tmp_path / "whole")
    step, left = Trainer.step, [3 * whole.trace["examples"][0] // (2 * 64)]

    def stopping(self, *arguments):
        left[0] -= 1
        if left[0] < 0 and self.progress.epoch:
            raise RuntimeError("power cut")
        return step(self, *arguments)

    monkeypatch.setattr(Trainer, "step", stopping)
    with pytest.raises(RuntimeError, match="power cut"):
        align(name, tmp_path / "halves")
    monkeypatch.undo()
    resumed = align(name, tmp_path / "halves", resume=True)
    for file in ("weights.safetensors", "alignment.tsv", "metrics.json", "found.parquet"):
        assert (whole.folder / file).read_bytes() == (resumed.folder / file).read_bytes()
    again = farlink.load(resumed.folder)
    assert isinstance(again, AlignmentRun)
    assert {side: len(vectors) for side, vectors in again.vectors.items()} == {"left": 40, "right": 40}
    assert again.match(again.vocabulary["left"]["name"][0]).height > 0
    words = "preset `best`" if len(METHODS[name].presets) > 1 else f"settings of `{name}`"
    assert f"with the {words} and seed 0" in (resumed.folder / "README.md").read_text()
