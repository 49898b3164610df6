"""What a map tells apart, and how slow that has to be, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.units import format_share
from weft.wording import in_a_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.distinguished import Distinguished


def distinguished_in_words(distinguished: Sequence[Distinguished]) -> str:
    """What would be named, for a sentence: "a node slower by 4 %, a pair by 30 %"."""
    by_what: dict[str, list[Distinguished]] = {}
    for one in distinguished:
        what = _what(one)
        if what:
            by_what.setdefault(what, []).append(one)
    named = {what: _slowness(own) for what, own in by_what.items()}
    said = [f"{what} by {share}" for what, share in named.items() if share]
    if not said:
        return ""
    said[0] = said[0].replace(" by ", " slower by ")
    never = [what for what, share in named.items() if not share]
    if "a pair" not in named:
        never.append("a pair")
    return ", ".join(said) + (f", but not {in_a_row(never, 'or')}" if never else "")


def _what(one: Distinguished) -> str:
    """What a sentence calls the kind; nothing of those that it leaves to the JSON."""
    kind = one.kind
    if kind == "group":
        return f"a {one.name.rpartition(' ')[0] or 'group'}"
    names = {
        "node": "a node", "send": "one direction of it", "receive": "one direction of it",
        "link": "a link between switches", "cable": "a cable", "pair": "a pair",
    }  # fmt: skip
    return names.get(kind, "")


def _slowness(own: Sequence[Distinguished]) -> str:
    """From which share on all of these kinds are named; empty where one never is."""
    shares = [one.slower for one in own]
    known = [share for share in shares if share is not None]
    return format_share(max(known), 0.01) if len(known) == len(shares) else ""
