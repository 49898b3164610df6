"""What a map tells apart, how slow that has to be, and what it guessed, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.units import format_share
from weft.wording import few_of, in_a_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.distinguished import Distinguished


_MOST_GROUPS = 4
_MOST_MEMBERS = 8


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


def guessed_in_words(groups: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Who is in each guessed group, for a sentence, and how to say what is known."""
    named = [f"{name} ({few_of(members, _MOST_MEMBERS)})" for name, members in groups]
    few = few_of(named, _MOST_GROUPS)
    return f"guessed from the times alone: {few}; --topology takes what is known"


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
