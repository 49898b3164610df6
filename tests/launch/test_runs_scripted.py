"""Whole runs over a scripted rank: whatever dies, the finished cases stay readable."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from builders import write_lines
from running import left_behind, processes_of, wait_for_round
from weft.record.model import Footer
from weft.record.reader import read

TESTS = Path(__file__).parents[1]
WEFT = Path(sys.prefix) / "bin" / "weft"


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """An environment with one transport, the scripted one, and a starter that starts one rank."""
    programs = tmp_path / "engine" / "openmpi"
    programs.mkdir(parents=True)
    shutil.copy(TESTS / "fake-rank", programs / "rank-fake")
    starters = tmp_path / "bin"
    starters.mkdir()
    starter = starters / "mpirun.openmpi"
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done; shift 2; exec "$@"\n')
    for path in (starter, programs / "rank-fake"):
        path.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{starters}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "WEFT_ENGINE_DIR": str(tmp_path / "engine"),
    }


def run(
    machine: dict[str, str],
    folder: Path,
    *words: str,
    script: str = "",
    test: str = "ping_pong",
) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [
        WEFT,
        "run",
        test,
        "--sizes",
        "8,16",
        "--budget",
        "20s",
        "--no-report",
    ]
    return subprocess.run(
        [*command, "--launches", "2", "--deadline", "1s", "-o", folder / "r.jsonl", *words],
        env={**machine, "FAKE_RANK": script},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_a_quiet_run_is_precise_and_its_figures_are_the_scripts(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["latency_ns"]["median"] for row in rows] == [1008.0, 1016.0]
    assert [row["launches"] for row in rows] == [2, 2]
    record = read(tmp_path / "r.jsonl")
    assert record.footer is not None
    assert record.footer.outcome == "precise"
    roles = [batch.role for batch in record.batches]
    assert roles.count("calibrate") == 2


def test_a_case_that_warms_up_is_measured_with_samples_long_enough_for_the_clock(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--budget", "4s", script="cold=1")
    assert done.returncode == 0, done.stderr
    record = read(tmp_path / "r.jsonl")
    measured = [batch for batch in record.batches if batch.role == "measure"]
    assert {batch.case for batch in measured} == {"fake/ping_pong/8", "fake/ping_pong/16"}
    least_ticks = 100 * record.launches[0].clock.overhead_ticks
    assert all(tick >= least_ticks for batch in measured for tick in batch.ticks)


def test_modes_and_options_reach_the_ranks_and_the_record(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--transport", "fake,fake:other", "--option", "fake.depth=3")
    assert done.returncode == 0, done.stderr
    record = read(tmp_path / "r.jsonl")
    told = {launch.transport: launch.details["words"] for launch in record.launches}
    assert told == {"fake": "--option depth=3", "fake:other": "--mode other --option depth=3"}
    assert record.header.plan.options == {"fake.depth": "3"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--option", "fake.deep=3"), "no option fake.deep; did you mean fake.depth?"),
        (("--option", "depth"), "'depth' is no option of a transport"),
        (("--transport", "fake:absent"), "fake:absent cannot run: no device"),
        (("--transport", "fake:othr"), "did you mean fake:other?"),
    ],
)
def test_wrong_modes_and_options_are_one_line(
    machine: dict[str, str], tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    done = run(machine, tmp_path, *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_wrong_bytes_fail_the_case_and_the_other_is_kept(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="wrong=1")
    assert done.returncode == 1
    assert "wrong byte at offset 3 of 8" in done.stderr
    assert sorted(row["status"] for row in json.loads(done.stdout)) == ["failed", "ok"]


@pytest.mark.parametrize("script", ["hang=1", "die=1", "garbage=1", "die=3"])
def test_a_rank_that_hangs_or_dies_costs_its_case_only(
    machine: dict[str, str], tmp_path: Path, script: str
) -> None:
    done = run(machine, tmp_path, "--json", script=script)
    assert done.returncode == 1, done.stderr
    rows = json.loads(done.stdout)
    assert {row["status"] for row in rows} <= {"ok", "failed", "timeout"}
    assert any(row["status"] != "ok" and row["reason"] for row in rows)
    assert read(tmp_path / "r.jsonl").footer is not None
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("script", ["die=start", "die=hello"])
def test_a_transport_that_never_starts_is_given_up(
    machine: dict[str, str], tmp_path: Path, script: str
) -> None:
    done = run(machine, tmp_path, "--json", script=script)
    assert done.returncode == 1
    assert all(row["status"] == "failed" for row in json.loads(done.stdout))
    assert "told to die" in done.stderr


def test_an_early_farewell_tells_what_the_starter_knows(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="early=1")
    assert done.returncode == 1
    reasons = [row["reason"] for row in json.loads(done.stdout) if row["status"] != "ok"]
    assert reasons
    assert all("lost its peer" in reason for reason in reasons)


def test_a_clock_that_stands_fails_its_case_and_no_other(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="still=1")
    assert done.returncode == 1, done.stderr
    rows = json.loads(done.stdout)
    assert sorted(row["status"] for row in rows) == ["failed", "ok"]
    assert "the clock did not move" in done.stderr
    assert "--sizes" in done.stderr.splitlines()[-1]


def test_dying_at_the_end_keeps_all_figures(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, "--json", script="die=finish")
    assert [row["launches"] for row in json.loads(done.stdout)] == [2, 2]


def test_an_unsupported_test_is_a_row_with_its_reason(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "put-ping-pong", "--json")
    rows = {(row["test"], row["status"]) for row in json.loads(done.stdout)}
    assert ("put_ping_pong", "unsupported") in rows
    assert done.returncode == 0


def test_resume_measures_what_is_missing_and_no_more(
    machine: dict[str, str], tmp_path: Path
) -> None:
    assert run(machine, tmp_path).returncode == 0
    path = tmp_path / "r.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:20])
    before = read(path).batches
    resumed = subprocess.run(
        [WEFT, "run", "--resume", path, "--no-report"],
        env=machine, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.stderr
    after = read(path)
    assert after.batches[: len(before)] == before
    measured = [(b.case, b.launch) for b in after.batches if b.role == "measure"]
    assert len(measured) == len(set(measured)) == 4
    again = subprocess.run(
        [WEFT, "run", "--resume", path, "--no-report"],
        env=machine, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (again.returncode, "nothing is missing" in again.stdout) == (0, True)


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.zst"])
def test_a_run_whose_budget_ended_early_goes_on_as_it_was_begun(
    machine: dict[str, str], tmp_path: Path, name: str
) -> None:
    assert run(machine, tmp_path, "--option", "fake.depth=3").returncode == 0
    path = ended_by_budget(tmp_path / "r.jsonl", tmp_path / name)
    short = weft.load(path)
    assert short.missing == tuple(short.cases)
    again = subprocess.run(
        [WEFT, "run", "--resume", path, "--no-report"],
        env=machine, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert [p.name for p in tmp_path.glob("r.*")] == [name]
    whole = weft.load(path)
    assert whole.complete
    told = [launch.details["words"] for launch in whole.lines.launches]
    assert told == ["--option depth=3"] * 2
    measured = [(b.case, b.launch) for b in whole.measured]
    assert len(measured) == len(set(measured)) == 4


def ended_by_budget(record: Path, path: Path) -> Path:
    """The record as if its budget had ended after the first launch."""
    lines = read(record)
    first = [line for line in lines.batches if line.launch == 0]
    footer = Footer(finished_utc="now", outcome="budget", batches=len(first))
    record.unlink()
    return write_lines(path, [lines.header, lines.launches[0], *first, lines.ends[0], footer])


def test_an_interrupted_resume_says_which_file_goes_on(
    machine: dict[str, str], tmp_path: Path
) -> None:
    assert run(machine, tmp_path).returncode == 0
    path = ended_by_budget(tmp_path / "r.jsonl", tmp_path / "r.jsonl.zst")
    process = subprocess.Popen(
        [WEFT, "run", "--resume", path, "--no-report"],
        env={**machine, "FAKE_RANK": "hang=0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_round(process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    plain = tmp_path / "r.jsonl"
    assert errors.splitlines()[-1].endswith(f"--resume {plain}")
    assert not path.exists()
    assert weft.load(plain).missing


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_ranks_and_the_record_is_whole(
    machine: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    process = start_hanging(machine, tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "--resume" in errors
    footer = weft.load(tmp_path / "r.jsonl").footer
    assert footer is not None
    assert footer.outcome == "interrupted"
    assert not left_behind(tmp_path)


def test_a_killed_weft_leaves_no_rank(machine: dict[str, str], tmp_path: Path) -> None:
    process = start_hanging(machine, tmp_path)
    assert processes_of(tmp_path)
    process.kill()
    process.communicate(timeout=30)
    assert not left_behind(tmp_path)
    assert read(tmp_path / "r.jsonl").footer is None


def start_hanging(machine: dict[str, str], folder: Path) -> subprocess.Popen[str]:
    """A run whose ranks hang in their second case; returns once they are up."""
    process = subprocess.Popen(
        [WEFT, "run", "ping_pong", "--sizes", "8", "--no-report", "-o", folder / "r.jsonl"],
        env={**machine, "FAKE_RANK": "hang=1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_round(process)
    return process


def test_the_rendezvous_sweep_takes_ten_samples_of_each_size_in_five_launches(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--launches", "5", test="rendezvous-sweep")
    assert done.returncode == 0, done.stderr
    assert "has its 2 samples in each launch" in " ".join(done.stdout.split())
    record = read(tmp_path / "r.jsonl")
    measured = [batch for batch in record.batches if batch.role == "measure"]
    assert [len(batch.ticks) - batch.warmup for batch in measured] == [2] * 10
    assert {batch.ops_per_sample for batch in measured} == {1}
    assert record.footer is not None
    assert record.footer.outcome == "precise"
