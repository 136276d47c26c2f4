import threading
import time
from concurrent.futures import ThreadPoolExecutor

from farlink.runs.lazy import lazy


class Thing:
    def __init__(self):
        self.lock = threading.RLock()
        self.computed = []

    @lazy
    def part(self):
        """A part."""
        self.computed.append("part")
        time.sleep(0.05)  # long enough for all the other threads to ask
        return object()

    @lazy
    def whole(self):
        self.computed.append("whole")
        return [self.part]


def test_however_many_threads_ask_a_part_is_computed_once():
    thing = Thing()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: thing.whole[0] if number % 2 else thing.part, range(8)))
    assert sorted(thing.computed) == ["part", "whole"]
    assert all(one is thing.part for one in found)


def test_every_object_has_parts_of_its_own():
    assert Thing().part is not Thing().part


def test_the_class_shows_what_the_part_is():
    assert Thing.part.__doc__ == "A part."
