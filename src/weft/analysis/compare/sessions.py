"""How many sessions a side has, and what one session cannot show. Pure.

A session is one run of weft: a record, or a part of one that was resumed. Its launches share the
day, the state of the machine since it started, its temperature and its neighbours, so they do not
stand for other days.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.analysis.stats.launches import FEW, FEW_SESSIONS, another_session, made_by
from weft.analysis.stats.slowdown import SESSION_SCATTER
from weft.analysis.stats.trend import few_in_words, power_in_words, trends_in_words
from weft.wording import MOST_NAMED, counted, few_of, who_says

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.plan.command import NextSession
    from weft.record.run import Run

# Of a side that is judged by fixed limits.
ONE_BY_ITSELF = "other days and boots are in no interval: a slow boot looks like a slow machine"
ONE_SESSION = (
    "other days and boots are in no interval: better, worse and fail allow for"
    f" {SESSION_SCATTER:.0%} between sessions, or as much as between launches where that is more;"
    " a slow boot looks like a slow machine"
)
# In a check, whose test takes the sessions of both sides to scatter alike.
JUDGED_BY_THE_OTHER = (
    "a side of one session is judged by the variation between the sessions of the other side"
)
# In a comparison, where each side has its own interval.
ONE_BESIDE = (
    "the interval of a side of one session is over its launches and does not include other days"
)
# The chance of what was seen without a cause, as sentences have it.
_CHANCE = re.compile(r" \(p = [^)]*\)")
# What a verdict says of itself where neither side shows other days.
_ONE_A_SIDE = "one session a side"


def one_a_side(sessions: Iterable[int], *, decides: bool) -> str:
    """What a verdict says of itself, of sides with so many sessions each; empty where it decides
    nothing, or a side shows other days.
    """
    return _ONE_A_SIDE if decides and set(sessions) == {1} else ""


def sessions_in_words(
    sides: Mapping[str, Sequence[int]],
    one_beside: str = ONE_BESIDE,
    further: Mapping[str, NextSession] | None = None,
    *,
    one: str = ONE_SESSION,
) -> tuple[str, ...]:
    """The basis of the verdicts: each side's sessions by their launches, and their limits.

    One line says both. `one` is the sentence where all sides have one session, `one_beside` where
    some do and others have several; `further` is how to measure another one, by the sides' names,
    where no other line says what to do next: a line of its own for sides with one or two.
    """
    known = {name: made for name, made in sides.items() if made}
    if not known:
        return ()
    counts = [len(made) for made in known.values()]
    parts = [f"{name}: {made_by(made)}" for name, made in known.items()]
    if max(counts) == 1:
        parts.append(one)
    elif min(counts) == 1 and len(counts) > 1:
        parts.append(one_beside)
    elif min(counts) == 2:
        parts.append(FEW_SESSIONS)
    lines = ["; ".join(parts)]
    few = [again for name, again in (further or {}).items() if len(known.get(name, ())) in FEW]
    if few:
        lines.append(f"{another_session(few)}, and give all records of a side")
    return tuple(lines)


def measured_in_words(
    title: str, place: str, begun_utc: Sequence[str], launches: Sequence[int]
) -> str:
    """On what, when and how much a side was measured; of what was published nothing.

    `begun_utc` are when its records began, `launches` those of each.
    """
    if not begun_utc:
        return ""
    first, last = (f(begun_utc)[:16].replace("T", " ") for f in (min, max))
    when = f"{first} to {last} UTC" if last > first else f"{first} UTC"
    parts = filter(None, (place, when, counted(sum(launches), "launch")))
    return f"{title}: {', '.join(parts)}"


def in_time(runs: Sequence[Run]) -> tuple[str, ...]:
    """Trends and correlation over the launches of records, or the power of the test for them.

    What several records share is said once, with their names; one record has no name.
    """
    return said_with_names((run.path.name if len(runs) > 1 else "", _in_time(run)) for run in runs)


def _in_time(run: Run) -> tuple[str, ...]:
    quiet = (power_in_words(run), few_in_words(run))
    return (*trends_in_words(run), *(line for line in quiet if line))


def said_with_names(lines: Iterable[tuple[str, Iterable[str]]]) -> tuple[str, ...]:
    """The lines of several, each once behind the names of all that it is said of.

    Lines that differ in a chance alone are one, with each name's chance behind it.
    """
    every = [(name, line) for name, own in lines for line in own]
    alike: dict[str, list[tuple[str, str]]] = {}
    for name, line in every:
        alike.setdefault(_CHANCE.sub("", line, count=1), []).append((name, line))
    said = []
    for bare, own in alike.items():
        names = who_says(own)
        if len(names) > 1:
            names = {bare: [f"{name}{_chance(line)}".lstrip() for name, line in dict.fromkeys(own)]}
        said += [
            ": ".join(filter(None, (few_of([*filter(None, whose)], MOST_NAMED), line)))
            for line, whose in names.items()
        ]
    return tuple(said)


def _chance(line: str) -> str:
    found = _CHANCE.search(line)
    return found[0] if found else ""
