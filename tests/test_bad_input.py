"""Each kind of bad input ends in one clear message or in a documented rule, and leaves no file behind."""

import gzip
import subprocess
import sys

import polars as pl
import pytest

from farlink.alignment.run import AlignmentRun
from farlink.cli import main
from farlink.graph.values import normal_values
from helpers.pairs import TINY, Pair

TINY_OPTIONS = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]


class Workplace:
    """Good files, one of which a test spoils, and the command run on them."""

    def __init__(self, folder, monkeypatch, capfd):
        self.folder, self.monkeypatch, self.capfd = folder, monkeypatch, capfd
        self.files = Pair.make().write(folder)
        self.out = folder / "run"

    def spoil(self, name, content, suffix=".tsv"):
        self.files[name] = self.files[name].with_suffix(suffix)
        self.files[name].write_bytes(content if isinstance(content, bytes) else content.encode())

    def align(self, *words):
        words = [
            "align",
            self.files["left"],
            self.files["right"],
            "--seeds",
            self.files["seeds"],
            "--out",
            self.out,
            *words,
        ]
        self.monkeypatch.setattr("sys.argv", ["farlink", *map(str, words), *TINY_OPTIONS])
        try:
            main()
            code = 0
        except SystemExit as exit_:
            code = exit_.code
        captured = self.capfd.readouterr()
        return code, captured.out, captured.err

    def refused(self, *words):
        """The one line that the command prints instead of working."""
        code, _, errors = self.align(*words)
        assert code == 1, errors
        assert errors.startswith("farlink: ")
        assert len(errors.strip().splitlines()) == 1
        assert not self.out.exists()
        return errors

    def accepted(self, *words):
        """What the command says when it works all the same."""
        code, text, errors = self.align(*words)
        assert code in (0, None), errors
        assert (self.out / "alignment.tsv").exists()
        return text


@pytest.fixture
def work(tmp_path, monkeypatch, capfd):
    return Workplace(tmp_path, monkeypatch, capfd)


def lines_of(path):
    return path.read_text().splitlines(keepends=True)


def test_an_empty_graph(work):
    work.spoil("left", "")
    assert "left.tsv: no triples in this file" in work.refused()


def test_empty_seeds(work):
    work.spoil("seeds", "\n\n")
    assert "seeds.tsv: no links in this file" in work.refused()


@pytest.mark.parametrize(("line", "found"), [("a1\tr", 2), ("a1\tr\ta2\tmore", 4)])
def test_a_line_with_two_or_four_fields(work, line, found):
    lines = lines_of(work.files["left"])
    work.spoil("left", "".join([*lines[:50], line + "\n", *lines[50:]]))
    message = work.refused()
    assert f"left.tsv, line 51: expected 3 tab-separated fields (head, relation, tail), found {found}" in message


def test_wrong_encoding(work):
    work.spoil("right", "".join(lines_of(work.files["right"])[:3]).encode() + "b1\tr\tMünchen\n".encode("latin-1"))
    assert "right.tsv, line 4: not UTF-8" in work.refused()


@pytest.mark.parametrize("suffix", [".tsv.gz", ".nt.gz"])
def test_a_truncated_gzip(work, suffix):
    text = "".join(f"<http://x/{i}> <http://x/r> <http://x/{i + 1}> .\n" for i in range(20_000))
    if suffix == ".tsv.gz":
        text = text.replace("> <", ">\t<").replace(" .", "")
    work.spoil("left", gzip.compress(text.encode())[:-5000], suffix)
    message = work.refused()
    assert f"left{suffix}" in message
    assert "truncated or damaged" in message


def test_a_literal_as_a_subject(work):
    work.spoil("left", '<http://x/a> <http://x/r> <http://x/b> .\n"text" <http://x/r> <http://x/b> .\n', ".nt")
    message = work.refused()
    assert "left.nt, line 2:" in message
    assert "subject" in message


def test_a_graph_of_nothing_but_literals(work):
    work.spoil("left", '<http://x/a> <http://x/name> "A" .\n', ".nt")
    work.spoil("seeds", "http://x/a\tb1\n")
    message = work.refused()
    assert "left.nt: no triple in this graph joins two entities (1 literal)" in message


def test_ten_megabytes_in_one_line(work):
    work.spoil("left", "x" * 10_000_000)
    message = work.refused()
    assert "left.tsv, line 1: expected 3 tab-separated fields" in message
    assert len(message) < 400


def test_a_name_of_ten_megabytes(work):
    work.spoil("left", "a\tr\t" + "x" * 10_000_000 + "\n")
    message = work.refused()
    assert "left.tsv, line 1: the tail has 10,000,000 bytes" in message
    assert len(message) < 400


def test_seeds_of_other_graphs(work):
    work.spoil("seeds", "p\tq\n")
    assert "seeds.tsv, line 1: no seed link names entities of both graphs" in work.refused()


@pytest.mark.slow
def test_a_seed_whose_entity_is_in_neither_graph_is_left_out_and_counted(work):
    work.spoil("seeds", "".join([*lines_of(work.files["seeds"]), "ghost\tb1\n"]))
    assert "1 seed link names an entity that its graph does not have, left out" in work.accepted()


@pytest.mark.slow
def test_one_entity_in_several_seeds_is_left_out_and_counted(work):
    work.spoil("seeds", "".join([*lines_of(work.files["seeds"]), "a1\tb30\n", "a2\tb2\n"]))
    text = work.accepted()
    assert "1 seed link is repeated and counts once" in text
    assert "2 seed links contradict each other (one entity, several counterparts), left out" in text


def test_seeds_that_all_contradict_each_other(work):
    work.spoil("seeds", "a1\tb1\na1\tb2\na2\tb1\n")
    assert "seeds.tsv: all seed links contradict each other" in work.refused()


@pytest.mark.slow
def test_test_links_that_overlap_the_seeds_are_left_out_and_counted(work):
    work.spoil("test", "".join([*lines_of(work.files["test"]), "a1\tb1\n", "a2\tb33\n"]))
    text = work.accepted("--test", work.files["test"])
    # b33 is the counterpart of a33 as well, so both of its links contradict each other
    assert "1 test link is a seed too, left out of the test part" in text
    assert "2 test links contradict each other" in text


@pytest.mark.slow
def test_test_links_that_contradict_the_seeds_are_left_out_and_counted(work):
    work.spoil("test", "a2\tb33\na30\tb30\n")
    assert "1 test link contradicts a seed, left out of the test part" in work.accepted("--test", work.files["test"])


def test_the_same_graph_twice(work):
    work.files["right"] = work.files["left"]
    work.spoil("seeds", "a1\ta1\n")
    assert "hold the same graph; alignment needs two different ones" in work.refused()


@pytest.mark.slow
def test_graphs_that_share_names_are_aligned_and_it_is_said(work):
    frame = Pair.make().right_frame.with_columns(pl.col("head", "tail").str.replace("b", "a"))
    frame.write_csv(work.files["right"], separator="\t", include_header=False)
    work.spoil("seeds", "".join(f"a{i}\ta{i}\n" for i in range(20)))
    assert "40 entity names occur in both graphs" in work.accepted()


def test_a_seed_whose_entity_has_literals_alone_is_a_seed(work):
    text = "".join(f"<x:a{i}> <x:r> <x:a{i + 1}> .\n" for i in range(20)) + '<x:hermit> <x:name> "H" .\n'
    work.spoil("left", text, ".nt")
    work.spoil("seeds", "x:hermit\tb30\n")
    text = work.accepted()
    assert "22 entities, 1 relation, 20 triples (1 literal set aside)" in text
    assert "1 seed, 0 for validation" in text


def test_a_graph_with_one_triple_works(work):
    work.spoil("left", "a1\tr\ta2\n")
    work.spoil("seeds", "a1\tb1\n")
    assert "too few seeds to hold any out" in work.accepted()


@pytest.mark.slow
def test_a_run_folder_that_exists(work):
    work.accepted()
    before = {path: path.read_bytes() for path in work.out.rglob("*") if path.is_file()}
    code, _, errors = work.align()
    assert code == 1
    assert "holds a run already; resume it, or choose another folder (--resume, --out)" in errors
    assert {path: path.read_bytes() for path in work.out.rglob("*") if path.is_file()} == before


def test_a_folder_where_nothing_may_be_written(work):
    work.out.write_text("a file in the way")
    code, _, errors = work.align()
    assert code == 1
    assert "is a file, expected a folder (--out)" in errors
    assert work.out.read_text() == "a file in the way"


# Literals and attributes

ODD_VALUES = {
    "ten megabytes": "long " * 2_000_000,
    "control characters": "a\x00b\x07c\x1b[31m",
    "right to left": "\u202eשָׁלוֹם\u202c مُحَمَّد",
    "combining": "e\u0301" * 50 + "\u0301" * 500,
    "no number": "NaN",
    "infinite": "-INF",
    "too large": "1e999",
    "impossible date": "2014-02-30",
    "a language tag that is none": '"colour"@123',
}


@pytest.mark.slow
@pytest.mark.parametrize("value", ODD_VALUES.values(), ids=ODD_VALUES)
def test_odd_values_are_kept_as_they_are_and_have_a_normal_form(work, value):
    names = work.folder / "names"
    names.write_text(f"a1\t{value}\n")
    work.accepted("--left-attributes", names)
    literals = AlignmentRun(work.out).graphs["left"].literals
    assert literals.rows() == [("a1", "names", value, None, None)]
    assert normal_values(literals)["kind"].to_list() == ["text"]


@pytest.mark.parametrize(
    ("value", "place"), [('"x"@123', "line 2: A language code"), ('"x', "line 2: "), ('"x"^^<no iri>', "line 2: ")]
)
def test_broken_literals(work, value, place):
    work.spoil("left", f"<x:a> <x:p> <x:b> .\n<x:a> <x:name> {value} .\n", ".nt")
    assert f"left.nt, {place}" in work.refused()


@pytest.mark.slow
def test_attributes_of_unknown_entities_are_left_out_and_counted(work):
    names = work.folder / "names.tsv"
    names.write_text("ghost\tBoo\na1\tone\nb1\tuno\n")
    text = work.accepted("--left-attributes", names)
    assert f"2 values of {names} are about an entity that {work.files['left']} does not have, left out" in text
    assert "first: 'ghost'" in text


def test_attributes_of_another_graph(work):
    names = work.folder / "names.tsv"
    names.write_text("b1\tuno\n")
    message = work.refused("--left-attributes", names)
    assert "names.tsv: nothing here is about an entity of" in message
    assert "the first row is about 'b1', while the graph has entities such as 'a" in message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("names.tsv", "a1\tone\na2\n", "names.tsv, line 2: expected 2 tab-separated fields (entity, value), found 1"),
        ("names.csv", "a1,name,one\na2,x\n", "names.csv, line 2: expected 3 comma-separated fields (entity, attrib"),
        ("names.csv", "id,name,age\na1,one\n", "names.csv, line 2: expected 3 comma-separated fields (id, name, a"),
        ("names.tsv", "a1\n", "names.tsv, line 1: expected 2 or more tab-separated fields (entity, value), found 1"),
        ("names.tsv", "\n", "names.tsv: no attributes in this file"),
        ("names.parquet", "a1\tone\n", "names.parquet: not a readable Parquet file"),
    ],
)
def test_attribute_files_with_other_fields_than_expected(work, name, content, message):
    (work.folder / name).write_text(content)
    assert message in work.refused("--right-attributes", work.folder / name)


def test_a_missing_attribute_file(work):
    assert "nowhere: no such file" in work.refused("--left-attributes", work.folder / "nowhere")


def test_a_pair_that_is_rejected_and_a_seed(work):
    (work.folder / "rejected.tsv").write_text("a30\tb31\na1\tb1\n")
    message = work.refused("--rejected", work.folder / "rejected.tsv")
    assert "rejected.tsv, line 2: a1 ↔ b1 is rejected here, and is a seed link; expected one of the two" in message


MANY = """
import resource, sys
import farlink
from farlink.graph.values import normal_values
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
graph = farlink.read(sys.argv[1], attributes=sys.argv[2])
assert normal_values(graph.literals).height == int(sys.argv[3])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_a_million_aliases_of_one_entity_stay_within_a_gigabyte(work):
    aliases = work.folder / "aliases"
    with aliases.open("w") as file:
        file.writelines(f"a1\talias number {number} of one\n" for number in range(1_000_000))
    words = [sys.executable, "-c", MANY, work.files["left"], aliases, 1_000_000]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1024


# The same as names and as values of both graphs, where they are compared

ODD_TEXTS = {
    **ODD_VALUES,
    "nothing but marks": "\u0301\u0301 \u200b",
    "nothing but punctuation": "?! … —",
    "half of a surrogate pair that is escaped": "\\ud800",
    "the end of numbers": "-1.7976931348623157e308",
    "a year beyond the calendar": "99999-13-41",
}


def said_of(prefix, *more):
    """An attribute file in which every entity has a name and a number, and what else is said."""
    rows = [f"{prefix}{i}\t{name}\t{value}" for i in range(40) for name, value in (("name", NAMES[i]), ("size", i * i))]
    return "\n".join(["entity\tattribute\tvalue", *rows, *more]) + "\n"


NAMES = [f"{one}{two} {other}" for one in ("Ka", "Ro", "Mi", "Ten") for two in ("lu", "bash") for other in "PQRST"]


def with_attributes(work, left, right):
    """Options that name files of attributes."""
    files = {side: work.folder / f"{side}_said.tsv" for side in ("left", "right")}
    for side, text in (("left", left), ("right", right)):
        files[side].write_text(text)
    return "--left-attributes", files["left"], "--right-attributes", files["right"]


def check_probabilities(run):
    """Every entity has a row, and every probability is one."""
    assert run.alignment["left"].n_unique() == 40
    chances = run.alignment["probability"].drop_nulls()
    assert chances.is_finite().all()
    assert chances.is_between(0, 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("value", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_odd_names_and_values_of_both_graphs_are_compared_without_harm(work, value):
    texts = [said_of(side, f"{side}30\tname\t{value}", f"{side}30\tnote\t{value}") for side in "ab"]
    work.accepted(*with_attributes(work, *texts))
    run = AlignmentRun(work.out)
    for side in ("left", "right"):
        kept = run.graphs[side].literals.filter(pl.col("head").str.ends_with("30"), pl.col("value") == value)
        assert kept["relation"].to_list() == ["name", "note"]
    check_probabilities(run)
    assert run.match("a30", k=1)["entity"].to_list() == ["b30"]


@pytest.mark.slow
@pytest.mark.parametrize("column", ["name", "size"])
def test_names_or_values_that_are_all_equal_tell_nothing_apart(work, column):
    texts = [said_of(side) for side in "ab"]
    for number in range(40):
        value = NAMES[number] if column == "name" else number * number
        texts = [
            text.replace(f"{number}\t{column}\t{value}\n", f"{number}\t{column}\tall the same\n") for text in texts
        ]
    assert all(text.count("all the same") == 40 for text in texts)
    work.accepted(*with_attributes(work, *texts))
    run = AlignmentRun(work.out)
    check_probabilities(run)
    matched = run.alignment.filter(status="matched")
    assert matched.filter(matched["left"].str.slice(1) == matched["right"].str.slice(1)).height >= matched.height - 2


@pytest.mark.slow
def test_names_that_are_all_equal_and_nothing_else_match_nobody(work):
    texts = ["".join(f"{side}{i}\tname\tall the same\n" for i in range(40)) for side in "ab"]
    work.accepted(*with_attributes(work, *texts), "--signals", "names")
    run = AlignmentRun(work.out)
    check_probabilities(run)
    assert not run.alignment.filter(status="matched").height


def test_no_names_at_all_where_names_are_asked_for(work):
    message = work.refused("--signals", "names")
    assert "nothing to compare by" in message
    assert "has no names (--signals)" in message


def test_attribute_files_of_both_graphs_that_name_unknown_entities_alone(work):
    left, right = said_of("x"), said_of("b")
    message = work.refused(*with_attributes(work, left, right))
    assert "left_said.tsv: nothing here is about an entity of" in message


COMPARED = """
import resource, sys
import numpy as np
import farlink
from farlink.alignment.candidates import PairScorer
from farlink.settings import make_settings
graphs = [farlink.read(sys.argv[i], attributes=sys.argv[i + 1]) for i in (1, 3)]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
none = np.empty((0, 2), np.int32)
found = PairScorer(*graphs, none, make_settings()).scored(None, none)
assert np.isfinite(found.logit).all()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["a million aliases", "a hundred thousand values", "a name of ten megabytes"])
def test_comparing_what_is_far_too_much_stays_within_a_gigabyte(work, what):
    words = [sys.executable, "-W", "ignore", "-c", COMPARED]
    for name, side in (("left", "a"), ("right", "b")):
        more = {
            "a million aliases": [f"{side}1\tname\talias number {number} of one" for number in range(1_000_000)],
            "a hundred thousand values": [f"{side}1\tnote\tnote {number} of one" for number in range(100_000)],
            "a name of ten megabytes": [f"{side}1\tname\t" + "lorem ipsum " * 850_000],
        }
        path = work.folder / f"{name}_said.tsv"
        path.write_text(said_of(side, *more[what]))
        words += [work.files[name], path]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1024
