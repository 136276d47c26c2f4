"""The table of docs/signals.md on graphs that hold a thing twice: `PYTHONPATH=tests python -m tools.cardinality`."""

from __future__ import annotations

import tempfile

import farlink
from helpers.worlds import make_world, quality

COPIED = {"nowhere": (0.0, 0.0), "left": (0.4, 0.0), "right": (0.0, 0.4), "both": (0.4, 0.4)}
CARDINALITIES = ("one-to-one", "many-to-one", "one-to-many", "many-to-many")


def main() -> None:
    """Print precision and recall, a row for each world and a column for each cardinality."""
    for name, copied in COPIED.items():
        world, cells = make_world(copied=copied), []
        for cardinality in CARDINALITIES:
            with tempfile.TemporaryDirectory() as out:
                run = farlink.align(world.left, world.right, out=f"{out}/run", cardinality=cardinality)
                cells.append("{:.3f} {:.3f}".format(*quality(run, world.links)).replace("0.", "."))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
