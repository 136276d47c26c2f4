"""Methods of others that the paper compares with, behind the same reader, loop, evaluator and run folder."""

from __future__ import annotations

from typing import Any

from farlink.baselines.base import Method, TwoGraphs
from farlink.baselines.bootea import BootEA
from farlink.baselines.gcn_align import GCNAlign
from farlink.baselines.iptranse import IPTransE
from farlink.baselines.jape import JAPE
from farlink.baselines.joint_models import ConvE, RotatE, TransD, TransR
from farlink.baselines.mtranse import MTransE

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
