"""Methods of alignment: RSN, and those of others that the paper compares with, behind one loop and one evaluator.

Each is a file here, of which `rsn` imports the paper; only `pykeen` imports PyKEEN.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from farlink.alignment.methods.base import Method

_HOMES = {
    "rsn": "rsn:RSN",
    "mtranse": "mtranse:MTransE",
    "iptranse": "iptranse:IPTransE",
    "jape": "jape:JAPE",
    "bootea": "bootea:BootEA",
    "gcn-align": "gcn_align:GCNAlign",
    "transr": "pykeen:TransR",
    "transd": "pykeen:TransD",
    "conve": "pykeen:ConvE",
    "rotate": "pykeen:RotatE",
}


def method_class(name: str) -> type[Method[Any]]:
    """The class of a method."""
    module, _, kind = _HOMES[name].partition(":")
    found: type[Method[Any]] = getattr(import_module(f"{__name__}.{module}"), kind)
    return found
