"""Methods of others that the paper compares with, behind the same reader, loop, evaluator and run folder."""

from __future__ import annotations

from typing import Any

from farlink.alignment.methods.base import Method, TwoGraphs
from farlink.alignment.methods.bootea import BootEA
from farlink.alignment.methods.gcn_align import GCNAlign
from farlink.alignment.methods.iptranse import IPTransE
from farlink.alignment.methods.jape import JAPE
from farlink.alignment.methods.mtranse import MTransE
from farlink.alignment.methods.pykeen import ConvE, RotatE, TransD, TransR

METHODS: dict[str, type[Method[Any]]] = {
    "mtranse": MTransE,
    "iptranse": IPTransE,
    "jape": JAPE,
    "bootea": BootEA,
    "gcn-align": GCNAlign,
    "transr": TransR,
    "transd": TransD,
    "conve": ConvE,
    "rotate": RotatE,
}
__all__ = ["METHODS", "Method", "TwoGraphs"]
