"""Figures in what a command prints, held to what it prints as JSON: value, unit, name and row.

A figure on the screen is one of the JSON's, in its unit and with its interval. What stands about it
names its field: the head of its column, the label of its row, or the words of its sentence before
and behind it, up to the next figure. Where its field is that of a row of several, a word or a size
of that row stands in its line or above. Words are those of the field's name without its unit, or a
test says which: so a new figure is held without a line, unless it has a title of its own.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from support.cells import UNITS, Shown, is_estimate, shown_of, shows, stem
from support.heads import size_of
from weft.wording import WITHOUT_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_UNIT = "ns|µs|ms|s|B/s|kB/s|MB/s|GB/s|Gbit/s|B|KiB|MiB|GiB|%|k|M|G|/s|k/s|M/s|MFlop/s|GFlop/s"
FIGURE = re.compile(
    r"(?<![\w.\-/:@#])[-+]?\d[\d,]*(?:\.\d+)?"
    rf"(?: ?(?:{_UNIT})(?![\w/^]))?"
    r"(?: ±\d+(?:\.\d+)? ?[a-zA-Zµ%/]*| \[[^\]]*\](?: n=\d+)?)?(?![\w.]*[\w])"
)
# What was measured or has a unit, and no bare count.
_TELLS = re.compile(r"[µ%BnmsFkMG±\[]|\.\d")
# Sizes name rows and are words of sentences.
_SIZE = re.compile(r"[\d,.]+ (B|KiB|MiB|GiB)")
_CELL = re.compile(r"\S+(?: \S+)*")
# As long as a word may be that names a row.
_LONGEST_NAME = 60
# Fields that have the unit of their row's quantity, and fields with a unit that topics do not have.
_QUANTITIES = {"latency": UNITS["_ns"], "bandwidth": UNITS["_bytes_per_s"]}
_OF_QUANTITY = ("reference", "figure", "estimate", "bound", "value")
_OWN_UNITS = {"_ns_per_byte": UNITS["_ns"], "_bits_per_s": {"Gbit/s": 1e9}}


class Leaf(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of the JSON: its path without places in lists, and what it is.

    `needs` are the groups above that tell it from another figure of the same name; `row` has what
    its row is known by, where it is one of several: by one of its words, and by one of its sizes.
    """

    path: tuple[str, ...]
    shown: Shown
    needs: tuple[str, ...]
    row: tuple[frozenset[str], ...]


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the data a value is; `shared` are the groups above with what others have too."""

    path: tuple[str, ...] = ()
    shared: tuple[tuple[str, frozenset[str]], ...] = ()
    row: tuple[frozenset[str], ...] = ()
    units: dict[str, float] | None = None


def leaves_of(data: Any, place: _Place | None = None) -> Iterator[Leaf]:
    """The figures of plain data, and the ends of their intervals."""
    place = place or _Place()
    if isinstance(data, dict) and not is_estimate(data):
        units = _QUANTITIES.get(str(data.get("quantity")), place.units)
        for key, value in _with_intervals(data):
            others = [other for name, other in data.items() if name != key]
            also = {name for other in others if isinstance(other, dict) for name in other}
            shared = place.shared
            if isinstance(value, dict) and not is_estimate(value):
                shared = (*shared, (key, frozenset(also & set(value))))
            inner = _Place(path=(*place.path, key), shared=shared, row=place.row, units=units)
            yield from leaves_of(value, inner)
    elif isinstance(data, list):
        for value in data:
            row = (_names(value) if isinstance(value, dict) else None) or place.row
            yield from leaves_of(value, msgspec.structs.replace(place, row=row))
    elif not isinstance(data, str | bool) and data is not None:
        last = place.path[-1] if place.path else ""
        needs = tuple(key for key, names in place.shared if last in names)
        for one in _with_ends(_shown(place, last, data)):
            yield Leaf(path=place.path, shown=one, needs=needs, row=place.row)


def _shown(place: _Place, last: str, data: Any) -> Shown:
    shown = shown_of(".".join(place.path), data)
    assert isinstance(shown, Shown)
    own = next((units for end, units in _OWN_UNITS.items() if last.endswith(end)), None)
    if place.units is not None and last in _OF_QUANTITY:
        own = place.units
    return msgspec.structs.replace(shown, units=own) if own else shown


def _with_intervals(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields; one whose ends are fields beside it is a figure with its interval."""
    for key, value in data.items():
        ends = {end: data.get(f"{key}_{end}") for end in ("low", "high")}
        yield key, value if None in ends.values() else {"value": value, **ends}


def _with_ends(shown: Shown) -> list[Shown]:
    """The figure, each of its ends, and each without its sign: "saves 3 ns" of -3 ns."""
    figures = [end for end in (shown.low, shown.high) if not math.isnan(end)]
    figures += [-one for one in (shown.value, *figures) if one < 0]
    without_sign = msgspec.structs.replace(
        shown, value=-shown.value, low=-shown.high, high=-shown.low
    )
    whole = [shown, without_sign] if shown.value < 0 else [shown]
    return [*whole, *(Shown(value=one, units=shown.units) for one in figures)]


def _names(row: dict[str, Any]) -> tuple[frozenset[str], ...]:
    """The words that a row of data is known by, and its sizes; each where it has any."""
    words = {value.lower() for value in row.values() if isinstance(value, str)}
    words = {one for one in words if 0 < len(one) <= _LONGEST_NAME}
    sizes = [value for key, value in row.items() if "bytes" in key and isinstance(value, int)]
    said = {size_of({"bytes": size}).lower() for size in sizes} | {f"{size} b" for size in sizes}
    # What a test without a size has is in the row of none.
    said |= {"- "} if row.get("test") in WITHOUT_SIZE and sizes else set()
    # Rows along ranks have their number in the first cell, and the size in none.
    said |= {f" {row['ranks']} "} if sizes and row.get("ranks") else set()
    return tuple(frozenset(one) for one in (words, said) if one)


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """A figure on the screen, the words that name it, and those that name its row.

    In a row of cells its field is named by the label, the cell and what stands above it, in a
    sentence by the words up to the next figure; its row by the whole line and what stands above.
    """

    text: str
    named: str
    about: str


def printed_in(text: str, constants: Sequence[str] = ()) -> Iterator[Printed]:
    """The figures of a screen; `constants` are words with figures that nothing has told."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            block.clear()
            continue
        block.append(line)
        bare = line
        for words in constants:
            bare = bare.replace(words, " " * len(words))
        found = [
            one
            for one in FIGURE.finditer(bare)
            if _TELLS.search(one[0]) and not _SIZE.fullmatch(one[0])
        ]
        for at, one in enumerate(found):
            begin = found[at - 1].end() if at else 0
            end = found[at + 1].start() if at + 1 < len(found) else len(line)
            named, about = line[begin:end], block
            cells = list(_CELL.finditer(line))
            if len(cells) > 1:
                [own] = [cell for cell in cells if cell.start() <= one.start() < cell.end()]
                above = list(_above(block, own))
                named, about = " ".join([cells[0][0], own[0], *above]), [line, *above]
            yield Printed(
                text=one[0].replace("+", ""), named=named.lower(), about=" ".join(about).lower()
            )


def _above(block: Sequence[str], cell: re.Match[str]) -> Iterator[str]:
    """What stands above a cell in its column, and titles."""
    for line in block[:-1]:
        cells = list(_CELL.finditer(line))
        for one in cells:
            is_above = one.start() < cell.end() and cell.start() < one.end()
            is_figure = FIGURE.fullmatch(one[0]) and not _SIZE.fullmatch(one[0])
            if (len(cells) == 1 or is_above) and not is_figure:
                yield one[0]


class Told:
    """What data tell of a screen.

    `also` are words that name a field, or a group of fields, beside its own; `constants` are words
    with figures that no data tell.
    """

    def __init__(
        self, data: Any, also: Mapping[str, tuple[str, ...]], constants: Sequence[str] = ()
    ) -> None:
        self._leaves = list(leaves_of(data))
        self._words = " ".join(_strings(data))
        self._also = also
        self._constants = constants
        self._known: dict[Printed, str] = {}

    def faults(self, text: str) -> list[str]:
        """The figures of a screen that are none of the data, or stand where another is named."""
        every = list(printed_in(text, self._constants))
        self._known |= {one: self._fault(one) for one in every if one not in self._known}
        return [fault for one in every if (fault := self._known[one])]

    def _fault(self, one: Printed) -> str:
        alike = [leaf for leaf in self._leaves if shows(one.text, leaf.shown)]
        if one.text in self._words or any(_is_named(leaf, one, self._also) for leaf in alike):
            return ""
        paths = sorted({".".join(leaf.path) for leaf in alike}) or ["a figure of the JSON"]
        return f"{one.text} is not {' or '.join(paths)}: {one.named}"


def _is_named(leaf: Leaf, one: Printed, also: Mapping[str, tuple[str, ...]]) -> bool:
    if not all(any(word in one.about for word in words) for words in leaf.row):
        return False
    return all(
        all(word in one.named for word in stem(key).lower().split("_"))
        or any(words in one.named for words in also.get(key, ()))
        for key in (*leaf.needs, leaf.path[-1])
    )


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _strings(one)


def with_figures_exchanged(text: str) -> Iterator[str]:
    """A screen with two figures of neighbouring cells exchanged, each such pair of a row."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        cells = [one for one in _CELL.finditer(line) if FIGURE.fullmatch(one[0])]
        for left, right in itertools.pairwise(cells):
            is_held = _TELLS.search(left[0]) and _TELLS.search(right[0])
            if not is_held or left[0] == right[0] or _SIZE.fullmatch(left[0]):
                continue
            between = line[left.end() : right.start()]
            wrong = f"{line[: left.start()]}{right[0]}{between}{left[0]}{line[right.end() :]}"
            yield "\n".join([*lines[:at], wrong, *lines[at + 1 :]])
