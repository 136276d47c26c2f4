"""Commands that make benchmarks and run experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from farlink.cli.app import SeedOption, app
from farlink.cli.tables import console, show_table
from farlink.errors import FarlinkError
from farlink.experiments.registry import Request, experiment_named, overview

DATA_VARIABLE = "FARLINK_DATA"  # of the environment: the folder with the benchmark data sets
BUDGET = 10.0  # minutes that a run of an experiment may train
SEED_SHARE, VALID_SHARE = 0.3, 0.07  # of the links of a sample


@app.command()
def sample(
    left: Annotated[str, typer.Argument(help="The left graph, a benchmark folder, or the one graph to sample.")],
    right: Annotated[str | None, typer.Argument(help="The right graph, if there are two.")] = None,
    links: Annotated[str | None, typer.Option(help="Links between the two graphs.")] = None,
    size: Annotated[int, typer.Option(min=2, help="Entities of each graph to keep.")] = 15000,
    dense: Annotated[bool, typer.Option("--dense", help="Double the average degree first.")] = False,
    epsilon: Annotated[float, typer.Option(min=0, max=1, help="Largest distance from the original's degrees.")] = 0.05,
    seed_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of the links that are seeds, .3 by default.")
    ] = None,
    valid_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of the links for validation, .07 by default.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The benchmark folder to write.")] = None,
    seed: SeedOption = 0,
) -> None:
    """Sample a benchmark from graphs so that degrees are distributed as in the original (SRPRS).

    **farlink sample left.nt.gz right.nt.gz --links links.tsv --size 15000 --out benchmark/**
    """
    folder = _empty_folder(out)
    shares = SEED_SHARE if seed_share is None else seed_share, VALID_SHARE if valid_share is None else valid_share
    if sum(shares) > 1:
        raise FarlinkError("together these are more than all links", "seed_share", "valid_share")
    from farlink.progress import Terminal, tell_notes
    from farlink.sampling.benchmark import distances_table, draw_sample, read_sources, write_sample

    reporter = Terminal()
    with reporter.working("reading"):
        graphs, pairs, notes = read_sources(left, right, links)
    if pairs is None and (seed_share, valid_share) != (None, None):
        raise FarlinkError("one graph has no links to be divided", "seed_share", "valid_share")
    tell_notes(reporter, notes)
    with reporter.working("sampling"):
        drawn = draw_sample(graphs, pairs, size, dense=dense, epsilon=epsilon, seed=seed)
        write_sample(drawn, folder, shares)
    console.print("Kolmogorov-Smirnov distance of the degrees from those of the original:")
    show_table(distances_table(drawn))
    if max(drawn.distances["SRPRS"]) > epsilon:
        console.print(f"the degrees could not be brought within {epsilon:.1%} of the original", markup=False)
    what = "entities" if pairs is None else "linked pairs"
    console.print(f"{len(drawn.units):,} {what}: {folder}   report: {folder / 'README.md'}", markup=False)


def _empty_folder(out: Path | None) -> Path:
    if out is None:
        raise FarlinkError("--out is missing: name the folder to write, for example --out benchmark/")
    if out.is_file():
        raise FarlinkError(f"{out} is a file, expected a folder", "out")
    if out.exists() and any(out.iterdir()):
        raise FarlinkError(f"{out} exists and is not empty; choose another folder", "out")
    return out


EXPERIMENT_HELP = f"""Run an experiment on benchmark data: one record per run, then a page with all the figures.

Runs that are recorded are not run again, so an experiment that was stopped goes on where it was.

{overview()}

**farlink experiment alignment --data data/ --part best --part fast --seeds 3**

**farlink experiment table-normal --data data/ --part BootEA --part RSN --only srprs/dbp_wd_15k_v1 --budget 5**
"""


@app.command(help=EXPERIMENT_HELP)
def experiment(
    name: Annotated[str, typer.Argument(help="Which experiment.")],
    data: Annotated[
        Path | None,
        typer.Option(
            envvar=DATA_VARIABLE,
            help="The folder with the benchmark data sets.",
        ),
    ] = None,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Make no runs: write the page from what is recorded.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Where the page, the figure and the records go.")] = Path("experiments"),
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Which part to run, for example a preset or a method; may be repeated. Without: all of an experiment "
            "of the paper; of alignment, signals and completion none, only the page is written."
        ),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Which data set to run; may be repeated.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds: 0 to N-1.")] = 1,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Minutes that a run may train, 10 by default, in whole epochs; 0: no limit. Of completion it holds "
            "for the preset paper and for models of others, to which 0 gives one epoch.",
        ),
    ] = None,
) -> None:
    """Run an experiment: its records, then its page; see `EXPERIMENT_HELP`."""
    chosen = experiment_named(name)
    chosen.refuse(name, part=part, only=only, budget=budget)
    if data is None and not page_only:
        raise FarlinkError(
            f"name the folder with the benchmark data sets, here or in the variable {DATA_VARIABLE}, or make no runs",
            "data",
            "page_only",
        )
    minutes = BUDGET if budget is None else budget
    request = Request(None if page_only else data, out, part or [], only, seeds, minutes)
    for line in chosen.run(request):
        console.print(line, markup=False)
