"""The command line, called by tests."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from farlink.cli import app
from farlink.cli.app import in_words
from farlink.errors import FarlinkError
from helpers.pairs import TINY
from helpers.rings import QUICK


def options_of(settings: dict[str, Any]) -> list[str]:
    """Settings as options."""
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


TINY_OPTIONS, QUICK_OPTIONS = options_of(TINY), options_of(QUICK)


def graphs(files: dict[str, Any]) -> tuple[Any, ...]:
    """What to align, as arguments."""
    return files["left"], files["right"], "--seeds", files["seeds"]


def invoke(*words: Any, stdin: str | None = None) -> Result:
    """The command in this process; a mistake of the user comes out as an exception."""
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def complaint(*words: Any) -> str:
    """What the command says about a mistake."""
    result = invoke(*words)
    assert isinstance(result.exception, FarlinkError), result.output
    return in_words(result.exception)


def shell(*words: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "farlink", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)
