"""The command line itself, and the options that several commands share."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from farlink.cli.tables import console
from farlink.errors import FarlinkError

if TYPE_CHECKING:
    from farlink.io.sources import GraphFile

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
GraphOption = Annotated[str | None, typer.Option(help="Format, if the extension does not tell: nt, nq, turtle, ...")]
PresetOption = Annotated[
    str, typer.Option(help="best (default), fast, paper (the published setting), or, to align, authors (their code's).")
]
SeedOption = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="The one source of all randomness.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated. See 'farlink settings'."),
]
OutOption = Annotated[Path | None, typer.Option(help="The run folder to write.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with the run in --out if there is one.")]
RunArgument = Annotated[Path, typer.Argument(help="The run folder.")]


def in_words(error: FarlinkError) -> str:
    """What the command line says of a mistake: the arguments that mend it are options here."""
    options = ", ".join(f"--{name.replace('_', '-')}" for name in error.arguments)
    return f"{error.reason} ({options})" if options else str(error)


def run_folder(out: Path | None) -> Path:
    """Where to write; that it is missing is told before anything slow begins."""
    if out is None:
        raise FarlinkError("--out is missing: name the run folder to write, for example --out run/")
    return out


def graph_source(path: str, format: str | None) -> str | GraphFile:
    """A graph as the library takes it."""
    from farlink.io.sources import GraphFile

    return path if format is None else GraphFile(path, format)


def parse_assignments(assignments: list[str] | None) -> dict[str, str]:
    """`["width=128"]` → `{"width": "128"}`; the values are checked where the settings are made."""
    parsed = {}
    for assignment in assignments or []:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise FarlinkError(f"--set {assignment}: expected key=value, for example --set width=128")
        parsed[name.strip().replace("-", "_")] = value.strip()
    return parsed


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
