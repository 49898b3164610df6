"""Several rails beside one, from records whose answer is known."""

from pathlib import Path

import pytest

import weft
from support.builders import pattern, synthetic_record
from support.shown import findings_of
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.cases import make_cases
from weft.record.run import Run
from weft.topics.rails import rail_ratios

ONE_NS, FIXED_NS = 4.0, 1000.0


def measured(path: Path, *transports: str, test: str = "ping_pong") -> Run:
    """Times of a + b n over one rail; from 16 KiB on a stripe over two has half of the second."""
    cases = make_cases([test], list(transports), "1KiB,1MiB", patterns={test: pattern(test)})

    def times(case: Case, round_: int) -> list[float]:
        cut = case.transport.endswith(":stripe") and case.bytes >= 16384
        time_ns = FIXED_NS + ONE_NS * case.bytes / (2 if cut else 1)
        return [time_ns * (1 + 0.001 * round_ + 0.0001 * (sample % 3)) for sample in range(21)]

    return weft.load(synthetic_record(path / "r.jsonl", cases, times_ns=times))


@pytest.mark.parametrize("test", ["ping_pong", "stream"])
def test_the_ratio_to_one_rail(tmp_path: Path, test: str) -> None:
    run = measured(tmp_path, "tcp", "tcp:stripe", test=test)
    small, large = rail_ratios(run, summarise(run))
    assert (small.transport, small.test, small.bytes) == ("tcp:stripe", test, 1024)
    assert (small.verdict, large.verdict) == ("same", "better"), (small, large)
    truth = (FIXED_NS + ONE_NS * 2**20) / (FIXED_NS + ONE_NS * 2**19)
    assert large.ratio.low <= truth <= large.ratio.high
    assert large.ratio.speed == pytest.approx(truth, rel=1e-3)


def test_it_is_told_below_the_tables(tmp_path: Path) -> None:
    run = measured(tmp_path, "tcp", "tcp:stripe")
    told = next(line for line in findings_of(run, summarise(run)) if line.startswith("rails"))
    assert told.startswith("rails: tcp:stripe, ping_pong, in times one rail: 1.000 [")
    assert " at 1 KiB (same); 2.000 [" in told
    assert told.endswith(" at 1 MiB (better)")


def test_without_one_rail_or_without_rails_there_is_nothing_to_say(tmp_path: Path) -> None:
    for number, transports in enumerate([("tcp:stripe",), ("tcp", "mpi")]):
        (folder := tmp_path / str(number)).mkdir()
        run = measured(folder, *transports)
        assert not rail_ratios(run, summarise(run))


def test_rails_that_look_alike_are_told_by_the_margin(tmp_path: Path) -> None:
    """Their difference is next to nothing: to show that would take any number of launches."""
    cases = make_cases(
        ["ping_pong"], ["tcp", "tcp:stripe"], "8", patterns={"ping_pong": pattern("ping_pong")}
    )

    def times(case: Case, round_: int) -> list[float]:
        effect = 1 + 0.03 * (round_ % 3) + (1e-6 if case.transport == "tcp" else 0.0)
        return [1000.0 * effect] * 21

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times))
    [row] = rail_ratios(run, summarise(run))
    assert row.verdict == "cannot tell"
    assert row.needed is not None
    assert row.needed.difference == pytest.approx(0.02)
