import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch

import farlink
from farlink.alignment.folder import AlignmentFolder
from farlink.alignment.ontology import CLASSES, RELATIONS
from farlink.alignment.task import AlignmentTask
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.settings import make_settings
from helpers.pairs import Pair


@pytest.fixture
def run(tiny_run):
    return tiny_run


def test_a_run_read_again_is_the_same(run):
    again = farlink.load(run.folder)
    assert again.settings == run.settings
    assert again.metrics == run.metrics
    assert again.alignment.equals(run.alignment)
    assert torch.equal(again.vectors["left"], run.vectors["left"])


def test_vectors_have_a_row_for_every_entity(run):
    assert len(run.vectors["left"]) == len(run.vectors["right"]) == 40


def test_the_graphs_come_back(run):
    pair = Pair.make()
    assert run.graphs["left"].same_as(pair.left)
    assert run.graphs["right"].same_as(pair.right)


def test_links_are_kept_by_purpose(run):
    assert {purpose: len(run.links(purpose)) for purpose in ("seed", "validation", "test")} == {
        "seed": 18,
        "validation": 2,
        "test": 20,
    }


def test_the_trace_has_a_row_per_epoch(run):
    assert run.trace["epoch"].to_list() == [1, 2, 3]


def labelled(graph: KnowledgeGraph) -> KnowledgeGraph:
    rows = [(name, "label", f"the {name}, \t or\nso") for name in graph.entities[:3]]
    literals = pl.DataFrame(
        [(*row, "http://x/text", None) for row in rows] + [(rows[0][0], "label", "die", None, "de")],
        schema=["head", "relation", "value", "datatype", "language"],
        orient="row",
    )
    return KnowledgeGraph(graph.entities, graph.relations, graph.triples, literals, source=graph.source)


@pytest.fixture
def task():
    pair = Pair.make()
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    return AlignmentTask(labelled(pair.left), labelled(pair.right), links[:20], links[20:22], links[22:], ["a note"])


@pytest.fixture
def folder(task, tmp_path):
    """The folder of a run that has just started."""
    folder = AlignmentFolder(tmp_path / "run")
    with folder.open(make_settings(), folder.about_task(task), folder.tables_of_task(task), resume=False):
        return AlignmentFolder(folder.folder)


def test_what_a_task_holds_comes_back_from_the_folder(task, folder):
    for side, graph in (("left", task.left), ("right", task.right)):
        found = folder.graphs[side]
        assert found.entities.equals(graph.entities)
        assert found.relations.equals(graph.relations)
        assert np.array_equal(found.triples, graph.triples)
        assert found.literals.equals(graph.literals)
        assert found.source == graph.source
    for purpose, pairs in (("seed", task.seeds), ("validation", task.valid), ("test", task.test)):
        assert np.array_equal(folder.links(purpose), pairs)
    assert folder.about["notes"] == ["a note"]
    assert folder.about["links"] == {"seeds": 20, "validation": 2, "test": 18}


def test_rejected_pairs_come_back_and_are_part_of_what_a_run_is_about(task, folder, tmp_path):
    assert len(folder.links("rejected")) == 0
    rejecting = replace(task, rejected=task.test[::-1])
    other = AlignmentFolder(tmp_path / "other")
    with other.open(make_settings(), other.about_task(rejecting), other.tables_of_task(rejecting), resume=False):
        assert np.array_equal(other.links("rejected"), task.test[::-1])
    assert other.about["links"]["rejected"] == len(task.test)
    assert other.about["fingerprint"] != folder.about["fingerprint"]


def test_links_found_are_those_written_last(folder, task):
    assert folder.found_last() is None
    folder.write_found(task.test, epoch=0)
    assert np.array_equal(folder.found_last()[1], task.test)
    folder.write_found(task.test[:3], epoch=1)
    for opened in (folder, AlignmentFolder(folder.folder)):
        epoch, found = opened.found_last()
        assert epoch == 1
        assert np.array_equal(found, task.test[:3])
        assert np.array_equal(opened.links("found"), found)


def test_candidates_come_back_with_their_scores(run):
    stored, kept = pl.read_parquet(run.folder / "candidates.parquet"), farlink.load(run.folder).candidates
    assert stored.columns == ["left", "right", "cosine", "logit", "score"]
    assert np.array_equal(kept.score, stored["score"])
    anew = kept.balanced(kept.logit)
    assert kept.score == pytest.approx(anew.score)  # the balance that is told needs no other round
    assert kept.rounds == run.settings.sinkhorn_rounds


def test_relations_that_correspond_come_back(run):
    relations = farlink.load(run.folder).relations
    assert dict(relations.schema) == RELATIONS
    assert {(row["left"][-2:], row["kind"], row["right"][-2:]) for row in relations.to_dicts()} <= {
        (f"r{i}", "equal", f"r{i}") for i in range(4)
    }
    assert dict(run.classes.schema) == CLASSES


def test_a_run_without_relations_says_so_and_does_the_rest(run, tmp_path):
    older = farlink.load(shutil.copytree(run.folder, tmp_path / "run"))
    (older.folder / "relations.tsv").unlink()
    (older.folder / "classes.tsv").unlink()
    for name in ("relations", "classes"):
        with pytest.raises(FarlinkError, match=rf"no {name}\.tsv: the farlink that made this run did not align {name}"):
            getattr(older, name)
    assert older.alignment.equals(run.alignment)
    assert "InstanceBased" not in older.export("sssom").read_text().split("subject_id")[1]
