from __future__ import annotations

from tools.demo.dice import Dice


def test_the_same_seed_gives_the_same_choices() -> None:
    one, two = ([dice.number(0, 9), dice.chance(0.5), dice.shuffled("abcdef")] for dice in (Dice(1), Dice(1)))
    assert one == two


def test_numbers_include_both_ends() -> None:
    dice = Dice(0)
    assert {dice.number(2, 4) for _ in range(100)} == {2, 3, 4}


def test_a_shuffle_keeps_every_option() -> None:
    assert sorted(Dice(0).shuffled("abcdef")) == list("abcdef")


def test_chances_have_their_probability() -> None:
    assert 180 < Dice(0).chances(0.2, 1_000).sum() < 220
    assert not Dice(0).chance(0.0)
    assert Dice(0).chance(1.0)
