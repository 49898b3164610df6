"""perftest's --out_json: one row under other names, and without a unit of its bandwidth.

The message rate tells the unit: src/perftest_parameters.c, write_bw_report_to_file. The file is
written anew for each size, so that of -a the last one is left; --output writes JSON that is none.
Before 2024 (f9e82f7; Debian 12 has 6.06) no name is quoted, few words are, and a comma stands
behind every value: such a file is read line by line, each a name with one value, nothing else.
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from weft.sources.peers.json_text import objects_of
from weft.sources.peers.text import LineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from weft.sources.peers.text import OutputLine, OutputText

MARK = re.compile(r'"?test_info"? ?:')
_RESULTS = re.compile(r'^"?(?P<name>results\w*)"?:')
# Each side of --report-both has its own; without them the results are those of both.
_SIDES = MappingProxyType({"results": "", "results_local": "local", "results_remote": "remote"})
_UNQUOTED = re.compile(r"^test_info: \{$")
# A line of a file without quotes: `results: {`, `t_min: 18.88,`, `Device: "rxe0",`, `},`.
_OPENS = re.compile(r"^(?P<name>\w+): \{$")
_VALUE = re.compile(r'^ ?(?P<name>\w[\w. ]*?) ?: (?:"(?P<quoted>[^"]*)"|(?P<word>[-\w.]+)),$')
ONE_SIZE = "perftest's JSON has one size: of a run over all sizes it is the last"
ONE_SIDE = (
    "perftest's JSON of --report-both has the results of one side only: if it was typed, this"
    " bandwidth is not that of both directions"
)
_TEST = re.compile(r"^(?P<verb>\w+?)_(?P<ways>Bidirectional_)?(?P<kind>BW|Latency)_Test$")
_HEADS: Mapping[str, str] = MappingProxyType(
    {
        "MsgSize": "#bytes",
        "n_iterations": "#iterations",
        "BW_peak": "BW peak[{}]",
        "BW_average": "BW average[{}]",
        "MsgRate": "MsgRate[Mpps]",
        "t_min": "t_min[usec]",
        "t_max": "t_max[usec]",
        "t_typical": "t_typical[usec]",
        "t_avg": "t_avg[usec]",
        "t_stdev": "t_stdev[usec]",
        "percentile_99": "99% percentile[usec]",
        "percentile_99.9": "99.9% percentile[usec]",
        "tps_average": "tps average",
        "CPU_util": "CPU_Util[%]",
    }
)
# How far two roundings of one rate lie apart at the most, beside the last digit of the bandwidth.
_SAME = Decimal("0.01")
_DIGIT = Decimal("0.01")


class JsonRow(NamedTuple):
    """A test's title, cells as in the table, the line of the results, and what it says further."""

    title: str
    cells: dict[str, str]
    line: OutputLine
    facts: dict[str, str]
    side: str


def json_rows(text: OutputText, units: Mapping[str, Decimal]) -> Iterator[JsonRow]:
    """The rows of a file, those of each side apart. What is not understood is skipped."""
    is_unquoted = any(_UNQUOTED.match(line.text) for line in text.lines)
    objects = _without_quotes(text) if is_unquoted else objects_of(text, keep_digits=True)
    for lines, found in objects:
        info = found.get("test_info")
        for name, side in _SIDES.items():
            results = found.get(name)
            if results is None:
                continue
            line = next(
                (
                    one
                    for one in lines
                    if (head := _RESULTS.match(one.text)) and head["name"] == name
                ),
                lines[0],
            )
            try:
                yield _row(line, info, results, units, side)
            except LineError:
                text.skip(line)


def _row(
    line: OutputLine, info: object, results: object, units: Mapping[str, Decimal], side: str
) -> JsonRow:
    """Raises LineError for results that have no test, no size or no numbers."""
    if not isinstance(info, dict) or not isinstance(results, dict):
        line.refuse("it lacks test_info or results")
    title = _TEST.match(str(info.get("test", "")))
    if title is None:
        line.refuse(f"its test {info.get('test', '')!r} is not known")
    if not {"MsgSize", "n_iterations"} <= results.keys():
        line.refuse("its results have no MsgSize")
    if not all(isinstance(results.get(name, ""), str) for name in _HEADS):
        line.refuse("its results are no numbers")
    unit = _unit(line, results, units, str(info.get("BW_unit", "")))
    ways = "Bidirectional " if title["ways"] else ""
    cells = {_HEADS[name].format(unit): cell for name, cell in results.items() if name in _HEADS}
    return JsonRow(
        title=f"{title['verb']} {ways}{title['kind']}",
        cells=cells,
        line=line,
        facts={name: str(value) for name, value in info.items()},
        side=side,
    )


def _without_quotes(text: OutputText) -> Iterator[tuple[list[OutputLine], dict[str, Any]]]:
    """The parts of a file that quotes no name; lines that are no part of it are skipped."""
    parts: dict[str, dict[str, str]] = {}
    part: dict[str, str] | None = None
    for line in text.lines:
        opened, value = _OPENS.match(line.text), _VALUE.match(line.text)
        if line.text == "{":
            parts, part = {}, None
        elif opened:
            part = parts[opened["name"]] = {}
        elif line.text in ("},", "}") and part is not None:
            part = None
        elif line.text == "}":
            yield text.lines, parts
            parts = {}
        elif part is not None and value:
            word = value["word"] or value["quoted"]
            if part.setdefault(value["name"], word) != word:
                part.clear()
        elif line.text:
            text.skip(line)
    if parts:
        yield text.lines, parts


def _unit(
    line: OutputLine, results: dict[str, str], units: Mapping[str, Decimal], stated: str
) -> str:
    """The unit in which bandwidth is rate times size, or that newer releases state."""
    if "BW_average" not in results:
        return ""
    size, rate, bandwidth = (
        line.number_of(results.get(name, "")) for name in ("MsgSize", "MsgRate", "BW_average")
    )
    moved = rate * 10**6 * size
    fits = [
        unit
        for unit, worth in units.items()
        if abs(bandwidth * worth - moved) <= _SAME * moved + _DIGIT * worth
    ]
    if not fits and stated not in units:
        line.refuse("its bandwidth is in no unit that fits its message rate", "import the table")
    return stated if stated in units else fits[0]
