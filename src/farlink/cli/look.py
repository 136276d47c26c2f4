"""Commands that look at runs, graphs and settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from farlink.cli.app import GraphOption, RunArgument, app
from farlink.cli.tables import console, measured_with, show_attributes, show_notes, show_table
from farlink.errors import FarlinkError
from farlink.presets import METHODS
from farlink.settings import TASKS, AlignmentSettings, Settings, settings_of, valid_range

if TYPE_CHECKING:
    from farlink.graph.knowledge_graph import KnowledgeGraph


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

    from farlink.alignment import results as alignment
    from farlink.alignment.run import AlignmentRun
    from farlink.completion import results as completion
    from farlink.completion.run import CompletionRun
    from farlink.loading import load
    from farlink.measures.ranks import RankKind

    kind = next((kind for kind in get_args(RankKind) if kind == ranks), None)
    if kind is None:
        raise FarlinkError(f"--ranks {ranks}: choose one of {', '.join(get_args(RankKind))}")
    opened = load(run)
    show_notes(opened.notes)
    if isinstance(opened, AlignmentRun) and links is not None and triples is None:
        figures = opened.evaluate(links, kind)
        table = alignment.ranks_table(figures, f"{kind} ranks")
    elif isinstance(opened, CompletionRun) and triples is not None and links is None:
        figures = opened.evaluate(triples, kind)
        table = completion.ranks_table(completion.sides(figures), f"filtered {kind} ranks")
    else:
        raise FarlinkError("an alignment is measured with --links, a completion with --triples")
    if as_json:
        console.print_json(json.dumps(figures))
        return
    console.print(measured_with(figures), markup=False)
    show_table(table)


@app.command()
def info(
    files: Annotated[list[str], typer.Argument(help="Graph files, or benchmark folders.")],
    format: GraphOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what graphs hold: entities, relations, triples, degrees, components, duplicates, names and attributes."""
    from farlink.graph.summary import describe, describe_attributes, describe_names
    from farlink.io.benchmark import read_alignment_folder
    from farlink.io.graphs import read

    graphs: dict[str, KnowledgeGraph] = {}
    for file in files:
        if Path(file).is_dir():
            data = read_alignment_folder(file)
            graphs |= {data.left.source: data.left, data.right.source: data.right}
        else:
            graphs[file] = read(file, format=format)
    show_notes([note for graph in graphs.values() for note in graph.notes])
    figures = {name: describe(graph) for name, graph in graphs.items()}
    names = {name: describe_names(graph) for name, graph in graphs.items()}
    attributes = {name: describe_attributes(graph) for name, graph in graphs.items()}
    if as_json:
        parts = {name: {**figures[name], **names[name], "attributes": attributes[name]} for name in graphs}
        console.print_json(json.dumps(parts))
        return
    for name in graphs:
        figures[name]["entities with a readable name"] = names[name]["entities with a readable name"]
    _show_figures(figures)
    for name in graphs:
        show_attributes(f"names in {name}", names[name]["names"])
        show_attributes(f"attributes in {name}", attributes[name])


def _show_figures(figures: dict[str, dict[str, int | float]]) -> None:
    """Print a column of figures for each graph."""
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
    task: Annotated[
        str, typer.Argument(help="Of which task, align or complete; or of which method of alignment.")
    ] = "align",
) -> None:
    """List every setting of a task: its value in each preset, its range and its meaning."""
    kind: type[Settings]
    if task in METHODS:
        kind, presets, shown = AlignmentSettings, METHODS[task].presets, settings_of(task)
    elif task in TASKS:
        kind, presets = TASKS[task]
        shown = set(kind.model_fields)
    else:
        raise FarlinkError(f"there is no task or method '{task}'; choose one of {', '.join((*TASKS, *METHODS))}")
    heads = presets if len(presets) > 1 else [task]
    folded = [Column(head, overflow="fold") for head in ("range", "meaning")]  # in a narrow window nothing is cut off
    table = Table(*(Column(head, no_wrap=True) for head in ("setting", *heads)), *folded)
    filled = [kind.model_validate(values) for values in presets.values()]
    for name, field in kind.model_fields.items():
        if name in shown and name not in ("preset", "task"):
            table.add_row(
                name, *(_written(getattr(one, name)) for one in filled), valid_range(field), field.description
            )
    console.print(table)


def _written(value: object) -> str:
    """A value as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
