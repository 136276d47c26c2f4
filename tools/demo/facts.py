"""Entities and the facts about them, before anyone has told them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tools.demo.dice import Dice
from tools.demo.vocabulary import LEFT, RIGHT, Names

NOWHERE = -1

Fact = tuple[str, int, int]  # kind, subject, object


@dataclass(frozen=True)
class Entity:
    """A thing of the world, with the names the two sides give it."""

    kind: str
    names: Names
    home: int  # its country, or NOWHERE

    @property
    def left(self) -> str:
        """What the left side calls it."""
        return self.names[LEFT]

    @property
    def right(self) -> str:
        """What the right side calls it."""
        return self.names[RIGHT]


class World:
    """All there is and all that is true of it. An entity is known by its number."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.entities: list[Entity] = []
        self.groups: dict[str, list[int]] = defaultdict(list)
        self.facts: list[Fact] = []
        self._taken: set[str] = set()

    def add(self, kind: str, names: Names, home: int = NOWHERE, group: str = "") -> int:
        """A new entity, a member of the group of its kind and perhaps of another."""
        entity = len(self.entities)
        self.entities.append(Entity(kind, names, home))
        self._taken.update(names)
        for name in [kind, group] if group else [kind]:
            self.groups[name].append(entity)
        return entity

    def unused(self, make_names: Callable[[], Names]) -> Names:
        """The first pair of names that no entity has on either side."""
        names = make_names()
        while not self._taken.isdisjoint(names):
            names = make_names()
        return names

    def state(self, kind: str, subject: int, *objects: int) -> None:
        """Add one fact for each object; nothing relates to itself."""
        self.facts += [(kind, subject, entity) for entity in objects if entity != subject]

    def home(self, entity: int) -> int:
        """The country of an entity."""
        return self.entities[entity].home

    def names(self, entity: int) -> Names:
        """What the two sides call an entity."""
        return self.entities[entity].names

    def choose(self, group: str, count: int, near: int = NOWHERE) -> list[int]:
        """Distinct members of a group; the older ones and those of the country `near` are chosen more often.

        The weights are integers, so that the choice cannot depend on how a machine rounds.
        """
        members = self.groups[group]
        weights = 10_000 // (np.arange(len(members)) + 4)
        weights *= np.array([15 if self.home(member) == near else 1 for member in members])
        ends = np.cumsum(weights)
        chosen: list[int] = []
        while len(chosen) < count:
            drawn = self.dice.number(0, int(ends[-1]) - 1)
            member = members[int(np.searchsorted(ends, drawn, side="right"))]
            if member not in chosen:
                chosen.append(member)
        return chosen

    def pick(self, group: str, near: int = NOWHERE) -> int:
        """One member of a group, chosen as `choose` does."""
        return self.choose(group, 1, near)[0]
