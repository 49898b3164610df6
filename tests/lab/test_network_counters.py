"""Faults between two hosts that no median shows: their counters do, and nothing else counts."""

from __future__ import annotations

import contextlib
import json
from statistics import median
from typing import TYPE_CHECKING

import pytest

from lab.runs import record_in
from support.printed import result_of
from weft.analysis.network_counters import counted_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.cluster.cluster import Cluster
    from weft.analysis.network_counters import CountedEvents
    from weft.record.run import Run

pytestmark = pytest.mark.engine
# Each round trip takes a packet to n2, where one of so many is lost. A loss takes 0.2 s.
LAUNCHES, ROUND_TRIPS, LOST_ONE_IN = 10, 20_000, 2_000
TABLE = "inet weft-lab"


def add_rule(cluster: Cluster, host: str, hook: str, rule: str) -> None:
    """A rule for TCP on a host that lasts until its table is deleted."""
    lines = [
        f"add table {TABLE}",
        f"add chain {TABLE} seen {{ type filter hook {hook} priority mangle; }}",
        f"add rule {TABLE} seen meta l4proto tcp {rule}",
    ]
    done = cluster.run("nft", "; ".join(lines), host=host)
    assert done.returncode == 0, done


def counted_packets(cluster: Cluster, host: str) -> list[int]:
    """The packets that each counter of the rules counted."""
    text = cluster.run("nft", "-j", "list", "table", *TABLE.split(), host=host).stdout
    rules = [one["rule"]["expr"] for one in json.loads(text)["nftables"] if "rule" in one]
    return [part["counter"]["packets"] for rule in rules for part in rule if "counter" in part]


@contextlib.contextmanager
def rule_on(cluster: Cluster, host: str, hook: str, rule: str) -> Iterator[None]:
    """The rule is there meanwhile."""
    add_rule(cluster, host, hook, rule)
    try:
        yield
    finally:
        cluster.run("nft", "delete", "table", *TABLE.split(), host=host)


@contextlib.contextmanager
def asking_for_marks(cluster: Cluster) -> Iterator[None]:
    """TCP connections between n1 and n2 can be marked meanwhile."""
    for host in ("n1", "n2"):
        cluster.run("sysctl", "-q", "net.ipv4.tcp_ecn=1", host=host)
    try:
        yield
    finally:
        for host in ("n1", "n2"):
            cluster.run("sysctl", "-q", "net.ipv4.tcp_ecn=2", host=host)


def measured(cluster: Cluster, folder: Path, name: str, *words: str) -> Run:
    """Round trips of 8 bytes between n1 and n2."""
    done = cluster.run(
        *("weft", "run", "ping_pong", "--transport", "tcp", "--wait", "block", "--sizes", "8"),
        *("--hosts", "n1,n2", "--precision", "100%", "--budget", "30min"),
        *("--no-report", "-o", name, *words),
        folder=folder,
        deadline_s=1800,
    )
    assert done.returncode == 0, done
    return record_in(folder, name)


def events(run: Run, kind: str) -> list[CountedEvents]:
    return [one for one in counted_events(run) if one.kind == kind]


def median_us(run: Run) -> float:
    [medians] = run.launch_medians_ns.values()
    return median(medians.values()) / 2e3


def test_one_packet_of_2000_lost_is_found_although_the_median_does_not_move(
    cluster: Cluster, folder: Path
) -> None:
    many = ("--launches", str(LAUNCHES), "--single", "--samples", str(ROUND_TRIPS))
    lose = f"counter numgen random mod {LOST_ONE_IN} == 0 counter drop"
    with rule_on(cluster, "n2", "prerouting", lose):
        lossy = measured(cluster, folder, "lossy.jsonl", *many)
        packets, lost = counted_packets(cluster, "n2")
    assert packets >= LAUNCHES * ROUND_TRIPS
    found = events(lossy, "retransmissions")
    # The first rank's host sends each lost message again. Losses of other connections count too.
    [row] = [one for one in found if (one.host, one.device) == ("n1", "tcp")]
    assert 0.5 * lost <= row.events <= 2 * lost, (row, lost)
    assert row.slow_samples_there == row.slow_samples > 0
    shown = cluster.run("weft", "show", "lossy.jsonl", folder=folder)
    assert "n1 tcp: " in shown.stdout, shown
    words = " ".join(shown.stdout.split())
    assert "while ping_pong 8 B over tcp single/block was measured, in" in words
    table = cluster.run(
        "weft", "show", "lossy.jsonl", "--table", "network_counters", "--json", folder=folder
    )
    assert {"n1"} <= {row["host"] for row in result_of(table.stdout)}

    clean = measured(cluster, folder, "clean.jsonl", *many)
    assert counted_events(clean) == ()
    assert median_us(lossy) < 2 * median_us(clean)


def test_marks_of_congestion_are_found(cluster: Cluster, folder: Path) -> None:
    with (
        asking_for_marks(cluster),
        rule_on(cluster, "n1", "postrouting", "ip ecn != not-ect ip ecn set ce counter"),
    ):
        run = measured(cluster, folder, "marked.jsonl", "--launches", "1", "--samples", "2000")
        [marked] = counted_packets(cluster, "n1")
    [row] = [one for one in events(run, "ecn_marks") if one.host == "n2"]
    assert 0 < row.events <= marked
