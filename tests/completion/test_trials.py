from farlink.completion.task import open_task
from farlink.completion.training_data import TrainingData
from farlink.completion.trials import DECAYS, DROPOUTS, chosen_decay, chosen_dropout
from farlink.progress import Silent
from farlink.settings import CompletionSettings, make_completion_settings
from helpers.rings import graph


def test_what_the_settings_say_is_not_tried():
    settings = make_completion_settings(question_dropout=0.1, factor_decay=0.0)
    assert chosen_dropout(None, settings, None, None, None) == 0.1
    assert chosen_decay(None, settings, None, None) == 0.0


def test_without_validation_triples_the_first_choice_is_taken():
    settings = make_completion_settings()
    data = TrainingData(open_task(graph(("a", "r", "b")), settings=settings, reporter=Silent()), seed=0)
    assert chosen_dropout(data, settings, None, None, None) == DROPOUTS[0]
    assert chosen_decay(data, settings, None, None) == DECAYS[0]


def test_the_settings_name_what_is_tried():
    for name, choices in (("question_dropout", DROPOUTS), ("factor_decay", DECAYS)):
        assert "auto: {:g} or {:g}".format(*choices) in CompletionSettings.model_fields[name].description
