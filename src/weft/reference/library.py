"""The published platforms: typed data files, each with its citation.

A file `<name>.toml` has what one study publishes of one platform: tables, single figures with the
words they stand in, and list prices. Each figure stands there as published and in SI; what is only
in a picture is not there.
"""

from __future__ import annotations

import difflib
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.errors import WeftError
from weft.names import is_there

if TYPE_CHECKING:
    from collections.abc import Container

Quantity = Literal["latency", "bandwidth"]


class Citation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a platform's figures were published. `date` is ISO 8601 as far as it is known."""

    authors: str
    title: str
    where: str
    date: str


class PublishedPoint(msgspec.Struct, frozen=True, array_like=True):
    """One cell of a table: size and figure as published, then bytes and the figure in SI."""

    published_size: str
    published: str
    bytes: int
    si: float


class PublishedSeries(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One column of a table, in the terms of weft: test, transport, quantity.

    `unit` is the published one, `si_unit` is ns for latency and bytes/s for bandwidth.
    `directions` is 2 where data moves both ways at once and both count.
    """

    test: str
    transport: str
    suite: str
    quantity: Quantity
    directions: int
    table: str
    unit: str
    si_unit: str
    points: tuple[PublishedPoint, ...]


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One figure of the text with the words it stands in.

    Facts of the same `key` on two platforms are alike. `about` is the text's own reserve
    ("around", "up to"). Without `si` the text does not tell the unit well enough, or it has none.
    """

    key: str
    what: str
    published: str
    unit: str
    quote: str
    si: float | None = None
    si_unit: str = ""
    about: str = ""
    note: str = ""


class PriceRow(msgspec.Struct, frozen=True, array_like=True):
    """One row of a price table: as published, then ports, price, price per port in dollars."""

    published_ports: str
    published_price: str
    published_price_a_port: str
    ports: int
    price: float
    price_a_port: float


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One price table."""

    title: str
    table: str
    currency: str
    conditions: str
    rows: tuple[PriceRow, ...]


class Platform(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that one study publishes of one platform.

    `link` and `host_bus` are names that weft.fabric.peaks.parse_link reads, empty where the text
    does not tell them. `source` names the text that the figures were taken from.
    """

    name: str
    title: str
    summary: str
    source: str
    citation: Citation
    conditions: dict[str, str]
    link: str = ""
    host_bus: str = ""
    series: tuple[PublishedSeries, ...] = ()
    facts: tuple[Fact, ...] = ()
    prices: tuple[Prices, ...] = ()


@cache
def platforms() -> tuple[Platform, ...]:
    """All platforms, by name."""
    texts = [
        entry.read_text(encoding="utf-8")
        for entry in files("weft.reference").iterdir()
        if entry.name.endswith(".toml")
    ]
    found = [msgspec.convert(tomllib.loads(text), Platform) for text in texts]
    return tuple(sorted(found, key=lambda platform: platform.name))


def platform_or_none(text: str) -> Platform | None:
    """The platform that a command's argument names; None where it is the path of a record.

    A file wins over a platform of the same name. Raises WeftError where it is neither.
    """
    path = Path(text)
    if is_there(text):
        return None
    if path.suffix or len(path.parts) > 1:
        return None
    return find_platform(text)


def find_platform(name: str) -> Platform:
    """The platform of that name: "escher", "Red Squall". Raises WeftError where there is none."""
    known = {platform.name: platform for platform in platforms()}
    if _plain(name) in known:
        return known[_plain(name)]
    near = difflib.get_close_matches(_plain(name), known, n=1)
    raise WeftError(
        f"there is no record and no platform called {name}",
        f"did you mean {near[0]}?" if near else "run weft list platforms to see the platforms",
    )


def only(platform: Platform, tests: Container[str], transports: Container[str]) -> Platform:
    """The platform with just these tests and transports; its single figures stay."""
    series = [s for s in platform.series if s.test in tests and s.transport in transports]
    return msgspec.structs.replace(platform, series=tuple(series))


def _plain(name: str) -> str:
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())
