import pytest

from farlink.experiments import claims as verdicts
from helpers.recorded import record


@pytest.mark.parametrize(
    ("gaps", "verdict"), [((0.1, 0.1), "holds ("), ((0.1, -0.1), "holds on 1 of 2"), ((-0.1, -0.1), "does not hold")]
)
def test_a_variant_is_better_if_it_is_so_everywhere(gaps, verdict):
    records = [
        record(label, 0.5 + (gap if label == "a" else 0), data=f"set/{place}")
        for place, gap in enumerate(gaps)
        for label in ("a", "b")
    ]
    assert verdict in verdicts.better("a", "b")(records)


def test_variants_that_read_unequal_numbers_of_paths_are_compared_where_both_have_been():
    longer, shorter = record("a", 0.5, curve=(0.1, 0.2, 0.5)), record("b", 0.3, curve=(0.1, 0.3))
    found = verdicts.better("a", "b")([longer, shorter])
    assert "does not hold" in found
    assert "-10.0 after 200 paths; after so many paths each: on validation links" in found


def test_variants_that_were_never_at_the_same_place_say_so():
    apart = record("b", 0.3)
    for row in apart["trace"]:
        row["examples"] += 1
    assert "+20.0 after unequally many)" in verdicts.better("a", "b")([record("a", 0.5), apart])


def test_a_method_is_ahead_of_all_if_it_beats_the_best_of_them_everywhere():
    records = [
        record(label, hits, data=f"set/{place}")
        for place, figures in enumerate(((0.5, 0.4, 0.45), (0.5, 0.6, 0.2)))
        for label, hits in zip("abc", figures, strict=True)
    ]
    found = verdicts.ahead_of_all("a", ("b", "c"))(records)
    assert "holds on 1 of 2" in found
    assert "0 +5.0 to c, 1 -10.0 to b)" in found
    assert verdicts.ahead_of_all("a", ("b",))(records[:1]) == verdicts.NOT_TESTED


def test_a_method_whose_minutes_were_over_while_it_was_learning_may_yet_get_ahead():
    records = [record("b", 0.4, data=data) for data in ("set/0", "set/1")]
    records += [record("a", hits, data=data, minutes=1) for data, hits in (("set/0", 0.5), ("set/1", 0.3))]
    found = verdicts.ahead_of_all("a", ("b",))(records)
    assert "holds, but is not decided on 1 of 2" in found
    assert "0 +10.0 to b*, 1 -10.0 to b*; * a was still learning when its minutes were over" in found


@pytest.mark.parametrize(
    ("curve", "minutes", "rising"),
    [((0.1, 0.2), 3, True), ((0.1, 0.2), 0, False), ((0.1, 0.2), 4, False), ((0.3, 0.2, 0.1), 3, False)],
    ids=["at the limit", "no limit", "ended before the limit", "past its best"],
)
def test_a_run_is_still_learning_if_its_minutes_cut_it_short(curve, minutes, rising):
    assert verdicts.still_rising(record("a", curve=curve, minutes=minutes)) == rising


def test_verdicts_stand_together_and_one_on_nothing_is_left_out():
    records = [record("a"), record("b", 0.4)]
    both = verdicts.together(verdicts.better("a", "b"), verdicts.better("a", "c"))
    assert both(records) == verdicts.better("a", "b")(records)
    assert both([]) == verdicts.NOT_TESTED


def test_a_variant_is_fastest_if_it_is_ahead_after_every_epoch():
    records = [record("a", curve=(0.2, 0.3, 0.4)), record("b", curve=(0.1, 0.2))]
    found = verdicts.fastest("a")(records)
    assert "a is ahead of the others after every epoch holds." in found
    assert "What b reaches in 2 epochs (0.200), a passes in 2." in found
    assert "does not hold" in verdicts.fastest("b")(records)


def test_longer_walks_help_up_to_a_point():
    rising = [record("RSN", hits, x=x) for x, hits in ((5, 0.2), (15, 0.4), (25, 0.41))]
    assert "holds" in verdicts.rises_then_rests(rising)
    straight = [record("RSN", hits, x=x) for x, hits in ((5, 0.2), (15, 0.4), (25, 0.6))]
    assert "does not hold" in verdicts.rises_then_rests(straight)


def test_a_gentler_curve_loses_less():
    records = [
        record(label, hits, x=x) for label, x, hits in (("a", 10, 0.4), ("a", 50, 0.5), ("b", 10, 0.1), ("b", 50, 0.5))
    ]
    assert "holds: from 50 % to 10 % a loses 20%, b 80%." in verdicts.gentler("a", "b")(records)
    records += [record("a", 0.1, x=30, minutes=1)]
    assert "is not decided: from 50 % to 10 % a loses 20%, b 80%; a still learning" in verdicts.gentler("a", "b")(
        records
    )


def test_several_seeds_count_by_their_mean():
    records = [record(label, value, x=x, seed=seed) for label, x, seed, value in (
        ("a", 10, 0, 0.1), ("a", 10, 1, 0.3), ("a", 50, 0, 0.4), ("b", 10, 0, 0.1), ("b", 50, 0, 0.5),
    )]  # fmt: skip
    assert verdicts.by_place(records)["a", 10] == pytest.approx(0.2)
    assert "a loses 50%, b 80%" in verdicts.gentler("a", "b")(records)
