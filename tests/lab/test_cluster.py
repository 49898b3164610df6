"""The lab itself: hosts that differ as hosts do, a real Slurm, and nothing left of it."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from lab.cluster.__main__ import FAILED
from lab.cluster.cluster import Cluster, missing
from lab.cluster.host import START_FILES

TESTS = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.engine

OWN = (
    "import json, os, socket, pathlib as p;"
    "read = lambda path: p.Path(path).read_text().strip();"
    "print(json.dumps([socket.gethostname(), read('/proc/sys/kernel/random/boot_id'),"
    " read('/etc/machine-id'), *(os.readlink(f'/proc/self/ns/{kind}')"
    " for kind in ('net', 'mnt', 'uts', 'ipc', 'pid'))]))"
)


def test_a_shell_on_a_host_reads_none_of_this_machines_start_files(cluster: Cluster) -> None:
    files = [str(Path.home() / name) for name in START_FILES if (Path.home() / name).exists()]
    done = cluster.run("ssh", "n1", "cat", "/dev/null", *files)
    assert (done.returncode, done.stdout) == (0, ""), done


def _interfaces() -> str:
    return subprocess.run(["ip", "-br", "addr"], capture_output=True, text=True, check=True).stdout


def test_every_host_has_its_own_of_what_tells_hosts_apart(cluster: Cluster) -> None:
    found = [
        json.loads(cluster.run(sys.executable, "-c", OWN, host=host).stdout)
        for host in ("head", *cluster.hosts, "stranger")
    ]
    for of_each in zip(*found, strict=True):
        assert len(set(of_each)) == len(found), of_each


def test_hosts_take_the_cpus_in_turn_and_again_after_they_had_others(
    cluster: Cluster, shared: Path
) -> None:
    """Of hosts that may run anywhere every first rank would be on the first CPU."""
    cpus = sorted(os.sched_getaffinity(0))
    own = {host: [cpus[number % len(cpus)]] for number, host in enumerate(cluster.hosts, 1)}
    ask = (sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))")

    def found(host: str) -> list[list[int]]:
        there = cluster.run(*ask, host=host)
        by_ssh = cluster.run("ssh", host, *map(shlex.quote, ask))
        by_slurm = cluster.run("srun", "-w", host, *ask, folder=shared)
        return [json.loads(one.stdout) for one in (there, by_ssh, by_slurm)]

    with cluster.pinned("n2", set(cpus)):
        assert found("n2") == [cpus] * 3
    for host in cluster.hosts:
        assert found(host) == [own[host]] * 3, host


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/run"])
def test_what_a_host_keeps_in_its_memory_no_other_sees(cluster: Cluster, folder: str) -> None:
    assert cluster.run("touch", f"{folder}/mine", host="n1").returncode == 0
    assert cluster.run("ls", f"{folder}/mine", host="n1").returncode == 0
    assert cluster.run("ls", f"{folder}/mine", host="n2").returncode != 0
    assert not Path(folder, "mine").exists()
    cluster.run("rm", f"{folder}/mine", host="n1")


def test_slurm_runs_a_step_on_every_node_and_ssh_reaches_them(
    cluster: Cluster, shared: Path
) -> None:
    ran = cluster.run("srun", "-N4", "hostname", folder=shared)
    assert sorted(ran.stdout.split()) == cluster.hosts, ran
    assert cluster.run("ssh", "n3", "hostname").stdout == "n3\n"


def test_the_stranger_has_no_key_and_no_way_in(cluster: Cluster) -> None:
    refused = cluster.run("ssh", "n1", "true", host="stranger")
    assert "Permission denied" in refused.stderr
    assert cluster.run("ls", "/run/weft-lab", host="stranger").returncode != 0
    assert cluster.run("munge", "-n").returncode == 0
    assert cluster.run("munge", "-n", host="stranger").returncode != 0


def test_a_host_dies_and_comes_back(cluster: Cluster) -> None:
    cluster.kill("n4")
    assert cluster.run("ssh", "n4", "true").returncode == 255
    cluster.boot("n4")
    assert cluster.run("ssh", "n4", "hostname").stdout == "n4\n"


def test_nothing_is_left_of_a_lab_of_eight_hosts_even_after_a_kill(tmp_path: Path) -> None:
    reason = missing()
    if reason:
        pytest.skip(f"no lab: {reason}")
    before = _interfaces()
    words = [sys.executable, "-m", "lab.cluster", "--hosts", "8", "srun -N8 hostname; cat"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    ) as lab:  # fmt: skip
        assert lab.stdout is not None
        hosts = sorted(lab.stdout.readline().strip() for _ in range(8))
        assert hosts == [f"n{number}" for number in range(1, 9)]
        family = psutil.Process(lab.pid).children(recursive=True)
        assert len(family) > 8 * 3
        lab.send_signal(signal.SIGKILL)
    assert psutil.wait_procs(family, timeout=600)[1] == []
    assert _interfaces() == before
    assert not Path("/run/weft-lab").exists()


def test_a_count_that_is_too_large_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lab.cluster", "--hosts", "1000", "true"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "--hosts takes 1 to 64" in done.stderr


def test_the_command_runs_in_the_callers_folder_and_its_status_is_the_labs(
    tmp_path: Path,
) -> None:
    reason = missing()
    if reason:
        pytest.skip(f"no lab: {reason}")
    (tmp_path / "here").touch()
    done = subprocess.run(
        [sys.executable, "-m", "lab.cluster", "--hosts", "1", "ls; exit 7"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (7, "here\n"), done
