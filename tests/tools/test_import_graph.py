import re

import networkx as nx
from tools.import_graph import PICTURE, imports, layers, main

from tools import import_graph


def test_every_arrow_leads_down():
    row = {name: number for number, names in enumerate(layers()) for name in names}
    packages = imports()
    assert packages.number_of_edges() > 30
    assert all(row[start] < row[end] for start, end in packages.edges)
    assert nx.is_directed_acyclic_graph(packages)


def test_known_imports_are_there():
    packages = imports()
    assert packages.has_edge("rsn", "engine")  # the networks' dropout
    assert packages.has_edge("alignment", "rsn")
    assert not packages.has_edge("alignment", "completion")


def test_every_package_is_in_a_layer():
    folder = import_graph.ROOT / "src" / "farlink"
    there = {path.stem for path in folder.iterdir() if (path / "__init__.py").exists() or path.suffix == ".py"}
    assert {name for names in layers() for name in names} == there - {"__init__", "__main__"}


def test_the_same_imports_give_the_same_picture_with_every_package_in_it(tmp_path, capsys):
    pictures = []
    for name in ("one.svg", "two.svg"):
        main(tmp_path / name)
        pictures.append((tmp_path / name).read_text())
    assert pictures[0] == pictures[1]
    assert f"wrote {tmp_path / 'two.svg'}" in capsys.readouterr().out
    assert set(re.findall(r"<!-- (\w+) -->", pictures[0])) == {name for names in layers() for name in names}


def test_the_picture_of_the_documentation_shows_every_package():
    assert set(re.findall(r"<!-- (\w+) -->", PICTURE.read_text())) == {name for names in layers() for name in names}
