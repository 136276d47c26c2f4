"""Methods of alignment: RSN, and those of others that the paper compares with, behind one loop and one evaluator.

Each is a file here, of which `rsn` imports the paper; only `pykeen` imports PyKEEN.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from farlink.presets import METHODS

if TYPE_CHECKING:
    from farlink.alignment.methods.base import Method


def method_class(name: str) -> type[Method[Any]]:
    """The class of a method; it brings torch."""
    module, _, kind = METHODS[name].home.partition(":")
    found: type[Method[Any]] = getattr(import_module(f"{__name__}.{module}"), kind)
    return found
