import json
import tomllib

import pytest

from farlink.errors import FarlinkError
from farlink.presets import COMPLETION_PRESETS, METHODS
from farlink.settings import (
    AlignmentSettings,
    CompletionSettings,
    make_completion_settings,
    make_settings,
    settings_from,
    settings_of,
    valid_range,
)

# The paper's setting, and what it leaves open: changes of other presets and of defaults must leave it as it is.
PAPER = {
    "model": "rsn",
    "cell": "lstm",
    "layers": 2,
    "width": 256,
    "dropout": 0.5,
    "loss": "nce",
    "entity_negatives": 4096,
    "relation_negatives": 256,
    "norm": "path",
    "walk_steps": "entities",
    "walk_epochs": 0,
    "optimiser": "rows",
    "clip_norm": 2.0,
    "schedule": "constant",
    "patience": 3,
    "holdout": 0.1,
    "precision": "auto",
    "minutes": 0.0,
}
PAPER_ALIGNMENT = PAPER | {
    "walk_length": 15,
    "walks_per_triple": 2.0,
    "depth_bias": 0.9,
    "cross_bias": 0.9,
    "batch_size": 512,
    "learning_rate": 0.003,
    "max_epochs": 30,
    "signals": "structure,types",
    "encoder": "",
    "readings": "never",
    "network": "always",
    "cardinality": "one-to-one",
    "linking": "swap",
    "start": "random",
    "vectors": "input",
    "candidates": 50,
    "temperature": 0.0,  # plain cosine
    "evidence": 0.0,
    "rounds": 0,
    "bootstrapping": False,
}
PAPER_COMPLETION = PAPER | {
    "walk_length": 7,
    "walks_per_triple": 1.0,
    "depth_bias": 0.7,
    "batch_size": 2048,
    "learning_rate": 0.0001,
    "max_epochs": 100,
    "min_steps": 100,
    "question_epochs": 0,
    "factors": 0,
    "rules": 0,
}
OF_A_RUN = {"task", "method", "preset", "seed", "threads"}
IDLE = {  # without names, bootstrapping, balancing, evidence, questions and the tensor model
    *("most_rounds", "vector_entities", "confidence", "hops", "sinkhorn_rounds", "refinements"),
    *("evidence_prior", "evidence_likely", "evidence_least", "evidence_doubt", "evidence_turn"),
    *("question_dropout", "question_candidates", "factor_epochs", "factor_batch", "factor_rate", "factor_decay"),
}


@pytest.mark.parametrize(
    ("made", "presets", "expected"),
    [
        (make_settings("paper"), METHODS["rsn"].presets, PAPER_ALIGNMENT),
        (make_completion_settings("paper"), COMPLETION_PRESETS, PAPER_COMPLETION),
    ],
    ids=["alignment", "completion"],
)
def test_the_paper_preset_is_the_papers_setting_written_out_in_full(made, presets, expected):
    assert presets["paper"] == expected
    assert {name: value for name, value in made if name not in OF_A_RUN | IDLE} == expected


def test_the_authors_preset_is_the_papers_but_for_what_their_code_does_otherwise():
    assert {name: value for name, value in make_settings("authors") if name not in OF_A_RUN | IDLE} == {
        **PAPER_ALIGNMENT,
        "walk_steps": "triples",
        "walk_epochs": 1,
        "cell": "lstm-identity",
        "norm": "step",
        "loss": "log-uniform",
        "entity_negatives": 8192,
        "relation_negatives": 0.333,
        "optimiser": "dense",
        "max_epochs": 14,
        "patience": 0,
    }


@pytest.mark.parametrize("preset", METHODS["rsn"].presets)
def test_settings_survive_the_config_file(preset):
    settings = make_settings(preset, seed=3, dropout=0.25)
    assert settings_from(tomllib.loads(settings.to_toml())) == settings


@pytest.mark.parametrize("preset", COMPLETION_PRESETS)
def test_settings_of_a_completion_survive_the_config_file(preset):
    settings = make_completion_settings(preset, seed=3, factors=8)
    assert settings_from(tomllib.loads(settings.to_toml())) == settings


def test_a_task_has_no_settings_of_another():
    with pytest.raises(FarlinkError, match="there is no setting 'temperature'"):
        make_completion_settings(temperature=0.2)
    with pytest.raises(FarlinkError, match="there is no setting 'factors'"):
        make_settings(factors=8)


def test_the_config_file_explains_itself():
    text = make_settings().to_toml()
    for name, field in AlignmentSettings.model_fields.items():
        assert f"\n{name} = " in text
        assert f"# {field.description}" in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 3}, "there is no setting 'widht'; did you mean 'width'?"),
        ({"zzz": 3}, "there is no setting 'zzz'; there are: preset, seed"),
        ({"width": 1}, "width = 1: expected whole number from 4 to 4096"),
        ({"depth_bias": 1.0}, "depth_bias = 1.0: expected number above 0.0 below 1.0"),
        ({"walk_length": 16}, "walk_length = 16: expected whole number from 3 to 99 .*odd"),
        ({"cell": "vanilla"}, r"cell = vanilla: expected lstm \| gru \| lstm-identity"),
        ({"batch_size": "many"}, "batch_size = many: expected whole number from 1 to 65536"),
    ],
)
def test_a_bad_setting_is_an_error_that_names_the_valid_range(changes, message):
    with pytest.raises(FarlinkError, match=message):
        make_settings("best", **changes)


def test_a_method_of_others_has_no_settings_of_the_network():
    assert make_settings(method="bootea", width=50).width == 50
    with pytest.raises(FarlinkError, match="bootea has no setting layers, walk_length"):
        make_settings(method="bootea", walk_length=9, layers=2)


def test_gcn_align_whose_steps_take_all_seeds_has_no_batch_size():
    with pytest.raises(FarlinkError, match="gcn-align has no setting batch_size"):
        make_settings(method="gcn-align", batch_size=64)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"rsn"}))
def test_a_method_of_others_has_settings_of_its_own_in_place_of_presets(method):
    own = METHODS[method].presets["best"]
    settings = make_settings(method=method)
    assert {name: getattr(settings, name) for name in own} == own
    assert settings.method == method
    assert own.keys() <= settings_of(method)
    with pytest.raises(FarlinkError, match=f"{method} has no preset 'paper' but settings of its own"):
        make_settings("paper", method=method)


def test_rsn_has_every_setting_of_an_alignment():
    assert settings_of("rsn") == set(AlignmentSettings.model_fields)


def test_an_unknown_method_is_a_clear_error_that_lists_them():
    with pytest.raises(FarlinkError, match=r"method = boot: expected rsn \| mtranse \| .* \| rotate$"):
        make_settings(method="boot")


def test_an_unknown_preset_is_an_error_that_lists_them():
    with pytest.raises(FarlinkError, match="no preset 'quick'; choose one of best, fast, paper, authors"):
        make_settings("quick")


def test_ranges_are_said_in_words():
    fields = AlignmentSettings.model_fields
    assert valid_range(fields["clip_norm"]) == "number above 0.0"
    assert valid_range(fields["loss"]) == "nce | softmax | log-uniform"
    assert valid_range(fields["bootstrapping"]) == "true | false"
    assert valid_range(fields["relation_negatives"]) == "whole number from 1 to 1048576 | number above 0.0 below 1.0"
    fields = CompletionSettings.model_fields
    assert valid_range(fields["question_dropout"]) == "auto | number from 0.0 below 1.0"
    assert valid_range(fields["question_epochs"]) == "auto | whole number from 0 to 100000"


@pytest.mark.parametrize(("word", "value"), [("auto", "auto"), ("0", 0), ("0.25", 0.25)])
def test_what_may_be_left_open_is_auto_or_a_number(word, value):
    settings = make_completion_settings(question_dropout=word)
    assert settings.question_dropout == value
    assert f"\nquestion_dropout = {json.dumps(settings.question_dropout)}\n" in settings.to_toml()
    assert settings_from(tomllib.loads(settings.to_toml())) == settings


@pytest.mark.parametrize("word", ["-1", "1", "chosen"])
def test_neither_auto_nor_a_number_in_the_range_is_one_error(word):
    with pytest.raises(FarlinkError, match=f"^question_dropout = {word}: expected auto . number from 0.0 below 1.0$"):
        make_completion_settings(question_dropout=word)


@pytest.mark.parametrize(("word", "value"), [("true", True), ("false", False)])
def test_a_switch_is_true_or_false(word, value):
    settings = make_settings(bootstrapping=word)
    assert settings.bootstrapping is value
    assert f"\nbootstrapping = {word}\n" in settings.to_toml()
