"""Where the ranks of a host are bound, on machines that hwloc makes up, through the command."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import weft
from weft.analysis.summary import summarise

if TYPE_CHECKING:
    from pathlib import Path

    from weft.record.model import RankFacts

pytestmark = pytest.mark.engine

RUN = (
    "run", "ping_pong", "--transport", "tcp", "--sizes", "8", "--launches", "1", "--samples", "20",
    "--precision", "100%", "--budget", "30s", "--no-report", "-o", "r.jsonl",
)  # fmt: skip
# Two sockets, each with a NUMA node and two cores.
TWO_SOCKETS = {"HWLOC_SYNTHETIC": "package:2 numa:1 core:2 pu:1"}
ONE_SOCKET = {"HWLOC_SYNTHETIC": "package:1 numa:1 core:4 pu:1"}


def _run(folder: Path, *words: str, machine: dict[str, str]) -> subprocess.CompletedProcess[str]:
    program = "from weft.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *RUN, *words], cwd=folder, capture_output=True, text=True,
        check=False, timeout=600, env={**os.environ, **machine},
    )  # fmt: skip


def _ranks(folder: Path) -> tuple[RankFacts, ...]:
    [launch] = weft.load(folder / "r.jsonl").lines.launches
    return launch.ranks


@pytest.mark.parametrize(
    ("placement", "sockets", "cpus"),
    [
        ("same-socket", [0, 0], [0, 1]),
        ("other-socket", [0, 1], [0, 2]),
        ("spread", [0, 0], [0, 1]),
    ],
)
def test_the_record_says_on_which_socket_each_rank_was(
    tmp_path: Path, placement: str, sockets: list[int], cpus: list[int]
) -> None:
    done = _run(tmp_path, "--placement", placement, machine=TWO_SOCKETS)
    assert done.returncode == 0, done
    ranks = _ranks(tmp_path)
    assert [rank.socket for rank in ranks] == sockets
    assert [rank.cpu for rank in ranks] == cpus
    assert [rank.numa for rank in ranks] == sockets
    assert weft.load(tmp_path / "r.jsonl").header.plan.allocation.placement == placement


def test_another_socket_where_there_is_none_is_refused(tmp_path: Path) -> None:
    done = _run(tmp_path, "--placement", "other-socket", machine=ONE_SOCKET)
    assert done.returncode == 1
    assert "has one socket that its ranks may use; choose --placement same-socket" in done.stderr


def test_near_a_device_is_where_all_memory_is_equally_near_any_core(tmp_path: Path) -> None:
    assert _run(tmp_path, "--placement", "near-device", machine=ONE_SOCKET).returncode == 0
    assert [rank.cpu for rank in _ranks(tmp_path)] == [0, 1]


def test_a_device_that_is_near_nothing_known_is_named(tmp_path: Path) -> None:
    done = _run(tmp_path, "--placement", "near-device", machine=TWO_SOCKETS)
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "are near lo; name another with --interface or --device" in said


@pytest.mark.parametrize(
    ("machine", "cpus", "cores"),
    [("package:1 core:2 pu:2", [0, 2], [0, 1]), ("package:1 core:1 pu:2", [0, 1], [0, 0])],
)
def test_ranks_take_cores_before_hardware_threads(
    tmp_path: Path, machine: str, cpus: list[int], cores: list[int]
) -> None:
    done = _run(tmp_path, machine={"HWLOC_SYNTHETIC": machine})
    assert done.returncode == 0, done
    assert [rank.cpu for rank in _ranks(tmp_path)] == cpus
    assert [rank.core for rank in _ranks(tmp_path)] == cores
    [summary] = summarise(weft.load(tmp_path / "r.jsonl"))
    warned = [flag for flag in summary.flags if flag.startswith("ranks share a core: 2 ranks")]
    assert len(warned) == (1 if cores == [0, 0] else 0)
