"""Every number that a table prints is on a page that says how it is computed."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from support.copies import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

# Beside docs/numbers, the pages of commands whose tables have numbers of their own.
OF_COMMANDS = ("scaling", "map", "price", "predict", "check", "simulate")
# Of these the tables are other programs' (weft show --like).
NOT_OURS = {"imb.py", "osu.py", "perftest.py"}


def heads() -> Iterator[tuple[str, str]]:
    """Each head of a table that the source has in words, and its module."""
    for path in sorted((ROOT / "src" / "weft").rglob("*.py")):
        if path.name in NOT_OURS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "head":
                for one in ast.walk(node.value):
                    if isinstance(one, ast.Constant) and str(one.value).strip():
                        yield str(one.value).strip(), path.name


def missing_in(page: str, wanted: dict[str, str]) -> set[str]:
    """Of heads those that a page has not, whatever its line ends, letters and marks."""
    plain = re.sub(r"\s+", " ", re.sub(r"[`*]", "", page)).lower()
    return {f"{module}: {head}" for head, module in wanted.items() if head.lower() not in plain}


def test_the_pages_of_numbers_have_every_head_of_a_table() -> None:
    pages = [*(ROOT / "docs" / "numbers").glob("*.md")]
    pages += [ROOT / "docs" / f"{name}.md" for name in OF_COMMANDS]
    wanted = dict(heads())
    assert len(wanted) > 90
    assert missing_in(" ".join(page.read_text() for page in pages), wanted) == set()


def test_a_head_without_a_page_is_seen() -> None:
    wanted = {"slowest share": "exchange.py", "of which post": "overhead.py"}
    assert missing_in("The `slowest\nshare` of all.", wanted) == {"overhead.py: of which post"}
