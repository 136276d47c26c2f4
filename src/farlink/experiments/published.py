"""Figures that others published, each once, with where it is from and how it was measured there."""

from __future__ import annotations

from dataclasses import dataclass

from farlink.experiments import datasets
from farlink.experiments.datasets import SRPRS

Figures = tuple[float, float, float]  # Hits@1, Hits@10, MRR


@dataclass(frozen=True)
class Source:
    """Where figures are from, and how they were measured."""

    paper: str
    protocol: str


@dataclass(frozen=True)
class Hits:
    """The Hits@1 of a method on a data set."""

    method: str
    value: float
    source: Source

    def __str__(self) -> str:
        return f"{self.method} {self.value:g}".replace(" 0.", " .")


RSN_PAPER = Source(
    "Guo, Sun and Hu: Learning to Exploit Long-term Relational Dependencies in Knowledge Graphs, ICML 2019",
    "alignment (tables 2 and 3): 30 % of the links as seeds, candidates are the right ends of the test links; "
    "completion (tables 4 to 6): filtered ranks; ties by the order of ids",
)
LIGHT_EA_HERE = Source(
    "LightEA: Mao et al., EMNLP 2022; its code run for this comparison",
    "30 % seeds, three rounds, Sinkhorn among the test entities, 160 to 250 s on two such cores",
)
LIGHT_EA = Source(
    "LightEA: Mao et al., EMNLP 2022",
    "30 % seeds, no validation links; CSLS or Sinkhorn among the test entities, which give further seeds",
)
DUAL_AMN = Source(
    "Dual-AMN (semi): Mao et al., WWW 2021",
    "30 % seeds, no validation links; CSLS or Sinkhorn among the test entities, which give further seeds",
)
RREA = Source(
    "RREA (semi): Mao et al., CIKM 2020, as later comparisons on the sets of OpenEA give it",
    "20 % seeds; finds further seeds among the entities that have none",
)

PARIS = Source(
    "PARIS: Suchanek, Abiteboul and Senellart, PVLDB 5(3), 2011",
    "no links; its Java code, measured beside this project and not by a command of this repository",
)
PARIS_TRANSLATED = Source(
    f"{PARIS.paper}, translated names",
    "likewise, given the names of both sides in English by machine translation (`english_names`)",
)
FLORA = Source("FLORA: ISWC 2025", "no links; LaBSE vectors of the texts, made on a GPU")
LIGHT_EA_NAMES = Source("LightEA: Mao et al., EMNLP 2022", "30 % seeds, with vectors of translated names")
OAEI_ANATOMY = Source(
    "LogMap and AML in the anatomy track of OAEI, as its result pages give them, rounded",
    "no links; both know the domain, AML from further ontologies",
)

RSN = {
    datasets.EN_FR: (0.347, 0.631, 0.44),
    datasets.EN_DE: (0.487, 0.720, 0.57),
    datasets.DBP_WD: (0.388, 0.657, 0.49),
    datasets.DBP_YG: (0.400, 0.675, 0.50),
    datasets.DBP_WD_DENSE: (0.763, 0.924, 0.83),
}
"""RSN's figures in its paper."""

RSN_LOG_EPOCH = 531_708  # paths
RSN_LOG = (0.293, 0.320, 0.355, 0.361, 0.360, 0.367, 0.367, 0.372, 0.373, 0.366, 0.384, 0.373, 0.370, 0.369)
"""Hits@1 of the validation links of DBP-WD after every epoch, in the log that the authors published with their code:
left to right among the 10,500 right ends of the links that are no seeds, ties in favour of the right one."""

# Hits@1 of alignment in RSN's paper, in the order of `SRPRS`
_PAPER_HITS = {
    "MTransE": (0.251, 0.312, 0.223, 0.246, 0.389),
    "IPTransE": (0.255, 0.313, 0.231, 0.227, 0.435),
    "JAPE": (0.256, 0.320, 0.219, 0.233, 0.393),
    "BootEA": (0.313, 0.442, 0.323, 0.313, 0.678),
    "GCN-Align": (0.155, 0.253, 0.177, 0.193, 0.431),
    "TransR": (0.036, 0.052, 0.052, 0.029, 0.141),
    "TransD": (0.211, 0.244, 0.277, 0.173, 0.605),
    "ConvE": (0.094, 0.008, 0.057, 0.113, 0.308),
    "RotatE": (0.145, 0.319, 0.172, 0.159, 0.622),
    "RSN without biases": (0.324, 0.457, 0.372, 0.365, 0.746),
}
PAPER_HITS = {
    **{(method, data): value for method, row in _PAPER_HITS.items() for data, value in zip(SRPRS, row, strict=True)},
    **{("RSN", data): figures[0] for data, figures in RSN.items()},
}
"""Hits@1 of alignment in RSN's paper, by method and data set."""

PAPER_COMPLETION: dict[datasets.DataSet, dict[str, Figures]] = {
    datasets.FB15K: {
        "TransE": (0.305, 0.737, 0.46),
        "TransR": (0.377, 0.767, 0.52),
        "TransD": (0.315, 0.691, 0.44),
        "ComplEx": (0.599, 0.840, 0.69),
        "ConvE": (0.670, 0.873, 0.75),
        "RotatE": (0.746, 0.884, 0.80),
        "RSN": (0.722, 0.873, 0.78),
    },
    datasets.WN18: {
        "TransE": (0.274, 0.944, 0.58),
        "TransR": (0.548, 0.947, 0.73),
        "TransD": (0.301, 0.931, 0.56),
        "ComplEx": (0.936, 0.947, 0.94),
        "ConvE": (0.935, 0.955, 0.94),
        "RotatE": (0.944, 0.959, 0.95),
        "RSN": (0.922, 0.953, 0.94),
    },
    datasets.FB15K_237: {
        "TransE": (0.133, 0.409, 0.22),
        "TransR": (0.109, 0.382, 0.20),
        "TransD": (0.178, 0.447, 0.27),
        "ComplEx": (0.152, 0.419, 0.24),
        "ConvE": (0.239, 0.491, 0.31),
        "RotatE": (0.241, 0.533, 0.34),
        "RSN": (0.202, 0.453, 0.28),
    },
}
"""Completion in RSN's paper, by data set and model."""

BEST_STRUCTURE_ONLY = {
    datasets.EN_FR: (Hits("LightEA", 0.479, LIGHT_EA_HERE),),
    datasets.EN_DE: (Hits("LightEA", 0.619, LIGHT_EA_HERE),),
    datasets.DBP_WD: (Hits("LightEA", 0.535, LIGHT_EA_HERE),),
    datasets.DBP_YG: (Hits("LightEA", 0.522, LIGHT_EA_HERE),),
    datasets.DBP_WD_DENSE: (Hits("LightEA", 0.913, LIGHT_EA_HERE),),
    datasets.DBP15K_ZH: (Hits("Dual-AMN semi", 0.81, DUAL_AMN), Hits("LightEA", 0.81, LIGHT_EA)),
    datasets.DBP15K_FR: (Hits("LightEA", 0.86, LIGHT_EA),),
    datasets.OPENEA_V1: (Hits("RREA semi", 0.718, RREA),),
    datasets.OPENEA_V2: (Hits("RREA semi", 0.937, RREA),),
}
"""The best figures known to us of methods that read structure only; of `datasets.DBP_FB` none on this split."""


@dataclass(frozen=True)
class Told:
    """A figure of a method, whatever it measures, as it was told."""

    method: str
    figure: str
    source: Source

    def __str__(self) -> str:
        return f"{self.method}: {self.figure}"


BEYOND_STRUCTURE = {
    datasets.MOVIES: (Told("PARIS", "F1 .993", PARIS),),
    datasets.PERSONS: (Told("PARIS", "F1 1.000", PARIS),),
    datasets.EN_FR: (
        Told("PARIS, translated names", "F1 .882", PARIS_TRANSLATED),
        Told("LightEA, 30 % links", "Hits@1 .996", LIGHT_EA_NAMES),
    ),
    datasets.EN_DE: (
        Told("PARIS, translated names", "F1 .880", PARIS_TRANSLATED),
        Told("LightEA, 30 % links", "Hits@1 .988", LIGHT_EA_NAMES),
    ),
    datasets.DBP15K_FR: (Told("PARIS, translated names", "F1 .932", PARIS_TRANSLATED),),
    datasets.DBP15K_ZH: (
        Told("PARIS, translated names", "F1 .832", PARIS_TRANSLATED),
        Told("FLORA", "Hits@1 .976", FLORA),
    ),
    datasets.ANATOMY: (Told("LogMap", "F1 .88 to .90", OAEI_ANATOMY), Told("AML", "F1 about .94", OAEI_ANATOMY)),
}
"""What others reach who read names and values, too; of the other raw graphs none is known to us."""


def sources_beyond_structure() -> list[Source]:
    """Where the figures of `BEYOND_STRUCTURE` are from, each source once."""
    return list(dict.fromkeys(one.source for row in BEYOND_STRUCTURE.values() for one in row))


def best_sources() -> list[Source]:
    """Where the best figures of others are from, each source once."""
    return list(dict.fromkeys(one.source for row in BEST_STRUCTURE_ONLY.values() for one in row))
