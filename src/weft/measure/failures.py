"""Failed launches: a case is tried again, a transport is given up only when several failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.record.model import GivenUp
from weft.record.run import MOST_TRIES
from weft.wording import not_answering

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.measure.state import CaseState
    from weft.plan.costs import RankGroup

# Ranks that did not come up so often in a row are given up.
MOST_STARTS = 2
# So many different cases that ended their launches, and none that succeeded between them, are not
# the fault of one case: others of the same test, or of the whole transport, that never succeeded
# are not tried any more, and after as many failures again, none is.
MOST_FAILED_CASES = 3


class Failures:
    """Counts failures of ranks and of cases in one run, and decides what is given up."""

    def __init__(self) -> None:
        self.given_up: list[GivenUp] = []
        self.silent_hosts: tuple[str, ...] = ()
        self._starts: dict[RankGroup, int] = {}
        self._failed: dict[tuple[RankGroup, str], dict[str, None]] = {}

    def started(self, group: RankGroup) -> None:
        """Ranks are up."""
        self._starts[group] = 0

    def went_well(self, state: CaseState) -> None:
        """A case gave a good batch."""
        state.failures = 0
        for test in ("", state.case.test):
            self._failed.pop((state.group, test), None)

    def went_wrong(self, state: CaseState) -> None:
        """A case failed; after so many tries in a row it gets none any more in this run."""
        state.failures += 1
        state.closed = state.closed or state.failures >= MOST_TRIES

    def ended_launch(self, state: CaseState, reason: str) -> None:
        """The launch ended with this case: its ranks died or did not answer."""
        self.went_wrong(state)
        counts = {}
        for test in ("", state.case.test):
            failed = self._failed.setdefault((state.group, test), {})
            failed[state.case.key] = None
            counts[test] = len(failed)
        for test, count in counts.items():
            if count >= MOST_FAILED_CASES:
                del self._failed[state.group, test]
                self._give_up(state.group, test, f"{count} different cases failed: {reason}")
                break

    def did_not_start(self, group: RankGroup, reason: str) -> None:
        """Ranks did not come up."""
        self._starts[group] = self._starts.get(group, 0) + 1
        if self._starts[group] >= MOST_STARTS:
            self._give_up(group, "", reason)

    def _give_up(self, group: RankGroup, test: str, reason: str) -> None:
        self.given_up.append(
            GivenUp(transport=group.transport, ranks=group.ranks, test=test, reason=reason)
        )

    def hosts_gone(self, groups: Iterable[RankGroup], hosts: Mapping[str, str]) -> None:
        """Hosts do not answer any more: what runs on them is given up, whatever it had before.

        `hosts` are the names for a reader by the hosts' own names.
        """
        self.silent_hosts = tuple(hosts)
        for group in groups:
            self._starts[group] = MOST_STARTS
            self._give_up(group, "", not_answering([*hosts.values()]))

    def close(self, states: Iterable[CaseState]) -> None:
        """Close the cases of what was given up."""
        for state in states:
            times = sum(1 for gone in self.given_up if gone.takes(state.case))
            never_came_up = self._starts.get(state.group, 0) >= MOST_STARTS
            if never_came_up or times > 1 or (times == 1 and not state.medians_ns):
                state.closed = True
