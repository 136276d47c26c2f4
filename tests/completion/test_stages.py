import pytest

from farlink.completion.stages import MEMORISING_EPOCHS, QUESTION_EPOCHS, factor_stage, question_stage, walk_stage
from farlink.completion.task import open_task
from farlink.completion.training_data import TrainingData
from farlink.progress import Silent
from farlink.settings import CompletionSettings, make_completion_settings
from helpers.rings import parts


def opened(graph, valid=None, test=None):
    return open_task(graph, valid=valid, test=test, settings=make_completion_settings(), reporter=Silent())


@pytest.fixture(scope="module")
def data():
    return TrainingData(opened(*parts()), seed=0)


def test_walks_come_first_then_questions(data):
    settings = make_completion_settings()
    walks, questions = walk_stage(data, settings), question_stage(data, settings, 0.4)
    assert (walks.plan.stage, walks.last_epoch) == (0, 3)
    assert (questions.plan.stage, questions.last_epoch) == (1, 3 + QUESTION_EPOCHS)


@pytest.mark.parametrize(
    ("wanted", "dropout", "epochs"),
    [("auto", 0.4, QUESTION_EPOCHS), ("auto", 0.0, MEMORISING_EPOCHS), (7, 0.4, 7), (7, 0.0, 7)],
)
def test_a_graph_learned_by_heart_is_read_more_often_unless_the_settings_say_how_often(data, wanted, dropout, epochs):
    assert question_stage(data, make_completion_settings(question_epochs=wanted), dropout).plan.epochs == epochs


def test_each_stage_has_its_own_rate_that_falls_to_zero(data):
    settings = make_completion_settings(learning_rate=0.2, factor_rate=0.05)
    stages = [walk_stage(data, settings), question_stage(data, settings, 0.0), factor_stage(data, settings, 0.01, 5)]
    assert [(stage.plan.rate(0), stage.plan.rate(1)) for stage in stages] == [(0.2, 0), (0.2, 0), (0.05, 0)]


@pytest.mark.parametrize(("min_steps", "walks"), [(1, 108), (10, 10), (1000, 1)])
def test_batches_shrink_where_an_epoch_would_have_too_few_steps(data, min_steps, walks):
    settings = make_completion_settings(min_steps=min_steps)  # half a walk for each of 216 triples
    assert walk_stage(data, settings).plan.batch_size == walks
    assert question_stage(data, settings, 0.0).plan.batch_size == walks
    factors = max(1, len(data.questions) // min_steps)
    assert factor_stage(data, settings, 0.01, 5).plan.batch_size == factors


def test_batches_are_no_larger_than_the_settings_say(data):
    settings = make_completion_settings(min_steps=1, batch_size=8, factor_batch=9)
    assert walk_stage(data, settings).plan.batch_size == 8
    assert factor_stage(data, settings, 0.01, 5).plan.batch_size == 9


def test_a_stage_tells_what_was_chosen(data):
    settings = make_completion_settings(learning_rate=0.2, min_steps=10)
    told = question_stage(data, settings, 0.4).record()
    assert told == {"epochs": 20, "batch_size": 10, "learning_rate": 0.2, "last_rate": 0, "dropout": 0.4}


def test_the_settings_name_the_numbers_that_auto_stands_for():
    fields = CompletionSettings.model_fields
    assert f"{QUESTION_EPOCHS}, or {MEMORISING_EPOCHS} where" in fields["question_epochs"].description
