"""What is made once for all the processes that tests run in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from filelock import FileLock


class Once:
    """Makes a folder for whoever asks first; the others wait for it and find it made."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, name: str, make: Callable[[Path], object]) -> Path:
        folder, done = self.root / name, self.root / f"{name}.done"
        with FileLock(self.root / f"{name}.lock"):
            if not done.exists():
                make(folder)
                done.touch()
        return folder
