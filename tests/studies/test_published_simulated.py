"""Published studies over a simulator that is told what to say: each figure of its own platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.builders import make_cases, make_footer, synthetic_record
from support.simulations import platform
from support.studies import iteration_ns, weak_cases
from weft import session
from weft.errors import WeftError
from weft.plan.cases import Experiment
from weft.reference.library import find_platform
from weft.sim.assumptions import ASSUMED
from weft.studies import published, reproduction
from weft.studies.published import reproduced

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weft.plan.case import Case
    from weft.plan.request import Request
    from weft.record.model import Footer, Outcome

SIZES = (0, 8, 1 << 20)


class Told:
    """Writes the record of every simulation: a test, a size and a platform have their own time."""

    def __init__(self, outcome: Outcome = "precise") -> None:
        self.outcome = outcome
        self.asked: list[Request] = []

    def start(self, request: Request, say: Callable[[str], None]) -> tuple[Path, Footer]:
        say("nobody hears this")
        self.asked.append(request)
        tests = tuple(test for one in request.experiments for test in one.tests)
        solver = "milc" in tests
        cases = weak_cases(extents=(4, 8)) if solver else make_cases(tests, ("sim",), SIZES)
        assert request.output is not None
        at = len(self.asked)

        def times_ns(case: Case, round_: int) -> list[float]:
            own = iteration_ns(case) if solver else time_ns(case.test, case.bytes)
            return [(1 + round_) * at * own] * 11

        # What is simulated is launched once.
        synthetic_record(
            request.output, cases, launches=1, times_ns=times_ns,
            parts_ns=lambda case, _: (
                {"post_send": [at * 77.0] * 11} if case.test == "host_overhead" else {}
            ),
        )  # fmt: skip
        return request.output, make_footer(len(cases), self.outcome)


def time_ns(test: str, size: int) -> float:
    """Of an operation: longer by the letters of its test's name."""
    return 1000.0 * len(test) + 0.8 * size


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    made = Told()
    monkeypatch.setattr(session, "start", made.start)
    return made


def test_the_times_of_tests_are_by_their_test_and_size(told: Told) -> None:
    found = reproduction.simulated_times(platform(), ("ping_pong", "sendrecv"))
    for size in SIZES:
        # A ping-pong's operation goes there and back.
        assert found("ping_pong", size) == pytest.approx(time_ns("ping_pong", size) / 2, rel=1e-3)
        assert found("sendrecv", size) == pytest.approx(time_ns("sendrecv", size), rel=1e-3)
    assert found("sendrecv", 3) is None
    [asked] = told.asked
    assert asked.experiments == (
        Experiment(tests=("ping_pong", "sendrecv"), sizes="0..4MiB", ranks=2),
    )
    assert asked.platform == platform()
    assert (asked.command, asked.budget_s) == (("weft", "reproduce"), 600.0)
    assert asked.output is not None
    assert not asked.output.parent.exists()


def test_statements_are_of_the_tests_that_the_text_means(told: Told) -> None:
    found = reproduction.simulated_statements(platform())
    assert found == pytest.approx(
        {
            "latency_small": time_ns("ping_pong", 8) / 2,
            "bandwidth_peak_one_way": 1e9 * (1 << 20) / time_ns("stream", 1 << 20),
            "bandwidth_peak_both_ways": 2e9 * (1 << 20) / time_ns("sendrecv", 1 << 20),
            "host_overhead": 77.0 + time_ns("late_receive", 8),
        },
        rel=1e-3,
    )
    assert len(told.asked) == 1


def test_a_study_that_ends_early_is_no_answer(told: Told) -> None:
    told.outcome = "interrupted"
    with pytest.raises(KeyboardInterrupt):
        reproduction.simulated_times(platform(), ("ping_pong",))
    told.outcome = "budget"
    with pytest.raises(WeftError, match="known is not simulated after 600 s"):
        reproduction.simulated_times(platform(), ("ping_pong",))


def test_each_platform_of_the_study_with_tables_is_simulated(told: Told) -> None:
    tables = reproduced("sandia", "table").tables
    assert [one.name for one in tables] == [f"table_{at}" for at in (4, 5, 6, 7, 8)]
    assert "published and simulated (table)" in tables[-1].caption
    platforms = [one.platform for one in told.asked]
    names = ["escher", "red-squall", "callisto"]
    assert [(one.name, one.kind) for one in platforms if one] == [(n, "table") for n in names]
    # Latencies, µs: the second platform's simulation takes twice the first one's, and so on.
    for table, test, operations in ((0, "ping_pong", 2), (2, "sendrecv", 1)):
        row = next(row for row in tables[table].rows if row[0] == "8 B")
        wanted = [at * time_ns(test, 8) / operations / 1e3 for at in (1, 2, 3)]
        assert [float(row[at]) for at in (2, 5, 8)] == pytest.approx(wanted, rel=2e-3)


def test_each_platform_of_the_study_without_tables_is_simulated(told: Told) -> None:
    [table] = reproduced("osu", "model").tables
    names = ["osu-vapi", "osu-gm", "osu-elan3"]
    assert [one.platform.name for one in told.asked if one.platform] == names
    assert {one.platform.kind for one in told.asked if one.platform} == {"model"}
    titles = [find_platform(name).title for name in names]
    assert [title for title in titles if title in str(table)] == titles


def test_the_solvers_study_has_both_clusters_side_by_side(told: Told) -> None:
    found = reproduced("fermilab", "model", "900MFlop/s")
    asked = [one.platform for one in told.asked]
    assert [one.name for one in asked if one] == list(ASSUMED)
    assert {one.nodes for one in asked if one} == {16}
    for one in told.asked:
        own = [(part.tests, part.sizes, part.ranks) for part in one.experiments]
        assert own == [(("milc",), "36", ranks) for ranks in (1, 2, 4, 8, 16)]
        extents = {part.variants.application.extents for part in one.experiments}
        assert extents == {"4,6,8,10,12,14"}
    [table] = found.tables
    [first] = [row for row in table.rows if row[0] == "4^4"]
    alone = next(case for case in weak_cases(extents=(4,)) if case.ranks == 1)
    rate = 1e3 * 1187 * 4**4 / iteration_ns(alone)
    assert first[1] == f"{rate:.0f}"
    assert first[4] == f"{rate / 2:.0f}"
    assert table.notes[0].startswith("A node computes 900MFlop/s, ")
    assert [note.partition(": assumed ")[0] for note in table.notes[1:3]] == [
        find_platform(name).title for name in ASSUMED
    ]
    assert found.charts
    [usual] = reproduced("fermilab", "model").tables
    assert usual.notes[0].startswith(f"A node computes {published._USUAL_RATE}, ")
