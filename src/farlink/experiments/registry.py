"""The experiments by name: what each shows, which options it takes, and how it is run. Nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from farlink.errors import FarlinkError


@dataclass(frozen=True)
class Request:
    """What is asked of an experiment."""

    data: Path | None  # the folder with the data sets; none: no run is made, only the page is written
    out: Path
    parts: list[str]
    only: list[str] | None
    seeds: int
    minutes: float


@dataclass(frozen=True)
class Experiment:
    """An experiment: its options are those of `--part`, `--only` and `--budget` that it takes."""

    shows: str
    options: frozenset[str]
    run: Callable[[Request], Iterator[str]]

    def refuse(self, name: str, **given: object) -> None:
        """An option that an experiment does not know is an error: it would do nothing."""
        for option, value in given.items():
            if value is not None and option not in self.options:
                raise FarlinkError(f"experiment {name} takes no {option}", option)


def _alignment(request: Request) -> Iterator[str]:
    from farlink.experiments import presets

    return presets.run(request.data, request.out, request.parts, request.only, request.seeds)


def _completion(request: Request) -> Iterator[str]:
    from farlink.experiments import completion

    return completion.run(request.data, request.out, request.parts, request.only, request.seeds, request.minutes)


def _paper_completion(request: Request) -> Iterator[str]:
    from farlink.experiments import completion

    parts = request.parts or list(completion.TABLE)
    return completion.run(request.data, request.out, parts, request.only, request.seeds, request.minutes)


def _paper_alignment(name: str, request: Request) -> Iterator[str]:
    from farlink.experiments import paper_tables

    return paper_tables.run(
        name, request.data, request.out, request.parts, request.only, request.seeds, request.minutes
    )


def _variants(request: Request) -> Iterator[str]:
    from farlink.experiments import variants

    return variants.run(request.data, request.out, request.parts, request.only, request.seeds, request.minutes)


def _restart(request: Request) -> Iterator[str]:
    from farlink.experiments import restart

    return restart.run(request.data, request.out, request.parts, request.seeds)


def _signals(request: Request) -> Iterator[str]:
    from farlink.experiments import signals

    return signals.run(request.data, request.out, request.parts, request.only, request.seeds)


def _degrees(request: Request) -> Iterator[str]:
    from farlink.experiments import degrees

    return degrees.run(request.data, request.out, request.seeds)


ALL = frozenset({"part", "only", "budget"})
PAPER_ALIGNMENT = {
    "table-normal": "table 2 of the paper: RSN and methods of others on the normal data sets",
    "table-dense": "table 3 of the paper: the same on the dense data sets",
    "convergence": "how fast RSN, RRN and RNN learn",
    "walk-length": "what longer walks bring",
    "seeds": "what fewer seeds cost RSN and BootEA",
}
EXPERIMENTS = {
    "alignment": Experiment(
        "our presets on all data sets for alignment, ablations, shares of seeds", ALL - {"budget"}, _alignment
    ),
    "completion": Experiment("our presets on the data sets for completion, models of others", ALL, _completion),
    "signals": Experiment(
        "names, values and triples together, mostly without known links, and what each is worth",
        ALL - {"budget"},
        _signals,
    ),
    "variants": Experiment("what each difference between the paper and its authors' code is worth", ALL, _variants),
    "restart": Experiment(
        "what the rate does between walks and questions of a completion", frozenset({"part"}), _restart
    ),
    **{name: Experiment(shows, ALL, partial(_paper_alignment, name)) for name, shows in PAPER_ALIGNMENT.items()},
    "table-completion": Experiment("tables 4 to 6 of the paper: completion", ALL, _paper_completion),
    "degree-distribution": Experiment("how near SRPRS is to the degrees of the original graphs", frozenset(), _degrees),
}


def experiment_named(name: str) -> Experiment:
    """The experiment of a name."""
    if name not in EXPERIMENTS:
        raise FarlinkError(f"there is no experiment '{name}'; there are: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def overview() -> str:
    """What there is, as a list in Markdown."""
    lines = []
    for name, experiment in EXPERIMENTS.items():
        options = ", ".join(f"--{option}" for option in sorted(experiment.options))
        takes = f" ({options})" if options else ""
        lines.append(f"- **{name}**: {experiment.shows}{takes}")
    return "\n".join(lines)
