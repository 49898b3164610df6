"""Maps of the lab's hosts: a shaped link, a busy host and a dead one are named, else nobody.

The hosts share this machine's cores, so ranks sleep while they wait, and only what is slower many
times over is planted.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft
from lab.cluster.layout import HEAD
from support.printed import result_of
from support.words import with_usual
from weft.topics.pair_map import maps_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine

HOSTS = "n1,n2,n3,n4"
MAP = (
    "--output", "m.jsonl", "--hosts", HOSTS, "--transport", "tcp", "--wait", "block",
    "--sizes", "64KiB", "--rounds", "12", "--launches", "1", "--budget", "5min",
)  # fmt: skip
# 1 MiB takes 168 ms at this rate, and 4 ms without it where other programs want both cores. The
# untimed pass of each batch is of several MiB, whatever the size: of small messages at a low rate
# it would take the whole budget.
SHAPED = ("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "50mbit", "burst", "64kb")
# It takes 45 s, nearly all of it in the shaped link and little of it on the cores.
OF_SHAPED = ("--sizes", "1MiB")

# Four polling ranks share two cores here, though each host says that it has its own.
YIELDING = ("env", "OMPI_MCA_mpi_yield_when_idle=1")
COMPUTING = (sys.executable, "-c", "while True: pass")


def mapped(cluster: Cluster, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return cluster.run("weft", "map", *with_usual(MAP, words), folder=folder, deadline_s=900)


def only_row(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    [row] = result_of(done.stdout)
    return dict(row)


def names_in(row: dict[str, Any]) -> set[str]:
    """Whom the first finding could mean."""
    found = row["findings"][0]
    return {cause["name"] for cause in (*found["causes"], *found["also"])}


@contextlib.contextmanager
def shaped(cluster: Cluster, host: str) -> Iterator[None]:
    """What the host sends is slow."""
    assert cluster.run(*SHAPED, "latency", "2s", host=host).returncode == 0
    try:
        yield
    finally:
        cluster.run("tc", "qdisc", "del", "dev", "eth0", "root", host=host)


def test_a_host_whose_link_is_shaped_is_named(cluster: Cluster, folder: Path) -> None:
    with shaped(cluster, "n3"):
        done = mapped(cluster, folder, "--json", *OF_SHAPED)
    assert done.returncode == 0, done.stderr
    row = only_row(done)
    assert [one["source"] for one in row["worst"][:3]] == ["n3"] * 3, done.stdout
    assert all(one["slower"] > 5 for one in row["worst"][:3]), done.stdout
    assert row["findings"], done.stdout
    assert "n3" in names_in(row)
    assert row["findings"][0]["slower"]["value"] > 5
    assert row["dead"] == []


def test_a_host_is_told_from_its_leaf_by_the_command_that_the_map_proposes(
    cluster: Cluster, folder: Path
) -> None:
    """Of its leaf nobody else is measured, so that the way out of it is as slow."""
    lines = ("SwitchName=a Nodes=n3,n4", f"SwitchName=b Nodes={HEAD},n1,n2")
    (folder / "topology.conf").write_text("\n".join(lines) + "\n")
    words = (
        "--hosts", f"{HEAD},n1,n2,n3", "--rounds", "3", "--topology", "topology.conf", *OF_SHAPED,
    )  # fmt: skip
    with shaped(cluster, "n3"):
        done = mapped(cluster, folder, *words)
        assert done.returncode == 0, done.stderr
        assert "causes fit: " in done.stdout
        said = " ".join(done.stdout.split()).partition("to tell them apart: ")[2]
        command = shlex.split(said.partition(" tcp block")[0])
        told = cluster.run(*command, "--json", folder=folder, deadline_s=900)
    assert told.returncode == 0, told.stderr
    # The strongest: where other programs want the cores too, a map says of them what it sees.
    finding = only_row(told)["findings"][0]
    assert finding["causes"] == [{"kind": "send", "name": "n3"}]
    assert finding["also"] == []


def test_a_host_whose_cpu_is_busy_is_named_and_no_link(cluster: Cluster, folder: Path) -> None:
    """It has a CPU of its own, and its rank shares that with programs that only compute."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one CPU: all hosts are as busy")
    with contextlib.ExitStack() as after:
        for host in cluster.hosts:
            of_host = {cpus[-1]} if host == "n3" else set(cpus[:-1])
            after.enter_context(cluster.pinned(host, of_host))
        after.enter_context(cluster.waiting_its_turn("n3"))
        for _ in range(8):
            busy = after.enter_context(cluster.start(*COMPUTING, host="n3"))
            after.callback(busy.terminate)
        done = mapped(cluster, folder, "--json", "--sizes", "8")
    assert done.returncode == 0, done.stderr
    row = only_row(done)
    # Its messages wait for a slice all the time or now and then, as its rank comes between the
    # programs: then it is slow at times.
    named = [*row["findings"], *row["unsteady"]]
    assert named, done.stdout
    causes = [*named[0]["causes"], *named[0]["also"]]
    assert {one["name"] for one in causes} == {"n3"}, causes
    assert {one["kind"] for one in causes} <= {"node", "send", "receive"}


def test_a_map_over_mpi_is_whole_and_goes_on(cluster: Cluster, folder: Path) -> None:
    words = ("--transport", "mpi", "--sizes", "8", "--rounds", "3", "--wait", "library")
    weft_map = (*YIELDING, "weft", "map", "--json", *with_usual(MAP, words))
    done = cluster.run(*weft_map, folder=folder, deadline_s=900)
    assert done.returncode == 0, done.stderr
    assert (only_row(done)["launches"], only_row(done)["rounds"]) == (1, 3)
    more = ("--resume", "m.jsonl", "--launches", "2", "--budget", "5min", "--no-report")
    done = cluster.run(*YIELDING, "weft", "run", *more, folder=folder, deadline_s=900)
    assert done.returncode == 0, done.stderr
    run = weft.load(folder / "m.jsonl")
    [row] = maps_of(run, None)
    assert (row.endpoints, row.launches, row.rounds, row.dead) == (4, 2, 3, ())
    assert row.matrix is not None
    assert set(row.matrix.names) == set(HOSTS.split(","))
    # Every way was measured, once in each launch.
    assert row.matrix.visits.tolist() == (2 * (1 - np.eye(4))).tolist()


def test_nobody_is_named_where_all_is_well(cluster: Cluster, folder: Path) -> None:
    # Chance names somebody in a map of hundreds, and not the same one again.
    named = []
    for record in ("m.jsonl", "again.jsonl"):
        done = mapped(cluster, folder, "--json", "--output", record)
        assert done.returncode == 0, done.stderr
        row = only_row(done)
        assert row["dead"] == []
        assert (row["endpoints"], row["rounds"]) == (4, 12)
        named.append(names_in(row) if row["findings"] else set())
    assert named[0] & named[1] == set(), named


def test_a_host_that_dies_is_dead_and_the_others_have_their_map(
    cluster: Cluster, folder: Path
) -> None:
    """The hosts are listed by address, in another order than their names."""
    record = folder / "m.jsonl"
    addresses = ("10.77.0.4", "10.77.0.2", "10.77.0.3", "10.77.0.1")
    # So many that they last for longer than it takes to see the fourth one.
    rounds = with_usual(MAP, ("--rounds", "60", "--hosts", ",".join(addresses)))
    with cluster.start(
        "weft", "map", *rounds, folder=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ranks:
        end = time.monotonic() + 200
        while not (record.exists() and record.read_text().count('"role":"measure"') > 3):
            assert time.monotonic() < end
            threading.Event().wait(0.1)
        cluster.kill("n4")
        try:
            said, errors = ranks.communicate(timeout=600)
        finally:
            cluster.boot("n4")
    assert ranks.returncode == 1, errors
    words = " ".join(said.split())
    assert "n4 did not answer: dead, not slow; map the others: weft map " in words, said + errors
    assert f"--hosts {','.join(addresses[1:])} " in words
    assert "n4 (10.77.0.4) does not answer any more" in " ".join(errors.split())
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
    assert "the topology topology.conf does not fit: n4 is below no switch" in line
    assert not (folder / "m.jsonl").exists()
