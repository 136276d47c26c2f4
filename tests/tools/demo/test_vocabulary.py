from __future__ import annotations

import re
from itertools import product

import pytest
from tools.demo.dice import Dice
from tools.demo.vocabulary import LANGUAGES, LEFT, NORTHERN, RIGHT, Language

from tools.demo import vocabulary


def test_pairs_are_written_with_a_colon() -> None:
    assert vocabulary.pairs("Law:Recht War_film:Kriegsfilm") == [("Law", "Recht"), ("War film", "Kriegsfilm")]


@pytest.mark.parametrize(
    ("stem", "ending", "name"),
    [
        ("Vann", "nes", "Vannes"),
        ("Fjell", "lund", "Fjellund"),
        ("Holm", "mark", "Holmmark"),
        ("Vann", "stad", "Vannstad"),
    ],
)
def test_a_compound_has_no_letter_three_times(stem: str, ending: str, name: str) -> None:
    assert vocabulary.joined(stem, ending) == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_different_parts_give_different_names(language: Language) -> None:
    for stems, endings in (
        (language.surname_stems, language.surname_endings),
        (language.place_stems, language.town_endings + language.river_endings),
    ):
        names = [vocabulary.joined(stem, ending) for stem, ending in product(stems, endings)]
        assert len(set(names)) == len(names)
        assert not [name for name in names if re.search(r"(.)\1\1", name.lower())]


def test_the_surname_of_a_person_comes_back_from_the_names() -> None:
    names = vocabulary.person_names(Dice(0), NORTHERN, "Lindqvist")
    assert vocabulary.surname_of(names) == "Lindqvist"
    assert names[LEFT].endswith(" Lindqvist")


def test_a_title_says_the_same_on_both_sides() -> None:
    nouns = [("Salt", "Salz"), ("Rain", "Regen")]
    patterns = [("{0} and {1} in {2}", "{0} und {1} in {2}")]
    names = vocabulary.title(Dice(0), patterns, nouns, "Vannes")
    assert names == ("Salt and Rain in Vannes", "Salz und Regen in Vannes")


def test_a_company_with_a_partner_has_an_ampersand_on_the_right_only() -> None:
    made = {vocabulary.company_names(Dice(seed), NORTHERN, "Berg", "Kalby", ("Steel", "Stahl")) for seed in range(20)}
    assert ("Kalby Steel", "Kalby Stahl AG") in made
    assert any(" and " in left for left, _ in made)
    assert all((" and " in names[LEFT]) == (" & " in names[RIGHT]) for names in made)
