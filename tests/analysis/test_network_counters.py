"""Counted events of a record whose counters rose by known numbers, and the words for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

import weft
from support.builders import make_batch, make_footer, make_header, make_launch, write_lines
from weft.analysis.network_counters import counted_events, uncounted_hosts
from weft.errors import WeftError
from weft.plan.case import Case
from weft.record.model import CounterRise, RankFacts
from weft.studies.checks import checked, event_kinds
from weft.topics import results_among, topic_called

if TYPE_CHECKING:
    from pathlib import Path

    from weft.record.model import Launch, Line
    from weft.record.run import Run

STREAM = Case(test="stream", transport="tcp", bytes=65536)
PING = Case(test="ping_pong", transport="tcp", bytes=8)
CASES = (STREAM, PING)
QUIET, SLOW = [100.0] * 50, [100.0] * 47 + [900.0] * 3
KINDS = ("errors", "drops", "retransmissions", "duplicates")


def rise(kind: str, number: int, host: str = "n3", device: str = "eth0") -> CounterRise:
    names = {"errors": "rx_errors", "retransmissions": "RetransSegs"}
    return msgspec.convert(
        {
            "host": host,
            "device": device,
            "name": names.get(kind, kind),
            "kind": kind,
            "rise": number,
        },
        CounterRise,
    )


def launch_on(number: int, hosts: tuple[str, ...] = ("n1", "n3"), transport: str = "tcp") -> Launch:
    ranks = tuple(
        RankFacts(rank=rank, host=host, pid=rank + 1, cpu=0, numa=0)
        for rank, host in enumerate(hosts)
    )
    return msgspec.structs.replace(
        make_launch(number, transport),
        ranks=ranks,
        counters={host: {"eth0": KINDS} for host in hosts},
    )


def record(
    path: Path,
    rises: dict[tuple[int, Case], tuple[CounterRise, ...]],
    *,
    slow: dict[tuple[int, Case], list[float]] | None = None,
    launches: int = 5,
    hosts: tuple[str, ...] = ("n1", "n3"),
) -> Run:
    """So many launches of the stream and then the ping-pong, with these rises in their batches."""
    lines: list[Line] = [make_header(CASES, launches=launches)]
    order = 0
    for number in range(launches):
        lines.append(launch_on(number, hosts))
        for case in CASES:
            times = (slow or {}).get((number, case), QUIET)
            batch = make_batch(case, number, order, times)
            lines.append(msgspec.structs.replace(batch, counters=rises.get((number, case), ())))
            order += 1
    return weft.load(write_lines(path / "r.jsonl", [*lines, make_footer(order)]))


def findings(run: Run) -> list[str]:
    return results_among(run).findings(topic_called("network_counters"))


def test_errors_are_found_with_the_host_the_device_the_case_and_the_launches(
    tmp_path: Path,
) -> None:
    run = record(
        tmp_path,
        {(2, STREAM): (rise("errors", 40),), (4, STREAM): (rise("errors", 1),)},
    )
    [row] = counted_events(run)
    assert (row.host, row.device, row.kind, row.case) == ("n3", "eth0", "errors", STREAM.key)
    assert (row.events, row.launches, row.counters) == (41, (2, 4), ("rx_errors",))
    assert findings(run) == [
        "n3 eth0: 41 errors while stream 64 KiB over tcp was measured, in launches 2 and 4",
        "network counters include all traffic of the interface, port or host",
    ]


def test_a_record_without_events_says_nothing(tmp_path: Path) -> None:
    run = record(tmp_path, {})
    assert counted_events(run) == ()
    assert findings(run) == []


def test_several_cases_are_one_finding_that_names_the_case_with_most_events(
    tmp_path: Path,
) -> None:
    run = record(
        tmp_path,
        {(n, case): (rise("drops", 1 + (case is PING)),) for n in range(5) for case in CASES},
    )
    assert [(row.case, row.events) for row in counted_events(run)] == [
        (STREAM.key, 5),
        (PING.key, 10),
    ]
    assert findings(run)[0] == (
        "n3 eth0: 15 dropped packets in 2 cases, most (10) while ping_pong 8 B over tcp was"
        " measured, in 5 launches"
    )


@pytest.mark.parametrize(
    ("duplicates", "left"),
    [
        # In its own batch, in the next batch, before it, and more of them than retransmissions.
        ({STREAM: 3}, {STREAM: 4, PING: 2}),
        ({PING: 3}, {STREAM: 6}),
        ({PING: 2}, {STREAM: 7}),
        ({STREAM: 9}, {PING: 2}),
        ({STREAM: 1, PING: 99}, {}),
    ],
)
def test_retransmissions_that_reports_of_duplicates_follow_do_not_count(
    tmp_path: Path, duplicates: dict[Case, int], left: dict[Case, int]
) -> None:
    sent = {STREAM: 7, PING: 2}
    rises = {
        (1, case): (
            rise("retransmissions", sent[case], device="tcp"),
            *([rise("duplicates", duplicates[case], device="tcp")] if case in duplicates else []),
        )
        for case in CASES
    }
    run = record(tmp_path, rises)
    found = {row.case: row.events for row in counted_events(run)}
    assert found == {case.key: number for case, number in left.items()}


def test_a_duplicate_of_another_host_or_launch_takes_no_retransmission_away(
    tmp_path: Path,
) -> None:
    run = record(
        tmp_path,
        {
            (1, STREAM): (
                rise("retransmissions", 5, device="tcp"),
                rise("duplicates", 5, host="n1", device="tcp"),
            ),
            (2, STREAM): (rise("duplicates", 5, device="tcp"),),
        },
    )
    assert [row.events for row in counted_events(run)] == [5]


def test_slow_samples_are_counted_in_the_batches_with_events(tmp_path: Path) -> None:
    run = record(
        tmp_path,
        {(2, STREAM): (rise("errors", 4),)},
        slow={(2, STREAM): SLOW, (3, STREAM): [*QUIET[:49], 900.0], (2, PING): SLOW},
    )
    [row] = counted_events(run)
    assert (row.slow_samples_there, row.slow_samples) == (3, 4)
    assert findings(run)[0].endswith(
        "in launch 2; 3 of its 4 slow samples are in 1 of its 5 batches"
    )


# Messages between ranks of one host pass no interface; an RDMA port may be between them.
def test_on_one_host_interfaces_do_not_count(tmp_path: Path) -> None:
    rises: dict[tuple[int, Case], tuple[CounterRise, ...]] = {
        (1, STREAM): (
            rise("errors", 1, host="n1"),
            rise("errors", 2, host="n1", device="rxe0/1"),
            rise("drops", 4, host="n1", device="udp"),
        )
    }
    run = record(tmp_path, rises, hosts=("n1", "n1"))
    assert [(row.device, row.events) for row in counted_events(run)] == [("rxe0/1", 2), ("udp", 4)]


def test_hosts_that_count_no_such_events_are_known(tmp_path: Path) -> None:
    run = record(tmp_path, {})
    assert uncounted_hosts(run, "errors", CASES) == ()
    assert uncounted_hosts(run, "ecn_marks", CASES) == ("n1", "n3")


def test_the_table_has_a_row_a_case_and_the_json_every_field(tmp_path: Path) -> None:
    run = record(tmp_path, {(2, STREAM): (rise("errors", 40),), (2, PING): (rise("errors", 1),)})
    topic = topic_called("network_counters")
    rows = results_among(run).of(topic)
    [table] = topic.tables(rows)
    assert table.rows == (
        ("n3", "eth0", "40 errors", "stream 64 KiB over tcp", "launch 2", "0 of 0"),
        ("n3", "eth0", "1 error", "ping_pong 8 B over tcp", "launch 2", "0 of 0"),
    )
    assert topic.plain(rows)[0] == {
        "transport": "tcp",
        "variant": "",
        "bytes": 65536,
        "case": STREAM.key,
        "test": "stream",
        "launches": 1,
        "host": "n3",
        "device": "eth0",
        "kind": "errors",
        "events": 40,
        "counters": ("rx_errors",),
        "in_launches": (2,),
        "batches": 5,
        "batches_there": 1,
        "slow_samples": 0,
        "slow_samples_there": 0,
    }
    assert results_among(run, tests="ping_pong").of(topic)[0].events == 1


def required(run: Run, kind: str) -> tuple[str, int]:
    found = checked([run], [], 0.05, require_none=event_kinds(kind))
    [check] = found.checks
    return check.why, found.exit_status


def test_a_check_fails_for_events_of_a_required_kind_only(tmp_path: Path) -> None:
    run = record(tmp_path, {(2, STREAM): (rise("retransmissions", 41),)})
    why, status = required(run, "retransmissions")
    assert (why.startswith("41 retransmissions, most on n3 eth0"), status) == (True, 1)
    assert required(run, "errors") == ("the hosts counted no errors", 0)


def test_a_check_cannot_tell_where_a_host_does_not_count(tmp_path: Path) -> None:
    assert required(record(tmp_path, {}), "link_flaps") == ("n1 and n3 did not count link flaps", 3)


def test_a_limits_file_can_require_no_events(tmp_path: Path) -> None:
    run = record(tmp_path, {(2, STREAM): (rise("errors", 1),)})
    limits = tmp_path / "limits.toml"
    limits.write_text('require_none = ["errors", "retransmissions"]\n')
    found = checked([run], [limits], 0.05)
    assert [check.outcome for check in found.checks] == ["fail", "pass"]
    assert found.exit_status == 1


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(WeftError, match="no counter is called flaps; choose from errors"):
        event_kinds("errors,flaps")
