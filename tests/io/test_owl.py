import polars as pl
import pytest

import farlink
from farlink.io.owl import FILLERS, FIRST, INTERSECTION, NIL, OWL, PROPERTY, REST, SUBCLASS, UNION, without_restrictions

SUB, EQUIVALENT = SUBCLASS
SOME = FILLERS[0]


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


def test_unions_of_what_is_no_list_stay_as_they_are():
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


def listed(cell, *parts):
    """A list as RDF writes it."""
    cells = [f"_:{cell}{place}" for place in range(len(parts))]
    return [
        row
        for one, part, after in zip(cells, parts, [*cells[1:], NIL], strict=True)
        for row in ((one, FIRST, part), (one, REST, after))
    ]


def restriction(node, relation, filler):
    return [(node, "type", "restriction"), (node, PROPERTY, relation), (node, SOME, filler)]


def test_what_is_in_an_intersection_is_said_of_the_class():
    rows = [("hand", EQUIVALENT, "_:c"), ("_:c", "type", "class"), ("_:c", INTERSECTION, "_:l0")]
    rows += [*listed("l", "limb", "_:r"), *restriction("_:r", "has", "finger")]
    assert said(*rows) == [("hand", "has", "finger"), ("hand", SUB, "limb")]


def test_what_is_in_a_union_is_a_way_that_the_class_may_be():
    rows = [("a", SUB, "_:u"), ("_:u", UNION, "_:l0"), *listed("l", "b", "_:r"), *restriction("_:r", "p", "c")]
    assert said(*rows) == sorted([("a", "p", "c"), ("a", UNION, "b")])


def test_a_named_class_may_be_combined_without_a_node():
    rows = [("a", INTERSECTION, "_:l0"), *listed("l", "b", "_:r"), *restriction("_:r", "p", "c"), ("d", SUB, "a")]
    assert said(*rows) == sorted([("a", SUB, "b"), ("a", "p", "c"), ("d", SUB, "a")])


def test_lists_within_lists_are_opened():
    rows = [("a", EQUIVALENT, "_:i"), ("_:i", INTERSECTION, "_:l0"), *listed("l", "b", "_:u")]
    rows += [("_:u", UNION, "_:m0"), *listed("m", "_:r", "_:s")]
    rows += [*restriction("_:r", "p", "c"), *restriction("_:s", "q", "d")]
    assert said(*rows) == sorted([("a", SUB, "b"), ("a", "p", "c"), ("a", "q", "d")])


def test_a_property_that_leads_to_a_union_leads_to_each_of_its_classes():
    rows = [("a", SUB, "_:r"), *restriction("_:r", "p", "_:u"), ("_:u", UNION, "_:l0"), *listed("l", "b", "c")]
    assert said(*rows) == [("a", "p", "b"), ("a", "p", "c")]


def test_a_property_that_leads_to_what_has_no_name_leads_to_a_node_with_plain_triples():
    rows = [("a", SUB, "_:r"), *restriction("_:r", "p", "_:i"), ("_:i", INTERSECTION, "_:l0")]
    rows += [*listed("l", "b", "_:s"), *restriction("_:s", "q", "c")]
    assert said(*rows) == sorted([("a", "p", "_:i"), ("_:i", SUB, "b"), ("_:i", "q", "c")])


def test_a_union_that_something_else_leads_to_stays_without_its_list():
    rows = [("a", "disjoint with", "_:u"), ("_:u", UNION, "_:l0"), *listed("l", "b", "c")]
    assert said(*rows) == sorted([("a", "disjoint with", "_:u"), ("_:u", UNION, "b"), ("_:u", UNION, "c")])


def test_lists_of_other_relations_stay():
    rows = [("a", f"{OWL}oneOf", "_:l0"), *listed("l", "b", "c")]
    assert said(*rows) == sorted(rows)


@pytest.mark.parametrize("broken", [[("_:l0", FIRST, "b")], [("_:l0", FIRST, "b"), ("_:l0", REST, "_:l0")]])
def test_a_list_without_an_end_ends(broken):
    assert said(("a", UNION, "_:l0"), *broken) == [("a", UNION, "b")]


def test_a_class_that_is_a_part_of_itself_ends():
    rows = [("a", SUB, "_:u"), ("_:u", UNION, "_:l0"), *listed("l", "b", "_:u")]
    assert ("a", UNION, "b") in said(*rows)


def test_a_file_with_restrictions_in_lists_has_no_nameless_entities(tmp_path):
    (tmp_path / "hand.ttl").write_text("""
        @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://x/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :hand owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :limb
            [ a owl:Restriction ; owl:onProperty :part_of ; owl:someValuesFrom :arm ]
            [ owl:unionOf ( :left
                [ owl:onProperty :has ; owl:someValuesFrom [ owl:unionOf ( :thumb :finger ) ] ] ) ] ) ] .
        :thumb rdfs:subClassOf :finger .
    """)
    graph = farlink.read(tmp_path / "hand.ttl")
    assert not graph.entities.str.starts_with("_:").any()
    names = {graph.entities[int(place)].removeprefix("http://x/") for place in graph.triples[:, ::2].ravel()}
    assert names == {"hand", "limb", "arm", "left", "thumb", "finger"}
    assert len(graph.triples) == 6
