"""Writes the demo's graphs and links, the same bytes every time: `python -m tools.demo [FOLDER]`.

Without a folder they take the place of those that ship with the package.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from farlink.demo import DATA
from tools.demo.world import write_demo


def main() -> None:
    """Write the files, and say where."""
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description="Make the data of the demo anew.")
    parser.add_argument("folder", nargs="?", type=Path, default=DATA, help=f"where to, {DATA} if none is given")
    folder = parser.parse_args().folder
    write_demo(folder)
    print(folder)


if __name__ == "__main__":
    main()
