"""The figures that a page shows large, one or a few for each transport with its options."""

from __future__ import annotations

from typing import NamedTuple


class LargeFigure(NamedTuple):
    """What a card says of one curve: what it is, its value, and what stands below that."""

    transport: str
    variant: str
    what: str
    value: str
    interval: str
