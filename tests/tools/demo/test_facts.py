from __future__ import annotations

from collections import Counter

import pytest
from tools.demo.dice import Dice
from tools.demo.facts import World


@pytest.fixture
def world() -> World:
    world = World(Dice(0))
    for number in range(20):
        world.add("city", (f"Town {number}", f"Stadt {number}"), home=number % 2)
    return world


def test_an_entity_joins_the_group_of_its_kind_and_another(world: World) -> None:
    person = world.add("person", ("Liv Berg", "Berg, Liv"), home=1, group="athlete")
    assert world.groups["person"] == world.groups["athlete"] == [person]
    assert world.home(person) == 1


def test_nothing_relates_to_itself(world: World) -> None:
    world.state("twin town", 3, 3, 4)
    assert world.facts == [("twin town", 3, 4)]


def test_a_name_that_is_taken_on_either_side_is_made_again(world: World) -> None:
    made = iter([("Town 1", "Neu"), ("New", "Stadt 2"), ("New", "Neu")])
    assert world.unused(lambda: next(made)) == ("New", "Neu")


def test_the_chosen_are_distinct(world: World) -> None:
    assert sorted(world.choose("city", 20)) == world.groups["city"]


def test_the_old_and_the_near_are_chosen_more_often(world: World) -> None:
    anywhere = Counter(world.pick("city") for _ in range(2_000))
    assert anywhere[0] > anywhere[19]
    near = Counter(world.home(world.pick("city", near=1)) for _ in range(200))
    assert near[1] > 3 * near[0]
