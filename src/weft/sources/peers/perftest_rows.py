"""A row of perftest's table with what its box says: case and figure, or why it has none.

-C prints cycles under heads that say usec (print_report_lat of src/perftest_parameters.c). They are
whole, or half of whole ones, in each column but the mean's, which times of two decimals are not.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from weft.sources.peers.stated import GIGA, MIB, Given, StatedRow, StatedSection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine

UNITS: Mapping[str, Decimal] = MappingProxyType({"MB/sec": MIB, "MiB/sec": MIB, "Gb/sec": GIGA / 8})
# The depth of the send queue that a bandwidth has where nothing says another one (DEF_TX_BW).
USUAL_DEPTH = 128
USUAL_TAKEN = (
    f"no line says the depth of its queue (TX depth): {USUAL_DEPTH}, its default, is taken"
)
_FACT = re.compile(
    r"(?:^|\s)(?P<name>TX.depth|Number.of.qps|Connection.type|Use.ROCm.memory) {0,20}: ?"
    r"(?P<value>\w+)"
)
_END = re.compile(r"^(?P<side>local|remote) address: (?P<at>.*?QPN \S+ PSN \S+)")
_WHOLE = re.compile(r"[0-9]{1,9}")
_EVENTS = re.compile(r"^ *Test with events\b")
_MEDIAN, _MEAN = "t_typical[usec]", "t_avg[usec]"
# Means of times, which are whole cycles in no unit.
_BETWEEN = (_MEAN, "t_stdev[usec]")
_OF_CYCLES = re.compile(r"\d+\.[05]0")
ARE_CYCLES = "these times are cycles (-C), whatever their heads say"
WITHOUT_CYCLES = "run perftest without -C"
# get_clock.c: a clock that was not measured well enough has no frequency, and times over none.
_NONE = re.compile(r"-?(?:inf|nan)")
WITHOUT_A_CLOCK = "it states {}: perftest found no frequency of the clock"


class Facts:
    """What the box before a table says of its test."""

    def __init__(self) -> None:
        self.queue_pairs = 1
        self.on_gpu = False
        self._depth = 0
        self._connection = "rc"
        self._wait = ""
        self._ends = {"local": "", "remote": ""}

    @property
    def ends(self) -> tuple[str, str]:
        """Its own queue pairs and those of the other side, as the box names them, if it does."""
        return self._ends["local"], self._ends["remote"]

    def take(self, line: OutputLine) -> None:
        """One line of the box; most do not matter for a case."""
        if _EVENTS.match(line.text):
            self._wait = "block"
        if end := _END.match(line.text):
            self._ends[end["side"]] += f"{end['at']} "
        for fact in _FACT.finditer(line.text):
            self.say(fact["name"], fact["value"])

    def say(self, name: str, value: str) -> None:
        """One of what a box says, by its name there; JSON has no blanks in its names."""
        match name.replace("_", " "):
            case "Connection type":
                self._connection = value.lower()
            case "TX depth" if _WHOLE.fullmatch(value):
                self._depth = int(value)
            case "Use ROCm memory":
                self.on_gpu = value.upper() == "ON"
            case "Number of qps" if _WHOLE.fullmatch(value):
                self.queue_pairs = int(value)

    def section(self, test: Pattern, given: Given) -> StatedSection:
        """Where the rows of its table belong."""
        kind = "" if self._connection == "rc" else f":{self._connection}"
        section = StatedSection(
            test=test, transport=given.transport or f"verbs{kind}", wait=self._wait
        )
        if test.figure != "bandwidth":
            return section
        return msgspec.structs.replace(section, queue_depth=self._depth or USUAL_DEPTH)

    def notes(self, test: Pattern) -> tuple[str, ...]:
        """What its section takes for granted."""
        is_taken = test.figure == "bandwidth" and not self._depth
        return (USUAL_TAKEN,) if is_taken else ()


def are_cycles(rows: Sequence[Mapping[str, str]]) -> bool:
    """Whether each time of a table's rows is one of cycles."""
    times = [
        word
        for cells in rows
        for head, word in cells.items()
        if head.endswith("[usec]") and head not in _BETWEEN
    ]
    return bool(times) and all(map(_OF_CYCLES.fullmatch, times))


def row_of(line: OutputLine, cells: dict[str, str], section: StatedSection) -> StatedRow:
    """The figure of a row. Raises LineError for cells that are not understood."""
    size = line.whole(cells["#bytes"])
    kept: dict[str, Any] = {"operations": line.whole(cells["#iterations"])}
    bandwidth = next((head for head in cells if head.startswith("BW average[")), "")
    main = bandwidth or next((head for head in (_MEDIAN, _MEAN) if head in cells), "")
    if not main:
        line.refuse("it has neither a bandwidth, a median nor a mean")
    if main == _MEDIAN:
        section = msgspec.structs.replace(section, single=True)
    if _NONE.fullmatch(cells[main]):
        return section.without(line, size, WITHOUT_A_CLOCK.format(cells[main]))
    if not bandwidth:
        return _latency(line, size, cells, section, kept)
    unit = UNITS.get(bandwidth.removeprefix("BW average[").removesuffix("]"))
    if unit is None:
        line.refuse(f"the unit of {bandwidth} is not known")
    # A peak of 0 was not measured.
    beside = ((head, w) for head, w in cells.items() if not head.startswith(("#", "BW average")))
    others = {head: value for head, value in line.values_of(beside).items() if value > 0}
    return section.bandwidth(line, size, cells[bandwidth], unit, others=others, **kept)


def _latency(
    line: OutputLine,
    size: int,
    cells: dict[str, str],
    section: StatedSection,
    kept: dict[str, Any],
) -> StatedRow:
    """Half a round trip: the median of single operations, or the mean that -D prints alone."""
    if _MEDIAN not in cells:
        return section.latency(line, size, cells[_MEAN], **kept)
    latencies = {
        head.partition("%")[0]: 1000 * float(line.number_of(word))
        for head, word in cells.items()
        if "% percentile" in head
    }
    for head, name in (("t_min[usec]", "0"), ("t_max[usec]", "100")):
        if head in cells:
            latencies[name] = 1000 * float(line.number_of(cells[head]))
    # The deviation is kept as it was printed: it is no measure of scatter (perftest.py).
    others = {
        head: float(line.number_of(cells[head]))
        for head in _BETWEEN
        if head in cells and not _NONE.fullmatch(cells[head])
    }
    return section.latency(
        line, size, cells[_MEDIAN], figure="median", latencies_ns=latencies, others=others, **kept
    )
