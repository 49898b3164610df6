"""Runs across hosts by every launcher: from submitting a job to its record and its report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from lab.runs import (
    FEW,
    SHORT,
    end_of_job,
    end_of_jobs,
    hosts_of,
    job_of,
    record_in,
    run_short,
    status_of_job,
)
from support.printed import result_of
from support.words import with_usual

if TYPE_CHECKING:
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine


def test_a_run_is_submitted_and_becomes_a_record_and_a_report(
    cluster: Cluster, folder: Path
) -> None:
    words = [word for word in SHORT if word != "--no-report"]
    done = cluster.run("weft", "run", *words, "--nodes", "2", "--submit", folder=folder)
    number = job_of(done)
    assert f"tail -F {folder}/weft-{number}.log" in done.stdout
    assert end_of_job(cluster, number) == "COMPLETED", (folder / f"weft-{number}.log").read_text()
    run = record_in(folder, f"weft-{number}.jsonl.zst")
    assert run.header.plan.launcher == "slurm"
    assert hosts_of(run) == [("n1", "n2")]
    assert list(run.header.hosts) == ["n1", "n2"]
    assert [batch.status for batch in run.lines.batches] == ["ok"] * len(run.lines.batches)
    assert run.lines.launches[0].details["interface"] == "eth0"
    page = (folder / f"weft-{number}.html").read_text()
    assert "n1 and n2" in page
    shown = cluster.run("weft", "show", f"weft-{number}.jsonl.zst", folder=folder)
    assert shown.returncode == 0
    assert "Latency" in shown.stdout


def test_the_printed_script_is_what_sbatch_takes(cluster: Cluster, folder: Path) -> None:
    words = ["weft", "slurm", "script", *SHORT, "--nodes", "3", "-o", "r.jsonl"]
    (folder / "job.sh").write_text(cluster.run(*words, folder=folder).stdout)
    assert status_of_job(cluster, "job.sh", folder=folder) == 0
    run = record_in(folder)
    # A pair measures; without --ranks each of the nodes has one.
    assert hosts_of(run) == [("n1", "n2", "n3")]


@pytest.mark.parametrize(("mpi", "placement"), [("openmpi", "pack"), ("mpich", "spread")])
def test_inside_an_allocation_that_allocation_is_taken(
    cluster: Cluster, folder: Path, mpi: str, placement: str
) -> None:
    words = [*SHORT, "--mpi", mpi, "--ranks", "4", "--placement", placement, "-o", "r.jsonl"]
    done = cluster.run("salloc", "-N2", "weft", "run", *words, folder=folder)
    assert done.returncode == 0, done
    run = record_in(folder)
    assert run.header.plan.launcher == "slurm"
    order = {"spread": ("n1", "n2", "n1", "n2"), "pack": ("n1", "n1", "n2", "n2")}
    assert hosts_of(run) == [order[placement]]


@pytest.mark.parametrize("how", [("--hosts", "n1,n2,n3,n4"), ("salloc", "-N4")])
def test_a_study_starts_each_number_of_ranks_on_as_many_nodes(
    cluster: Cluster, folder: Path, how: tuple[str, str]
) -> None:
    words = ["halo", "--transport", "tcp", "--extents", "4", "--compute", "9ns", "--sums", "2",
             *FEW, "-o", "r.jsonl"]  # fmt: skip
    before, behind = (how, ()) if how[0] == "salloc" else ((), how)
    done = cluster.run(*before, "weft", "run", *words, *behind, folder=folder)
    assert done.returncode == 0, done
    run = record_in(folder)
    assert sorted(hosts_of(run)) == [("n1",), ("n1", "n2"), ("n1", "n2", "n3", "n4")]
    shown = cluster.run("weft", "show", "r.jsonl", "--table", "scaling", folder=folder)
    assert "efficiency" in shown.stdout


def test_the_solver_on_nodes_is_a_study_over_mpi(cluster: Cluster, folder: Path) -> None:
    words = ("weft", "run", "milc", "--nodes", "2", "--extents", "4", *FEW, "-o", "r.jsonl")
    done = cluster.run(*words, folder=folder)
    assert done.returncode == 0, done
    run = record_in(folder)
    assert sorted(hosts_of(run)) == [("n1",), ("n1", "n2")]
    assert {case.transport for case in run.cases.values()} == {"mpi"}
    assert all("residual" in batch.application for batch in run.measured)


def test_outside_a_job_nodes_are_those_of_a_new_one_and_so_when_it_goes_on(
    cluster: Cluster, folder: Path
) -> None:
    words = ("weft", "run", *SHORT, "--nodes", "2", "-o", "r.jsonl")
    for command in (words, ("weft", "run", "--resume", "r.jsonl")):
        done = cluster.run(*command, folder=folder)
        assert done.returncode == 0, done
        assert "asking Slurm for 2 nodes" in done.stderr
        assert "Relinquishing job allocation" in done.stderr
    assert hosts_of(record_in(folder)) == [("n1", "n2")]


@pytest.mark.parametrize(("mpi", "placement"), [("openmpi", "spread"), ("mpich", "pack")])
def test_named_hosts_are_reached_by_mpirun(
    cluster: Cluster, folder: Path, mpi: str, placement: str
) -> None:
    words = ["--hosts", "n2,n3", "--mpi", mpi, "--ranks", "4", "--placement", placement]
    done = run_short(cluster, folder, *words, "-o", "r.jsonl")
    assert done.returncode == 0, done
    run = record_in(folder)
    assert run.header.plan.launcher == "mpirun"
    order = {"spread": ("n2", "n3", "n2", "n3"), "pack": ("n2", "n2", "n3", "n3")}
    assert hosts_of(run) == [order[placement]]


def test_the_hosts_of_pbs_are_found(cluster: Cluster, folder: Path) -> None:
    (folder / "nodes").write_text("n3\nn4\n")
    more = {"PBS_NODEFILE": str(folder / "nodes")}
    done = run_short(cluster, folder, "-o", "r.jsonl", host="n3", more=more)
    assert done.returncode == 0, done
    assert hosts_of(record_in(folder)) == [("n3", "n4")]


def test_the_interface_that_joins_the_hosts_is_taken_and_another_by_name(
    cluster: Cluster, folder: Path
) -> None:
    for name, words in (("usual", ()), ("named", ("--interface", "eth1"))):
        both = ["--transport", "mpi,tcp,ucx,ofi", "--wait", "spin", "--hosts", "n1,n2"]
        done = run_short(cluster, folder, *both, *words, "-o", f"{name}.jsonl")
        assert done.returncode == 0, done
    for name, interface in (("usual", "eth0"), ("named", "eth1")):
        by_transport = {
            launch.transport: launch.details
            for launch in record_in(folder, f"{name}.jsonl").lines.launches
        }
        assert by_transport["tcp"]["interface"] == interface
        assert by_transport["ofi"]["domain"] == interface
        assert by_transport["ucx"]["lanes"].startswith(f"tcp/{interface} ")
        assert by_transport["ucx"]["devices"] == interface
        assert by_transport["mpi"]["TCP interface"] == interface


def test_tcp_ucx_and_ofi_work_over_an_interface_that_has_ipv6_only(
    cluster: Cluster, folder: Path
) -> None:
    """With addresses that other networks reach, and with those of the link alone."""
    for number in (1, 2):
        words = ("ip", "addr", "flush", "dev", "eth1", "scope", "global")
        assert cluster.run(*words, host=f"n{number}").returncode == 0
    try:
        for name, transports, add in (("link", "tcp", ()), ("global", "tcp,ucx,ofi", (1, 2))):
            for number in add:
                words = ("ip", "addr", "add", f"fd01::{number}/64", "dev", "eth1", "nodad")
                assert cluster.run(*words, host=f"n{number}").returncode == 0
            both = ["--transport", transports, "--interface", "eth1", "--hosts", "n1,n2"]
            more = ["--option", "tcp.traffic_class=104", "-o", f"{name}.jsonl"]
            done = run_short(cluster, folder, *both, *more)
            assert done.returncode == 0, done
    finally:
        for number in (1, 2):
            for change in (
                ("flush", "dev", "eth1", "scope", "global"),
                ("add", f"10.78.0.{number}/24", "dev", "eth1"),
            ):
                cluster.run("ip", "addr", *change, host=f"n{number}")
    for name, begin in (("link", "fe80::"), ("global", "fd01::")):
        launches = {one.transport: one for one in record_in(folder, f"{name}.jsonl").lines.launches}
        tcp = launches["tcp"].details
        assert tcp["address"].startswith(begin)
        assert (tcp["interface"], tcp["traffic class"]) == ("eth1", "104")
    assert launches["ucx"].details["lanes"].startswith("tcp/eth1 ")
    assert launches["ofi"].details["domain"] == "eth1"


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_mpi_takes_the_named_interface_in_a_job_too(
    cluster: Cluster, folder: Path, mpi: str
) -> None:
    own = ["--transport", "mpi", "--wait", "spin", "--mpi", mpi, "--interface", "eth1"]
    words = with_usual(SHORT, [*own, "-o", "r.jsonl"])
    done = cluster.run("salloc", "-N2", "weft", "run", *words, folder=folder)
    assert done.returncode == 0, done
    [launch] = record_in(folder).lines.launches
    assert launch.details["TCP interface"] == "eth1"


def test_open_mpi_meets_on_the_network_that_joins_the_hosts_in_a_job(
    cluster: Cluster, folder: Path
) -> None:
    own = ["--transport", "mpi", "--wait", "spin", "--mpi", "openmpi", "-o", "r.jsonl"]
    words = with_usual(SHORT, own)
    more = {"OMPI_MCA_pml": "ob1"}  # UCX would choose for it
    done = cluster.run("salloc", "-N2", "weft", "run", *words, folder=folder, more=more)
    assert done.returncode == 0, done
    [launch] = record_in(folder).lines.launches
    assert launch.details["TCP interface"] == "eth0"


def test_a_run_goes_on_in_a_second_job(cluster: Cluster, folder: Path) -> None:
    words = ["--nodes", "2", "-o", "r.jsonl", "--launches", "20", "--budget", "3s"]
    done = run_short(cluster, folder, *words, "--sizes", "8,16,32,64,128,256", "--submit")
    assert end_of_job(cluster, job_of(done)) in ("COMPLETED", "FAILED")
    before = len(record_in(folder).lines.launches)
    words = ["--resume", "r.jsonl", "--budget", "60s", "--no-report", "--submit"]
    done = cluster.run("weft", "run", *words, folder=folder)
    number = job_of(done)
    log = folder / f"weft-{number}.log"
    assert end_of_job(cluster, number) == "COMPLETED", log.read_text()
    run = record_in(folder)
    assert len(run.lines.launches) > before
    # Those of an earlier job may still be on their way out: which two it gets is Slurm's.
    assert {len(set(hosts)) for hosts in hosts_of(run)} == {2}
    assert run.footer is not None
    assert run.footer.outcome == "precise"


def test_doctor_asks_every_host_in_one_step_and_names_what_differs(
    cluster: Cluster, folder: Path
) -> None:
    assert cluster.run("ip", "link", "set", "eth1", "mtu", "1400", host="n3").returncode == 0
    try:
        done = cluster.run("salloc", "-N4", "weft", "doctor", "--nodes", "4", folder=folder)
        found = cluster.run("weft", "doctor", "--hosts", "n2,n3,n4", "--json", folder=folder)
    finally:
        cluster.run("ip", "link", "set", "eth1", "mtu", "1500", host="n3")
    assert "4 hosts: n1, n2, n3, n4\n  n3: eth1 mtu 1400, others 1500\n" in done.stdout, done
    report = result_of(found.stdout)
    assert report["hosts"] == ["n2", "n3", "n4"]
    assert report["differences"] == ["n3: eth1 mtu 1400, others 1500"]
    # Each host is judged for its one rank, not for all of the run's; one that is busy says so too.
    cores = [finding["what"] for finding in report["findings"] if finding["check"] == "cores"]
    assert cores
    assert not any("ranks share" in what for what in cores)


def test_what_differs_stands_first_in_the_records_notes(cluster: Cluster, folder: Path) -> None:
    assert cluster.run("ip", "link", "set", "eth1", "mtu", "1400", host="n2").returncode == 0
    try:
        done = run_short(cluster, folder, "--hosts", "n1,n2,n3", "-o", "r.jsonl")
    finally:
        cluster.run("ip", "link", "set", "eth1", "mtu", "1500", host="n2")
    assert done.returncode == 0, done
    notes = record_in(folder).header.notes
    assert notes[0] == "warning: hosts differ: n2: eth1 mtu 1400, others 1500"


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_hosts_are_listed_with_ranges_users_and_ranks(
    cluster: Cluster, folder: Path, mpi: str
) -> None:
    words = ["--hosts", "root@n[2-3]:2", "--mpi", mpi, "-o", "r.jsonl"]
    done = run_short(cluster, folder, *words)
    assert done.returncode == 0, done
    run = record_in(folder)
    assert hosts_of(run) == [("n2", "n3", "n2", "n3")]
    assert list(run.header.hosts) == ["n2", "n3"]


def test_all_components_of_a_heterogeneous_job_measure(cluster: Cluster, folder: Path) -> None:
    words = ["weft", "run", *SHORT, "--ranks", "3", "-o", "r.jsonl"]
    done = cluster.run("salloc", "-N2", ":", "-N1", *words, folder=folder)
    assert done.returncode == 0, done
    run = record_in(folder)
    assert run.header.plan.launcher == "slurm"
    [hosts] = hosts_of(run)
    assert hosts == tuple(run.header.hosts)
    assert len(set(hosts)) == 3


def test_a_task_of_an_array_knows_its_own_time_limit(cluster: Cluster, folder: Path) -> None:
    """The job with the array's own number sees the other tasks too: the last one starts last."""
    program = "from weft.launch.job_time import usable_s; print(usable_s())"
    script = f"#!/bin/bash\n{sys.executable} -c '{program}' > $SLURM_ARRAY_TASK_ID.txt; sleep 1\n"
    (folder / "job.sh").write_text(script)
    words = ("--array=0-2", "--time=5", "job.sh")
    assert status_of_job(cluster, *words, folder=folder) == 0
    end_of_jobs(cluster)
    for task in range(3):
        left_s = float((folder / f"{task}.txt").read_text())
        assert 100 < left_s <= 240


def test_a_job_that_a_job_submits_inherits_nothing_of_it(cluster: Cluster, folder: Path) -> None:
    """SLURM_MEM_PER_CPU and SLURM_MEM_PER_NODE exclude each other: srun ended in the new job."""
    words = ["weft", "run", *SHORT, "--nodes", "2", "--submit"]
    more = {
        "SLURM_MEM_PER_CPU": "100", "SLURM_MEM_PER_NODE": "200", "SLURM_HINT": "nomultithread",
        "SLURM_NTASKS_PER_NODE": "7",
    }  # fmt: skip
    done = cluster.run("salloc", "-N1", *words, folder=folder, more=more)
    number = job_of(done)
    assert end_of_job(cluster, number) == "COMPLETED", (folder / f"weft-{number}.log").read_text()
    assert len(set(hosts_of(record_in(folder, f"weft-{number}.jsonl.zst"))[0])) == 2


def test_the_nodes_of_a_run_are_chosen(cluster: Cluster, folder: Path) -> None:
    for name, words in (
        ("chosen", ("--nodelist", "n[3-4]")),
        ("others", ("--nodes", "2", "--exclude", "n1,n3")),
    ):
        done = run_short(cluster, folder, *words, "-o", f"{name}.jsonl")
        assert done.returncode == 0, done
        assert "asking Slurm for 2 nodes" in done.stderr
    typed = ("weft", "run", *SHORT, "--exclude", "n2", "-o", "inside.jsonl")
    assert cluster.run("salloc", "-N3", "-w", "n1,n2,n4", *typed, folder=folder).returncode == 0
    hosts = {name: hosts_of(record_in(folder, f"{name}.jsonl")) for name in (
        "chosen", "others", "inside")}  # fmt: skip
    assert hosts == {
        "chosen": [("n3", "n4")], "others": [("n2", "n4")], "inside": [("n1", "n4")]
    }  # fmt: skip
