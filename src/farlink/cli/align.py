"""Commands about two graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from farlink.cli.app import GraphOption, PresetOption, ResumeOption, RunArgument, SeedOption, SetOption, app
from farlink.cli.tables import console, show_links, show_lookalikes, show_matches, show_reasons, show_results
from farlink.errors import FarlinkError
from farlink.settings import METHOD_SETTINGS, make_settings, parse_assignments


@app.command()
def align(
    left: Annotated[
        str,
        typer.Argument(
            help="The left graph (RDF, TSV, CSV, Parquet; '-' reads standard input), or a benchmark folder."
        ),
    ],
    right: Annotated[str | None, typer.Argument(help="The right graph; left out for a benchmark folder.")] = None,
    seeds: Annotated[str | None, typer.Option(help="Known links: TSV, CSV, Parquet, owl:sameAs RDF or SSSOM.")] = None,
    valid: Annotated[
        str | None, typer.Option(help="Links to choose the best weights by. Without: a tenth of the seeds.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="Links to measure the result with; used for nothing else.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run folder to write.")] = None,
    preset: PresetOption = "best",
    method: Annotated[
        str, typer.Option(help=f"A method to compare with, with settings of its own: {', '.join(METHOD_SETTINGS)}.")
    ] = "rsn",
    seed: SeedOption = 0,
    resume: ResumeOption = False,
    set_: SetOption = None,
    left_format: GraphOption = None,
    right_format: GraphOption = None,
    fold: Annotated[int, typer.Option(help="Which split of an OpenEA folder.")] = 1,
    share: Annotated[
        float | None, typer.Option(help="Split the links of a benchmark folder anew: this share as seeds.")
    ] = None,
) -> None:
    """Align two graphs: from files to a scored one-to-one mapping.

    **farlink align left.nt.gz right.tsv --seeds seeds.tsv --out run/**

    **farlink align benchmark_folder/ --out run/**
    """
    from farlink.alignment.align import align_task
    from farlink.alignment.run import AlignmentRun
    from farlink.alignment.task import prepare
    from farlink.io.benchmark import read_alignment_folder
    from farlink.io.graphs import read
    from farlink.io.sources import links_from
    from farlink.progress import Reporter

    if out is None:
        raise FarlinkError("--out is missing: name the run folder to write, for example --out run/")
    if method != "rsn" and preset != "best":
        raise FarlinkError(f"--preset {preset} is one of the method rsn; {method} has settings of its own, see --set")
    settings = make_settings(preset, **{"seed": seed, "method": method, **parse_assignments(set_ or [])})
    reporter = Reporter()
    if right is None:
        if seeds or valid or test:
            raise FarlinkError("a benchmark folder brings its own links; for two graph files name the RIGHT graph too")
        with reporter.working(f"reading {left}"):
            data = read_alignment_folder(left, fold=fold, share=share)
        graphs, parts = (data.left, data.right), [data.seeds, data.valid, data.test]
        named = [None if part is None else (part, data.source) for part in parts]
    else:
        if share is not None or fold != 1:
            raise FarlinkError("--share and --fold are about a benchmark folder; two graph files come with --seeds")
        if left == right == "-":
            raise FarlinkError("standard input can be one of the two graphs only; name a file for the other")
        if seeds is None:
            raise FarlinkError("--seeds is missing: a file of known links, one 'left<TAB>right' pair a line")
        with reporter.working("reading the graphs"):
            graphs = (read(left, format=left_format), read(right, format=right_format))
        named = [None if part is None else links_from(part) for part in (seeds, valid, test)]
    assert named[0] is not None
    task = prepare(*graphs, named[0], named[1], named[2], settings, reporter)
    run = align_task(task, AlignmentRun(out), settings, resume=resume, reporter=reporter)
    show_results(run.metrics)
    console.print(f"mapping: {run.folder / 'alignment.tsv'}   report: {run.folder / 'README.md'}", markup=False)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The run folder to write.")] = Path("farlink-demo"),
    resume: ResumeOption = False,
) -> None:
    """Align a pair of small graphs that ships with farlink, in about 15 seconds."""
    from farlink.demo import run_demo

    run = run_demo(out, resume=resume)
    show_results(run.metrics)
    found = run.alignment.filter(status="matched").head(200).sample(10, seed=1, shuffle=True)
    show_links(found.sort("score", descending=True))
    console.print(f"report: {run.folder / 'README.md'}   all links: {run.folder / 'alignment.tsv'}", markup=False)
    example = found["left"][0]
    console.print(f"try next: farlink match {run.folder} '{example}'", markup=False)


@app.command()
def match(
    run: RunArgument,
    entity: Annotated[str, typer.Argument(help="An entity of either graph, by identifier or readable name.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many counterparts to show.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the likeliest counterparts of one entity, and which of their triples agree."""
    from farlink.loading import load_alignment

    opened = load_alignment(run)
    side, _ = opened.find(entity)
    found = opened.match(entity, k)
    reasons = [opened.explain(*((entity, other) if side == "left" else (other, entity))) for other in found["entity"]]
    if as_json:
        rows = [{**row, "reasons": why} for row, why in zip(found.to_dicts(), reasons, strict=True)]
        console.print_json(json.dumps(rows))
        return
    show_matches(found, reasons)
    show_reasons(found, reasons)
    show_lookalikes(opened.lookalikes(entity))


@app.command()
def export(
    run: RunArgument,
    to: Annotated[str, typer.Option(help="sssom, sameas, alignment-rdf, tsv, or npy (the vectors).")],
    out: Annotated[Path | None, typer.Option(help="Where to write; by default into the run folder.")] = None,
) -> None:
    """Write the mapping of an alignment in another format."""
    from farlink.loading import load_alignment

    console.print(str(load_alignment(run).export(to, out)), markup=False)
