"""The command line: parse, call, print."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from farlink.errors import FarlinkError, Interrupted
from farlink.io.files import cannot_write
from farlink.settings import (
    METHOD_SETTINGS,
    TASKS,
    make_completion_settings,
    make_settings,
    parse_assignments,
    valid_range,
)
from farlink.tables import (
    console,
    measured_with,
    ranks_table,
    show_completion,
    show_links,
    show_predictions,
    show_reasons,
    show_results,
    sides_table,
)

if TYPE_CHECKING:
    from farlink.graph import KnowledgeGraph

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

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
    """Align and complete knowledge graphs by learning from long relational paths. Start with **farlink demo**."""


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
    from farlink.aligned import AlignmentRun
    from farlink.alignment import align_task, prepare
    from farlink.io import read, read_alignment_folder
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
        if share is not None:
            raise FarlinkError("--share splits the links of a benchmark folder; two graph files come with --seeds")
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
def complete(
    graph: Annotated[
        str,
        typer.Argument(help="The graph (RDF, TSV, CSV, Parquet; '-' reads standard input), or a benchmark folder."),
    ],
    valid: Annotated[
        str | None, typer.Option(help="Triples to choose the best weights by. Without: a tenth of the graph's.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="Triples to measure the result with; used for nothing else.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run folder to write.")] = None,
    preset: PresetOption = "best",
    seed: SeedOption = 0,
    resume: ResumeOption = False,
    set_: SetOption = None,
    format: GraphOption = None,
) -> None:
    """Learn from one graph to tell what is missing in it; then ask with **farlink predict**.

    **farlink complete graph.nt.gz --out run/**

    **farlink complete folder_with_train_valid_test/ --out run/**
    """
    from farlink.completed import CompletionRun
    from farlink.completion import complete_task, prepare
    from farlink.io import read, read_completion_folder
    from farlink.progress import Reporter

    if out is None:
        raise FarlinkError("--out is missing: name the run folder to write, for example --out run/")
    settings = make_completion_settings(preset, **{"seed": seed, **parse_assignments(set_ or [])})
    reporter = Reporter()
    with reporter.working(f"reading {graph}"):
        if Path(graph).is_dir():
            if valid or test:
                raise FarlinkError("a benchmark folder brings its own validation and test triples")
            parts = read_completion_folder(graph)
        else:
            others = [None if part is None else read(part) for part in (valid, test)]
            parts = (read(graph, format=format), others[0], others[1])
    task = prepare(*parts, settings, reporter)
    run = complete_task(task, CompletionRun(out), settings, resume=resume, reporter=reporter)
    show_completion(run.metrics)
    console.print(f"report: {run.folder / 'README.md'}   try next: farlink predict {run.folder} --all", markup=False)


@app.command()
def predict(
    run: RunArgument,
    head: Annotated[str | None, typer.Option(help="Ask for the tails of this head.")] = None,
    relation: Annotated[str | None, typer.Option(help="The relation that is asked about.")] = None,
    tail: Annotated[str | None, typer.Option(help="Ask for the heads of this tail.")] = None,
    queries: Annotated[
        str | None, typer.Option(help="A TSV file of questions: head, relation, tail, with ? for what is asked.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="The likeliest new facts of the whole graph instead of one question.")
    ] = False,
    k: Annotated[int, typer.Option("-k", min=1, help="How many answers (of each question), or facts.")] = 10,
    new: Annotated[bool, typer.Option("--new", help="Leave out what is known already.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the table to this file: .tsv, .csv or .parquet.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell likely facts: answers to (head, relation, ?) or (?, relation, tail), with the paths that speak for them.

    **farlink predict run/ --head Nanjing --relation country**

    **farlink predict run/ --all -k 100 --out facts.tsv**
    """
    from farlink.completed import load_completion
    from farlink.io.predictions import read_queries, write_predictions
    from farlink.progress import Reporter

    single = head is not None or relation is not None or tail is not None
    if single + everything + (queries is not None) != 1:
        raise FarlinkError("ask one thing: --head or --tail with --relation, or --queries FILE, or --all")
    if single and (relation is None or (head is None) == (tail is None)):
        raise FarlinkError("a question has a --relation, and either a --head or a --tail")
    opened = load_completion(run)
    if everything:
        with Reporter().counting("asking") as progress:
            found = opened.new_facts(k, progress)
    elif queries is not None:
        found = opened.predict_many(read_queries(queries), k=k, new_only=new)
    else:
        assert relation is not None
        found = opened.predict(head=head, relation=relation, tail=tail, k=k, new_only=new)
    if out is not None:
        write_predictions(found, out)
        console.print(f"{found.height:,} facts: {out}", markup=False)
        return
    reasons = [opened.explain(*row) for row in found.select("head", "relation", "tail").iter_rows()]
    if as_json:
        rows = [{**row, "paths": why} for row, why in zip(found.to_dicts(), reasons, strict=True)]
        console.print_json(json.dumps(rows))
        return
    show_predictions(found, reasons)


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
    from farlink.aligned import load_alignment

    opened = load_alignment(run)
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
    show_reasons(found, reasons)


@app.command()
def evaluate(
    run: RunArgument,
    links: Annotated[str | None, typer.Option(help="Links to measure an alignment with.")] = None,
    triples: Annotated[str | None, typer.Option(help="Triples to measure a completion with.")] = None,
    ranks: Annotated[str, typer.Option(help="How ties count: realistic, optimistic or pessimistic.")] = "realistic",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a run: Hits@k and MRR, in both directions, of links (an alignment) or triples (a completion)."""
    from typing import get_args

    from farlink.aligned import AlignmentRun
    from farlink.completed import CompletionRun
    from farlink.metrics import RankKind
    from farlink.runs import load

    kind = next((kind for kind in get_args(RankKind) if kind == ranks), None)
    if kind is None:
        raise FarlinkError(f"--ranks {ranks}: choose one of {', '.join(get_args(RankKind))}")
    opened = load(run)
    if isinstance(opened, AlignmentRun) and links is not None and triples is None:
        figures = opened.evaluate(links, kind)
        table = ranks_table(figures, f"{kind} ranks")
    elif isinstance(opened, CompletionRun) and triples is not None and links is None:
        figures = opened.evaluate(triples, kind)
        table = sides_table(figures, f"filtered {kind} ranks")
    else:
        raise FarlinkError("an alignment is measured with --links, a completion with --triples")
    if as_json:
        console.print_json(json.dumps(figures))
        return
    console.print(measured_with(figures), markup=False)
    console.print(table)


@app.command()
def export(
    run: RunArgument,
    to: Annotated[str, typer.Option(help="sssom, sameas, alignment-rdf, tsv, or npy (the vectors).")],
    out: Annotated[Path | None, typer.Option(help="Where to write; by default into the run folder.")] = None,
) -> None:
    """Write the mapping of an alignment in another format."""
    from farlink.aligned import load_alignment

    console.print(str(load_alignment(run).export(to, out)), markup=False)


@app.command()
def sample(
    left: Annotated[str, typer.Argument(help="The left graph, a benchmark folder, or the one graph to sample.")],
    right: Annotated[str | None, typer.Argument(help="The right graph, if there are two.")] = None,
    links: Annotated[str | None, typer.Option(help="Links between the two graphs.")] = None,
    size: Annotated[int, typer.Option(min=2, help="Entities of each graph to keep.")] = 15000,
    dense: Annotated[bool, typer.Option("--dense", help="Double the average degree first.")] = False,
    epsilon: Annotated[float, typer.Option(min=0, max=1, help="Largest distance from the original's degrees.")] = 0.05,
    seed_share: Annotated[float, typer.Option(min=0, max=1, help="Share of the links that are seeds.")] = 0.3,
    valid_share: Annotated[float, typer.Option(min=0, max=1, help="Share of the links for validation.")] = 0.07,
    out: Annotated[Path | None, typer.Option(help="The benchmark folder to write.")] = None,
    seed: SeedOption = 0,
) -> None:
    """Sample a benchmark from graphs so that degrees are distributed as in the original (SRPRS).

    **farlink sample left.nt.gz right.nt.gz --links links.tsv --size 15000 --out benchmark/**
    """
    from farlink.progress import Reporter
    from farlink.samples import draw_sample, read_sources, write_sample

    if out is None:
        raise FarlinkError("--out is missing: name the folder to write, for example --out benchmark/")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FarlinkError(f"{out} exists and is not empty; choose another --out")
    if seed_share + valid_share > 1:
        raise FarlinkError("--seed-share and --valid-share together are more than all links")
    reporter = Reporter()
    with reporter.working("reading"):
        graphs, pairs = read_sources(left, right, links)
    with reporter.working("sampling"):
        drawn = draw_sample(graphs, pairs, size, dense=dense, epsilon=epsilon, seed=seed)
        write_sample(drawn, out, (seed_share, valid_share))
    table = Table("method", *(f"K-S distance, graph {place + 1}" for place in range(len(graphs))))
    for name, gaps in drawn.distances.items():
        table.add_row(name, *(f"{gap:.1%}" for gap in gaps))
    console.print(table)
    if max(drawn.distances["SRPRS"]) > epsilon:
        console.print(f"the degrees could not be brought within {epsilon:.1%} of the original", markup=False)
    console.print(f"{len(drawn.units):,} of each graph: {out}   report: {out / 'README.md'}", markup=False)


@app.command()
def experiment(
    name: Annotated[
        str,
        typer.Argument(
            help="alignment, completion, or of the paper: table-normal, table-dense, table-completion, convergence, "
            "walk-length, seeds, degree-distribution."
        ),
    ],
    data: Annotated[Path, typer.Option(help="The folder with the benchmark data sets.")] = Path("../shared/data"),
    out: Annotated[Path, typer.Option(help="Where the page, the figure and the records go.")] = Path("experiments"),
    part: Annotated[
        list[str] | None, typer.Option(help="Which part to run; may be repeated. Without: only write the page.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Which data set to run; may be repeated.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Runs with the seeds 0 to this less one.")] = 1,
    budget: Annotated[float, typer.Option(min=0, help="Minutes that a run may train; 0: no limit.")] = 10,
) -> None:
    """Run an experiment on benchmark data: one record per run, then a page with all the figures.

    Runs that are recorded are not run again, so an experiment that was stopped goes on where it was.

    **farlink experiment alignment --part best --part fast --seeds 3**
    """
    from farlink.experiments import alignment, completion, degrees, paper

    if name == "alignment":
        lines = alignment.run(data, out, part or [], only, seeds)
    elif name in ("completion", "table-completion"):
        lines = completion.run(data, out, part or [], only, seeds, budget)
    elif name == "degree-distribution":
        lines = degrees.run(data, out, seeds)
    elif name in paper.EXPERIMENTS:
        lines = paper.run(name, data, out, seeds, budget)
    else:
        known = ", ".join(("alignment", "completion", *paper.EXPERIMENTS, "table-completion", "degree-distribution"))
        raise FarlinkError(f"there is no experiment '{name}'; there are: {known}")
    for line in lines:
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
def settings(
    task: Annotated[str, typer.Argument(help="Of which task: align or complete.")] = "align",
) -> None:
    """List every setting of a task: its value in each preset, its range and its meaning."""
    if task not in TASKS:
        raise FarlinkError(f"there is no task '{task}'; choose one of {', '.join(TASKS)}")
    kind, presets = TASKS[task]
    table = Table("setting", *presets, "range", "meaning")
    filled = [kind.model_validate({**values, "preset": preset}) for preset, values in presets.items()]
    for name, field in kind.model_fields.items():
        if name not in ("preset", "task"):
            table.add_row(name, *(str(getattr(one, name)) for one in filled), valid_range(field), field.description)
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
