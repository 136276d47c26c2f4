"""The pair of graphs that walks and training are measured on."""

from __future__ import annotations

from pathlib import Path

from farlink.alignment.task import AlignmentTask, prepare
from farlink.demo import DATA as DEMO
from farlink.io.benchmark import read_alignment_folder
from farlink.io.graphs import read
from farlink.io.links import read_links
from farlink.progress import Reporter
from farlink.rsn.joint import JointGraph, join
from farlink.settings import make_settings

DBP_WD = Path(__file__).parents[2] / "shared" / "data" / "srprs" / "dbp_wd_15k_v1"


def joint_graph(folder: Path = DBP_WD) -> tuple[JointGraph, str]:
    """The joint graph of a benchmark folder, or of the shipped demo where that is absent, and its name."""
    if folder.is_dir():
        task, name = _benchmark_task(folder), "DBP-WD v1"
    else:
        task, name = _demo_task(), "the demo graphs, as DBP-WD v1 is absent"
    return join(task.left, task.right, task.seeds), name


def _benchmark_task(folder: Path) -> AlignmentTask:
    data = read_alignment_folder(folder)
    valid = None if data.valid is None else (data.valid, data.source)
    return prepare(data.left, data.right, (data.seeds, data.source), valid, None, make_settings(), _silent())


def _demo_task() -> AlignmentTask:
    seeds, valid = ((read_links(DEMO / name), name) for name in ("seeds.tsv", "valid.tsv"))
    left, right = read(DEMO / "atlas.nt.gz"), read(DEMO / "gazette.tsv.gz")
    return prepare(left, right, seeds, valid, None, make_settings(), _silent())


def _silent() -> Reporter:
    return Reporter(shown=False)
