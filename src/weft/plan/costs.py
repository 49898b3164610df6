"""What launches and cases cost beside their samples, and how long an operation may take.

Guesses before the start, then what was measured; a case that was not tried yet is estimated from
cases of neighbouring sizes.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, Protocol

from weft.plan.thread_level import needs_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern

# Guesses before anything was measured: ranks started and ended, a case made, checked and answered.
GUESSED_LAUNCH_S = 0.6
GUESSED_CASE_S = 0.01
GUESSED_BYTES_PER_S = 0.5e9
# Fields and links of a site, where an application has some: made, and a solution found with them.
GUESSED_SITE_S = 40e-6
# Messages that are made, sent and compared for each case before its timed ones, both ways.
CHECKED_MESSAGES = 12
# Up to some kibibytes a message takes as long as a shorter one.
KNEE_BYTES = 4096
# How much larger a message may be than the nearest one measured for its time to be guessed.
FARTHEST = 32


class RankGroup(NamedTuple):
    """What a launch starts: a number of ranks of a transport.

    `threaded` ranks compute in several threads, which MPI must know when it starts.
    """

    transport: str
    ranks: int
    threaded: bool = False


def group_of(case: Case) -> RankGroup:
    """The ranks that measure a case."""
    return RankGroup(case.transport, case.ranks, needs_threads(case))


class Costed(Protocol):
    """A case, and the ranks that measure it."""

    @property
    def case(self) -> Case:
        """What is measured."""
        ...

    @property
    def pattern(self) -> Pattern:
        """How its messages go."""
        ...

    @property
    def group(self) -> RankGroup:
        """The ranks that measure it."""
        ...


class Costs:
    """Seconds of a run that are no samples, by group and by case."""

    def __init__(self) -> None:
        self._launches_s: dict[RankGroup, float] = {}
        # By kind and case its size, how far along that is, and its seconds.
        self._cases_s: dict[str, dict[Case, tuple[int, float, float]]] = {}

    def launch_took(self, group: RankGroup, seconds: float) -> None:
        """What a launch took beside its cases."""
        self._launches_s[group] = seconds

    def case_took(self, state: Costed, seconds: float) -> None:
        """What a case took beside its samples."""
        known = self._cases_s.setdefault(_kind(state.case), {})
        size = _size(state.case)
        known[state.case] = (size, _knee(size), seconds)

    def launch_s(self, group: RankGroup) -> float:
        """What the next launch of a group will take beside its cases."""
        known = self._launches_s
        usual_s = sum(known.values()) / len(known) if known else GUESSED_LAUNCH_S
        return known.get(group, usual_s)

    def case_s(self, state: Costed) -> float:
        """What a case will take beside its samples: as the last time, or as its nearest size."""
        known = self._cases_s.get(_kind(state.case), {})
        if state.case in known:
            return known[state.case][2]
        size = _size(state.case)
        if not known:
            messages_s = CHECKED_MESSAGES * size / GUESSED_BYTES_PER_S
            return GUESSED_CASE_S + messages_s + _fields_s(state)
        along = _knee(size)
        least = min(abs(one[1] - along) for one in known.values())
        # What one case took is chance: of several that are as near the median counts.
        return median(
            seconds * max(1.0, _scale(size, near))
            for near, at, seconds in known.values()
            if abs(at - along) == least
        )

    def knows_size(self, state: Costed) -> bool:
        """Whether a case of its kind and size was measured."""
        size = _size(state.case)
        return any(own == size for own, _, _ in self._cases_s.get(_kind(state.case), {}).values())

    def fixed_s(self, states: Iterable[Costed]) -> float:
        """What one launch of each of these cases takes beside its samples."""
        todo = list(states)
        # Not a set, whose order, and so the sum's last digit, is another in each process.
        groups = dict.fromkeys(state.group for state in todo)
        launches_s = sum(self.launch_s(group) for group in groups)
        return launches_s + sum(self.case_s(state) for state in todo)


def _kind(case: Case) -> str:
    """Cases of one kind tell of each other: tests of messages all do, an application alone."""
    return f"{case.transport}/{case.test}" if case.application else case.transport


def _size(case: Case) -> int:
    """What a case's cost grows with: its bytes, of an application those of all sites of a rank."""
    of = case.of_application
    return round(case.bytes * of.sites_of_rank(case.ranks)) if of else case.bytes


def _fields_s(state: Costed) -> float:
    """What an application takes to make what it keeps on its sites; twice, for a look is first."""
    of = state.case.of_application
    if of is None or not state.pattern.application.keeps_data:
        return 0.0
    return 2 * GUESSED_SITE_S * of.sites_of_rank(state.case.ranks)


def _knee(size: int) -> float:
    return math.log(size + KNEE_BYTES)


def _scale(size: int, near: int) -> float:
    return (size + KNEE_BYTES) / (near + KNEE_BYTES)


def guessed_operation_ns(size: int, known_ns: Mapping[int, float]) -> float:
    """The time of an operation of a size from those of other sizes; 0 where none is near enough.

    Between two sizes a line, from one alone in proportion above some kibibytes.
    """
    times = {near: time for near, time in known_ns.items() if time > 0}
    below = max((near for near in times if near <= size), default=None)
    above = min((near for near in times if near >= size), default=None)
    if below is not None and above is not None:
        part = (size - below) / (above - below) if above > below else 0.0
        return times[below] + part * (times[above] - times[below])
    near = below if above is None else above
    if near is None or _scale(size, near) > FARTHEST:
        return 0.0
    return times[near] * _scale(size, near)
