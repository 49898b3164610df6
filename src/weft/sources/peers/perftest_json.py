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
from typing import TYPE_CHECKING, NamedTuple

from weft.sources.peers.json_text import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.sources.peers.text import OutputLine, OutputText

MARK = re.compile(r'^\s*"?test_info"?:')
_RESULTS = re.compile(r'^\s*"?results"?:')
_UNQUOTED = re.compile(r"^\s*test_info: \{$")
# A line of a file without quotes: `results: {`, `t_min: 18.88,`, `Device: "rxe0",`, `},`.
_OPENS = re.compile(r"^(?P<name>\w+): \{$")
_VALUE = re.compile(r'^ ?(?P<name>\w[\w. ]*?) ?: (?:"(?P<quoted>[^"]*)"|(?P<word>[-\w.]+)),$')
ONE_SIZE = "perftest's JSON has one size: of a run over all sizes it is the last"
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


def json_row(text: OutputText, units: Mapping[str, Decimal]) -> JsonRow:
    """The row of a file. Raises WeftError by line."""
    is_unquoted = any(_UNQUOTED.match(line.text) for line in text.lines)
    found = _without_quotes(text) if is_unquoted else json_of(text, keep_digits=True)
    line = next(one for one in text.lines if MARK.search(one.text))
    info, results = (
        found.get(name) if isinstance(found, dict) else None for name in ("test_info", "results")
    )
    if not isinstance(info, dict) or not isinstance(results, dict):
        line.refuse("it lacks test_info or results")
    title = _TEST.match(str(info.get("test", "")))
    if title is None:
        line.refuse(f"its test {info.get('test', '')!r} is not known")
    line = next((one for one in text.lines if _RESULTS.match(one.text)), line)
    unknown = sorted(results.keys() - _HEADS.keys())
    if unknown or not {"MsgSize", "n_iterations"} <= results.keys():
        line.refuse(f"these results are not understood: {', '.join(unknown) or 'no MsgSize'}")
    if not all(isinstance(cell, str) for cell in results.values()):
        line.refuse("its results are no numbers")
    unit = _unit(line, results, units) if "BW_average" in results else ""
    ways = "Bidirectional " if title["ways"] else ""
    return JsonRow(
        title=f"{title['verb']} {ways}{title['kind']}",
        cells={_HEADS[name].format(unit): cell for name, cell in results.items()},
        line=line,
        facts={name: str(value) for name, value in info.items()},
    )


def _without_quotes(text: OutputText) -> dict[str, dict[str, str]]:
    """The parts of a file that quotes no name. Raises WeftError by line."""
    parts: dict[str, dict[str, str]] = {}
    part: dict[str, str] | None = None
    lines = [line for line in text.lines if line.text]
    for line, bracket in ((lines[0], "{"), (lines[-1], "}")):
        if line.text != bracket:
            line.refuse("the JSON is damaged", "import the whole output")
    for line in lines[1:-1]:
        opened, value = _OPENS.match(line.text), _VALUE.match(line.text)
        if part is None and opened and opened["name"] not in parts:
            part = parts[opened["name"]] = {}
        elif part is not None and line.text == "},":
            part = None
        elif part is not None and value and value["name"] not in part:
            part[value["name"]] = value["word"] or value["quoted"]
        else:
            line.refuse()
    if part is not None:
        lines[-1].refuse("the JSON is damaged", "import the whole output")
    return parts


def _unit(line: OutputLine, results: dict[str, str], units: Mapping[str, Decimal]) -> str:
    """The unit in which bandwidth is rate times size."""
    size, rate, bandwidth = (
        line.number_of(results.get(name, "")) for name in ("MsgSize", "MsgRate", "BW_average")
    )
    moved = rate * 10**6 * size
    fits = [
        unit
        for unit, worth in units.items()
        if abs(bandwidth * worth - moved) <= _SAME * moved + _DIGIT * worth
    ]
    if not fits:
        line.refuse("its bandwidth is in no unit that fits its message rate", "import the table")
    return fits[0]
