"""Benchmark folders: which file means what, and what the public data sets hold."""

from pathlib import Path

import polars as pl
import pytest

from farlink.errors import InputError
from farlink.io.benchmark import read_alignment_folder, read_completion_folder

DATA = Path(__file__).parents[2].parent / "shared/data"

LINKS = [(f"l{number}", f"r{number}") for number in range(20)]
IDS = [(f"{number}", f"{100 + number}") for number in range(20)]


def lines(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def ring(names, relation):
    return lines((name, relation, names[place - 1]) for place, name in enumerate(names))


@pytest.fixture
def folder(tmp_path):
    """Writes files of a benchmark folder; a file whose content is None is taken away."""

    def write(**files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True) if content is None else path.write_text(content)
        return tmp_path

    return write


@pytest.fixture
def id_layout(folder):
    left, right = zip(*IDS, strict=True)
    return lambda **changes: folder(
        **{
            "triples_1": ring(left, "0"),
            "triples_2": ring(right, "1"),
            "ent_ids_1": lines((number, f"l{number}") for number in left) + "50\tlonely\n",
            "ent_ids_2": lines((number, f"r{int(number) - 100}") for number in right),
            "rel_ids_1": "0\tp\n",
            "rel_ids_2": "1\tq\n",
            "sup_ent_ids": lines(IDS[:8]),
            "ref_ent_ids": lines(IDS[8:]),
        }
        | changes
    )


@pytest.fixture
def name_layout(folder):
    left, right = zip(*LINKS, strict=True)
    return lambda **changes: folder(
        **{"rel_triples_1": ring(left, "p"), "rel_triples_2": ring(right, "q"), "ent_links": lines(LINKS)} | changes
    )


def pairs(links):
    return list(zip(links["left"], links["right"], strict=True))


def error(folder, **options):
    with pytest.raises(InputError) as caught:
        read_alignment_folder(folder, **options)
    return str(caught.value).replace(f"{folder}/", "").replace(str(folder), "folder")


# The layout by ids


def test_ids_become_names(id_layout):
    data = read_alignment_folder(id_layout())
    assert set(data.left.entities) == {left for left, _ in LINKS} | {"lonely"}
    assert set(data.right.entities) == {right for _, right in LINKS}
    assert data.left.relations.to_list() == ["p"]
    assert len(data.left.triples) == len(data.right.triples) == 20
    assert pairs(data.seeds) == LINKS[:8]


def test_the_first_tenth_of_the_reference_is_for_validation(id_layout):
    data = read_alignment_folder(id_layout())
    assert pairs(data.valid) == LINKS[8:9]
    assert pairs(data.test) == LINKS[9:]
    assert data.test["line"].to_list() == list(range(2, 13))


def test_a_validation_file_leaves_the_reference_whole(id_layout):
    data = read_alignment_folder(id_layout(valid_ent_ids=lines(IDS[8:10]), ref_ent_ids=lines(IDS[10:])))
    assert (pairs(data.valid), pairs(data.test)) == (LINKS[8:10], LINKS[10:])


def test_a_short_reference_has_nothing_for_validation(id_layout):
    data = read_alignment_folder(id_layout(ref_ent_ids=lines(IDS[8:17])))
    assert (data.valid, pairs(data.test)) == (None, LINKS[8:17])


def test_seeds_alone_are_enough(id_layout):
    data = read_alignment_folder(id_layout(ref_ent_ids=None))
    assert (data.valid, data.test) == (None, None)


def test_without_names_an_id_is_its_own_name(id_layout):
    data = read_alignment_folder(id_layout(ent_ids_1=None, ent_ids_2=None, rel_ids_1=None, rel_ids_2=None))
    assert set(data.right.entities) == {right for _, right in IDS}
    assert data.right.relations.to_list() == ["1"]
    assert pairs(data.seeds) == IDS[:8]


def test_names_of_attributes_are_literals_without_values(id_layout):
    data = read_alignment_folder(id_layout(training_attrs_1="l3\theight\tage\nl4\n\nlonely\tage\n"))
    assert data.left.literals.rows() == [
        ("l3", "height", None, None, None),
        ("l3", "age", None, None, None),
        ("lonely", "age", None, None, None),
    ]
    assert data.right.literals.is_empty()


def test_attributes_with_values_are_literals(id_layout):
    data = read_alignment_folder(id_layout(attr_triples_1='l3\tage\t"7"^^<x:int>\nghost\tage\t8\n'))
    assert data.left.literals.rows() == [("l3", "age", "7", "x:int", None)]
    assert "ghost" not in data.left.entities  # which ent_ids_1 would list
    (note,) = data.left.notes
    assert note.endswith("left out; first: 'ghost'")
    bare = read_alignment_folder(id_layout(attr_triples_1="3\tage\t7\n", ent_ids_1=None, ent_ids_2=None))
    assert bare.left.literals.rows() == [("3", "age", "7", None, None)]


def test_names_of_attributes_may_stand_beside_values(id_layout):
    data = read_alignment_folder(id_layout(attr_triples_1="l3\tage\t7\n", training_attrs_1="l4\tage\n"))
    assert sorted(data.left.literals.rows()) == [("l3", "age", "7", None, None), ("l4", "age", None, None, None)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"triples_1": "0\t0\t1\n\n1\t0\t99\n"}, "triples_1, line 3: the tail '99' is not an id of ent_ids_1"),
        ({"triples_2": "100\t0\t101\n"}, "triples_2, line 1: the relation '0' is not an id of rel_ids_2"),
        ({"sup_ent_ids": "0\t100\n0\t1\n"}, "sup_ent_ids, line 2: the right '1' is not an id of ent_ids_2"),
        ({"ent_ids_1": "0\ta\n1\tb\n2\ta\n"}, "ent_ids_1: 'a' is the name of both '0' and '2'"),
        ({"ent_ids_2": "0\ta\n1\tb\n0\tc\n"}, "ent_ids_2: '0' is the id of both 'a' and 'c'"),
        ({"triples_1": ""}, "triples_1: nothing in this file"),
        ({"triples_1": "0\t1\n"}, "triples_1, line 1: expected 3 tab-separated fields (head, relation, tail), found 2"),
        ({"training_attrs_2": "r1\tage\n\nl1\tage\n"}, "training_attrs_2, line 3: 'l1' is not an entity of "),
        ({"sup_ent_ids": None}, "folder: no links in this folder, expected the file sup_ent_ids or all_ent_ids"),
    ],
    ids=["entity", "relation", "link", "name", "id", "empty", "fields", "attributes", "no links"],
)
def test_mistakes_in_the_layout_by_ids(id_layout, changes, message):
    assert error(id_layout(**changes)).startswith(message)


# The layout by names


def test_a_lone_list_of_links_is_split_once_and_for_all(name_layout, id_layout):
    data = read_alignment_folder(name_layout())
    again = read_alignment_folder(name_layout(ent_links=lines(reversed(LINKS))))
    by_id = read_alignment_folder(id_layout(sup_ent_ids=None, ref_ent_ids=None, all_ent_ids=lines(IDS)))
    for other in (again, by_id):
        for part in ("seeds", "valid", "test"):
            assert pairs(getattr(data, part)) == pairs(getattr(other, part))
    assert [part.height for part in (data.seeds, data.valid, data.test)] == [6, 1, 13]
    assert sorted(pairs(pl.concat([data.seeds, data.valid, data.test]))) == sorted(LINKS)


def test_an_entity_that_has_attributes_alone_is_part_of_its_graph(name_layout):
    data = read_alignment_folder(name_layout(attr_triples_1="l3\tage\t7\nhermit\tage\t8\n"))
    assert data.left.literals["head"].to_list() == ["l3", "hermit"]
    assert "hermit" in data.left.entities
    assert data.right.literals.is_empty()


def test_splits_in_the_folder(name_layout):
    data = read_alignment_folder(name_layout(train_links=lines(LINKS[:5]), test_links=lines(LINKS[5:])))
    assert (pairs(data.seeds), data.valid, pairs(data.test)) == (LINKS[:5], None, LINKS[5:])


def test_links_for_the_test_never_become_seeds(name_layout):
    folder = name_layout(ent_links=lines(LINKS), test_links=lines(LINKS))
    assert error(folder) == "train_links: no such file: the other links of this folder are no seeds"


def test_folds(name_layout):
    root = "721_5fold__"
    folds = {
        f"{root}{fold}__{part}_links": lines(LINKS[:fold]) for fold in (1, 2) for part in ("train", "valid", "test")
    }
    folder = name_layout(**folds)
    assert pairs(read_alignment_folder(folder).seeds) == LINKS[:1]
    assert pairs(read_alignment_folder(folder, fold=2).test) == LINKS[:2]
    assert error(folder, fold=3) == "721_5fold/3/train_links: no such file"


def test_an_entity_that_only_links_name_is_part_of_its_graph(name_layout):
    data = read_alignment_folder(name_layout(ent_links=lines([*LINKS, ("lonely", "r0")])))
    assert "lonely" in data.left.entities
    assert data.left.degrees()[data.left.ids(pl.Series(["lonely"]))].tolist() == [0]


# Other folders


def test_a_folder_of_neither_layout(folder):
    expected = "triples_1 and triples_2, or rel_triples_1 and rel_triples_2, and the links between them"
    assert error(folder(readme="")) == f"folder: not a benchmark folder, expected the files {expected}"


def test_a_fold_where_there_are_none(id_layout):
    assert error(id_layout(), fold=2) == "folder: no folder 721_5fold, so there is no fold 2"


def test_no_folder(tmp_path):
    assert error(tmp_path / "nothing").endswith("no such folder")
    (tmp_path / "file").write_text("")
    assert error(tmp_path / "file").endswith("this is a file, expected a folder")


def test_a_folder_of_link_prediction(folder):
    files = folder(**{f"{part}.txt": f"a\tp\t{part}\n" for part in ("train", "valid", "test")})
    parts = read_completion_folder(files)
    assert [sorted(part.entities) for part in parts] == [sorted(["a", part]) for part in ("train", "valid", "test")]


def test_a_folder_of_link_prediction_may_lack_parts(folder):
    train, valid, test = read_completion_folder(folder(**{"train.tsv": "a\tp\tb\n"}))
    assert (len(train.triples), valid, test) == (1, None, None)
    with pytest.raises(InputError, match=r"there is no train\.txt"):
        read_completion_folder(folder(**{"train.tsv": None, "valid.txt": "a\tp\tb\n"}))


# The public data sets


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "entities", "relations", "triples", "links"),
    [
        ("srprs/dbp_wd_15k_v1", (15_000, 15_000), (253, 144), (38_421, 40_159), (4_500, 1_050, 9_450)),
        ("openea/d_w_15k_v1", (15_000, 15_000), (248, 169), (38_265, 42_746), (3_000, 1_500, 10_500)),
        ("contea/fr_en", (94_451, 142_234), (903, 1_208), (318_115, 465_126), (3_727, 1_863, 37_592)),
        ("dbp_fb", (29_861, 25_542), (407, 882), (96_414, 111_974), (7_662, 1_788, 16_092)),
    ],
)
def test_the_sizes_of_public_data_sets(name, entities, relations, triples, links):
    if not (DATA / name).is_dir():
        pytest.skip(f"the benchmark data are not at {DATA}")
    data = read_alignment_folder(DATA / name)
    graphs = (data.left, data.right)
    assert tuple(len(graph.entities) for graph in graphs) == entities
    assert tuple(len(graph.relations) for graph in graphs) == relations
    assert tuple(len(graph.triples) for graph in graphs) == triples
    assert tuple(part.height for part in (data.seeds, data.valid, data.test)) == links
    for graph, side in zip(graphs, ("left", "right"), strict=True):
        assert graph.duplicates == 0
        assert all((graph.ids(part[side]) >= 0).all() for part in (data.seeds, data.valid, data.test))
