from pathlib import Path

import pytest

from farlink.errors import FarlinkError, InputError
from farlink.runs import formats
from farlink.runs.formats import FORMAT, check_format, format_of, settings_of_run
from farlink.settings import make_completion_settings, make_settings


def test_a_folder_that_tells_no_format_has_format_0():
    assert format_of({"task": "align"}) == 0
    assert format_of({"format": 1}) == 1


def test_a_folder_of_a_newer_format_is_refused_in_one_sentence():
    check_format(Path("run"), {"format": FORMAT})
    with pytest.raises(InputError, match=rf"^run: this run folder has format {FORMAT + 1}, .*up to {FORMAT}.*newer"):
        check_format(Path("run"), {"format": FORMAT + 1, "farlink": "9.0"})


@pytest.mark.parametrize("settings", [make_settings("fast", width=8), make_completion_settings(factors=0)])
def test_the_settings_of_today_are_read_as_they_are(settings):
    assert settings_of_run(settings.to_toml(), FORMAT) == (settings, [])


def test_a_setting_that_is_gone_is_left_out_with_a_note():
    settings, notes = settings_of_run(make_settings(width=8).to_toml() + "graph_epochs = 3\n", 0)
    assert settings == make_settings(width=8)
    assert len(notes) == 1
    assert "graph_epochs = 3" in notes[0]


def alignment(*lines):
    return settings_of_run("\n".join(['task = "align"', *lines]), 0)[0]


def completion(*lines, format=0):
    return settings_of_run("\n".join(['task = "complete"', *lines]), format)


def test_what_was_fixed_in_format_0_does_not_follow_the_defaults_of_today():
    settings = alignment()
    assert (settings.hops, settings.sinkhorn_rounds, settings.refinements) == (3, 15, 3)
    assert (settings.evidence_prior, settings.evidence_likely) == (3.0, 0.5)
    assert (settings.evidence_least, settings.evidence_doubt) == (0.02, 0.05)
    assert completion()[0].min_steps == 100


def test_without_rounds_no_links_were_found_between_epochs():
    assert not alignment("rounds = 0").bootstrapping
    assert alignment("rounds = 1").bootstrapping


def test_numbers_that_stood_for_a_choice_are_auto():
    settings, notes = completion("factor_decay = 0.0", "question_dropout = -1.0", "question_epochs = 20")
    assert (settings.factor_decay, settings.question_dropout, settings.question_epochs) == ("auto", "auto", "auto")
    assert notes == []
    assert alignment("threads = 0").threads == alignment().threads == "auto"
    assert alignment("threads = 2").threads == 2
    settings, _ = completion("factor_decay = 0.05", "question_dropout = 0.4", "question_epochs = 7")
    assert (settings.factor_decay, settings.question_dropout, settings.question_epochs) == (0.05, 0.4, 7)


def test_where_nothing_was_dropped_the_epochs_on_questions_counted_three_times():
    assert completion("question_dropout = 0.0", "question_epochs = 7")[0].question_epochs == 21
    settings, notes = completion("question_dropout = -1.0", "question_epochs = 7")
    assert settings.question_epochs == 7
    assert "meant 21" in notes[0]


def test_numbers_of_today_are_read_as_they_are():
    settings, _ = completion("factor_decay = 0.0", "question_dropout = 0.0", "question_epochs = 7", format=1)
    assert (settings.factor_decay, settings.question_dropout, settings.question_epochs) == (0.0, 0.0, 7)


def test_there_is_a_step_from_every_format_to_the_next():
    assert len(formats.STEPS) == FORMAT


def test_a_value_that_means_nothing_is_an_error_as_anywhere():
    with pytest.raises(FarlinkError, match="width = 1: expected whole number"):
        settings_of_run('task = "align"\nwidth = 1', 1)


@pytest.mark.parametrize("text", ["width 8", "width = 8", 'task = "cook"'])
def test_a_file_that_farlink_did_not_write_is_a_clear_error(text):
    with pytest.raises(FarlinkError, match=r"config\.toml is not what farlink writes"):
        settings_of_run(text, 1)
