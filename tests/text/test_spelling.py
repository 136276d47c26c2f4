from farlink.text.spelling import _by_sound, _dealt, learned_spelling

SOUNDS = {"格": "ge", "林": "lin", "纳": "na", "达": "da", "斯": "si", "德": "de", "维": "wei", "法": "fa", "国": "guo"}
NAMES = [("格林纳达", "grenada"), ("格林", "green"), ("达德", "dad"), ("维达", "vida"), ("法德", "fadd")]


def test_letters_are_dealt_out_in_order_as_they_sound():
    assert _dealt("维达", "vida", _by_sound(SOUNDS))[::-1] == [("维", "vi"), ("达", "da")]
    dealt = _dealt("格林纳达", "grenada", _by_sound(SOUNDS))[::-1]
    assert "".join(letters for _, letters in dealt) == "grenada"
    assert dealt[2:] == [("纳", "na"), ("达", "da")]


def test_a_translation_is_dealt_to_nobody():
    assert _dealt("法国", "xyz", _by_sound(SOUNDS)) == []


def test_the_spelling_seen_most_often_is_learned_and_what_was_seen_once_is_not():
    learned = learned_spelling([*NAMES, ("达", "dah")], SOUNDS)
    assert learned["达"] == "da"
    assert "维" not in learned  # seen once


def test_a_name_counts_once():
    assert learned_spelling([("维达", "vida")] * 5, SOUNDS) == {}


def test_nothing_is_learned_of_nothing():
    assert learned_spelling([], {}) == {}
