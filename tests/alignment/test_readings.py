import polars as pl
import pytest

import farlink
from farlink.alignment import readings as module
from farlink.alignment.names import Names
from farlink.alignment.readings import NO_READINGS, readings_of
from farlink.alignment.task import open_task
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.progress import reporter_of
from farlink.settings import make_settings
from farlink.text.readings import can_read

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
CHINESE = ["洛杉磯國際機場", "约翰·阿弗莱克", "克里米亚战争"]
ENGLISH = ["Los Angeles International Airport", "John Affleck", "Crimean War"]
needs_languages = pytest.mark.skipif(
    not (can_read("zh") and can_read("ja")), reason="needs the extra: pip install 'farlink[languages]'"
)


def called(prefix, *names):
    """A ring of entities, the i-th with the i-th names."""
    heads = [f"{prefix}:{i}" for i in range(len(names))]
    literals = [(head, LABEL, name) for head, some in zip(heads, names, strict=True) for name in some.split("|")]
    triples = pl.DataFrame({"h": heads, "r": "r", "t": heads[1:] + heads[:1]})
    return KnowledgeGraph.from_frame(
        triples, literals=pl.DataFrame(literals, schema=["head", "relation", "value"], orient="row"), source=prefix
    )


def read(left, right, **changes):
    readings, notes = readings_of(left, right, make_settings(**changes))
    by_number = [
        {
            int(left_or_right.entities[entity].split(":")[1]): reading
            for entity, reading in side.group_by("entity").all().iter_rows()
        }
        for side, left_or_right in zip(readings, (left, right), strict=True)
    ]
    return *by_number, notes


@pytest.mark.slow
@needs_languages
class TestReadings:
    def test_names_in_such_script_are_read_and_it_is_told_by_what(self):
        left, right, notes = read(called("a", *CHINESE, "Oslo"), called("b", *ENGLISH))
        assert left.keys() == {0, 1, 2}
        assert "los angeles international airport" in left[0]
        assert right == {}
        assert len(notes) == 1
        assert "3 entities named in Chinese or Japanese script alone are read by pypinyin" in notes[0]

    def test_either_side_is_read(self):
        _, right, _ = read(called("a", *ENGLISH), called("b", *CHINESE))
        assert right.keys() == {0, 1, 2}

    def test_who_has_a_name_in_another_script_is_not_read(self):
        left, _, notes = read(called("a", "北京|Beijing"), called("b", "Peking"))
        assert left == {}
        assert notes == []

    def test_where_both_write_so_nothing_is_read(self):
        readings, notes = readings_of(called("a", *CHINESE), called("b", *CHINESE, "Oslo"), make_settings())
        assert not readings.any
        assert notes == []

    @pytest.mark.parametrize("changes", [{"readings": "never"}, {"signals": "structure,values"}])
    def test_what_is_not_asked_for_is_not_read(self, changes):
        assert read(called("a", *CHINESE), called("b", *ENGLISH), **changes) == ({}, {}, [])

    def test_a_reading_brings_its_counterpart_into_question(self):
        left, right = called("a", *CHINESE), called("b", *ENGLISH, *(f"Village {i}" for i in range(9)))
        readings, _ = readings_of(left, right, make_settings())
        ids = left.ids(pl.Series(["a:1"])), right.ids(pl.Series(["b:1"]))
        names = Names(left, right, readings)
        assert names.of(*ids)[0] > 0.5 > Names(left, right).of(*ids)[0]
        assert names.kinds(*ids)[0] == 1
        pairs = names.pairs(1)
        found = dict(zip(left.entities.gather(pairs[:, 0]), right.entities.gather(pairs[:, 1]), strict=True))
        assert {found[f"a:{i}"] for i in range(3)} == {f"b:{i}" for i in range(3)}

    def test_a_run_goes_on_with_what_it_read_first(self, tmp_path, monkeypatch):
        left, right = called("a", *CHINESE), called("b", *ENGLISH)
        whole = farlink.align(left, right, out=tmp_path / "whole")
        half = farlink.align(left, right, out=tmp_path / "half")
        (half.folder / "README.md").unlink()  # as if it had been stopped before the end
        monkeypatch.setattr(module, "can_read", lambda language: False)
        again = farlink.align(left, right, out=tmp_path / "half", resume=True)
        assert again.candidates.alike.tolist() == whole.candidates.alike.tolist()
        assert whole.readings.left.height > 0
        assert "are read by pypinyin" in (whole.folder / "README.md").read_text()


def test_without_the_extra_it_is_told_that_there_is_one(monkeypatch):
    monkeypatch.setattr(module, "can_read", lambda language: False)
    left, right, notes = read(called("a", CHINESE[0]), called("b", ENGLISH[0]))
    assert left == right == {}
    assert "entity named in Chinese or Japanese script alone is not read" in notes[0]
    assert "farlink[languages]" in notes[0]


def test_a_task_of_other_names_has_none_and_its_folder_no_table(tmp_path):
    left, right = called("a", "Rome", "Oslo"), called("b", "Roma", "Kyiv")
    assert open_task(left, right, settings=make_settings(), reporter=reporter_of(False)).readings is NO_READINGS
    run = farlink.align(left, right, out=tmp_path / "run")
    assert not (run.folder / "readings.parquet").exists()
    assert not run.readings.any
