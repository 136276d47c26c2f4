"""Vectors for NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from farlink.io.exports.content import Content
from farlink.io.files import atomic_path, write_text


def write(content: Content, folder: Path) -> None:
    """Write a folder with `left.npy` and `right.npy`, and the names of their rows in `left.txt` and `right.txt`."""
    for side, (names, rows) in content.vectors().items():
        with atomic_path(folder / f"{side}.npy") as temporary:
            np.save(temporary, rows)
        write_text(folder / f"{side}.txt", "\n".join(names) + "\n")
