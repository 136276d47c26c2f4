"""The pair of graphs that walks and training are measured on."""

from __future__ import annotations

from pathlib import Path

from farlink.alignment.task import AlignmentTask, open_task
from farlink.demo import DATA as DEMO
from farlink.progress import Silent
from farlink.rsn.joint import JointGraph, join
from farlink.settings import make_settings

DBP_WD = Path(__file__).parents[2] / "shared" / "data" / "srprs" / "dbp_wd_15k_v1"


def joint_graph(folder: Path = DBP_WD) -> tuple[JointGraph, str]:
    """The joint graph of a benchmark folder, or of the shipped demo where that is absent, and its name."""
    if folder.is_dir():
        task, name = open_task(folder, settings=make_settings(), reporter=Silent()), "DBP-WD v1"
    else:
        task, name = _demo_task(), "the demo graphs, as DBP-WD v1 is absent"
    return join(task.left, task.right, task.seeds), name


def _demo_task() -> AlignmentTask:
    links = {part: DEMO / f"{part}.tsv" for part in ("seeds", "valid")}
    graphs = DEMO / "atlas.nt.gz", DEMO / "gazette.tsv.gz"
    return open_task(*graphs, **links, settings=make_settings(), reporter=Silent())
