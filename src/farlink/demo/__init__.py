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
    """Align the shipped graphs, whose names are spelled in two languages, without a single known link."""
    from farlink.alignment.align import align  # here, as making the graphs needs no network

    return align(
        DATA / "atlas.nt.gz",
        DATA / "gazette.tsv.gz",
        test=DATA / "test.tsv",
        out=out,
        resume=resume,
        progress=True,
    )
