import numpy as np
import pytest

from farlink.alignment.task import open_task
from farlink.experiments.known_neighbours import every_other_link_known, expected_hits, judged_by_known_neighbours
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.measures.ranks import Ranks
from farlink.progress import Silent
from farlink.settings import make_settings
from helpers.pairs import Pair


def test_one_of_several_equally_good_candidates_is_taken_at_random():
    ranks = Ranks(optimistic=np.array([1, 1, 2, 1]), pessimistic=np.array([1, 2, 2, 4]))
    assert expected_hits(ranks) == pytest.approx((1 + 1 / 2 + 0 + 1 / 4) / 4)


def test_where_every_entity_differs_from_all_others_all_are_found(small_benchmark):
    record = every_other_link_known(small_benchmark, 0)
    assert record["metrics"]["test"]["linked"]["left_to_right"]["hits@1"] == 1
    assert record["command"] == "farlink experiment alignment --part limits --seeds 1"


def test_entities_that_look_the_same_can_only_be_guessed():
    pair = Pair.make()
    more = [(f"{side}{name}", f"{side}_r0", f"{side}0") for side in "ab" for name in ("x", "y")]
    graphs = [
        KnowledgeGraph.from_frame(frame.vstack(type(frame)(new, schema=frame.schema, orient="row")), source="test")
        for frame, new in ((pair.left_frame, more[:2]), (pair.right_frame, more[2:]))
    ]
    twins = type(pair.links)({"left": ["ax", "ay"], "right": ["bx", "by"]})
    settings = make_settings()
    links = {"seeds": pair.links[:30], "valid": pair.links[30:], "test": twins}
    task = open_task(*graphs, **links, settings=settings, reporter=Silent())
    assert expected_hits(judged_by_known_neighbours(task, settings)) == pytest.approx(0.5)
