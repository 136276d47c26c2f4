from farlink.alignment.results import quality_table, ranks_table
from farlink.reports.tables import markdown

RANKS = {"hits@1": 0.5, "hits@3": 0.55, "hits@5": 0.6, "hits@10": 0.7, "mrr": 0.58, "mr": 12.34}
SIDES = {"left_to_right": RANKS, "right_to_left": {**RANKS, "hits@1": 0.4}}


def test_ranks_stand_by_protocol_and_direction():
    lines = markdown(ranks_table({"linked": SIDES, "all": SIDES}, "On the test links:"))
    assert lines[:3] == ["On the test links:", "", "| protocol | direction | Hits@1 | Hits@5 | Hits@10 | MRR | MR |"]
    assert [line.split(" | ")[:3] for line in lines[4:]] == [
        ["| linked", "left to right", "0.500"],
        ["| linked", "right to left", "0.400"],
        ["| all", "left to right", "0.500"],
        ["| all", "right to left", "0.400"],
    ]
    assert lines[4].endswith("| 0.600 | 0.700 | 0.580 | 12.3 |")


def test_the_mapping_stands_beside_what_names_alone_give():
    figures = {
        "mapping": {"precision": 0.9, "recall": 0.8, "f1": 0.847},
        "name_equality": {"precision": 1.0, "recall": 0.1, "f1": 0.182},
    }
    assert markdown(quality_table(figures))[2:] == [
        "| the mapping | 0.900 | 0.800 | 0.847 |",
        "| name equality, for comparison | 1.000 | 0.100 | 0.182 |",
    ]
