"""A link that is slow in one direction only: the stream in that direction fails its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.runs import hosts_of, record_in
from support.printed import result_of

if TYPE_CHECKING:
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine
RUN = (
    *("weft", "run", "stream", "--transport", "tcp", "--hosts", "n1,n2", "--wait", "block"),
    *("--sizes", "16KiB", "--launches", "3", "--samples", "20", "--precision", "100%"),
    *("--budget", "5min", "--no-report"),
)
THERE, BACK = "tcp/stream/16384/block", "tcp/stream/16384/block/back"
SLOW = ("rate", "100mbit", "burst", "32kb", "latency", "200ms")
SLOW_BYTES_PER_S = 100e6 / 8
LIMIT = '[[limit]]\ntest = "stream"\nvariant = "block"\nbandwidth_at_least = "25 MB/s"\n'


def measured(cluster: Cluster, folder: Path, name: str) -> None:
    done = cluster.run(*RUN, "-o", name, folder=folder, deadline_s=600)
    assert done.returncode == 0, done
    run = record_in(folder, name)
    assert set(hosts_of(run)) == {("n1", "n2")}
    assert [*run.cases] == [THERE, BACK]


def answers(cluster: Cluster, folder: Path, name: str) -> tuple[int, dict[str, str]]:
    words = ("weft", "check", name, "--against", "limits.toml", "--json")
    done = cluster.run(*words, folder=folder)
    checks = result_of(done.stdout)["checks"]
    return done.returncode, {check["case"]: check["outcome"] for check in checks}


def test_a_link_that_is_slow_on_the_way_back_fails(cluster: Cluster, folder: Path) -> None:
    (folder / "limits.toml").write_text(LIMIT)
    measured(cluster, folder, "good.jsonl")
    assert answers(cluster, folder, "good.jsonl") == (0, {THERE: "pass", BACK: "pass"})
    shape = ("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *SLOW)
    assert cluster.run(*shape, host="n2").returncode == 0
    try:
        measured(cluster, folder, "slow.jsonl")
    finally:
        cluster.run("tc", "qdisc", "del", "dev", "eth0", "root", host="n2")
    assert answers(cluster, folder, "slow.jsonl") == (1, {THERE: "pass", BACK: "fail"})
    shown = cluster.run("weft", "show", "slow.jsonl", "--json", folder=folder).stdout
    rates = {row["case"]: row["bandwidth_bytes_per_s"]["value"] for row in result_of(shown)}
    assert rates[BACK] < 1.05 * SLOW_BYTES_PER_S < rates[THERE] / 2
