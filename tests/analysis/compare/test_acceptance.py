"""Limits and references: pass, fail or cannot tell on the interval, and no retry buys a pass."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest

import weft
from support.builders import HOST, lost_batch, make_cases, synthetic_record, usual_times_ns
from weft.analysis.compare import acceptance
from weft.analysis.compare.acceptance import (
    EXIT_STATUS,
    Checked,
    Outcome,
    against_record,
    overall,
)
from weft.analysis.compare.bounds import Limit
from weft.analysis.compare.kept_limits import against_limits
from weft.analysis.compare.pool import Pooled, pool
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.needed import Needed
from weft.analysis.stats.ratios import Ratio
from weft.errors import WeftError
from weft.plan.case import Case, Schedule
from weft.record.model import LaunchEnd
from weft.record.run import Run
from weft.sources.imported import import_outputs
from weft.sources.limits import read_limits
from weft.sources.peers.stated import Given
from weft.studies.checks import checked

TRIALS = 1000
CASES = make_cases(tests=("ping_pong", "stream"), transports=("tcp",))


def record(folder: Path, name: str = "a", factor: float = 1.0, **more: object) -> Run:
    """A record whose operations take `factor` of the usual time; 8 bytes take 1,000 ns one way."""

    def times(case: Case, launch: int) -> Sequence[float]:
        return [t * factor for t in usual_times_ns(case, launch)]

    path = folder / f"{name}.jsonl"
    options: dict[str, object] = {"times_ns": times, **more}
    return weft.load(synthetic_record(path, CASES, **options))  # type: ignore[arg-type]


def limits(folder: Path, text: str) -> tuple[Limit, ...]:
    path = folder / "limits.toml"
    path.write_text(text)
    return read_limits(path)


def one(folder: Path, runs: Sequence[Run], text: str) -> Checked:
    [check] = against_limits(pool(runs), limits(folder, f"[[limit]]\n{text}"))
    return check


@pytest.mark.parametrize(
    ("bound", "outcome"), [("1.01 us", "pass"), ("0.99 us", "fail"), ("1 us", "cannot tell")]
)
def test_a_latency_is_judged_by_its_whole_interval(
    tmp_path: Path, bound: str, outcome: str
) -> None:
    """The true median is 1,000.4 ns; five launches give about 996 to 1,004."""
    text = f'test = "ping_pong"\nsizes = "8"\nlatency_at_most = "{bound}"'
    check = one(tmp_path, [record(tmp_path)], text)
    assert (check.case, check.outcome) == ("tcp/ping_pong/8", outcome)
    assert check.launches == 5
    assert check.bound == pytest.approx(float(bound.split(maxsplit=1)[0]) * 1000)


@pytest.mark.parametrize(
    ("bound", "outcome"),
    [
        ("9.7 GB/s", "pass"),
        ("9.9 GB/s", "fail"),
        ("9.81 GB/s", "cannot tell"),
        ("78 Gbit/s", "pass"),
    ],
)
def test_a_bandwidth_is_judged_by_its_whole_interval(
    tmp_path: Path, bound: str, outcome: str
) -> None:
    """2^20 bytes in 2,000 ns + 0.1 ns a byte are 9.813 GB/s."""
    text = f'test = "stream"\nsizes = "1MiB"\nbandwidth_at_least = "{bound}"'
    assert one(tmp_path, [record(tmp_path)], text).outcome == outcome


def test_a_share_of_the_peak_is_a_bandwidth(tmp_path: Path) -> None:
    text = 'test = "stream"\nsizes = "1MiB"\nlink = "100GbE"\npercent_of_peak_at_least = "{}"'
    runs = [record(tmp_path)]
    check = one(tmp_path, runs, text.format("75%"))  # 9.813 of 12.5 are 78.5 %
    assert check.outcome == "pass"
    assert check.bound == pytest.approx(0.75 * 12.5e9)
    assert one(tmp_path, runs, text.format("80 %")).outcome == "fail"


def test_sizes_transports_and_single_sizes_that_are_missing(tmp_path: Path) -> None:
    runs = [record(tmp_path)]
    text = '[[limit]]\ntest = "ping-pong"\nlatency_at_most = "1 s"\n'
    asked = {
        "": [0, 8, 1024, 65536, 1048576],
        'sizes = "1..64KiB"\n': [8, 1024, 65536],
        'sizes = "8,1MiB"\n': [8, 1048576],
    }
    for more, sizes in asked.items():
        checks = against_limits(pool(runs), limits(tmp_path, text + more))
        assert [check.bytes for check in checks] == sizes
        assert {check.outcome for check in checks} == {"pass"}
    for more in (
        'sizes = "8,16"\n',
        'sizes = "8"\n[[limit]]\ntest = "put-latency"\nlatency_at_most = "1 s"\n',
    ):
        last = against_limits(pool(runs), limits(tmp_path, text + more))[-1]
        assert last.outcome == "cannot tell"
        assert last.why.endswith("was not measured")


def test_limits_for_nothing_in_the_record_are_refused(tmp_path: Path) -> None:
    text = '[[limit]]\ntest = "allreduce"\nlatency_at_most = "1 s"\n'
    with pytest.raises(WeftError, match="tests that it has: ping_pong, stream"):
        against_limits(pool([record(tmp_path)]), limits(tmp_path, text))


def test_one_launch_passes_nothing_and_fails_nothing(tmp_path: Path) -> None:
    run = record(tmp_path, launches=1)
    for bound in ("1 s", "1 ns"):
        text = f'test = "ping_pong"\nsizes = "8"\nlatency_at_most = "{bound}"'
        check = one(tmp_path, [run], text)
        assert check.outcome == "cannot tell"
        assert "one launch" in check.why


SLOW = 'test = "ping_pong"\nsizes = "8"\nlatency_at_most = "1.05 us"'


def test_a_retry_does_not_buy_a_pass(tmp_path: Path) -> None:
    """Three slow launches, then five fast ones: alone the second record passes, with both not."""
    slow, fast = record(tmp_path, "slow", 1.2, launches=3), record(tmp_path, "fast")
    assert one(tmp_path, [slow], SLOW).outcome == "fail"
    assert one(tmp_path, [fast], SLOW).outcome == "pass"
    both = one(tmp_path, [slow, fast], SLOW)
    assert both.launches == 8
    assert both.outcome == "cannot tell"


def test_a_failure_is_never_hidden_by_launches_that_went_well(tmp_path: Path) -> None:
    lost = lost_batch(CASES[1], 4, 90, "failed", "byte 3 of 8 differs")
    bad, good = record(tmp_path, "bad", more=[lost]), record(tmp_path, "good", 1.001)
    for runs in ([bad], [bad, good], [good, bad]):
        check = one(tmp_path, runs, SLOW)
        assert check.outcome == "fail"
        assert "byte 3 of 8 differs" in check.why


@pytest.mark.parametrize(
    "lost",
    [
        lost_batch(CASES[1], 4, 90, "timeout", "no answer in 20 s"),
        LaunchEnd(launch=9, status="timeout", reason="no answer in 20 s"),
    ],
)
def test_a_launch_that_gave_nothing_keeps_a_case_from_passing(
    tmp_path: Path, lost: LaunchEnd
) -> None:
    bad = record(tmp_path, "bad", more=[lost])
    check = one(tmp_path, [bad, record(tmp_path, "good", 1.001)], SLOW)
    assert check.outcome == "cannot tell"
    assert "no answer in 20 s" in check.why
    slow = record(tmp_path, "slow", 1.2, more=[lost])
    assert one(tmp_path, [slow], SLOW).outcome == "fail"


def test_what_was_not_measured_cannot_be_told(tmp_path: Path) -> None:
    def no_eight(case: Case, launch: int) -> Sequence[float]:
        return [] if case.bytes == 8 else usual_times_ns(case, launch)

    check = one(tmp_path, [record(tmp_path, times_ns=no_eight)], SLOW)
    assert (check.outcome, check.why) == ("cannot tell", "was not measured")
    nothing = 'test = "stream"\nsizes = "8"\nlatency_at_most = "1 s"'
    check = one(tmp_path, [record(tmp_path, "b")], nothing)
    assert (check.outcome, check.why) == ("cannot tell", "stream has no latency")


def test_of_several_records_the_session_is_the_unit(tmp_path: Path) -> None:
    runs = [record(tmp_path, "a", 1.0), record(tmp_path, "b", 1.001, launches=4)]
    found = pool(runs)["tcp/ping_pong/8"]
    assert found.launches == 9
    effects = [0.996, 1.003, 1.0, 1.002, 0.998]
    medians = [1000.4 * e for e in effects] + [1000.4 * 1.001 * e for e in effects[:4]]
    sessions = [float(np.median(medians[:5])), float(np.median(medians[5:]))]
    # A latency is half of an operation, and so is what a tick is worth in it.
    expected = median_of_launches(sessions, 0.5 / 8 / 2, "session")
    assert found.latency_ns is not None
    assert found.latency_ns.value == pytest.approx(expected.value, rel=1e-4)
    assert found.latency_ns.low == pytest.approx(expected.low, rel=1e-4)
    assert found.latency_ns.method == "range of 2 sessions, widened to 95 %"
    assert (found.latency_ns.launches, found.latency_ns.unit) == (2, "session")
    assert [len(paces) for paces in found.paces] == [5, 4]


def test_records_that_were_not_measured_alike_are_not_pooled(tmp_path: Path) -> None:
    a, b = record(tmp_path, "a"), record(tmp_path, "b", 1.01)

    def other(**changes: object) -> Run:
        header = msgspec.structs.replace(b.header, **changes)
        return Run(b.path, msgspec.structs.replace(b.lines, header=header))

    cpu = {**HOST["cpu"], "model": "another"}
    plan = msgspec.structs.replace(b.header.plan, mpi="mpich")
    more = tuple(
        msgspec.structs.replace(case, schedule=Schedule(reuse_percent=50)) for case in CASES
    )
    for unlike, told in (
        (other(hosts={"node1": {**HOST, "cpu": cpu}}), "processor Test CPU then, another now"),
        (other(hosts={"node2": dict(HOST)}), "nodes node1 then, node2 now"),
        (other(plan=plan), "MPI openmpi then, mpich now"),
        (other(plan=msgspec.structs.replace(b.header.plan, cases=more)), "differently"),
        (a, "given twice"),
    ):
        with pytest.raises(WeftError, match=told):
            pool([a, unlike])


@pytest.mark.parametrize(
    ("factor", "tolerance", "outcome"),
    [
        (1.0, 0.05, "pass"),
        # One session a side: what other days may differ by is allowed for in either answer.
        (1.03, 0.05, "cannot tell"),
        (1.03, 0.10, "pass"),
        (1.10, 0.05, "cannot tell"),
        (1.20, 0.05, "fail"),
        (1.05, 0.05, "cannot tell"),
        (0.5, 0.05, "pass"),
        (1.10, 0.2, "pass"),
    ],
)
def test_a_record_is_judged_by_the_ratio_to_its_reference(
    tmp_path: Path, factor: float, tolerance: float, outcome: str
) -> None:
    cases = [pool([record(tmp_path, name, f)]) for name, f in (("new", factor), ("old", 1.0))]
    checks = against_record(cases[0], cases[1], tolerance)
    curves = ["tcp/ping_pong/*", "tcp/stream/*"]
    assert [check.case for check in checks] == [*curves, *(case.key for case in CASES)]
    for check in checks:
        assert check.outcome == outcome, check
        assert check.speed is not None
        assert check.speed.speed == pytest.approx(1 / factor, rel=1e-3)


def test_against_a_reference_what_is_missing_or_failed_does_not_pass(tmp_path: Path) -> None:
    lost = lost_batch(CASES[1], 4, 90, "failed", "byte 3 of 8 differs")
    old = pool([record(tmp_path, "old")])
    new = {
        key: case
        for key, case in pool([record(tmp_path, "new", more=[lost])]).items()
        if not key.endswith("/1024")
    }
    by_case = {check.case: check for check in against_record(new, old)}
    assert by_case["tcp/ping_pong/8"].outcome == "fail"
    assert by_case["tcp/ping_pong/1024"].outcome == "cannot tell"
    assert by_case["tcp/ping_pong/0"].outcome == "pass"
    one_launch = pool([record(tmp_path, "one", launches=1)])
    assert {c.outcome for c in against_record(old, one_launch)} == {"cannot tell"}
    with pytest.raises(WeftError, match="no case in common"):
        against_record({}, old)


def test_a_reference_measured_differently_tells_nothing(tmp_path: Path) -> None:
    old, new = pool([record(tmp_path, "old")]), pool([record(tmp_path, "new", 1.001)])
    key = "tcp/stream/1024"
    case = msgspec.structs.replace(old[key].case, schedule=Schedule(reuse_percent=50))
    old[key] = msgspec.structs.replace(old[key], case=case)
    by_case = {check.case: check for check in against_record(new, old)}
    assert by_case[key].outcome == "cannot tell"
    assert "measured differently: schedule" in by_case[key].why
    assert by_case["tcp/stream/8"].outcome == "pass"


def trial(random: np.random.Generator, middle: float, count: int) -> dict[str, Pooled]:
    medians = middle * np.exp(0.01 * random.standard_normal(count))
    estimate = median_of_launches(medians.tolist())
    paces = (dict(enumerate(medians.tolist())),)
    pooled = Pooled(case=CASES[1], directions=1, launches=count, paces=paces, latency_ns=estimate)
    return {pooled.case.key: pooled}


@pytest.mark.parametrize("count", [3, 5, 10])
def test_the_rate_of_wrong_answers(count: int) -> None:
    """At the very bound at most 2.5 % pass and 2.5 % fail of limits; of records 5 % and 4 %."""
    random = np.random.default_rng(count)
    bound = Limit(
        text="", test="ping_pong", transport="", wanted=(), ranges=(), variant="",
        kind="latency_at_most", bound=1000.0,
    )  # fmt: skip
    by_limit, by_record = Counter[Outcome](), Counter[Outcome]()
    for _ in range(TRIALS):
        by_limit[against_limits(trial(random, 1000.0, count), [bound])[0].outcome] += 1
        new, old = trial(random, 1050.0, count), trial(random, 1000.0, count)
        by_record[against_record(new, old, 0.05)[0].outcome] += 1
    for answers, passes, fails in ((by_limit, 0.025, 0.025), (by_record, 0.05, 0.04)):
        assert answers["pass"] <= (passes + 0.015) * TRIALS
        assert answers["fail"] <= (fails + 0.015) * TRIALS


def test_the_answer_to_all() -> None:
    def check(outcome: Outcome) -> Checked:
        return Checked(
            case="", test="", transport="", bytes=8, asked="", quantity="latency",
            outcome=outcome, why="",
        )  # fmt: skip

    for outcomes, told in (
        (["pass", "pass"], "pass"),
        (["pass", "cannot tell"], "cannot tell"),
        (["pass", "cannot tell", "fail"], "fail"),
        ([], "cannot tell"),
    ):
        assert overall([check(outcome) for outcome in outcomes]) == told  # type: ignore[arg-type]
    assert EXIT_STATUS == {"pass": 0, "fail": 1, "cannot tell": 3}


def test_a_limit_is_for_the_usual_cases_or_for_a_named_variant(tmp_path: Path) -> None:
    single = tuple(msgspec.structs.replace(case, single=True) for case in CASES)
    path = synthetic_record(tmp_path / "s.jsonl", (*CASES, *single))
    cases = pool([weft.load(path)])
    text = '[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "1 s"\n'
    for more, key in (("", "tcp/ping_pong/8"), ('variant = "single"\n', "tcp/ping_pong/8/single")):
        assert [c.case for c in against_limits(cases, limits(tmp_path, text + more))] == [key]


STREAMS = make_cases(tests=("stream",), transports=("tcp",), sizes=(8, 65536))
BACK = tuple(msgspec.structs.replace(case, direction="back") for case in STREAMS)


def with_back(folder: Path, name: str, slower_back: float) -> dict[str, Pooled]:
    """Streams in both directions, of which the way back takes longer."""

    def times(case: Case, launch: int) -> Sequence[float]:
        factor = slower_back if case.direction else 1.0
        return [t * factor for t in usual_times_ns(case, launch)]

    path = folder / f"{name}.jsonl"
    return pool([weft.load(synthetic_record(path, (*STREAMS, *BACK), times_ns=times))])


def outcomes(checks: Sequence[Checked]) -> dict[str, Outcome]:
    return {check.case: check.outcome for check in checks}


def test_a_slow_way_back_fails_the_limit_of_the_way_there(tmp_path: Path) -> None:
    # 65,536 bytes in 8,553.6 ns are 7.66 GB/s.
    text = '[[limit]]\ntest = "stream"\nsizes = "64KiB"\nbandwidth_at_least = "7 GB/s"\n'
    there, back = "tcp/stream/65536", "tcp/stream/65536/back"
    both = limits(tmp_path, text)
    assert outcomes(against_limits(with_back(tmp_path, "even", 1.0), both)) == {
        there: "pass",
        back: "pass",
    }
    slow = with_back(tmp_path, "slow", 10.0)
    assert outcomes(against_limits(slow, both)) == {there: "pass", back: "fail"}
    # A limit for the way back goes first.
    own = text.replace("7 GB/s", "500 MB/s") + 'variant = "back"\n'
    assert outcomes(against_limits(slow, limits(tmp_path, text + own))) == {
        there: "pass",
        back: "pass",
    }
    assert outcomes(against_limits(slow, limits(tmp_path, own))) == {back: "pass"}


def test_a_slow_way_back_fails_against_a_record_with_and_without_one(tmp_path: Path) -> None:
    slow = with_back(tmp_path, "slow", 10.0)
    for reference in (with_back(tmp_path, "even", 1.0), pool([record(tmp_path, "old")])):
        checks = against_record(slow, reference)
        found = outcomes(checks)
        assert found["tcp/stream/65536"] == "pass"
        assert found["tcp/stream/*/back"] == found["tcp/stream/65536/back"] == "fail"
        has_back = "tcp/stream/8/back" in reference
        assert all(
            (acceptance.WAY_THERE in check.why) == (check.variant == "back" and not has_back)
            for check in checks
        )
        # The speed is the ratio to the reference.
        [curve] = [check for check in checks if check.case == "tcp/stream/*/back"]
        assert curve.speed is not None
        assert curve.speed.speed == pytest.approx(0.1, rel=1e-3)


def test_an_even_way_back_passes_against_a_record_without_one(tmp_path: Path) -> None:
    checks = against_record(with_back(tmp_path, "even", 1.0), pool([record(tmp_path, "old")]))
    by_case = outcomes(checks)
    assert by_case["tcp/stream/*/back"] == "pass"


def test_what_looks_slower_than_the_tolerance_is_planned_as_slower() -> None:
    """8 % slower, of launches that scatter by half a per cent: more sessions, and no fewer launches
    than there are; so for what may be equal, for a pass allows for other days too."""
    random = np.random.default_rng(5)

    def side(slower: float, scatter: float) -> Pooled:
        times = (1000 * (1 + slower) * np.exp(scatter * random.standard_normal(5))).tolist()
        return Pooled(
            case=CASES[1],
            directions=1,
            launches=5,
            paces=(dict(enumerate(times)),),
            latency_ns=median_of_launches(times),
        )

    for slower, scatter, unit in ((0.08, 0.005, "session"), (0.0, 0.08, "session")):
        mine, theirs = side(slower, scatter), side(0.0, scatter)
        [check] = against_record({CASES[1].key: mine}, {CASES[1].key: theirs}, 0.05)
        assert check.outcome == "cannot tell"
        assert check.needed is not None
        assert check.needed.unit == unit


@pytest.mark.parametrize(
    ("outcome", "ends", "in_these_runs", "said"),
    [
        (
            "cannot tell", (0.80, 0.97), (0.90, 0.92),
            ("slower by more than that in these runs; whether on other days is not known;"
            " these data pass a tolerance of 25 %; for 5 % it takes about 3 sessions a side;"
            " one session a side"),
        ),
        (
            "cannot tell", (0.94, 0.97), (0.94, 0.97),
            ("these data pass a tolerance of 6.4 %; for 5 % it takes about 3 sessions a side; one"
            " session a side"),
        ),
        ("pass", (0.94, 1.2), (0.94, 1.2), "passes with its curve; one session a side"),
        ("pass", (0.96, 1.2), (0.96, 1.2), "one session a side"),
        ("fail", (0.90, 0.94), (0.91, 0.93), "one session a side"),
    ],
)  # fmt: skip
def test_an_open_answer_says_what_is_seen_what_passes_and_what_it_takes(
    outcome: Outcome, ends: tuple[float, float], in_these_runs: tuple[float, float], said: str
) -> None:
    middle = math.sqrt(ends[0] * ends[1])
    speed = Ratio(
        speed=middle, low=ends[0], high=ends[1], basis="launches", in_these_runs=in_these_runs
    )
    curve = SimpleNamespace(unit="launch", sessions=(1, 1), assumed="")
    found = cast("Any", SimpleNamespace(curve=curve))
    needed = Needed(unit="session", count=3, difference=0.05) if outcome == "cannot tell" else None
    words = acceptance._in_words(speed, outcome, needed, found, 0.05)
    assert words.partition("required 0.952; ")[2] == said
    alone = "one launch does not show the variation between launches"
    assert acceptance._in_words(None, outcome, None, found, 0.05) == alone
    assert acceptance._in_words(speed, outcome, None, None, 0.05) == alone


@pytest.mark.parametrize("tolerance", [0.05, 0.25, 1.0])
def test_the_bound_of_a_bandwidth_is_where_the_answer_changes(
    tmp_path: Path, tolerance: float
) -> None:
    """At most 25 % slower is at least 80 % of the rate, not 75 %."""
    reference = pool([record(tmp_path)])
    checks = against_record(pool([record(tmp_path, "b")]), reference, tolerance)
    bounds = {check.case: check.bound for check in checks if check.bound is not None}
    for key, known in reference.items():
        if known.quantity == "bandwidth":
            assert known.bandwidth_bytes_per_s is not None
            wanted = known.bandwidth_bytes_per_s.value / (1 + tolerance)
        else:
            assert known.latency_ns is not None
            wanted = known.latency_ns.value * (1 + tolerance)
        assert bounds[key] == pytest.approx(wanted)
    assert {known.quantity for known in reference.values()} == {"latency", "bandwidth"}


@pytest.mark.parametrize(("directions", "bytes_per_s"), [(1, 6.25e9), (2, 12.5e9)])
def test_a_limit_in_percent_of_the_peak_counts_both_directions_of_a_test_that_uses_both(
    directions: int, bytes_per_s: float
) -> None:
    limit = Limit(
        text="", test="stream", transport="", wanted=(), ranges=(), variant="",
        kind="percent_of_peak_at_least", bound=50.0, link="100GbE",
    )  # fmt: skip
    assert limit.bound_for(directions) == pytest.approx(bytes_per_s)


def table_of_osu(path: Path, factor: float) -> Run:
    """One file of osu_latency: a figure a size, and nothing of how launches scatter."""
    rows = "".join(f"{1 << at:<10}{factor * (2 + at / 4):>20.2f}\n" for at in range(8))
    path.with_suffix(".txt").write_text(
        f"# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n{rows}"
    )
    return weft.load(import_outputs([path.with_suffix(".txt")], Given(), path))


@pytest.mark.parametrize(
    ("factor", "outcome"),
    [(2.0, "fail"), (0.5, "pass"), (1.05, "cannot tell"), (1.0, "cannot tell")],
)
def test_tables_of_other_programs_are_judged_by_a_stated_scatter(
    tmp_path: Path, factor: float, outcome: str
) -> None:
    old, new = (
        table_of_osu(tmp_path / "old.jsonl", 1.0),
        table_of_osu(tmp_path / "new.jsonl", factor),
    )
    found = checked([new], [old], 0.05)
    assert found.outcome == outcome
    assert all("launches are assumed to scatter by 5 %" in check.why for check in found.checks)
    # What is assumed to hardly scatter is decided by other days alone.
    sure = checked([new], [old], 0.10, scatter=0.001)
    assert sure.outcome == ("fail" if factor == 2.0 else "pass" if factor < 1.05 else "cannot tell")
    own = record(tmp_path, "own")
    with pytest.raises(WeftError, match="--scatter has no effect"):
        checked([own], [record(tmp_path, "other", 1.1)], 0.05, scatter=0.05)
