"""weft: the interconnect laboratory in one tool.

Below the version, which every part of weft may ask, is the door for notebooks: its names are looked
up in weft.notebook when somebody asks for them, since all of weft lies behind that door. Their
types are in __init__.pyi.
"""

from importlib import import_module
from typing import Any

_OF_NOTEBOOKS = (
    "Check", "Comparison", "Fit", "Layers", "Run", "Trend", "WeftError", "check", "compare", "fit",
    "layers", "load", "trend",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """A name of the door, or the version: what takes longer than the rest."""
    if name in _OF_NOTEBOOKS:
        return getattr(import_module("weft.notebook"), name)
    if name != "__version__":
        raise AttributeError(f"weft has no {name}", name=name)
    from importlib.metadata import version

    return version("weft")


def __dir__() -> list[str]:
    """What a notebook offers after `weft.`."""
    return [*_OF_NOTEBOOKS, "__version__"]
