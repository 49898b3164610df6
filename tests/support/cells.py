"""Tables of words held to the data that they were made of: each cell to the field of its head.

The data are the rows that `--json` prints. A head names a field: in words it is the field's name
without its unit, or stands in NAMED. What a cell shows is read back from its text: the figure in
its unit, as far as its digits go, and the interval. Nothing of weft is asked how it is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.tables import Table


Leaf = Any
Record = Mapping[str, Leaf]
# What a figure's field ends with, and what its units are worth in that one.
_TIME = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
_RATE = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}
_COUNT = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "/s": 1.0, "k/s": 1e3, "M/s": 1e6}
_BYTES = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
_FLOPS = {"MFlop/s": 1e6, "GFlop/s": 1e9}
UNITS: dict[str, dict[str, float]] = {
    "_bytes_per_s": _RATE,
    "flops_per_s": _FLOPS,
    "_per_s": _COUNT,
    "_ns": _TIME,
    "_percent": {"%": 1.0},
    "bytes": _BYTES,
}
# Parts and percentiles of times have the name of the part where the unit would be.
_INSIDE = {
    "parts_ns": "_ns",
    "percentiles_ns": "_ns",
    "posted_percentiles_ns": "_ns",
    "tails_latency_ns": "_ns",
    "cpu_percent": "_percent",
}
# A share without a unit may be shown as it is or in per cent.
_SHARE = {"": 1.0, "%": 0.01}
_FIGURE = re.compile(r"(-?\d[\d,]*(?:\.\d+)?)(?: ?([A-Za-zµ%/]+))?")
_HALF = re.compile(r" ±(\d+(?:\.\d+)?)( ?)([A-Za-zµ%/]*)$")
_RANGE = re.compile(
    r"(\d[\d.]*)(?: ([A-Za-zµ%/]+))? to (\d[\d.]*)(?: ([A-Za-zµ%/]+))?(?: n=(\d+))?"
)
_ENDS = re.compile(r" \[(-?[\d.]+)( ?[^\],]*), (-?[\d.]+)( ?[^\]]*)\](?: n=(\d+))?$")

# An interval over this factor has no ends.
UNKNOWN = 1000


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A figure as data: its value, its interval where there is one, and what units it may have.

    `launches` 0: how many there were is not known.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    units: dict[str, float]
    launches: int = 0


Wanted = Shown | str | tuple[str | Shown, ...] | None


def is_estimate(data: object) -> bool:
    """Whether plain data is a figure with its interval."""
    return isinstance(data, dict) and {"low", "high"} <= data.keys()


def leaves(data: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Leaf]]:
    """The fields of a row by their path; a figure with its interval is one field."""
    for name, value in data.items():
        path = f"{at}{name}"
        if isinstance(value, dict) and not is_estimate(value):
            yield path, value
            yield from leaves(value, f"{path}.")
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield path, value
            yield from leaves({str(n): one for n, one in enumerate(value)}, f"{path}.")
        else:
            yield path, value


def flat(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Leaf]]:
    """A record a row; of rows with points (a list of rows) one a point, with the row's fields."""
    found = []
    for row in rows:
        inner = [
            value
            for value in row.values()
            if isinstance(value, list)
            and value
            and all(isinstance(one, dict) and not is_estimate(one) for one in value)
        ]
        outer = {name: value for name, value in row.items() if value not in inner}
        found += [dict(leaves({**outer, **point})) for point in (inner[0] if inner else [{}])]
    return found


def stem(path: str) -> str:
    """A field's name without its unit: "beside_work_ns" is "beside_work"."""
    last = path.rpartition(".")[2]
    for unit in ("_bytes_per_s", "_per_s", "_percent", "_ns"):
        if last.endswith(unit):
            return last.removesuffix(unit)
    return last


def snake(head: str) -> str:
    """A head as a field would be called."""
    return re.sub(r"\W+", "_", head.lower().replace("/s", "")).strip("_")


def units_of(path: str) -> dict[str, float]:
    """The units that a field's figure may be shown in, and their worth in the field's own."""
    parent = path.rpartition(".")[0].rpartition(".")[2]
    ending = _INSIDE.get(parent, path)
    for name, units in UNITS.items():
        if ending.endswith(name):
            return units
    return _SHARE


def shown_of(path: str, leaf: Leaf) -> Shown | str | None:
    """What a cell has to show of a field; nothing where it was not measured."""
    if leaf is None or isinstance(leaf, str):
        return leaf
    units = units_of(path)
    if is_estimate(leaf):
        value = leaf["speed"] if "speed" in leaf else leaf["value"]
        ends = [math.nan if leaf[end] is None else leaf[end] for end in ("low", "high")]
        return Shown(
            value=value, low=ends[0], high=ends[1], units=units, launches=leaf.get("launches", 0)
        )
    return Shown(value=float(leaf), units=units)


def shows(cell: str, wanted: Wanted) -> bool:
    """Whether a cell shows just this: a figure, words, or one after the other."""
    if wanted is None:
        return cell in ("-", "")
    if isinstance(wanted, str):
        return cell in (wanted, wanted or "-")
    if isinstance(wanted, tuple):
        return _shows_all(cell, wanted)
    if found := _RANGE.fullmatch(cell):
        return _shows_range(found, wanted)
    rest = _after_figure(cell, wanted)
    if rest is None:
        return False
    factor, behind = rest
    return _shows_interval(behind, wanted, factor)


def _shows_range(found: re.Match[str], wanted: Shown) -> bool:
    """Whether a range is what there is of a figure whose order of magnitude is not known."""
    units = [wanted.units.get(unit or found[4] or "") for unit in (found[2], found[4])]
    low, high = sorted((abs(wanted.low), abs(wanted.high)))
    is_counted = not found[5] or wanted.launches in (0, int(found[5]))
    if None in units or not is_counted or not 10 * low < high:
        return False
    return all(
        _is_rounded(digits, end / (factor or 1.0))
        for digits, factor, end in ((found[1], units[0], low), (found[3], units[1], high))
    )


def _shows_all(cell: str, pieces: tuple[str | Shown, ...]) -> bool:
    """Whether the pieces stand in the cell one after the other; only the last has an interval."""
    rest = cell
    for piece in pieces[:-1]:
        if isinstance(piece, str):
            if not rest.startswith(piece):
                return False
            rest = rest.removeprefix(piece)
        else:
            found = _after_figure(rest, piece)
            if found is None:
                return False
            rest = found[1]
    return shows(rest, pieces[-1])


def _after_figure(cell: str, wanted: Shown) -> tuple[float, str] | None:
    """What the figure's unit is worth and what follows; None where it is another figure."""
    match = _FIGURE.match(cell)
    if match is None:
        return None
    factor = wanted.units.get(match[2] or "")
    if factor is None or not _is_rounded(match[1].replace(",", ""), wanted.value / factor):
        return None
    return factor, cell[match.end() :]


def _last_place(digits: str) -> float:
    """Half of what the last digit is worth; zeros before a point are none beyond the second."""
    whole, point, decimals = digits.partition(".")
    zeros = 0 if point else min(len(whole) - len(whole.rstrip("0")), len(whole.lstrip("-")) - 2)
    return 0.5 * (1 + 1e-6) * 10.0 ** (max(0, zeros) - len(decimals))


def _is_rounded(digits: str, value: float) -> bool:
    """Whether these digits are the value, as far as they go."""
    return abs(float(digits) - value) <= _last_place(digits) + 1e-9 * abs(value)


def _shows_interval(rest: str, wanted: Shown, factor: float) -> bool:
    """Whether what follows a figure in its unit is its interval, or nothing."""
    if not rest:
        return True
    if rest in (" [not known]", f" [not known] n={wanted.launches}"):
        return wanted.high > UNKNOWN * wanted.low > 0
    if half := _HALF.fullmatch(rest):
        width = (wanted.high - wanted.low) / 2
        if half[3] == "%" and not half[2]:
            return _is_rounded(half[1], 100 * width / abs(wanted.value))
        own = wanted.units.get(half[3], factor)
        # It is rounded to a hundredth of the field's own unit before it is written.
        slack = 0.006 if wanted.units is not _SHARE else 0.0
        return abs(float(half[1]) * own - width) <= slack + _last_place(half[1]) * own
    if found := _ENDS.fullmatch(rest):
        is_counted = not wanted.launches or found[5] in (None, str(wanted.launches))
        return is_counted and all(
            _is_rounded(digits, end / wanted.units.get(unit.strip(), factor))
            if unit.strip()
            else _is_rounded(digits, end / factor)
            for digits, unit, end in (
                (found[1], found[2], wanted.low),
                (found[3], found[4], wanted.high),
            )
        )
    return False


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """What heads mean that are not their field's name, by table and head; table "" is any.

    `named` has fields, `told` what a cell must say as a function of its record, `only` which
    records a table has where it does not have all with its fields. A head without words is its
    place: "#0".
    """

    named: Mapping[tuple[str, str], str]
    told: Mapping[tuple[str, str], Callable[[Record], Wanted]]
    only: Mapping[str, Callable[[Record], bool]]


def joined(tables: Sequence[Table]) -> list[Table]:
    """Tables that go on where another of their name and heads ends, as one."""
    found: dict[tuple[str, tuple[str, ...]], Table] = {}
    for table in tables:
        key = table.name, table.head
        before = found[key].rows if key in found else ()
        found[key] = msgspec.structs.replace(table, rows=(*before, *table.rows))
    return list(found.values())


def swapped(table: Table) -> Iterator[Table]:
    """The table with the cells of two neighbouring columns exchanged, under the same heads."""
    for at in range(len(table.head) - 1):
        rows = tuple((*r[:at], r[at + 1], r[at], *r[at + 2 :]) for r in table.rows)
        if rows != table.rows:
            yield msgspec.structs.replace(table, rows=rows)


def rule_of(book: Book, table: str, head: str, records: Sequence[Record]) -> Rule | None:
    """What a column must show of a record; None where its head names no field."""
    told = book.told.get((table, head)) or book.told.get(("", head))
    if told is not None:
        return Rule(field="", wanted=told)
    field = field_of(book, table, head, records)
    if not field:
        return None
    return Rule(field=field, wanted=lambda record: shown_of(field, record.get(field)))


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """The field of a column, if it is one, and what the cell of a record must show."""

    field: str
    wanted: Callable[[Record], Wanted]


def field_of(book: Book, table: str, head: str, records: Sequence[Record]) -> str:
    """The field that a head names; empty where none does."""
    known = book.named.get((table, head)) or book.named.get(("", head))
    if known:
        return known
    paths = dict.fromkeys(path for record in records for path in record)
    name = snake(head)
    whole = [path for path in paths if "." not in path and name in (path, stem(path))]
    inner = [path for path in paths if "." in path and name == snake(stem(path))]
    return next(iter((*whole, *inner)), "")


def faults_of(table: Table, rows: Sequence[Mapping[str, Any]], book: Book) -> list[str]:
    """What in a table is not the field that its head names, row by row in the order of the data."""
    records = flat(rows)
    heads = [head or f"#{at}" for at, head in enumerate(table.head)]
    rules = [rule_of(book, table.name, head, records) for head in heads]
    if None in rules:
        lost = heads[rules.index(None)]
        return [f"{table.name}: no field is called as the head {lost!r}: name it in the book"]
    known = [rule for rule in rules if rule is not None]
    keep = book.only.get(table.name)
    own = [
        one
        for one in records
        if _has(one, [rule.field for rule in known]) and (not keep or keep(one))
    ]
    if len(own) != len(table.rows):
        return [f"{table.name}: {len(table.rows)} rows of {len(own)} records"]
    return [
        f"{table.name}, row {at}, {head!r}: {cell!r} is not {rule.wanted(record)}"
        for at, (row, record) in enumerate(zip(table.rows, own, strict=True))
        for head, cell, rule in zip(heads, row, known, strict=True)
        if not shows(cell, rule.wanted(record))
    ]


def _has(record: Record, fields: Sequence[str]) -> bool:
    """Whether a record has these fields: itself, or what they would be part of."""
    return all(
        not field or field in record or field.rpartition(".")[0] in record for field in fields
    )
