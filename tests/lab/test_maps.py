"""Maps of the lab's hosts: a shaped link and a dead host are named, nobody where all is well.

The hosts share this machine's cores, so ranks sleep while they wait, and only what is slower many
times over is planted.
"""

from __future__ import annotations

import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import weft
from support.printed import result_of
from support.words import with_usual

if TYPE_CHECKING:
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine

HOSTS = "n1,n2,n3,n4"
MAP = (
    "-o", "m.jsonl", "--hosts", HOSTS, "--transport", "tcp", "--wait", "block", "--sizes", "64KiB",
    "--rounds", "12", "--launches", "1", "--budget", "90s",
)  # fmt: skip
# 64 KiB take 17 ms at this rate, and 0.1 ms without it, or the scheduler's 4 ms on a busy machine.
SHAPED = ("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "30mbit", "burst", "32kb")


def mapped(cluster: Cluster, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return cluster.run("weft", "map", *with_usual(MAP, words), folder=folder, deadline_s=200)


def only_row(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    [row] = result_of(done.stdout)
    return dict(row)


def names_in(row: dict[str, Any]) -> set[str]:
    """Whom the first finding could mean."""
    found = row["findings"][0]
    return {cause["name"] for cause in (*found["causes"], *found["also"])}


def test_a_host_whose_link_is_shaped_is_named(cluster: Cluster, folder: Path) -> None:
    assert cluster.run(*SHAPED, "latency", "2s", host="n3").returncode == 0
    try:
        # Four hosts have twelve ways: it takes many visits to tell three of them from the rest.
        more = ("--rounds", "24", "--launches", "2", "--budget", "150s")
        done = mapped(cluster, folder, "--json", *more)
    finally:
        cluster.run("tc", "qdisc", "del", "dev", "eth0", "root", host="n3")
    assert done.returncode == 0, done.stderr
    row = only_row(done)
    assert [one["source"] for one in row["worst"][:3]] == ["n3"] * 3, done.stdout
    assert all(one["slower"] > 2 for one in row["worst"][:3])
    # The three are slower than any other way, however the two cores delay those.
    assert row["findings"], done.stdout
    assert "n3" in names_in(row)
    assert row["findings"][0]["slower"] > 1
    assert row["dead"] == []


def test_nobody_is_named_where_all_is_well(cluster: Cluster, folder: Path) -> None:
    done = mapped(cluster, folder, "--json")
    assert done.returncode == 0, done.stderr
    row = only_row(done)
    assert (row["findings"], row["dead"]) == ([], [])
    assert (row["endpoints"], row["rounds"]) == (4, 12)


def test_a_host_that_dies_is_dead_and_the_others_have_their_map(
    cluster: Cluster, folder: Path
) -> None:
    record = folder / "m.jsonl"
    with cluster.start(
        "weft", "map", *MAP, folder=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ranks:
        end = time.monotonic() + 90
        while not (record.exists() and record.read_text().count('"role":"measure"') > 3):
            assert time.monotonic() < end
            threading.Event().wait(0.1)
        cluster.kill("n4")
        try:
            said, errors = ranks.communicate(timeout=120)
        finally:
            cluster.boot("n4")
    assert ranks.returncode == 1, errors
    words = " ".join(said.split())
    assert "n4 did not answer: dead, not slow; map the others: weft map " in words, said + errors
    assert "--hosts n1,n2,n3 " in words
    assert "n4 does not answer any more" in " ".join(errors.split())
    run = weft.load(record)
    assert run.footer is not None
    assert run.footer.silent_hosts == ("n4",)
    assert len(run.measured) > 3


def test_a_topology_of_other_hosts_is_refused_before_anything_is_measured(
    cluster: Cluster, folder: Path
) -> None:
    (folder / "topology.conf").write_text("SwitchName=l1 Nodes=n[1-3]\n")
    done = mapped(cluster, folder, "--topology", "topology.conf")
    assert done.returncode == 2
    [line] = [line for line in done.stderr.splitlines() if line.startswith("weft: ")]
    assert "the topology does not fit: n4 is below no switch" in line
    assert not (folder / "m.jsonl").exists()
