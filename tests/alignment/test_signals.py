"""Two graphs with names and values, from end to end: without known links, with misleading names, with wishes."""

import numpy as np
import polars as pl
import pytest

import farlink
from farlink.demo import DATA
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from helpers.commands import invoke
from helpers.pairs import TINY
from helpers.worlds import make_world, quality

SIZE = 60
SHARED = 50  # entities that both graphs have
FIRST = ["Ana", "Boris", "Chloé", "Dmitri", "Zoë", "Fátima", "Günther", "Håkon", "Inês", "Jürgen"]
LAST = ["Kowalski", "Lindqvist", "Moreau", "Nakamura", "O'Brien", "Petrović"]
NAMES = [f"{FIRST[i % 10]} {LAST[i // 10]}" for i in range(SIZE)]
OTHERS = [
    f"Wxyq{chr(97 + i % 26)} Qu{chr(97 + i // 26)}zz" for i in range(SIZE)
]  # of whom the left graph knows nothing
PLAIN = str.maketrans("éëáüåêíć", "eeauaeic")
RNG = np.random.default_rng(0)
ENDS = RNG.integers(0, SIZE, (2, 150))
OTHER_ENDS = np.where(ENDS < SHARED, ENDS, RNG.integers(SHARED, SIZE, (2, 150)))


def spelled(name):
    """The same name as another graph writes it."""
    first, last = name.translate(PLAIN).upper().split(" ", 1)
    return f"{last}, {first}"


def graph(prefix, names, ends=ENDS, **attributes):
    """The same acquaintances under names and values of a graph's own."""
    heads = [f"http://{prefix}/{1000 + i}" for i in range(SIZE)]
    triples = pl.DataFrame(
        {"h": [heads[i] for i in ends[0]], "r": [f"http://{prefix}/knows"] * 150, "t": [heads[i] for i in ends[1]]}
    )
    columns = {
        f"http://{prefix}/name": names,
        **{f"http://{prefix}/{name}": values for name, values in attributes.items()},
    }
    literals = pl.concat(
        pl.DataFrame({"head": heads, "relation": [name] * SIZE, "value": list(map(str, values))})
        for name, values in columns.items()
    )
    return KnowledgeGraph.from_frame(triples, entities=pl.Series(heads), literals=literals, source=f"{prefix}.nt")


BORN = [f"{1900 + i}-05-{10 + i % 18}" for i in range(SIZE)]
LEFT = graph("a", NAMES, birth=BORN)
RIGHT = graph(
    "b",
    [spelled(name) for name in [*NAMES[:SHARED], *OTHERS[SHARED:]]],
    OTHER_ENDS,
    geboren=[*BORN[:SHARED], *(f"17{i}-01-01" for i in range(SHARED, SIZE))],
)
SCRAMBLED = graph("b", RNG.permutation(NAMES).tolist())
LINKS = pl.DataFrame(
    {"left": [f"http://a/{1000 + i}" for i in range(SIZE)], "right": [f"http://b/{1000 + i}" for i in range(SIZE)]}
)


def found(run):
    """The pairs matched, and how many of them are right."""
    matched = run.alignment.filter(status="matched")
    return matched, (matched["left"].str.slice(9) == matched["right"].str.slice(9)).sum()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run without known links."""
    return farlink.align(LEFT, RIGHT, test=LINKS[:SHARED], out=tmp_path_factory.mktemp("signals") / "run")


@pytest.mark.slow
def test_without_known_links_names_and_values_find_most_pairs(run):
    matched, right = found(run)
    assert right >= 0.9 * SHARED
    assert right >= 0.9 * matched.height
    assert run.metrics["test"]["linked"]["left_to_right"]["hits@1"] >= 0.9


def test_what_is_not_likelier_than_not_is_not_matched(run):
    matched, _ = found(run)
    unmatched = run.alignment.filter(status="unmatched")
    assert matched["probability"].min() >= 0.5
    assert (unmatched["probability"].drop_nulls() < 0.5).all()
    assert unmatched.height >= 5
    assert run.alignment.height == SIZE


def test_a_run_without_a_network_has_no_epochs(run):
    assert run.trace.height == 0
    assert run.metrics["test"]["linked"]["left_to_right"]["queries"] == SHARED


def test_a_run_read_again_has_the_same_candidates_with_their_chances_and_likenesses(run):
    table = run.read_table("candidates")
    again = farlink.load(run.folder).candidates
    for name in ("left", "right", "score", "logit", "alike", "chance"):
        np.testing.assert_array_equal(getattr(again, name), table[name].to_numpy())
    assert set(again.parts) == {"names", "values", "vectors", "triples"}
    np.testing.assert_allclose(sum(again.parts.values()), again.logit, atol=1e-3)
    assert ((again.alike == -1) | ((again.alike >= 0) & (again.alike <= 1.0001))).all()
    assert ((again.chance >= 0) & (again.chance <= 1.0001)).all()


def test_a_run_read_again_can_be_asked(run):
    again = farlink.load(run.folder)
    assert again.match("http://a/1003", k=1)["entity"].to_list() == ["http://b/1003"]
    assert any("knows" in reason for reason in again.explain("http://a/1003", "http://b/1003"))
    figures = again.evaluate(LINKS[:SHARED])
    assert figures["all"] == run.metrics["test"]["all"]
    assert again.vectors["left"].shape[0] == SIZE


def test_an_entity_without_triples_is_found_by_its_name(tmp_path):
    literals = pl.DataFrame({"relation": ["x/name"], "value": ["Xaver Quast"]})
    left, right = (
        KnowledgeGraph.from_frame(
            pl.DataFrame(
                {"h": base.entities.gather(base.triples[:, 0]), "r": "r", "t": base.entities.gather(base.triples[:, 2])}
            ),
            literals=pl.concat(
                [
                    base.literals.select("head", "relation", "value"),
                    literals.select(head=pl.lit(name), relation="relation", value="value"),
                ]
            ),
        )
        for base, name in ((LEFT, "x:hermit"), (RIGHT, "y:hermit"))
    )
    run = farlink.align(left, right, out=tmp_path / "run")
    row = run.alignment.filter(left="x:hermit").row(0, named=True)
    assert (row["right"], row["status"]) == ("y:hermit", "matched")
    assert run.match("x:hermit", k=1)["entity"].to_list() == ["y:hermit"]
    assert run.explain("x:hermit", "y:hermit") == []


def test_by_structure_alone_known_links_are_needed_and_missed(tmp_path):
    with pytest.raises(FarlinkError, match=r"seeds are missing: by structure alone .* \(seeds\)"):
        farlink.align(LEFT, RIGHT, signals="structure", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_many_left_entities_may_have_one_counterpart_where_that_is_asked_for(tmp_path):
    names = [NAMES[i // 2] for i in range(SIZE)]  # two of each
    left, right = graph("a", names), graph("b", [*map(spelled, NAMES[:30]), *map(spelled, OTHERS[30:])])
    several = farlink.align(left, right, out=tmp_path / "several", cardinality="many-to-one").alignment
    assert several["right"].is_duplicated().any()
    assert several["left"].is_unique().all()
    one = farlink.align(left, right, out=tmp_path / "one").alignment
    assert one["right"].drop_nulls().is_unique().all()


def test_the_cardinality_is_an_option_of_the_command_line(tmp_path):
    files = []
    for side, some in (("a", LEFT), ("b", RIGHT)):
        rows = [
            f'<{h}> <{r}> "{value}" .\n'
            for h, r, value in some.literals.select("head", "relation", "value").iter_rows()
        ]
        names = some.entities, some.relations, some.entities
        rows += [
            "<{}> <{}> <{}> .\n".format(*(column[i] for column, i in zip(names, row, strict=True)))
            for row in some.triples.tolist()
        ]
        files.append(tmp_path / f"{side}.nt")
        files[-1].write_text("".join(rows), encoding="utf-8")
    result = invoke("align", *files, "--out", tmp_path / "run", "--cardinality", "many-to-one")
    assert result.exit_code == 0, result.output
    assert farlink.load(tmp_path / "run").settings.cardinality == "many-to-one"


@pytest.mark.slow
def test_names_that_mean_nothing_are_found_out_with_known_links(tmp_path):
    run = farlink.align(LEFT, SCRAMBLED, LINKS[:40], test=LINKS[40:], out=tmp_path / "run", signals="structure,names")
    matched, right = found(run)
    candidates = run.candidates
    equal = candidates.alike > 0.999
    wrong = run.graphs["left"].entities.gather(candidates.left[equal]).str.slice(9) != run.graphs[
        "right"
    ].entities.gather(candidates.right[equal]).str.slice(9)
    assert candidates.parts["names"][equal][wrong.to_numpy()].max() < 3
    assert right >= 0.5 * max(matched.height, 1)


@pytest.mark.slow
def test_rejected_pairs_are_never_matched(tmp_path):
    rejected = LINKS[:10]
    run = farlink.align(LEFT, RIGHT, rejected=rejected, out=tmp_path / "run")
    pairs = set(run.alignment.select("left", "right").iter_rows())
    assert not pairs & set(rejected.iter_rows())
    assert len(pairs & set(LINKS[10:SHARED].iter_rows())) >= 30


@pytest.mark.slow
def test_the_network_is_trained_beside_names_where_that_is_asked_for(tmp_path):
    run = farlink.align(
        LEFT, RIGHT, test=LINKS[:SHARED], out=tmp_path / "run", network="always", **{**TINY, "max_epochs": 1}
    )
    assert run.trace.height == 1
    assert run.candidates.alike is not None
    _, right = found(run)
    assert right >= 0.8 * SHARED
    assert farlink.load(run.folder).vectors["left"].shape == run.vectors["left"].shape


def test_the_network_is_not_trained_where_that_is_not_wanted(tmp_path):
    run = farlink.align(LEFT, RIGHT, LINKS[:30], out=tmp_path / "run", signals="structure", network="never", width=16)
    assert run.trace.height == 0
    assert run.candidates.alike is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signals", "precision", "recall"), [("names", 0.95, 0.8), ("values", 0.95, 0.35), ("names,values", 0.95, 0.75)]
)
def test_names_and_values_find_pairs_without_triples(signals, precision, recall, tmp_path):
    world = make_world()  # names have slips, and half of the right pairs have a date on both sides
    run = farlink.align(world.left, world.right, signals=signals, out=tmp_path / "run")
    found = quality(run, world.links)
    assert found[0] >= precision
    assert found[1] >= recall
    assert set(run.candidates.parts) == set(signals.split(","))


@pytest.mark.slow
@pytest.mark.parametrize("signals", ["names", "names,values"])
def test_the_demo_is_aligned_by_its_names_alone(signals, tmp_path):
    files = DATA / "atlas.nt.gz", DATA / "gazette.tsv.gz"
    run = farlink.align(*files, test=DATA / "test.tsv", signals=signals, out=tmp_path / "run")
    assert run.metrics["test"]["mapping"]["precision"] >= 0.95
    assert run.metrics["test"]["mapping"]["recall"] >= 0.5


def test_signals_that_a_graph_does_not_have_are_told(tmp_path):
    files = DATA / "atlas.nt.gz", DATA / "gazette.tsv.gz"
    with pytest.raises(FarlinkError, match=r"nothing to compare by: .*gazette.tsv.gz has no values \(signals\)"):
        farlink.align(*files, signals="values", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
