"""The tables of a page, read back from its HTML."""

from __future__ import annotations

from html.parser import HTMLParser

Cells = list[list[str]]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Cells] = []
        self._is_cell = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_cell = self._is_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.tables[-1][-1][-1] += data


def tables_in(page: str) -> list[Cells]:
    """The cells of each table of a page, row by row with the head first, in single blanks."""
    reader = _Reader()
    reader.feed(page)
    return [[[" ".join(cell.split()) for cell in row] for row in one] for one in reader.tables]
