"""Rails of a node: whether what was measured over some is that of a fabric. Pure."""

from __future__ import annotations

from weft.errors import WeftError
from weft.wording import counted


def fits_rails(measured: int, asked: int) -> bool:
    """Whether what was measured is of so many rails: over as many, or over one of them."""
    return measured in (1, asked)


def check_rails(name: str, measured: int, asked: int, instead: str) -> None:
    """Raises WeftError where other rails were measured; `instead` is what helps beside --rails."""
    if not fits_rails(measured, asked):
        raise WeftError(
            f"{name} was measured over {counted(measured, 'rail')}, and the fabric has {asked}",
            f"use --rails {measured}, or {instead}",
        )
