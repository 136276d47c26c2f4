import numpy as np
import polars as pl
import pytest

from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.benchmark import read_alignment_folder
from farlink.sampling.benchmark import draw_sample, read_sources, write_sample
from helpers.pairs import Pair
from helpers.scale_free import scale_free

SIZE = 300


def graph(prefix, seed):
    rows = scale_free(1500, seed)
    columns = {
        "head": [f"{prefix}{i}" for i in rows[:, 0]],
        "relation": [f"{prefix}_r{i}" for i in rows[:, 1]],
        "tail": [f"{prefix}{i}" for i in rows[:, 2]],
    }
    return KnowledgeGraph.from_frame(pl.DataFrame(columns), source=f"{prefix}.tsv")


@pytest.fixture(scope="module")
def graphs():
    return [graph("a", 0), graph("b", 1)]


@pytest.fixture(scope="module")
def links(graphs):
    names = [pl.Series([f"{prefix}{i}" for i in range(1200)]) for prefix in ("a", "b")]
    return np.stack([one.ids(name) for one, name in zip(graphs, names, strict=True)], axis=1)


@pytest.fixture(scope="module")
def folder(graphs, links, tmp_path_factory):
    out = tmp_path_factory.mktemp("samples") / "benchmark"
    drawn = draw_sample(graphs, links, SIZE, dense=False, epsilon=0.05, seed=0)
    write_sample(drawn, out, (0.3, 0.07))
    return drawn, out


def test_the_folder_is_a_benchmark_that_can_be_aligned(folder):
    _, out = folder
    data = read_alignment_folder(out)
    assert len(data.left.entities) == len(data.right.entities) == SIZE
    assert (data.seeds.height, data.valid.height, data.test.height) == (90, 21, 189)
    links = pl.concat([part.select("left", "right") for part in (data.seeds, data.valid, data.test)])
    assert all(left[1:] == right[1:] for left, right in links.iter_rows())  # as they were linked
    assert data.left.degrees().min() >= 1


def test_the_triples_are_all_those_between_the_sampled_entities(folder, graphs):
    drawn, out = folder
    kept = set(drawn.units[:, 0].tolist())
    expected = sum(h in kept and t in kept for h, _, t in graphs[0].triples.tolist())
    assert len((out / "rel_triples_1").read_text().splitlines()) == expected


def test_the_report_tells_sizes_and_distances(folder):
    drawn, out = folder
    text = (out / "README.md").read_text()
    assert text.startswith("# A normal sample of 300 linked pairs")
    for name, gaps in drawn.distances.items():
        assert f"| {name} | {gaps[0]:.1%} | {gaps[1]:.1%} |" in text
    for plot in ("degrees_1.png", "degrees_2.png"):
        assert (out / plot).read_bytes().startswith(b"\x89PNG")
        assert plot in text


def test_one_graph_alone(graphs, tmp_path):
    drawn = draw_sample(graphs[:1], None, SIZE, dense=False, epsilon=0.05, seed=0)
    write_sample(drawn, tmp_path / "sample", (0.3, 0.07))
    assert {path.name for path in (tmp_path / "sample").iterdir()} == {"triples.tsv", "degrees_1.png", "README.md"}


def test_too_large_a_sample_is_a_clear_error(graphs, links):
    with pytest.raises(FarlinkError, match="there are 1,200 linked pairs with triples"):
        draw_sample(graphs, links, 1300, dense=False, epsilon=0.05, seed=0)


def test_sources_are_files_or_a_benchmark_folder(tmp_path):
    files = Pair.make().write(tmp_path / "files")
    both, pairs, notes = read_sources(str(files["left"]), str(files["right"]), str(files["seeds"]))
    assert (len(both), len(pairs), notes) == (2, 20, [])
    one, nothing, _ = read_sources(str(files["left"]), None, None)
    assert (len(one), nothing) == (1, None)
    with pytest.raises(FarlinkError, match=r"links are missing: .* \(links\)"):
        read_sources(str(files["left"]), str(files["right"]), None)
    with pytest.raises(FarlinkError, match="name the right graph, too"):
        read_sources(str(files["left"]), None, str(files["seeds"]))
    with pytest.raises(FarlinkError, match="hold the same graph"):
        read_sources(str(files["left"]), str(files["left"]), str(files["seeds"]))
    with pytest.raises(FarlinkError, match="is drawn from files"):
        read_sources("-", None, None)


def test_a_benchmark_folder_is_named_alone(folder, tmp_path):
    _, benchmark = folder
    files = Pair.make().write(tmp_path / "files")
    with pytest.raises(FarlinkError, match="holds both graphs, is named alone"):
        read_sources(str(benchmark), str(files["right"]), str(files["seeds"]))
    with pytest.raises(FarlinkError, match="has links of its own"):
        read_sources(str(benchmark), None, str(files["seeds"]))


def test_links_that_are_left_out_are_told(tmp_path):
    files = Pair.make().write(tmp_path / "files")
    with files["seeds"].open("a") as seeds:
        seeds.write("nobody\tnowhere\n")
    (note,) = read_sources(str(files["left"]), str(files["right"]), str(files["seeds"])).notes
    assert "line 21" in note


def test_the_report_of_a_dense_sample_tells_the_degree_of_the_whole_graph_too(tmp_path):
    rows = [(f"hub{i}", "r", f"hub{j}") for i in range(40) for j in range(i)]
    rows += [(f"leaf{i}", "r", f"hub{i % 40}") for i in range(200)]
    whole = KnowledgeGraph.from_frame(pl.DataFrame(rows, schema=["head", "relation", "tail"], orient="row"), source="a")
    drawn = draw_sample([whole], None, 30, dense=True, epsilon=0.05, seed=0)
    write_sample(drawn, tmp_path / "sample", (0.3, 0.07))
    (row,) = [line for line in (tmp_path / "sample/README.md").read_text().splitlines() if line.startswith("| a |")]
    before, after = (float(cell) for cell in row.split("|")[-3:-1])
    assert before == pytest.approx(2 * len(rows) / 240, abs=0.01)
    assert after >= 2 * before
