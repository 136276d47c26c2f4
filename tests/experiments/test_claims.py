import pytest

from farlink.experiments.claims import (
    Claim,
    Comparison,
    Scored,
    ahead_of_all,
    better,
    by_place,
    claim_lines,
    fastest,
    gentler,
    rises_then_rests,
    still_learning,
    verdict,
)
from helpers.recorded import record


def comparison(first, second, *learning):
    return Comparison("here", Scored("a", first, "a" in learning), Scored("b", second, "b" in learning))


@pytest.mark.parametrize(
    ("gaps", "words"),
    [((1, 1), "holds"), ((1, -1), "holds on 1 of 2"), ((-1, -1), "does not hold"), ((0,), "does not")],
)
def test_a_claim_holds_as_far_as_the_first_is_ahead(gaps, words):
    assert verdict([comparison(0.5 + gap / 10, 0.5) for gap in gaps]).startswith(words)


def test_a_claim_that_nothing_was_compared_for_is_not_tested():
    assert verdict([]) == "not tested yet"


def test_what_was_behind_while_it_was_still_learning_may_yet_get_ahead():
    assert verdict([comparison(0.3, 0.4, "a")]) == "not decided"
    assert verdict([comparison(0.5, 0.4, "b")]) == "not decided"
    assert verdict([comparison(0.5, 0.4, "a"), comparison(0.3, 0.4, "a")]) == "holds, not decided on 1 of 2"


def test_a_page_tells_the_verdict_and_the_figures_it_is_made_from():
    claim = Claim("a is ahead of b", lambda records: [comparison(0.3, 0.4, "a"), comparison(0.5, 0.4)])
    lines = claim_lines([claim], [])
    assert "**Found:** a is ahead of b: holds, not decided on 1 of 2." in lines
    assert "| here | a .300* | b .400 | -10.0 |" in lines
    assert "| here | a .500 | b .400 | +10.0 |" in lines
    assert "still learning" in lines[-1]


def test_without_figures_there_is_no_table():
    assert claim_lines([Claim("a is ahead", lambda records: [])], []) == ["", "**Found:** a is ahead: not tested yet."]


def test_variants_that_have_read_as_many_paths_are_compared_by_test_links():
    records = [record(label, hits, data="set/0") for label, hits in (("a", 0.6), ("b", 0.5))]
    (found,) = better("a", "b")(records)
    assert (found.where, found.points) == ("set/0, test links", pytest.approx(10))


def test_variants_that_read_unequal_numbers_of_paths_are_compared_where_both_have_been():
    longer, shorter = record("a", 0.5, curve=(0.1, 0.2, 0.5)), record("b", 0.3, curve=(0.1, 0.3))
    (found,) = better("a", "b")([longer, shorter])
    assert found.where == "EN-DE, validation links after 200 paths"
    assert found.points == pytest.approx(-10)


def test_variants_that_were_never_at_the_same_place_say_so():
    apart = record("b", 0.3)
    for row in apart["trace"]:
        row["examples"] += 1
    (found,) = better("a", "b")([record("a", 0.5), apart])
    assert found.where == "EN-DE, test links after unequally many paths"
    assert found.points == pytest.approx(20)


def test_a_method_is_compared_with_the_best_of_all_others_everywhere():
    records = [
        record(label, hits, data=f"set/{place}")
        for place, figures in enumerate(((0.5, 0.4, 0.45), (0.5, 0.6, 0.2)))
        for label, hits in zip("abc", figures, strict=True)
    ]
    first, second = ahead_of_all("a", ("b", "c"))(records)
    assert (first.second.name, first.points) == ("c", pytest.approx(5))
    assert (second.second.name, second.points) == ("b", pytest.approx(-10))
    assert ahead_of_all("a", ("b",))(records[:1]) == []


def test_a_method_whose_minutes_were_over_while_it_was_learning_is_marked():
    (found,) = ahead_of_all("a", ("b",))([record("b", 0.4), record("a", 0.3, minutes=1)])
    assert str(found.first) == "a .300*"
    assert not found.decided


@pytest.mark.parametrize(
    ("curve", "minutes", "learning"),
    [((0.1, 0.2), 3, True), ((0.1, 0.2), 0, False), ((0.1, 0.2), 4, False), ((0.3, 0.2, 0.1), 3, False)],
    ids=["at the limit", "no limit", "ended before the limit", "past its best"],
)
def test_a_run_is_still_learning_if_its_minutes_cut_it_short(curve, minutes, learning):
    assert still_learning(record("a", curve=curve, minutes=minutes)) == learning


def test_the_fastest_is_compared_with_the_best_of_the_others_after_every_epoch_that_all_have():
    records = [record("a", curve=(0.2, 0.3, 0.4)), record("b", curve=(0.1, 0.2)), record("c", curve=(0.15, 0.1, 0.9))]
    found = fastest("a")(records)
    assert [(one.where, one.second.name) for one in found] == [("epoch 1", "c"), ("epoch 2", "b")]
    assert verdict(found) == "holds"
    assert verdict(fastest("b")(records)) == "does not hold"
    assert fastest("a")(records[:1]) == []


@pytest.mark.parametrize(("last", "words"), [(0.41, "holds"), (0.6, "does not hold"), (0.2, "does not hold")])
def test_longer_walks_help_up_to_a_point(last, words):
    records = [record("RSN", hits, x=x) for x, hits in ((5, 0.2), (15, 0.4), (25, last))]
    assert verdict(rises_then_rests(records)) == words
    assert rises_then_rests(records[:2]) == []


def test_a_gentler_curve_keeps_a_greater_share():
    records = [
        record(label, hits, x=x) for label, x, hits in (("a", 10, 0.4), ("a", 50, 0.5), ("b", 10, 0.1), ("b", 50, 0.5))
    ]
    (found,) = gentler("a", "b")(records)
    assert (str(found.first), str(found.second)) == ("a keeps .800", "b keeps .200")
    assert verdict([found]) == "holds"
    assert gentler("a", "c")(records) == []


def test_a_curve_of_which_a_run_is_still_learning_may_turn_either_way():
    records = [
        record(label, hits, x=x, minutes=1 if (label, x) == ("a", 50) else 5)
        for label, x, hits in (("a", 10, 0.4), ("a", 50, 0.5), ("b", 10, 0.1), ("b", 50, 0.5))
    ]
    assert verdict(gentler("a", "b")(records)) == "not decided"


def test_several_seeds_count_by_their_mean():
    records = [record("a", hits, x=10, seed=seed) for seed, hits in enumerate((0.1, 0.3))]
    assert by_place(records)["a", 10] == pytest.approx(0.2)
