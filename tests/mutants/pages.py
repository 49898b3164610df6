"""What a table of docs rests on is kept in TOML, and stands between two marks of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def write_rows(path: Path, name: str, made_by: str, rows: Iterable[msgspec.Struct]) -> None:
    """Replace the file: what made it, and a [[name]] for each row."""
    text = f"# {made_by}\n"
    for row in rows:
        text += f"\n[[{name}]]\n"
        text += "".join(
            f"{field} = {msgspec.json.encode(value).decode()}\n"
            for field, value in msgspec.structs.asdict(row).items()
        )
    path.write_text(text)


def with_table(page: str, begin: str, end: str, lines: Sequence[str]) -> str:
    """The page with these lines in the place of what stood between its marks."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return "\n".join([f"{before}{begin}{lines[0]}", *lines[1:], f"{end}{after}"])
