"""Registration and connecting: rows and sentences from records whose answer is known."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

import weft
from support.builders import (
    LAUNCH_EFFECTS,
    TICK_NS,
    make_batch,
    make_cases,
    make_header,
    make_launch,
    synthetic_record,
    usual_time_ns,
    write_lines,
)
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.pattern import Pattern
from weft.record.run import Run
from weft.topics import results_of
from weft.topics.connecting import connecting_of
from weft.topics.registration import (
    RegisteringMemory,
    cost_of_registering_each,
    registrations_of,
    time_of,
)

if TYPE_CHECKING:
    from weft.record.model import Line

PATTERN = Pattern(
    name="registration",
    title="Registration",
    summary="",
    ranks=2,
    latency_divisor=1,
    bandwidth_factor=0,
)


def registered(path: Path, *, parts: bool = True) -> Run:
    """A card that registers in 900 ns and 0.25 ns a byte and forgets in 400 ns."""
    cases = tuple(Case(test="registration", transport="verbs", bytes=size) for size in (4096, 1))
    header = make_header(cases)
    lines: list[Line] = [msgspec.structs.replace(header, patterns=(PATTERN,))]
    for launch in range(5):
        lines.append(make_launch(launch, "verbs"))
        for case in cases:
            effect = LAUNCH_EFFECTS[launch]
            batch = make_batch(case, launch, 0, [(900 + case.bytes / 4) * effect] * 9)
            ticks = round(400 * effect * batch.ops_per_sample / TICK_NS)
            series = {"deregister": (ticks,) * len(batch.ticks)} if parts else {}
            lines.append(msgspec.structs.replace(batch, parts=series))
    return weft.load(write_lines(path, lines))


def test_both_times_by_size(tmp_path: Path) -> None:
    run = registered(tmp_path / "r.jsonl")
    small, large = registrations_of(run, summarise(run))
    assert (small.bytes, large.bytes, large.launches) == (1, 4096, 5)
    for row in (small, large):
        true_ns = 900 + row.bytes / 4
        assert row.register_ns.low < true_ns < row.register_ns.high
        assert row.register_ns.value == pytest.approx(true_ns, rel=0.005)
        assert row.deregister_ns.low < 400 < row.deregister_ns.high
        assert row.deregister_ns.value == pytest.approx(400, rel=0.005)


def test_a_streams_time_of_a_message_is_that_of_its_bytes(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), (8, 4096))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    for summary in summarise(run):
        found = time_of(summary)
        assert found is not None
        halves = 2 if summary.test == "ping_pong" else 1
        truth = usual_time_ns(run.cases[summary.case]) / halves
        assert found.value == pytest.approx(truth, rel=1e-3)
        assert found.low < found.value < found.high


def test_without_the_second_series_there_is_no_row(tmp_path: Path) -> None:
    run = registered(tmp_path / "r.jsonl", parts=False)
    assert registrations_of(run, summarise(run)) == ()


def connected(path: Path, times_ns: list[str], ranks: int = 3) -> Run:
    cases = (Case(test="ping_pong", transport="tcp", bytes=8, ranks=ranks),)
    lines: list[Line] = [make_header(cases)]
    for number, told in enumerate(times_ns):
        launch = make_launch(number, "tcp", ranks=ranks)
        lines.append(msgspec.structs.replace(launch, details={"connect_ns": told}))
    return weft.load(write_lines(path, lines))


def test_connecting_is_told_over_the_peers_that_were_connected_first(tmp_path: Path) -> None:
    cases = (Case(test="ping_pong", transport="tcp", bytes=8, ranks=6),)
    lines: list[Line] = [make_header(cases)]
    launch = make_launch(0, "tcp", ranks=6)
    details = {"connect_ns": "3000000", "connected_peers": "2"}
    lines.append(msgspec.structs.replace(launch, details=details))
    (row,) = connecting_of(weft.load(write_lines(tmp_path / "r.jsonl", lines)))
    assert row.peers == 2
    assert row.time_per_peer_ns.value == pytest.approx(1_500_000)


def test_connecting_is_told_for_a_peer_with_its_interval_over_launches(tmp_path: Path) -> None:
    times = ["2000000", "2100000", "1900000", "2060000", "1980000", "2020000"]
    (row,) = connecting_of(connected(tmp_path / "r.jsonl", times))
    assert (row.transport, row.peers, row.launches) == ("tcp", 2, 6)
    assert row.time_per_peer_ns.value == pytest.approx(1_005_000)
    assert (row.time_per_peer_ns.low, row.time_per_peer_ns.high) == pytest.approx(
        (964_097, 1_042_813), abs=1
    )


@pytest.mark.parametrize(("told", "ranks"), [("", 2), ("0", 2), ("soon", 2), ("5", 1)])
def test_what_was_not_told_is_no_row(tmp_path: Path, told: str, ranks: int) -> None:
    assert connecting_of(connected(tmp_path / "r.jsonl", [told], ranks)) == ()


@pytest.mark.parametrize(
    ("as_it_goes_ns", "words"),
    [(5000.0, "adds 1.50 µs [1.49, 1.51] per message"), (2000.0, "no significant difference")],
)
def test_what_registering_as_it_goes_adds(tmp_path: Path, as_it_goes_ns: float, words: str) -> None:
    cases = tuple(
        Case(test=test, transport="verbs", bytes=4096)
        for test in ("ping_pong", "register_ping_pong")
    )
    patterns = tuple(
        msgspec.structs.replace(PATTERN, name=case.test, latency_divisor=2, bandwidth_factor=2)
        for case in cases
    )
    lines: list[Line] = [msgspec.structs.replace(make_header(cases), patterns=patterns)]
    for launch, effect in enumerate(LAUNCH_EFFECTS):
        lines.append(make_launch(launch, "verbs"))
        for case, time_ns in zip(cases, (2000.0, as_it_goes_ns), strict=True):
            lines.append(make_batch(case, launch, 0, [time_ns * effect] * 9))
    run = weft.load(write_lines(tmp_path / "r.jsonl", lines))
    results = results_of(run, summarise(run))
    sentence, *more = results.findings(RegisteringMemory())
    is_open = "no significant" in words
    tells = "registration: to tell the 1 difference without a verdict takes about "
    assert [one.startswith(tells) for one in more] == [True] * is_open
    plain = RegisteringMemory().plain(results.of(RegisteringMemory()))
    [row] = [one for one in plain if "step" in one]
    assert (row["needed"] is not None) == is_open
    assert sentence.startswith("registration: verbs, ping_pong, 4 KiB: ")
    assert words in sentence


def test_a_test_of_one_launch_gives_no_verdict_beside_one_of_several(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "register_ping_pong"), ("verbs",), (8,))

    def times(case: Case, round_: int) -> list[float]:
        if case.test == "ping_pong" and round_ > 0:
            return []
        return [(9000.0 if case.test == "ping_pong" else 2000.0) * LAUNCH_EFFECTS[round_]] * 9

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times))
    [row] = cost_of_registering_each(run, summarise(run))
    assert row.step.verdict == "cannot tell"
