"""Draws which package imports which: `python -m tools.import_graph` writes docs/import-graph.svg.

The layers are those of `.importlinter`. A dark arrow is an import that no other way of arrows implies, a pale one an
import that goes past what lies between.
"""

from __future__ import annotations

from configparser import ConfigParser
from functools import partial
from math import cos
from pathlib import Path

import grimp
import networkx as nx
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from farlink.reports.plots import BLUE, GREY, draw

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "import-graph.svg"
HALF = 0.22  # of the height of a box
SWING = 0.9  # how far layers of one package are set aside, each elsewhere, so that arrows do not lie on each other
APART = 1.5  # between the packages of a layer


def layers() -> list[list[str]]:
    """The packages of every layer, the uppermost layer first."""
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    lines = contracts["importlinter:contract:layers"]["layers"].split("\n")
    return [[name.strip() for name in line.split("|")] for line in lines if line and not line.startswith("(")]


def imports() -> nx.DiGraph[str]:
    """Which package imports which; imports for types alone are left out."""
    modules = grimp.build_graph("farlink", exclude_type_checking_imports=True, cache_dir=None)
    known = {name for layer in layers() for name in layer}
    packages = nx.DiGraph()
    packages.add_nodes_from(sorted(known))
    for module in sorted(modules.modules):
        for imported in sorted(modules.find_modules_directly_imported_by(module)):
            ends = [[*name.split("."), ""][1] for name in (module, imported)]
            if ends[0] != ends[1] and known.issuperset(ends):
                packages.add_edge(*ends)
    return packages


def places() -> dict[str, tuple[float, float]]:
    """Where the boxes are: a row for every layer."""
    found = {}
    for row, names in enumerate(layers()):
        swing = SWING * cos(2.4 * row) if len(names) == 1 else 0.0
        for column, name in enumerate(names):
            found[name] = (swing + APART * (column - (len(names) - 1) / 2), float(-row))
    return found


def fill(axes: Axes, packages: nx.DiGraph[str]) -> None:
    """Draw boxes and arrows."""
    place = places()
    direct = nx.transitive_reduction(packages)
    for start, end in sorted(packages.edges):
        needed = direct.has_edge(start, end)
        arrow = FancyArrowPatch(
            (place[start][0], place[start][1] - HALF),
            (place[end][0], place[end][1] + HALF),
            arrowstyle="-|>",
            mutation_scale=9,
            shrinkA=0,
            shrinkB=0,
            connectionstyle=f"arc3,rad={0.0 if needed else 0.18}",
            color=BLUE if needed else GREY,
            alpha=1.0 if needed else 0.25,
            linewidth=1.2 if needed else 0.7,
        )
        axes.add_patch(arrow)
    for name, (x, y) in place.items():
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": BLUE}
        axes.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box)
    xs, ys = zip(*place.values(), strict=True)
    axes.set(xlim=(min(xs) - 0.7, max(xs) + 0.7), ylim=(min(ys) - 0.5, max(ys) + 0.5))
    axes.axis("off")


def main(target: Path = PICTURE) -> None:
    """Draw the picture; the same imports give the same file."""
    draw(target, partial(fill, packages=imports()), height=0.62 * len(layers()))
    print(f"wrote {target}")


if __name__ == "__main__":
    main()
