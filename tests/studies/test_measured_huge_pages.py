"""What huge pages give, by scripted ranks of known times."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest
from typer.testing import CliRunner

from support.builders import pattern
from weft.cli.main import app
from weft.host.memory import Memory
from weft.launch.local import LocalLauncher
from weft.launch.programs import Program
from weft.launch.protocol import Answer, LaunchError
from weft.plan.pattern import Footprint
from weft.stages import Stages, shown_by
from weft.studies import huge_pages
from weft.studies.huge_pages import (
    BUDGET_S,
    CHECK,
    FEWEST_PAIRS,
    MOST_S,
    PagesRatios,
    finding_of,
    how_to_get,
    measured_in_pairs,
)

STREAMS = ("stream", "bidirectional_stream")
SECONDS = {"small": 0.03, "huge": 0.01}


class Ranks:
    """Ranks whose messages take known times, on a clock that only they move."""

    def __init__(self, took: Callable[[Mapping[str, Any], int], float]) -> None:
        self.now_s = 0.0
        self.asked: list[Mapping[str, Any]] = []
        self._took = took

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def hello(self, deadline_s: float = 0) -> Any:
        raise NotImplementedError

    def finish(self, deadline_s: float = 0) -> Any:
        raise NotImplementedError

    def run(self, case: Mapping[str, Any], deadline_s: float) -> Answer:
        took_s = self._took(case, len(self.asked))
        self.asked.append(case)
        if took_s > deadline_s:
            raise LaunchError("timeout", "it did not end")
        self.now_s += took_s
        return Answer(id=case["id"], status="ok", ticks=(round(took_s * 1e9),))

    def clock(self) -> float:
        return self.now_s


def test_the_ratio_is_the_bandwidth_in_huge_pages_over_that_in_small_ones() -> None:
    ranks = Ranks(lambda case, _: SECONDS[case["pages"]] * (2 if case["test"] == "stream" else 1))
    gains = measured_in_pairs(ranks, STREAMS, ranks.clock)
    assert [gain.test for gain in gains] == ["stream", "bidirectional_stream"]
    assert {ratio for gain in gains for ratio in gain.ratios} == {3.0}
    # The median is of all that was asked for: none of it is for warming up.
    assert {case["warmup"] for case in ranks.asked} == {0}
    said = finding_of(gains)
    assert (said.check, said.level) == (CHECK, "ok")
    assert "stream 3.000 [3.000, 3.000] times the bandwidth" in said.what


def test_a_machine_that_gets_slower_gives_no_gain() -> None:
    ranks = Ranks(lambda _, count: 0.01 * 1.02**count)
    [one, _] = measured_in_pairs(ranks, STREAMS, ranks.clock)
    # Whichever is second in a pair is slower, by as much: a median over both orders has neither.
    assert min(one.ratios) < 1 < max(one.ratios)
    assert sorted(case["pages"] for case in ranks.asked) == sorted(
        ["huge", "small"] * (len(ranks.asked) // 2)
    )


class Line:
    """What is shown of the progress."""

    def __init__(self) -> None:
        self.shares: list[float] = []

    def show(self, what: str, share: float, left_s: float) -> None:
        assert (what, left_s > 0) == ("measuring huge pages", share < 1)
        self.shares.append(share)

    def hide(self) -> None: ...


def test_a_slow_machine_says_how_far_it_is() -> None:
    """`weft doctor --measure` took 18 s on a busy machine and showed nothing meanwhile."""
    ranks, line = Ranks(lambda *_: 0.6), Line()
    with shown_by(Stages(lambda: line, ranks.clock)):
        measured_in_pairs(ranks, STREAMS, ranks.clock)
    assert line.shares == [0.25, 0.5, 0.75, 1.0]


def test_no_pair_begins_that_would_not_end_in_time() -> None:
    ranks = Ranks(lambda *_: 0.09)
    measured_in_pairs(ranks, STREAMS, ranks.clock)
    assert BUDGET_S - 0.36 < ranks.now_s <= BUDGET_S


def test_a_slow_machine_gets_the_few_pairs_that_a_figure_takes() -> None:
    ranks = Ranks(lambda *_: 0.6)
    gains = measured_in_pairs(ranks, STREAMS, ranks.clock)
    assert [len(gain.ratios) for gain in gains] == [FEWEST_PAIRS, FEWEST_PAIRS]
    assert finding_of(gains).level == "ok"
    slower = Ranks(lambda *_: 1.5)
    few = finding_of(measured_in_pairs(slower, STREAMS, slower.clock))
    assert (few.level, slower.now_s <= MOST_S) == ("unknown", True)
    assert "1 pair of 3 ended in 15 s" in few.what


@pytest.mark.parametrize(("page_bytes", "share"), [(1 << 30, 512), (32 << 20, 16)])
def test_so_many_pages_are_advised_as_this_machine_has_of_its_own_length(
    page_bytes: int, share: int
) -> None:
    patterns = tuple(
        msgspec.structs.replace(pattern(test), footprint=Footprint(streams=True, receives=2048))
        for test in STREAMS
    )
    program = Program(path=Path("x"), transport="mpi", mpi="openmpi", patterns=patterns)
    many, few = (
        int(how_to_get(program, Memory(huge_page_bytes=size)).rpartition("=")[2])
        for size in (None, page_bytes)
    )
    assert few == -(-many // share)


def test_a_pair_that_is_cut_short_leaves_those_before_it() -> None:
    ranks = Ranks(lambda _, count: 0.01 if count < 5 * 4 else 100.0)
    gains = measured_in_pairs(ranks, STREAMS, ranks.clock)
    assert [len(gain.ratios) for gain in gains] == [4, 4]


def test_the_first_pair_warms_up() -> None:
    ranks = Ranks(lambda case, count: 1 / 3 if count < 4 and case["pages"] == "huge" else 0.02)
    gains = measured_in_pairs(ranks, STREAMS, ranks.clock)
    assert {ratio for gain in gains for ratio in gain.ratios} == {1.0}


def test_too_few_pairs_are_no_figure() -> None:
    said = finding_of([PagesRatios(test="stream", ratios=(3.0, 3.0))])
    assert said.level == "unknown"
    assert "3.00" not in said.what
    assert said.fix


def test_where_there_are_none_the_reason_and_what_to_type_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class RanksWithoutPages(Ranks):
        def hello(self, deadline_s: float = 0) -> Any: ...

        def run(self, case: Mapping[str, Any], deadline_s: float) -> Answer:  # noqa: ARG002
            return Answer(id=case["id"], status="failed", reason="0 are on huge pages")

    monkeypatch.setattr(huge_pages, "choose_mpi", lambda: "openmpi")
    patterns = tuple(
        msgspec.structs.replace(pattern(test), footprint=Footprint(streams=True))
        for test in STREAMS
    )
    one = type(
        "Program", (), {"transport": "mpi", "reason": "", "path": "x", "patterns": patterns}
    )()
    monkeypatch.setattr(huge_pages, "programs", lambda _: (one,))
    monkeypatch.setattr(huge_pages, "Job", lambda **_: None)
    ranks = RanksWithoutPages(lambda *_: 0.0)
    monkeypatch.setattr(LocalLauncher, "start", lambda *_: ranks)
    said = huge_pages.huge_pages_here()
    assert said.level == "unknown"
    assert "0 are on huge pages" in said.what
    assert "sysctl vm.nr_hugepages=" in said.fix


def test_another_host_is_refused() -> None:
    done = CliRunner().invoke(app, ["doctor", "--measure", "--hosts", "n1"])
    assert done.exit_code != 0
    assert str(done.exception) == (
        "--measure is of this machine alone; run weft doctor --measure on the other host"
    )


@pytest.mark.engine
def test_this_machine_is_measured_or_says_why_not() -> None:
    said = huge_pages.huge_pages_here()
    assert ("times the bandwidth" in said.what) == (said.level == "ok")
    assert said.level == "ok" or said.fix
