"""What commands wrote once and was looked at: kept as text, to be compared with what they write."""

from __future__ import annotations

import difflib
import html
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weft.report.drawing import PageDrawing

if TYPE_CHECKING:
    from weft.charts import Chart
    from weft.report.paper import Paper

FOLDER = Path(__file__).parents[1] / "approved"
# Set to write anew what is approved; tests/test_approved_outputs.py has the command.
APPROVE = "WEFT_APPROVE"
# Further digits depend on the order in which a processor adds.
_DIGITS = 6
_NUMBER = re.compile(r"(?<![\d.])-?\d+\.\d+(?:e[+-]?\d+)?(?![\d.])")
# A number of so many digits was not rounded for a reader.
_UNROUNDED = 12
_BLOCKS = frozenset(("div", "figcaption", "h1", "h2", "h3", "li", "p", "summary", "table", "tr"))
_UNREAD = frozenset(("script", "style", "svg"))


def held(name: str, text: str) -> list[str]:
    """The lines that differ from what is approved under this name; none if nothing does."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get(APPROVE):
        path.write_text(text)
    known = path.read_text().splitlines() if path.exists() else []
    return list(difflib.unified_diff(known, text.splitlines(), "approved", "now", n=0, lineterm=""))


def rounded(text: str) -> str:
    """The text with its long numbers to six digits, without blanks at the ends of lines."""
    lines = _NUMBER.sub(_short_number, text).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _short_number(found: re.Match[str]) -> str:
    mantissa, _, decimals = found[0].partition("e")[0].lstrip("-").partition(".")
    digits = len(mantissa.lstrip("0") + decimals.rstrip("0"))
    is_long = len(decimals) >= _DIGITS or (decimals != "0" and digits >= _UNROUNDED)
    return f"{float(found[0]):.{_DIGITS}g}" if is_long else found[0]


def of_page(page: str) -> str:
    """A page's words, a block a line."""
    reader = _Reader()
    reader.feed(page)
    return "\n".join(reader.lines())


def chart_in_words(chart: Chart, paper: Paper) -> PageDrawing:
    """All that a chart has to draw, as a paragraph where its drawing would be."""
    del paper
    plain = msgspec.to_builtins(chart, enc_hook=lambda matrix: matrix.tolist())
    words = json.dumps(short(plain), ensure_ascii=False)
    return PageDrawing(
        f"<p>{html.escape(words)}</p>", b"", [[None] * len(t.x) for t in chart.tracks]
    )


def short(found: Any) -> Any:
    """The same with numbers of six digits."""
    if isinstance(found, float):
        return float(f"{found:.{_DIGITS}g}")
    if isinstance(found, dict):
        return {name: short(one) for name, one in found.items()}
    return [short(one) for one in found] if isinstance(found, list | tuple) else found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        del attrs
        self._unread += tag in _UNREAD
        self._parts.append("\n" if tag in _BLOCKS else " | " if tag in ("td", "th") else "")

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in _UNREAD
        self._parts.append("\n" if tag in _BLOCKS else "")

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._parts.append(data)

    def lines(self) -> list[str]:
        """In single blanks, without empty ones."""
        lines = (" ".join(line.split()) for line in self._whole().split("\n"))
        return [line for line in lines if line]

    def _whole(self) -> str:
        return "".join(part if part == "\n" else part.replace("\n", " ") for part in self._parts)
