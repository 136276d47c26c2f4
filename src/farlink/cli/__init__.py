"""The command line: parse, call, print.

May import everything; nothing imports it.
"""

from __future__ import annotations

import os
import sys

from rich.console import Console

from farlink.cli import align, complete, look, research  # noqa: F401 (each adds its commands)
from farlink.cli.app import app, in_words
from farlink.errors import FarlinkError, Interrupted
from farlink.io.files import cannot_write

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; a user's mistake ends in one message and a non-zero exit."""
    try:
        app()
    except Interrupted as error:
        _complain(in_words(error), 130)
    except FarlinkError as error:
        _complain(in_words(error), 1)
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
