"""The job of every night with a scripted weft: its exit status, and which records it draws."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from weft.sources.limits import read_limits

JOB = Path(__file__).parents[2] / "docs" / "nightly" / "nightly.sbatch"
# Answers `check` by the last word of a line of the file `answers` that begins with its limits.
WEFT = """#!/bin/bash
echo "$@" >> said
case $1 in
run) [ -z "$ENDS" ] || exit "$ENDS"
  while [ "$1" != -o ]; do shift; done
  touch "$2" ;;
check) exit "$(grep "^$4 " answers | cut -d ' ' -f 2)" ;;
esac
"""


def night(folder: Path, limits: int = 0, accepted: int = 0, **more: str) -> tuple[int, list[str]]:
    """The job's exit status, and each command line that weft was given."""
    program = folder / "bin" / "weft"
    program.parent.mkdir()
    program.write_text(WEFT)
    program.chmod(0o755)
    (folder / "answers").write_text(f"limits.toml {limits}\naccepted.jsonl.zst {accepted}\n")
    (folder / "accepted.jsonl.zst").touch()
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", JOB], cwd=folder, check=False, timeout=600, capture_output=True, text=True,
        env={**os.environ, "PATH": path, "SLURM_JOB_ID": "7", "ENDS": "", **more},
    )  # fmt: skip
    return done.returncode, (folder / "said").read_text().splitlines()


@pytest.mark.parametrize(
    ("limits", "accepted", "status"),
    [(0, 0, 0), (0, 3, 3), (3, 0, 3), (3, 3, 3), (1, 3, 1), (3, 1, 1), (0, 1, 1), (2, 0, 2)],
)
def test_the_worst_answer_is_the_jobs(
    tmp_path: Path, limits: int, accepted: int, status: int
) -> None:
    assert night(tmp_path, limits, accepted)[0] == status


def test_the_newest_nights_are_drawn_and_both_checks_leave_their_files(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    for day in (3, 1, 2):
        (tmp_path / "records" / f"2026110{day}-020000-{day}.jsonl.zst").touch()
    _, [run, limits, accepted, trend] = night(tmp_path, WEFT_NIGHTS="2")
    record = run.split()[-1]
    assert record.startswith("records/20")
    assert record.endswith("-7.jsonl.zst")
    assert (
        limits
        == f"check {record} --against limits.toml --junit limits.xml --openmetrics limits.txt"
    )
    assert accepted.split()[2:4] == ["--against", "accepted.jsonl.zst"]
    assert trend == (
        f"trend --against limits.toml -o trend.html records/20261103-020000-3.jsonl.zst {record}"
    )


def test_a_run_that_fails_is_judged_and_drawn_all_the_same(tmp_path: Path) -> None:
    """weft check finds no record, which is bad usage."""
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "20261101-020000-1.jsonl.zst").touch()
    status, lines = night(tmp_path, limits=2, accepted=2, ENDS="1")
    assert status == 2
    assert [line.split()[0] for line in lines] == ["run", "check", "check", "trend"]


def test_the_examples_limits_are_for_what_it_measures() -> None:
    measured = re.search(r"WEFT_TESTS:-(.*)}", JOB.read_text())
    assert measured
    limits = read_limits(JOB.with_name("limits.toml"))
    assert {limit.test for limit in limits} == set(measured[1].split())
