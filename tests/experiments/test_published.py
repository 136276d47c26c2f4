from farlink.experiments.datasets import COMPLETION, DBP_WD, OPENEA_V1, OPENEA_V2, SRPRS, WIDER, name_of
from farlink.experiments.published import (
    BEST_STRUCTURE_ONLY,
    PAPER_COMPLETION,
    PAPER_HITS,
    RSN,
    best_sources,
)


def test_the_papers_tables_are_whole():
    assert {data for _, data in PAPER_HITS} == set(SRPRS) == set(RSN)
    assert len(PAPER_HITS) == 11 * len(SRPRS)
    assert [len(PAPER_COMPLETION[data]) for data in COMPLETION] == [7, 7, 7]


def test_figures_of_rsn_stand_once():
    assert PAPER_HITS["RSN", DBP_WD] == RSN[DBP_WD][0] == 0.388


def test_hits_at_ten_and_the_mean_reciprocal_rank_are_never_below_hits_at_one():
    for hits_1, hits_10, mrr in (*RSN.values(), *(row for rows in PAPER_COMPLETION.values() for row in rows.values())):
        assert hits_1 < mrr < hits_10 + 0.01  # the paper gives two digits of the last


def test_the_best_known_figures_are_written_with_their_method():
    assert [str(one) for data in (OPENEA_V1, OPENEA_V2) for one in BEST_STRUCTURE_ONLY[data]] == [
        "RREA semi .718",
        "RREA semi .937",
    ]
    assert set(BEST_STRUCTURE_ONLY) < {*SRPRS, *WIDER}


def test_every_source_is_told_once():
    sources = best_sources()
    assert len(set(sources)) == len(sources)
    assert all(source.paper and source.protocol for source in sources)


def test_every_data_set_has_a_name_of_its_own():
    every = (*SRPRS, *WIDER, *COMPLETION)
    assert len({data.name for data in every}) == len({data.folder for data in every}) == len(every)
    assert name_of("dbp15k/zh_en") == "DBP15K ZH-EN"
    assert name_of("elsewhere") == "elsewhere"
