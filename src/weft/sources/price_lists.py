"""A price list: a TOML file of parts with their list prices, read strictly.

It may describe fabrics too, so that one file is all that `weft price --compare` needs.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Annotated

import msgspec

from weft.errors import WeftError
from weft.fabric.currencies import CURRENCIES
from weft.fabric.network import CABLES
from weft.fabric.part_prices import PricedPart
from weft.fabric.price_list import ANY_CABLE, USUAL_YEARS, PriceList
from weft.fabric.topologies import FabricAsked
from weft.sources.toml_files import read_toml
from weft.units import parse_percent

if TYPE_CHECKING:
    from pathlib import Path

_NAMES = (
    *("adapter", ANY_CABLE),
    *(f"{kind} cable" for kind in CABLES),
    *(f"{kind} transceiver" for kind in CABLES),
    *("switch 24", "line card 288"),
)
# Sums of many such prices are still numbers.
_MOST = 1e15
_LEAST_YEARS, _MOST_YEARS = 1e-3, 1e4
_EXAMPLE = 'write currency = "USD", then [[part]], part = "switch 24", list_price = 7450'


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    part: str
    list_price: float
    discount: str = ""
    power_w: float | None = None
    lifetime_years: float | None = None
    ports: int = 0


class _PriceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str = ""
    currency: str
    date: object  # text, a date of TOML's own, or a year
    discount: str = ""
    energy_price_per_kwh: float | None = None
    years: float = USUAL_YEARS
    part: Annotated[tuple[_Part, ...], msgspec.Meta(min_length=1)]
    fabric: tuple[FabricAsked, ...] = ()


def read_prices(path: Path) -> PriceList:
    """The price list of a TOML file. Raises WeftError for what is unknown, missing or wrong."""
    file = read_toml(path, _PriceFile, {"part": _Part, "fabric": FabricAsked}, _fix_for)
    if file.currency not in CURRENCIES:
        near = difflib.get_close_matches(file.currency.upper(), sorted(CURRENCIES), n=1)
        fix = f'did you mean "{near[0]}"?' if near else 'write its ISO 4217 code, like "USD"'
        raise WeftError(f"{path}: '{file.currency}' is not a currency", fix)
    _at_least(f"{path}: energy_price_per_kwh", file.energy_price_per_kwh, 0)
    _over_zero(f"{path}: years", file.years)
    return PriceList(
        name=file.title or path.stem,
        currency=file.currency,
        date=_date(path, file.date),
        parts=_parts(path, file),
        fabrics=file.fabric,
        energy_price_per_kwh=file.energy_price_per_kwh,
        years=file.years,
    )


def _parts(path: Path, file: _PriceFile) -> tuple[PricedPart, ...]:
    found: dict[str, PricedPart] = {}
    for number, row in enumerate(file.part, 1):
        place = f"{path}, part {number}"
        name = _part_name(place, row.part)
        if name in found:
            raise WeftError(f"{place}: {name} has a price already", "remove one of them")
        _at_least(f"{place}: list_price", row.list_price, 0)
        _at_least(f"{place}: power_w", row.power_w, 0)
        _over_zero(f"{place}: lifetime_years", row.lifetime_years)
        _ports(place, name, row.ports)
        found[name] = PricedPart(
            part=name,
            ports=row.ports,
            list_price=row.list_price,
            discount=_discount(place, row.discount or file.discount),
            power_w=row.power_w,
            lifetime_years=row.lifetime_years,
        )
    return tuple(found.values())


def _ports(place: str, part: str, ports: int) -> None:
    """Raises WeftError for a line card without its ports, and for the ports of anything else."""
    if not part.startswith("line card "):
        if ports:
            raise WeftError(f"{place}: {part} has ports = {ports}", "remove ports: line cards have")
    elif not 0 < ports <= int(part.rpartition(" ")[2]):
        raise WeftError(
            f"{place}: a {part} has {ports or 'no'} ports", "write those of one card: ports = 24"
        )


def _part_name(place: str, text: str) -> str:
    """A part as the parts lists name it. Raises WeftError for one that no fabric has."""
    name = " ".join(text.lower().replace("_", " ").replace("-", " ").split())
    if name in _NAMES or re.fullmatch(r"(switch|line card) [1-9]\d{0,3}", name):
        return name
    near = difflib.get_close_matches(name, _NAMES, n=1)
    known = f"write one of {', '.join(_NAMES)} (a switch by its ports)"
    raise WeftError(
        f"{place}: no fabric has a part '{text}'", f"did you mean {near[0]}?" if near else known
    )


def _discount(place: str, text: str) -> float:
    if not text:
        return 0.0
    try:
        return parse_percent(text)
    except WeftError as error:
        raise WeftError(f"{place}: discount: {error.what}", 'write one like "20%"') from None


def _date(path: Path, value: object) -> str:
    """ISO 8601 as far as it is known: a year, a month or a day. Raises WeftError."""
    text = str(value)
    if not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", text):
        raise WeftError(f"{path}: '{text}' is not a date", _fix_for("date"))
    return text


def _at_least(place: str, value: float | None, least: float) -> None:
    if value is not None and not least <= value <= _MOST:
        raise WeftError(f"{place} is {value:g}", f"write a number from {least:g} to {_MOST:g}")


def _over_zero(place: str, value: float | None) -> None:
    if value is not None and not _LEAST_YEARS <= value <= _MOST_YEARS:
        fix = f"write a number over 0, from {_LEAST_YEARS:g} to {_MOST_YEARS:g}"
        raise WeftError(f"{place} is {value:g}", fix)


def _fix_for(field: str) -> str:
    """How a field is written."""
    if not field:
        return _EXAMPLE
    examples = {
        "part": '[[part]], then part = "adapter"',
        "list_price": "list_price = 7450",
        "currency": 'currency = "USD"',
        "date": 'date = "2026-11-22"',
        "discount": 'discount = "20%"',
        "power_w": "power_w = 60",
        "lifetime_years": "lifetime_years = 5",
        "energy_price_per_kwh": "energy_price_per_kwh = 0.15",
        "years": "years = 5",
        "nodes": "nodes = 1152",
        "levels": "levels = 2",
        "rails": "rails = 1",
    }
    return "write " + examples.get(field, f"{field} as text: {field} = '...'")
