"""Which functions of the engine each of its tests enters, and what it computes.

The engine's tests are linked to entered.cpp and run once. What a test entered holds as long as
neither the engine nor the test's own file changes.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

ENTERED = "tests/mutants/entered.cpp"
FLAGS = (
    "-O1 -w -ffunction-sections -finstrument-functions"
    # The arithmetic of applications calls too many functions to count them.
    " -finstrument-functions-exclude-file-list=/usr/,engine/apps/"
)
_ORIGIN = "weft_entered_from"
_BEFORE = "-"


class Known(msgspec.Struct, frozen=True):
    """Of one that passes where nothing is planted; `of` says of which sources."""

    of: str
    cpu_s: float
    functions: tuple[int, ...]


class Kept(msgspec.Struct):
    """As it stands in the file: functions by their place among the names."""

    names: list[str]
    before: tuple[int, ...]
    tests: dict[str, Known]


class Entered:
    """Of every test that passes where nothing is planted."""

    def __init__(self, kept: Kept) -> None:
        self.cpu_s: Mapping[str, float] = {name: one.cpu_s for name, one in kept.tests.items()}
        self._before = {kept.names[n] for n in kept.before}
        self._by: dict[str, set[str]] = defaultdict(set)
        for name, one in kept.tests.items():
            for number in one.functions:
                self._by[kept.names[number]].add(name)

    def reaching(self, functions: Iterable[str]) -> set[str]:
        """The tests that enter one of these functions; all where that cannot be told."""
        found: set[str] = set()
        chosen = set(functions)
        if not chosen or chosen & self._before or any("static_init" in one for one in chosen):
            return set(self.cpu_s)
        for one in chosen:
            found |= self._by.get(one, set())
        return found


def entered(
    path: Path,
    listed: Mapping[str, str],
    program: Callable[[], Path],
    ran: Callable[[Path, Sequence[str], Path], set[str]],
) -> Entered:
    """Read from `path`, with what is not there yet: `listed` has by test which sources it is of.

    `ran` runs tests of the program that writes into a file, and says which ones did not pass.
    """
    kept = msgspec.json.decode(path.read_bytes(), type=Kept) if path.exists() else Kept([], (), {})
    kept.tests = {name: one for name, one in kept.tests.items() if listed.get(name) == one.of}
    by_suite: dict[str, list[str]] = defaultdict(list)
    for name in listed:
        if name not in kept.tests:
            by_suite[name.rpartition(".")[0]].append(name)
    if by_suite:
        own = program()
        called = _names_in(own)
        numbers = {name: number for number, name in enumerate(kept.names)}
        for suite in by_suite.values():
            _record(kept, suite, listed, numbers, called, lambda *one: ran(own, *one), path)
        path.write_bytes(msgspec.json.encode(kept))
    return Entered(kept)


def _record(
    kept: Kept,
    suite: Sequence[str],
    listed: Mapping[str, str],
    numbers: dict[str, int],
    called: Mapping[int, Sequence[str]],
    ran: Callable[[Sequence[str], Path], set[str]],
    path: Path,
) -> None:
    """One that crashes is left out, and those behind it run without it."""
    left, told = list(suite), path.with_suffix(".told")
    while left:
        failed = ran(left, told)
        for line in told.read_text().splitlines():
            name, ms, *places = line.split()
            names = [one for place in places for one in called.get(int(place), ())]
            for one in names:
                if one not in numbers:
                    numbers[one] = len(kept.names)
                    kept.names.append(one)
            functions = tuple(sorted(numbers[one] for one in names))
            if name == _BEFORE:
                kept.before = functions
            elif name not in failed:
                kept.tests[name] = Known(of=listed[name], cpu_s=int(ms) / 1000, functions=functions)
        left = [one for one in left if one not in failed and one not in kept.tests]
        left = left if failed else []


def _names_in(program: Path) -> dict[int, list[str]]:
    """By place, from the origin on, the functions there, as the linker calls them."""
    words = ["nm", "--defined-only", str(program)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found: dict[int, list[str]] = defaultdict(list)
    origin = 0
    for line in said.splitlines():
        place, kind, name = line.split(maxsplit=2)
        if kind in "tTwWuiI":
            found[int(place, 16)].append(name.partition(".")[0])
        if name == _ORIGIN:
            origin = int(place, 16)
    return {place - origin: names for place, names in found.items()}


def key_of(*texts: bytes) -> str:
    """What tells sources from others."""
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
