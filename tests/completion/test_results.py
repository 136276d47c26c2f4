from farlink.completion.results import ranks_table, scorers, sides
from farlink.reports.tables import markdown


def ranks(mrr):
    return {"hits@1": 0.1, "hits@3": 0.2, "hits@10": 0.3, "mrr": mrr, "mr": 4.0}


SIDES = {"tail": ranks(0.5), "head": ranks(0.4), "both": ranks(0.45)}


def test_sides_stand_by_what_is_sought():
    assert markdown(ranks_table(sides(SIDES), "On the test triples:"))[2:] == [
        "|  | Hits@1 | Hits@3 | Hits@10 | MRR | MR |",
        "|---|---|---|---|---|---|",
        "| tails (s, r, ?) | 0.100 | 0.200 | 0.300 | 0.500 | 4.0 |",
        "| heads (?, r, o) | 0.100 | 0.200 | 0.300 | 0.400 | 4.0 |",
        "| both | 0.100 | 0.200 | 0.300 | 0.450 | 4.0 |",
    ]


def test_each_scorer_stands_alone_and_left_out():
    figures = {**SIDES, "alone": {"paths": ranks(0.3)}, "without": {"paths": ranks(0.2)}}
    assert {title: one["mrr"] for title, one in scorers(figures).items()} == {
        "the network that reads paths, alone": 0.3,
        "without the network that reads paths": 0.2,
    }


def test_a_scorer_that_has_no_others_beside_it_is_not_told_again():
    assert scorers({**SIDES, "alone": {"paths": ranks(0.3)}}) == {}
