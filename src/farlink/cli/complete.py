"""Commands about one graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from farlink.cli.app import (
    GraphOption,
    OutOption,
    PresetOption,
    ResumeOption,
    RunArgument,
    SeedOption,
    SetOption,
    app,
    graph_source,
    parse_assignments,
    run_folder,
)
from farlink.cli.tables import console, show_completion, show_notes, show_predictions
from farlink.errors import FarlinkError, InputError
from farlink.settings import make_completion_settings
from farlink.wording import counted


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
    out: OutOption = None,
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
    folder = run_folder(out)
    settings = make_completion_settings(preset, **{"seed": seed, **parse_assignments(set_)})
    from farlink.completion.task import open_task
    from farlink.progress import Terminal

    reporter = Terminal()
    task = open_task(graph_source(graph, format), valid=valid, test=test, settings=settings, reporter=reporter)
    # only now, as torch and the plots take seconds: mistakes in arguments and files are told before
    from farlink.completion.complete import complete_task
    from farlink.completion.run import CompletionRun

    run = complete_task(task, CompletionRun(folder), settings, resume=resume, reporter=reporter)
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
    from farlink.io.exports.facts import write_predictions
    from farlink.io.questions import read_queries
    from farlink.loading import load_completion
    from farlink.progress import Terminal

    single = head is not None or relation is not None or tail is not None
    if single + everything + (queries is not None) != 1:
        raise FarlinkError("ask one thing: --head or --tail with --relation, or --queries FILE, or --all")
    if single and (relation is None or (head is None) == (tail is None)):
        raise FarlinkError("a question has a --relation, and either a --head or a --tail")
    opened = load_completion(run)
    show_notes(opened.notes)
    if everything:
        with Terminal().counting("asking") as progress:
            found = opened.new_facts(k, progress)
    elif queries is not None:
        asked = read_queries(queries)
        try:
            found = opened.predict_many(asked, k=k, new_only=new)
        except FarlinkError as error:
            raise InputError(queries, str(error)) from None
    else:
        assert relation is not None
        found = opened.predict(head=head, relation=relation, tail=tail, k=k, new_only=new)
    if out is not None:
        write_predictions(found, out)
        console.print(f"{counted(found.height, 'fact')}: {out}", markup=False)
        return
    reasons = [opened.explain(*row) for row in found.select("head", "relation", "tail").iter_rows()]
    if as_json:
        rows = [{**row, "paths": why} for row, why in zip(found.to_dicts(), reasons, strict=True)]
        console.print_json(json.dumps(rows))
        return
    show_predictions(found, reasons)
