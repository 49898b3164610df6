"""A run of several nodes outside a job: Slurm is asked for them, and weft runs there."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from weft.launch.salloc import is_needed, words_of
from weft.launch.sbatch import SiteJob

if TYPE_CHECKING:
    from pathlib import Path

SALLOC = """#!/bin/sh
printf '%s\\n' "$@"
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """With a salloc that says how it was called."""
    for name in ("salloc", "srun"):
        (tmp_path / name).write_text(SALLOC)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return os.environ["PATH"]


def _weft(*words: str) -> subprocess.CompletedProcess[str]:
    program = "from weft.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True, text=True, check=False, timeout=600, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.usefixtures("path")
def test_a_run_of_nodes_becomes_a_job_of_its_own() -> None:
    words = ("stream", "--nodes", "4", "--partition=fat", "--budget", "10min")
    done = _weft("run", *words)
    assert done.returncode == 0, done.stderr
    asked = done.stdout.splitlines()
    own = asked[: asked.index("run")]
    assert {"--nodes=4", "--partition=fat", "--time=12", "--exclusive"} <= set(own)
    assert tuple(asked[asked.index("run") + 1 :]) == words
    assert "asking Slurm for 4 nodes for at most 12 min" in done.stderr


@pytest.mark.usefixtures("path")
def test_a_thousand_ranks_have_time_to_start_in_it() -> None:
    words = ("barrier", "--nodes", "64", "--ranks-per-node", "16", "--no-report")
    # 40 s and half a second for each of 1,024 ranks, a minute for the end, and the budget of one.
    assert "--time=12" in _weft("run", *words).stdout.splitlines()
    many = SiteJob(command="run", words=(), nodes=64, budget_s=60.0, ranks=16384)
    assert "--time=12" in words_of(many)


@pytest.mark.usefixtures("path")
def test_so_does_the_doctor() -> None:
    done = _weft("doctor", "--nodes", "2", "--json")
    assert done.stdout.splitlines()[-4:] == ["doctor", "--nodes", "2", "--json"]


@pytest.mark.usefixtures("path")
def test_no_job_is_asked_for_where_every_node_is_down(tmp_path: Path) -> None:
    (tmp_path / "sinfo").write_text("#!/bin/sh\necho 'dark n1 down*'; echo 'dark n2 drained'\n")
    (tmp_path / "sinfo").chmod(0o755)
    done = _weft("run", "--nodes", "2", "--partition", "dark")
    assert done.returncode != 0
    assert "every node of partition dark is down (n1: down*, n2: drained)" in done.stderr
    assert "--exclusive" not in done.stdout


@pytest.mark.parametrize("command", [("doctor",), ("run", "ping_pong", "--no-report")])
@pytest.mark.usefixtures("path")
def test_named_hosts_are_taken_without_a_job(command: tuple[str, ...]) -> None:
    done = _weft(*command, "--hosts", "no-host.invalid,neither.invalid", "--nodes", "2")
    assert done.returncode != 0
    assert "asking Slurm" not in done.stderr
    assert "--exclusive" not in done.stdout


@pytest.mark.parametrize(
    ("nodes", "launcher", "environment", "needed"),
    [
        (2, "", {}, True),
        (2, "slurm", {}, True),
        (1, "", {}, False),
        (0, "", {}, False),
        (2, "mpirun", {}, False),
        (2, "", {"SLURM_JOB_ID": "7"}, False),
        (2, "", {"PBS_NODEFILE": "hosts"}, False),
        (2, "", {"LSB_HOSTS": "n1 n2"}, False),
    ],
)
@pytest.mark.usefixtures("path")
def test_a_job_is_asked_for_only_where_nodes_can_come_from_slurm_alone(
    nodes: int, launcher: str, environment: dict[str, str], needed: bool
) -> None:
    assert is_needed(nodes, launcher, environment) is needed


def test_without_slurm_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert not is_needed(2, "", {})


def test_a_job_is_asked_for_with_each_of_its_words() -> None:
    job = SiteJob(
        command="map", words=("--ranks", "7"), nodes=3, partition="long", account="lattice",
        constraint="hdr", time_limit_s=750.0,
    )  # fmt: skip
    salloc, *words = words_of(job)
    assert salloc == "salloc"
    assert set(words[:9]) == {
        "--job-name=weft", "--exclusive", "--no-kill", "--kill-command=TERM", "--nodes=3",
        "--partition=long", "--account=lattice", "--constraint=hdr", "--time=13",
    }  # fmt: skip
    assert words[10:] == ["map", "--ranks", "7"]
    bare = words_of(SiteJob(command="run", words=(), nodes=2, budget_s=60.0))
    assert not {word for word in bare if word.startswith(("--part", "--acc", "--cons"))}


@pytest.mark.parametrize("there", [("srun",), ("salloc",), ("salloc", "srun")])
def test_nobody_is_asked_with_half_of_slurm(
    there: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in there:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert is_needed(2, "", {}) is (len(there) == 2)
