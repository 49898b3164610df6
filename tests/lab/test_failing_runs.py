"""What goes wrong on a cluster ends in one clear line, with all finished cases kept."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weft
from lab.runs import SHORT, end_of_job, hosts_of, job_of, record_in, run_short
from support.scripted import lay_out_rank
from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine

# Many launches, so that it goes on until something ends it.
LONG = (
    "ping_pong", "--transport", "tcp", "--sizes", "8,64,512", "--launches", "900",
    "--samples", "200", "--budget", "10min", "--no-report", "--deadline", "4s", "-o", "r.jsonl",
)  # fmt: skip


def _wait_for_case(record: Path) -> None:
    """Return once a case is measured."""
    end = time.monotonic() + 60
    while not (record.exists() and '"role":"measure"' in record.read_text()):
        assert time.monotonic() < end
        threading.Event().wait(0.1)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--partition", "nix"), "invalid partition specified: nix"),
        (("--partition", "closed"), "Invalid account or account/partition combination specified"),
        (("--account", "chemistry", "--partition", "closed"), "Invalid account or account"),
        (("--constraint", "gpu"), "Invalid feature specification"),
        (("--nodes", "9"), "Node count specification invalid"),
    ],
)
def test_a_job_that_slurm_refuses_is_one_line(
    cluster: Cluster, folder: Path, words: tuple[str, ...], why: str
) -> None:
    version = cluster.run("sinfo", "--version", folder=folder).stdout.split()[-1]
    if "closed" in words and int(version.partition(".")[0]) >= 24:
        pytest.skip(f"Slurm {version} knows no accounts without a database")
    done = run_short(cluster, folder, "--submit", *words)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("weft: Slurm did not take the job: ")
    assert why in line
    assert list(folder.iterdir()) == []


def test_a_partition_whose_nodes_are_down_is_one_line(cluster: Cluster, folder: Path) -> None:
    done = run_short(cluster, folder, "--submit", "--partition", "empty", "--nodes", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("weft: every node of partition empty is down (absent: down")
    assert len(done.stderr.splitlines()) == 1


def test_more_nodes_than_the_job_has_are_one_line(cluster: Cluster, folder: Path) -> None:
    words = ["weft", "run", *SHORT, "--nodes", "3", "-o", "r.jsonl"]
    done = cluster.run("salloc", "-N2", *words, folder=folder)
    assert "3 nodes were asked for, and there are 2: n1, n2; use --nodes 2" in done.stderr


def test_a_run_that_reaches_its_time_limit_keeps_what_it_has(
    cluster: Cluster, folder: Path
) -> None:
    words = ["--nodes", "2", "--time", "1min", "--submit"]
    number = job_of(cluster.run("weft", "run", *LONG, *words, folder=folder))
    end_of_job(cluster, number)
    log = (folder / f"weft-{number}.log").read_text()
    assert "weft: interrupted; continue with: weft run --resume r.jsonl" in log, log
    run = record_in(folder)
    assert run.footer is not None
    assert run.footer.outcome == "interrupted"
    assert any(batch.status == "ok" for batch in run.lines.batches)


def test_a_node_that_dies_in_mid_run_costs_its_cases_alone(cluster: Cluster, folder: Path) -> None:
    number = job_of(cluster.run("weft", "run", *LONG, "--nodes", "2", "--submit", folder=folder))
    _wait_for_case(folder / "r.jsonl")
    cluster.kill("n2")
    try:
        assert end_of_job(cluster, number) != "RUNNING"
    finally:
        cluster.boot("n2")
    run = record_in(folder)
    assert any(batch.status == "ok" for batch in run.lines.batches)
    log = (folder / f"weft-{number}.log").read_text()
    assert run.footer is not None, log
    # Slurm says it, or the hosts are asked first and n2 is silent.
    assert re.search("n2 (went down|does not answer any more)", " ".join(log.split())), log


@pytest.mark.parametrize("launcher", ["slurm", "mpirun"])
def test_a_node_that_never_answers_is_named(cluster: Cluster, folder: Path, launcher: str) -> None:
    cluster.cut("n2")
    try:
        if launcher == "slurm":
            words = ["salloc", "-N2", "weft", "run", *SHORT, "-o", "r.jsonl"]
            done = cluster.run(*words, folder=folder)
        else:
            done = run_short(cluster, folder, "--hosts", "n1,n2", "-o", "r.jsonl")
    finally:
        cluster.join("n2")
    [line] = [line for line in done.stderr.splitlines() if line.startswith("weft: ")]
    assert line.startswith("weft: n2 did not answer (")
    assert "check that the node is up" in line
    assert list(folder.iterdir()) == []


def test_a_host_without_ssh_is_named_with_the_line_of_ssh(cluster: Cluster, folder: Path) -> None:
    done = run_short(cluster, folder, "--hosts", "n1,stranger", "-o", "r.jsonl")
    assert done.returncode == 2
    why = "ssh: connect to host stranger port 22: Connection refused"
    assert done.stderr.splitlines()[-1].startswith(f"weft: stranger did not answer ({why});")


def test_ranks_that_cannot_reach_each_other_are_told_in_open_mpis_words(
    cluster: Cluster, folder: Path
) -> None:
    more = {"OMPI_MCA_btl": "self,vader", "OMPI_MCA_pml": "ob1"}
    words = ["--hosts", "n1,n2", "--transport", "mpi", "--wait", "library", "-o", "r.jsonl"]
    done = run_short(cluster, folder, *words, more=more)
    assert done.returncode == 1
    assert "unable to reach each other for MPI communications" in done.stderr
    assert "BTLs attempted self" in " ".join(done.stderr.split())


def test_other_versions_on_a_host_are_refused(cluster: Cluster, folder: Path) -> None:
    here = Path(weft.__file__)
    (folder / "other.py").write_text(f"{here.read_text()}\n__version__ = '0.0.9'\n")
    cluster.run("mount", "--bind", str(folder / "other.py"), str(here), host="n2")
    try:
        done = run_short(cluster, folder, "--hosts", "n1,n2", "-o", "r.jsonl")
    finally:
        cluster.run("umount", str(here), host="n2")
    assert done.returncode == 2
    assert f"versions of weft: {weft.__version__} here, 0.0.9 on n2; install" in done.stderr
    assert not (folder / "r.jsonl").exists()


def test_programs_of_another_version_on_a_host_are_refused(cluster: Cluster, folder: Path) -> None:
    stale = lay_out_rank(folder / "stale", version="0.0.9")
    there = engine_folder() / "openmpi" / "rank-mpi"
    cluster.run("mount", "--bind", str(stale), str(there), host="n2")
    try:
        done = run_short(cluster, folder, "--hosts", "n1,n2", "-o", "r.jsonl")
    finally:
        cluster.run("umount", str(there), host="n2")
    assert done.returncode == 2
    [line] = [line for line in done.stderr.splitlines() if line.startswith("weft: ")]
    found = f"rank programs of 0.0.9, {weft.__version__} on n2"
    assert f"versions of weft: {weft.__version__} here, {found}; install the same" in line
    assert not (folder / "r.jsonl").exists()


def test_a_name_that_resolves_elsewhere_is_named_with_its_address(
    cluster: Cluster, folder: Path
) -> None:
    change = "sed '{}' /etc/hosts > /run/hosts; cat /run/hosts > /etc/hosts"
    there, elsewhere = "10.77.0.2 n2", "10.99.0.9 n2"
    cluster.run("bash", "-c", change.format(f"s/{there}/{elsewhere}/"), host="n1")
    try:
        done = run_short(cluster, folder, "--hosts", "n1,n2", "-o", "r.jsonl")
    finally:
        cluster.run("bash", "-c", change.format(f"s/{elsewhere}/{there}/"), host="n1")
    assert done.returncode == 1
    assert "n1 has no way to n2, which it takes for 10.99.0.9" in done.stderr
    assert record_in(folder).footer is not None


def test_a_full_tmp_is_a_warning_with_its_host_before_anything_fails(
    cluster: Cluster, folder: Path, shared: Path
) -> None:
    fill = (
        "mkdir -p /run/full && mount -t tmpfs -o size=16k tmpfs /run/full"
        f" && mkdir -p /run/full/{shared.relative_to('/tmp')}"
        f" && mount --bind {shared} /run/full/{shared.relative_to('/tmp')}"
        " && { dd if=/dev/zero of=/run/full/fill bs=1k 2>/dev/null; mount --move /run/full /tmp; }"
    )
    assert cluster.run("bash", "-c", fill, host="n2").returncode == 0
    try:
        done = run_short(cluster, folder, "--hosts", "n1,n2", "-o", "r.jsonl")
    finally:
        cluster.run("umount", "--lazy", "/tmp", host="n2")
    assert "n2: only 0 KiB are free in /tmp" in done.stderr
    assert record_in(folder).footer is not None
    again = run_short(cluster, folder, "--hosts", "n1,n2", "-o", "again.jsonl")
    assert again.returncode == 0
    assert hosts_of(record_in(folder, "again.jsonl")) == [("n1", "n2")]
