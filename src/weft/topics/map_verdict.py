"""The sentence of a map without a finding: no slow node, or why that is unknown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.diagnosis.diagnose import FEWEST, LEAST
from weft.topics.map_distinguished import distinguished_in_words
from weft.topics.map_findings import beyond, scatter_in_words, ways_in_words
from weft.units import format_time
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.diagnose import SlowPair
    from weft.analysis.diagnosis.distinguished import Distinguished
    from weft.topics.map_row import MapRow

# What distinguishes an endpoint from its partners is an odd cycle of pairs: three rounds have one.
FEWEST_ROUNDS = 3
NO_TOPOLOGY = "the record does not have its topology; use --topology as it was measured with"
# A way that is so many scatters slower than is usual has a cause, whether or not it is clear which.
_FAR = 4.0


def is_told(row: MapRow) -> bool:
    """Whether the absence of a finding means that no node is slow."""
    return not (row.lacks_topology or has_few(row) or _far_off(row) or is_blind(row.distinguished))


def has_few(row: MapRow) -> bool:
    """Whether there were too few endpoints or rounds to tell one from its partners."""
    return _has_few_endpoints(row) or row.rounds < min(FEWEST_ROUNDS, row.all_rounds)


def _has_few_endpoints(row: MapRow) -> bool:
    return row.endpoints - len(row.dead) < FEWEST


def of_who_answers(row: MapRow) -> list[SlowPair]:
    """The slowest ways between endpoints that answer, the worst first."""
    return [one for one in row.worst if not {one.source, one.target} & {*row.dead}]


def _far_off(row: MapRow) -> SlowPair | None:
    return far_off(of_who_answers(row), row.scatter)


def far_off(ways: Sequence[SlowPair], scatter: float, least: float = LEAST) -> SlowPair | None:
    """The slowest of these ways where it has a cause, whether or not it is clear which."""
    far = max(least, math.expm1(_FAR * math.log1p(scatter)))
    return next((one for one in ways[:1] if one.slower > far), None)


def is_blind(distinguished: Sequence[Distinguished]) -> bool:
    """Whether even a very slow node would not have been found."""
    return bool(distinguished) and not distinguished_in_words(distinguished)


def amount_of(row: MapRow) -> str:
    """How much was measured: "24 rounds in 3 launches"."""
    return f"{counted(row.rounds, 'round')} in {counted(row.launches, 'launch')}"


def nobody_in_words(row: MapRow) -> str:
    """No slow node, or why that is unknown."""
    amount = amount_of(row)
    if _has_few_endpoints(row):
        words = "too few to tell a slow one from its partners"
        return f"{words} ({ways_in_words(row.matrix)}, {amount}); measure {FEWEST} or more"
    if has_few(row):
        words = f"{amount} {verb_of(row.rounds, 'do')} not tell a slow one from its partners"
        return f"{words} ({ways_in_words(row.matrix)}); measure {FEWEST_ROUNDS} or more"
    usual = f"{format_time(row.usual_ns)} there and back"
    usual += f", scatter {scatter_in_words(row.scatter)}, {amount}"
    if row.lacks_topology:
        return f"cannot tell which node is slow: {NO_TOPOLOGY} ({usual})"
    if is_told(row):
        return f"no {'other ' if row.dead else ''}slow node found ({usual})"
    words = "cannot tell which node is slow: a pair differs too much from visit to visit"
    if one := _far_off(row):
        way = f"{one.source} to {one.target}"
        words = f"no cause is sure, though {way} takes {beyond(one.slower, 0)}"
    further = row.with_more_launches
    tells = f"; more endpoints or launches tell: {further}" if further else ""
    return f"{words} ({usual}){tells}"
