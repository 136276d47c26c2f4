"""The command line itself, and the options that several commands share."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from farlink.cli.tables import console

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
GraphOption = Annotated[str | None, typer.Option(help="Format, if the extension does not tell: nt, nq, turtle, ...")]
PresetOption = Annotated[str, typer.Option(help="best (default), fast, or paper (the published setting).")]
SeedOption = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="The one source of all randomness.")]
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
