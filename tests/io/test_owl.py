import polars as pl
import pytest

from farlink.io.owl import FILLERS, OWL, PROPERTY, SUBCLASS, without_restrictions

SUB, EQUIVALENT = SUBCLASS
SOME = FILLERS[0]
UNION = f"{OWL}unionOf"


def triples(*rows):
    return pl.DataFrame(rows, schema=["head", "relation", "tail"], orient="row")


def said(*rows):
    return sorted(without_restrictions(triples(*rows)).rows())


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize("of", SUBCLASS)
def test_a_restriction_becomes_one_triple(of, filler):
    rows = [("left lung", of, "_:r"), ("_:r", PROPERTY, "part of"), ("_:r", filler, "lung")]
    assert said(*rows) == [("left lung", "part of", "lung")]


def test_all_else_stays_in_its_order():
    rest = [("b", SUB, "a"), ("a", "is", "c"), ("c", SUB, "_:x")]
    rows = [*rest, ("b", SUB, "_:r"), ("_:r", PROPERTY, "p"), ("_:r", SOME, "a"), ("_:r", "type", "restriction")]
    assert without_restrictions(triples(*rows)).rows() == [*rest, ("b", "p", "a")]


def test_a_restriction_that_several_classes_have_is_said_of_each():
    rows = [("a", SUB, "_:r"), ("b", EQUIVALENT, "_:r"), ("_:r", PROPERTY, "p"), ("_:r", SOME, "c")]
    assert said(*rows) == [("a", "p", "c"), ("b", "p", "c")]


def test_unions_stay_as_they_are():
    rows = [("a", SUB, "_:u"), ("_:u", UNION, "_:list"), ("_:list", "first", "b"), ("_:list", "rest", "nil")]
    frame = triples(*rows)
    assert without_restrictions(frame) is frame


def test_where_there_is_nothing_to_do_the_frame_is_the_same():
    frame = triples(("a", SUB, "b"), ("named", PROPERTY, "p"), ("named", SOME, "c"))
    assert without_restrictions(frame) is frame


def test_a_node_that_says_two_things_is_no_restriction():
    rows = [("a", SUB, "_:r"), ("_:r", PROPERTY, "p"), ("_:r", SOME, "b"), ("_:r", FILLERS[1], "c")]
    frame = triples(*rows)
    assert without_restrictions(frame) is frame


def test_a_restriction_without_a_class_stays():
    frame = triples(("a", SUB, "_:r"), ("_:r", PROPERTY, "p"), ("_:r", f"{OWL}someThing", "b"))
    assert without_restrictions(frame) is frame


def test_no_triples_are_no_restrictions():
    frame = pl.DataFrame(schema=dict.fromkeys(("head", "relation", "tail"), pl.String))
    assert without_restrictions(frame) is frame
