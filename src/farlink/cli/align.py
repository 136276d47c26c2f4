"""Commands about two graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from farlink.cli.tables import (
    console,
    show_links,
    show_lookalikes,
    show_matches,
    show_notes,
    show_reasons,
    show_results,
    show_waterfall,
)
from farlink.errors import FarlinkError
from farlink.io.exports import EXPORTS
from farlink.presets import DEFAULT_METHOD, METHODS
from farlink.settings import ALL_SIGNALS, SIGNALS, AlignmentSettings, make_settings

if TYPE_CHECKING:
    from farlink.alignment.run import AlignmentRun
    from farlink.io.sources import GraphSource


LeftArgument = Annotated[
    str,
    typer.Argument(help="The left graph (RDF, TSV, CSV, Parquet; '-' reads standard input), or a benchmark folder."),
]
RightArgument = Annotated[str | None, typer.Argument(help="The right graph; left out for a benchmark folder.")]
SeedsOption = Annotated[str | None, typer.Option(help="Known links: TSV, CSV, Parquet, owl:sameAs RDF or SSSOM.")]
ValidOption = Annotated[
    str | None, typer.Option(help="Links to choose the best weights by. Without: a tenth of the seeds.")
]
TestOption = Annotated[str | None, typer.Option(help="Links to measure the result with; used for nothing else.")]
RejectedOption = Annotated[str | None, typer.Option(help="Pairs that are never matched, in the formats of links.")]
TrustOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Take links that the graphs hold as seeds: same-iris (one name in both) or same-as (owl:sameAs, "
        "skos:exactMatch, schema:sameAs); may be repeated."
    ),
]
LeftAttributesOption = Annotated[
    str | None,
    typer.Option(
        help="Values of left entities: TSV, CSV or Parquet (entity, value; entity, attribute, value; or a wide table "
        "with an id column), or RDF."
    ),
]
RightAttributesOption = Annotated[str | None, typer.Option(help="Values of right entities, likewise.")]
MethodOption = Annotated[
    str, typer.Option(help=f"One of {', '.join(METHODS)}; those of others have settings of their own.")
]
SignalsOption = Annotated[
    str, typer.Option(help=f"What entities are compared by: all that there is, or some of {', '.join(SIGNALS)}.")
]
EncoderOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder of an encoder that understands texts, for names and descriptions in other words or languages: "
        "model2vec or sentence-transformers with model.safetensors. It is read where it is; nothing is downloaded."
    ),
]
CardinalityOption = Annotated[
    str,
    typer.Option(
        help="one-to-one; many-to-one: left entities may share a counterpart; one-to-many: right entities may; or "
        "many-to-many."
    ),
]
FoldOption = Annotated[int, typer.Option(help="Which split of an OpenEA folder.")]
ShareOption = Annotated[
    float | None,
    typer.Option(help="Split the links of a benchmark folder anew: this share as seeds; 0: all for the test."),
]


@app.command()
def align(
    left: LeftArgument,
    right: RightArgument = None,
    seeds: SeedsOption = None,
    valid: ValidOption = None,
    test: TestOption = None,
    rejected: RejectedOption = None,
    trust: TrustOption = None,
    left_attributes: LeftAttributesOption = None,
    right_attributes: RightAttributesOption = None,
    out: OutOption = None,
    preset: PresetOption = "best",
    method: MethodOption = DEFAULT_METHOD,
    signals: SignalsOption = ALL_SIGNALS,
    encoder: EncoderOption = None,
    cardinality: CardinalityOption = "one-to-one",
    seed: SeedOption = 0,
    resume: ResumeOption = False,
    set_: SetOption = None,
    left_format: GraphOption = None,
    right_format: GraphOption = None,
    fold: FoldOption = 1,
    share: ShareOption = None,
) -> None:
    """Align two graphs: from files to a scored mapping, with known links (seeds) or without.

    **farlink align left.nt.gz right.tsv --out run/**

    **farlink align left.nt.gz right.tsv --seeds seeds.tsv --out run/**

    **farlink align benchmark_folder/ --out run/**
    """
    folder = run_folder(out)
    chosen = {"signals": signals} if signals != ALL_SIGNALS else {}
    chosen |= {"encoder": str(encoder)} if encoder is not None else {}
    chosen |= {"cardinality": cardinality} if cardinality != "one-to-one" else {}
    settings = make_settings(preset, **{"seed": seed, "method": method, **chosen, **parse_assignments(set_)})
    graphs = graph_source(left, left_format), None if right is None else graph_source(right, right_format)
    sources = {
        "seeds": seeds,
        "valid": valid,
        "test": test,
        "rejected": rejected,
        "trust": trust or (),
        "left_attributes": left_attributes,
        "right_attributes": right_attributes,
        "fold": fold,
        "share": share,
    }
    run = _aligned(folder, graphs, settings, resume, **sources)
    show_results(run.metrics)
    console.print(f"mapping: {run.folder / 'alignment.tsv'}   report: {run.folder / 'README.md'}", markup=False)


def _aligned(
    folder: Path,
    graphs: tuple[GraphSource, GraphSource | None],
    settings: AlignmentSettings,
    resume: bool,
    **sources: Any,
) -> AlignmentRun:
    from farlink.alignment.task import open_task
    from farlink.progress import Terminal

    reporter = Terminal()
    task = open_task(*graphs, **sources, settings=settings, reporter=reporter)
    # only now, as torch and the plots take seconds: mistakes in arguments and files are told before
    from farlink.alignment.align import align_task
    from farlink.alignment.run import AlignmentRun

    return align_task(task, AlignmentRun(folder), settings, resume=resume, reporter=reporter)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The run folder to write.")] = Path("farlink-demo"),
    resume: ResumeOption = False,
) -> None:
    """Align a pair of small graphs that ships with farlink, without known links, in about 10 seconds."""
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
    plot: Annotated[
        Path | None, typer.Option(help="Draw the log odds of the first, step by step, as PNG or SVG.")
    ] = None,
) -> None:
    """Show the likeliest counterparts of one entity, and which of their triples agree."""
    from farlink.loading import load_alignment

    opened = load_alignment(run)
    show_notes(opened.notes)
    side, _ = opened.find(entity)
    found = opened.match(entity, k)
    pairs = [(entity, other) if side == "left" else (other, entity) for other in found["entity"]]
    reasons = [opened.explain(*pair) for pair in pairs]
    if plot is not None:
        _draw(opened, pairs, plot)
    if as_json:
        rows = [{**row, "reasons": why} for row, why in zip(found.to_dicts(), reasons, strict=True)]
        console.print_json(json.dumps(rows))
        return
    show_matches(found, reasons)
    show_reasons(found, reasons)
    if len(found):
        show_waterfall(opened.waterfall(*pairs[0]))
    show_lookalikes(opened.lookalikes(entity))


def _draw(run: AlignmentRun, pairs: list[tuple[str, str]], path: Path) -> None:
    """Draw the first of some pairs."""
    from farlink.reports.plots import save

    if not pairs:
        raise FarlinkError("nothing comes into question, so there is nothing to draw", "plot")
    save(run.plot(*pairs[0]), path)


@app.command()
def export(
    run: RunArgument,
    to: Annotated[str, typer.Option(help="; ".join(f"{name}: {format.holds}" for name, format in EXPORTS.items()))],
    out: Annotated[Path | None, typer.Option(help="Where to write; by default into the run folder.")] = None,
) -> None:
    """Write the mapping of an alignment in another format."""
    from farlink.loading import load_alignment

    opened = load_alignment(run)
    show_notes(opened.notes)
    console.print(str(opened.export(to, out)), markup=False)
