"""What huge pages give on this machine: messages of 1 MiB in small pages and in huge ones, in turn.

Two ranks over MPI are started once and measure both in pairs, so that what else the machine does
meanwhile is in both sides of a ratio alike.
"""

from __future__ import annotations

import statistics
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.host.checks import SETTING_OF_HUGE_PAGES
from weft.host.finding import Finding
from weft.host.memory import Memory, collect_memory
from weft.launch.all import choose_launcher
from weft.launch.launcher import Job
from weft.launch.programs import choose_mpi, programs
from weft.launch.protocol import LaunchError
from weft.plan.allocation import Allocation
from weft.plan.case import USUAL_RANKS, Case
from weft.plan.cases import TESTS
from weft.plan.command import weft_run
from weft.plan.memory import needed_bytes
from weft.stages import counted_as_they_come
from weft.units import format_bytes, format_ratio
from weft.wording import between, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft.launch.launcher import RunningLaunch
    from weft.launch.programs import Program

CHECK = "huge pages, measured"
BYTES = 1 << 20
# With the start of the ranks about 3 s. No pair begins unless one as long as the longest fits; on a
# machine that is slow at it the few that a figure takes may last longer.
BUDGET_S = 2.0
MOST_S = 15.0
MOST_PAIRS = 9
FEWEST_PAIRS = 3
START_S = 10.0
# Where the kernel does not say how long a huge page is.
USUAL_PAGE_BYTES = 2 << 20
# A case is given so long at least.
LEAST_S = 0.1
ALONE = weft_run("stream", "--transport", "mpi")
IDLE = "measure when the machine is idle (top shows what runs)"
# One sample of two windows: some 30 ms where memory gives 5 GB/s.
SAMPLES = 1
OPERATIONS = 128


class _RefusedError(Exception):
    """A case without a figure: why."""


class PagesRatios(msgspec.Struct, frozen=True, kw_only=True):
    """The bandwidth of a test in huge pages over that in small ones, one ratio for each pair."""

    test: str
    ratios: tuple[float, ...] = ()

    @property
    def sentence(self) -> str:
        """The median, with the range of the pairs."""
        middle = format_ratio(statistics.median(self.ratios))
        range_ = between(middle, min(self.ratios), max(self.ratios), format_ratio)
        return f"{self.test} {range_} times the bandwidth"


def huge_pages_here() -> Finding:
    """What they give on this machine, measured in about 3 s; or why it cannot be measured.

    Raises WeftError where no MPI or no program of the engine is installed.
    """
    mpi = choose_mpi()
    program = next((one for one in programs(mpi) if one.transport == "mpi"), None)
    if program is None or program.reason:
        why = program.reason if program else f"there is no rank-mpi for {mpi}"
        raise WeftError(f"huge pages are measured over MPI: {why}", "run make build")
    job = Job(program=program.path, mpi=mpi, ranks=USUAL_RANKS)
    try:
        with choose_launcher("local", Allocation()).start(job) as ranks:
            ranks.hello(START_S)
            ratios = measured_in_pairs(ranks, streams_of(program), time.monotonic)
    except LaunchError as error:
        return _not_measured(error.reason, f"{ALONE} shows what is wrong")
    except _RefusedError as refused:
        return _not_measured(str(refused), how_to_get(program, collect_memory(Path("/"))))
    return finding_of(ratios)


def streams_of(program: Program) -> tuple[str, ...]:
    """The usual tests that stream: one way, and both ways, where a library that copies walks
    through both ranks' pages at a time.
    """
    streams = {one.name for one in program.patterns if one.footprint.streams}
    return tuple(test for test in TESTS if test in streams)


def measured_in_pairs(
    ranks: RunningLaunch, tests: Sequence[str], clock: Callable[[], float]
) -> tuple[PagesRatios, ...]:
    """Each test in small and in huge pages, in turn, within BUDGET_S of `clock` (seconds).

    FEWEST_PAIRS may take up to MOST_S.
    The first pair of each warms up. Which kind goes first changes from pair to pair: what drifts is
    not taken for a gain. A pair that is cut short leaves those before it. Raises LaunchError where
    the ranks end, and _RefusedError where a case gets no figure.
    """
    pairs = _pairs(ranks, tests, clock)
    # The first pair warms up. Further ones are measured in what is left of a short time.
    fewest = FEWEST_PAIRS + 1
    measured = list(counted_as_they_come(islice(pairs, fewest), fewest, "measuring huge pages"))
    measured = [*measured, *pairs][1:]
    return tuple(
        PagesRatios(test=test, ratios=tuple(one[test] for one in measured)) for test in tests
    )


def _pairs(
    ranks: RunningLaunch, tests: Sequence[str], clock: Callable[[], float]
) -> Iterator[dict[str, float]]:
    """The ratio of each test, pair by pair, as long as there is time."""
    start = clock()
    longest_s = 0.0
    for number in range(MOST_PAIRS + 1):
        end = start + (BUDGET_S if number > FEWEST_PAIRS else MOST_S)
        if clock() + longest_s > end:
            return
        began = clock()
        first = "small" if number % 2 == 0 else "huge"
        try:
            found = {test: _ratio(ranks, test, first, end - clock()) for test in tests}
        except LaunchError as error:
            # On a busy machine a pair may take longer than those before it.
            if error.status != "timeout":
                raise
            return
        longest_s = max(longest_s, clock() - began)
        yield found


def _ratio(ranks: RunningLaunch, test: str, first: str, left_s: float) -> float:
    """Time in small pages over time in huge ones, of which `first` is measured first."""
    order = ("small", "huge") if first == "small" else ("huge", "small")
    took = {pages: _time_of(ranks, test, pages, left_s) for pages in order}
    return took["small"] / took["huge"]


def _time_of(ranks: RunningLaunch, test: str, pages: str, left_s: float) -> float:
    """Ticks of a sample, the median: of one launch, so a ratio of them needs no clock's period."""
    case: dict[str, Any] = {
        "id": 0, "test": test, "bytes": BYTES, "samples": SAMPLES, "warmup": 0,
        "ops_per_sample": OPERATIONS, "pages": pages, "verify": False,
    }  # fmt: skip
    answer = ranks.run(case, max(left_s, LEAST_S))
    if answer.status != "ok":
        raise _RefusedError(answer.reason)
    return statistics.median(answer.ticks[answer.warmup :])


def finding_of(gains: Sequence[PagesRatios]) -> Finding:
    """The ratios in words, or that there were too few pairs for one."""
    pairs = min(len(gain.ratios) for gain in gains)
    if pairs < FEWEST_PAIRS:
        return _not_measured(
            f"{counted(pairs, 'pair')} of {FEWEST_PAIRS} ended in {MOST_S:g} s", IDLE
        )
    size = format_bytes(BYTES)
    said = "; ".join(gain.sentence for gain in gains)
    return Finding(
        check=CHECK,
        level="ok",
        what=f"huge pages over small ones, {size} over mpi between two ranks of this machine,"
        f" median and range of {counted(pairs, 'pair')}: {said}",
    )


def how_to_get(program: Program, memory: Memory) -> str:
    """What to type for as many huge pages as the longest case needs, both ranks' together."""
    known = {pattern.name: pattern.footprint for pattern in program.patterns}
    footprints = {test: known[test] for test in streams_of(program)}
    cases = [Case(test=test, transport="mpi", bytes=BYTES, pages="huge") for test in footprints]
    most = max(needed_bytes(case, footprints[case.test]) for case in cases)
    pages = -(-most // (memory.huge_page_bytes or USUAL_PAGE_BYTES))
    return f"echo madvise > {SETTING_OF_HUGE_PAGES}, or sysctl vm.nr_hugepages={pages}"


def _not_measured(why: str, fix: str) -> Finding:
    return Finding(
        check=CHECK,
        level="unknown",
        what=f"not measured: {why}",
        effect="nothing is said of what huge pages would give",
        fix=fix,
    )
