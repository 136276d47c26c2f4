"""Records of finished runs, one JSON line each: `python experiments/record.py RUN... > results/NAME.jsonl`."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any


def record(run: Path) -> dict[str, Any]:
    """What a run was made with, how it went and what came of it, as its folder has it."""
    about, metrics = (json.loads((run / name).read_text(encoding="utf-8")) for name in ("run.json", "metrics.json"))
    trace = (run / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        "left": about["left"]["source"],
        "right": about["right"]["source"],
        "date": about["date"],
        "settings": tomllib.loads((run / "config.toml").read_text(encoding="utf-8")),
        "trace": [json.loads(line) for line in trace],
        "metrics": metrics,
    }


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        print(json.dumps(record(Path(folder)), ensure_ascii=False))
