"""A pair of small graphs that ships with the package: two views of one invented world.

May import what a user may; only the command line imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from farlink.alignment.run import AlignmentRun

DATA = Path(__file__).parent / "data"


def run_demo(out: str | Path, *, resume: bool = False) -> AlignmentRun:
    """Align the shipped graphs. They are small, so a narrow network and shorter paths suit them."""
    from farlink.alignment.align import align  # here, as making the graphs needs no network

    return align(
        DATA / "atlas.nt.gz",
        DATA / "gazette.tsv.gz",
        DATA / "seeds.tsv",
        valid=DATA / "valid.tsv",
        test=DATA / "test.tsv",
        out=out,
        preset="fast",
        resume=resume,
        progress=True,
        width=128,
        walk_length=9,
        entity_negatives=512,
        max_epochs=2,
    )
