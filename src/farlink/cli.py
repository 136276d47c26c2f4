"""The command line: parse, call, print."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from farlink.errors import FarlinkError, Interrupted
from farlink.io.files import cannot_write
from farlink.settings import PRESETS, Settings, make_settings, parse_assignments, valid_range

if TYPE_CHECKING:
    import polars as pl

    from farlink.graph import KnowledgeGraph

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
REASONS = 8  # agreeing triples shown at the most
console = Console(highlight=False, soft_wrap=True)

GraphOption = Annotated[str | None, typer.Option(help="Format, if the extension does not tell: nt, nq, turtle, ...")]
PresetOption = Annotated[str, typer.Option(help="best (default), fast, or paper (the published setting).")]
SeedOption = Annotated[int, typer.Option(help="The one source of all randomness.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated. See 'farlink settings'."),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with the run in --out if there is one.")]
RunArgument = Annotated[Path, typer.Argument(help="The run folder.")]


def _show_version(asked: bool) -> None:
    if asked:
        console.print(f"farlink {version('farlink')}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Align knowledge graphs by learning from long relational paths. Start with **farlink demo**."""


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
    from farlink.alignment import align_task, prepare
    from farlink.io import read, read_alignment_folder
    from farlink.io.sources import links_from
    from farlink.progress import Reporter
    from farlink.runs import Run

    if out is None:
        raise FarlinkError("--out is missing: name the run folder to write, for example --out run/")
    settings = make_settings(preset, **{"seed": seed, **parse_assignments(set_ or [])})
    reporter = Reporter()
    if right is None:
        if seeds or valid or test:
            raise FarlinkError("a benchmark folder brings its own links; for two graph files name the RIGHT graph too")
        with reporter.working(f"reading {left}"):
            data = read_alignment_folder(left, fold=fold, share=share)
        graphs, parts = (data.left, data.right), [data.seeds, data.valid, data.test]
        named = [None if part is None else (part, data.source) for part in parts]
    else:
        if share is not None:
            raise FarlinkError("--share splits the links of a benchmark folder; two graph files come with --seeds")
        if seeds is None:
            raise FarlinkError("--seeds is missing: a file of known links, one 'left<TAB>right' pair a line")
        with reporter.working("reading the graphs"):
            graphs = (read(left, format=left_format), read(right, format=right_format))
        named = [None if part is None else links_from(part) for part in (seeds, valid, test)]
    assert named[0] is not None
    task = prepare(*graphs, named[0], named[1], named[2], settings, reporter)
    run = align_task(task, Run(out), settings, resume=resume, reporter=reporter)
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
    from farlink.runs import load

    opened = load(run)
    side, _ = opened.find(entity)
    found = opened.match(entity, k)
    reasons = [opened.explain(*((entity, other) if side == "left" else (other, entity))) for other in found["entity"]]
    if as_json:
        rows = [{**row, "reasons": why} for row, why in zip(found.to_dicts(), reasons, strict=True)]
        console.print_json(json.dumps(rows))
        return
    table = Table("rank", "entity", "name", "score", "agreeing triples")
    for row, why in zip(found.iter_rows(), reasons, strict=True):
        table.add_row(str(row[0]), row[1], row[2], f"{row[3]:.3f}", str(len(why)))
    console.print(table)
    _show_reasons(found, reasons)


def _show_reasons(found: pl.DataFrame, reasons: list[list[str]]) -> None:
    """Say why the first candidate is the first, as far as triples tell."""
    if not reasons:
        console.print("nothing comes into question: the entity has no triples to go by")
        return
    console.print(f"why {found['name'][0]}:", markup=False)
    for reason in reasons[0][:REASONS]:
        console.print(f"  {reason}", markup=False)
    if len(reasons[0]) > REASONS:
        console.print(f"  and {len(reasons[0]) - REASONS} more")
    if not reasons[0]:
        console.print("  no triple agrees; it was found by resemblance further away")


@app.command()
def evaluate(
    run: RunArgument,
    links: Annotated[str, typer.Option(help="Links to measure the run with.")],
    ranks: Annotated[str, typer.Option(help="How ties count: realistic, optimistic or pessimistic.")] = "realistic",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a run with links: Hits@k and MRR, both directions, both protocols."""
    from typing import get_args

    from farlink.metrics import RankKind
    from farlink.runs import load

    kind = next((kind for kind in get_args(RankKind) if kind == ranks), None)
    if kind is None:
        raise FarlinkError(f"--ranks {ranks}: choose one of {', '.join(get_args(RankKind))}")
    figures = load(run).evaluate(links, kind)
    if as_json:
        console.print_json(json.dumps(figures))
        return
    left_out = figures["left_out"]
    console.print(
        f"{figures['links']:,} links, {kind} ranks; left out: {left_out['unknown']:,} with unknown entities, "
        f"{left_out['seeds']:,} that touch a seed",
        markup=False,
    )
    console.print(ranks_table(figures, f"{kind} ranks"))


@app.command()
def export(
    run: RunArgument,
    to: Annotated[str, typer.Option(help="sssom, sameas, alignment-rdf, tsv, or npy (the vectors).")],
    out: Annotated[Path | None, typer.Option(help="Where to write; by default into the run folder.")] = None,
) -> None:
    """Write the mapping in another format."""
    from farlink.runs import load

    console.print(str(load(run).export(to, out)), markup=False)


@app.command()
def experiment(
    name: Annotated[str, typer.Argument(help="Which experiment: alignment.")],
    data: Annotated[Path, typer.Option(help="The folder with the benchmark data sets.")] = Path("../shared/data"),
    out: Annotated[Path, typer.Option(help="Where the page, the figure and the records go.")] = Path("experiments"),
    part: Annotated[
        list[str] | None, typer.Option(help="Which part to run; may be repeated. Without: only write the page.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Which data set to run; may be repeated.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Runs with the seeds 0 to this less one.")] = 1,
) -> None:
    """Run an experiment on benchmark data: one record per run, then a page with all the figures.

    Runs that are recorded are not run again, so an experiment that was stopped goes on where it was.

    **farlink experiment alignment --part best --part fast --seeds 3**
    """
    from farlink.experiments import alignment as experiments

    if name != "alignment":
        raise FarlinkError(f"there is no experiment '{name}'; there is: alignment")
    for line in experiments.run(data, out, part or [], only, seeds):
        console.print(line, markup=False)


@app.command()
def info(
    files: Annotated[list[str], typer.Argument(help="Graph files, or benchmark folders.")],
    format: GraphOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what graphs hold: entities, relations, triples, degrees, components, literals, duplicates."""
    from farlink.describe import describe
    from farlink.io import read, read_alignment_folder

    graphs: dict[str, KnowledgeGraph] = {}
    for file in files:
        if Path(file).is_dir():
            data = read_alignment_folder(file)
            graphs |= {data.left.source: data.left, data.right.source: data.right}
        else:
            graphs[file] = read(file, format=format)
    figures = {name: describe(graph) for name, graph in graphs.items()}
    if as_json:
        console.print_json(json.dumps(figures))
        return
    table = Table("", *(Column("/".join(Path(name).parts[-2:]), overflow="fold") for name in figures))
    for row in next(iter(figures.values())):
        table.add_row(
            row,
            *(
                f"{column[row]:,.4g}" if isinstance(column[row], float) else f"{column[row]:,}"
                for column in figures.values()
            ),
        )
    console.print(table)


@app.command()
def settings() -> None:
    """List every setting: its value in each preset, its range and its meaning."""
    table = Table("setting", *PRESETS, "range", "meaning")
    presets = [make_settings(preset) for preset in PRESETS]
    for name, field in Settings.model_fields.items():
        if name != "preset":
            table.add_row(
                name, *(str(getattr(preset, name)) for preset in presets), valid_range(field), field.description
            )
    console.print(table)


def show_results(metrics: dict[str, Any]) -> None:
    """Print the figures of a run: the test part, or the validation part where there is no test."""
    part = "test" if "test" in metrics else "validation"
    if part not in metrics:
        console.print("no links were kept to measure with; see the mapping itself")
        return
    figures = metrics[part]
    console.print(ranks_table(figures, f"{part} links, realistic ranks"))
    table = Table("", "precision", "recall", "F1")
    for name, key in (("the mapping", "mapping"), ("name equality, for comparison", "name_equality")):
        table.add_row(name, *(f"{figures[key][measure]:.3f}" for measure in ("precision", "recall", "f1")))
    console.print(table)
    counts = metrics["mapping"]
    console.print(
        f"{counts.get('matched', 0):,} links found, {counts.get('unmatched', 0):,} left entities not matched, "
        f"{counts.get('seed', 0):,} seeds"
    )


def ranks_table(figures: dict[str, Any], title: str) -> Table:
    """Ranks by protocol and direction."""
    table = Table(
        "protocol", "direction", "Hits@1", "Hits@5", "Hits@10", "MRR", "MR", title=title, title_justify="left"
    )
    for protocol in ("linked", "all"):
        for direction, ranks in figures[protocol].items():
            cells = [f"{ranks[name]:.3f}" for name in ("hits@1", "hits@5", "hits@10", "mrr")]
            table.add_row(protocol, direction.replace("_", " "), *cells, f"{ranks['mr']:,.1f}")
    return table


def show_links(found: Any) -> None:
    """Print some found links by name."""
    table = Table("left", "right", "score", title="ten of the links found", title_justify="left")
    for left, right, score in found.select("left", "right", "score").iter_rows():
        table.add_row(left.rsplit("/", 1)[-1], right, f"{score:.3f}")
    console.print(table)


def main() -> None:
    """Run the command line; a user's mistake ends in one message and a non-zero exit."""
    try:
        app()
    except Interrupted as error:
        _complain(str(error), 130)
    except FarlinkError as error:
        _complain(str(error), 1)
    except KeyboardInterrupt:
        _complain("interrupted", 130)
    except BrokenPipeError:  # the reader of our output has had enough, as `head` does
        os._exit(141)  # without the flush of standard output, which would fail again
    except OSError as error:
        _complain(str(cannot_write(error.filename or "the disk", error)), 1)


def _complain(message: str, code: int) -> None:
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"farlink: {message}", markup=False)
    sys.exit(code)


if __name__ == "__main__":
    main()
