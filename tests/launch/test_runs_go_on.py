"""Whole runs over a scripted rank that are interrupted, killed or resumed."""

import os
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import synthetic_record, write_lines
from support.copies import without_finder
from support.running import left_behind, processes_of, wait_for_round
from support.scripted import FEW_SAMPLES, WEFT, resume, run
from weft.analysis.stats.launches import launches_of
from weft.analysis.summary import summarise
from weft.record.model import Footer
from weft.record.reader import read
from weft.report.notes import ending_in_words


@pytest.mark.parametrize("script", ["hang_at=16", "die_at=16"])
def test_resume_tries_a_failed_case_again_and_keeps_its_failure(
    machine: dict[str, str], tmp_path: Path, script: str
) -> None:
    few = ("--budget", "300s", "--samples", FEW_SAMPLES)
    assert run(machine, tmp_path, *few, script=script).returncode == 1
    path = tmp_path / "r.jsonl"
    before = weft.load(path)
    assert before.missing == ("fake/ping_pong/16",)
    assert "launches failed in 1 of 2 cases" in ending_in_words(before, summarise(before))
    again = resume(machine, path)
    assert again.returncode == 0, again.stderr
    after = weft.load(path)
    assert not after.missing
    assert after.lines.batches[: len(before.lines.batches)] == before.lines.batches
    numbers = [end.launch for end in after.lines.ends]
    assert len(numbers) == len(set(numbers))


def test_resume_measures_what_is_missing_and_no_more(
    machine: dict[str, str], tmp_path: Path
) -> None:
    assert run(machine, tmp_path).returncode == 0
    path = tmp_path / "r.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:20])
    before = read(path).batches
    resumed = resume(machine, path)
    assert resumed.returncode == 0, resumed.stderr
    after = read(path)
    assert after.batches[: len(before)] == before
    measured = [(b.case, b.launch) for b in after.batches if b.role == "measure"]
    assert len(measured) == len(set(measured)) == 4
    again = resume(machine, path)
    assert (again.returncode, "nothing to resume" in again.stdout) == (0, True)


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.zst"])
def test_a_run_whose_budget_ended_early_goes_on_as_it_was_begun(
    machine: dict[str, str], tmp_path: Path, name: str
) -> None:
    assert run(machine, tmp_path, "--option", "fake.depth=3").returncode == 0
    path = ended_by_budget(tmp_path / "r.jsonl", tmp_path / name)
    short = weft.load(path)
    assert short.missing == tuple(short.cases)
    again = resume(machine, path)
    assert again.returncode == 0, again.stderr
    assert [p.name for p in tmp_path.glob("r.*")] == [name]
    whole = weft.load(path)
    assert whole.complete
    assert [(launch.session, launch.round) for launch in whole.lines.launches] == [(0, 0), (1, 1)]
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert [set(launch.boots.values()) for launch in whole.lines.launches] == [{boot}, {boot}]
    assert launches_of([whole]) == (1, 1)
    told = [launch.details["words"] for launch in whole.lines.launches]
    assert told == ["--option depth=3"] * 2
    measured = [(b.case, b.launch) for b in whole.measured]
    assert len(measured) == len(set(measured)) == 4


@pytest.mark.parametrize(("last_s", "named"), [(0.0, "60 s"), (7.0, "7 s")])
def test_the_budget_that_ended_is_that_of_the_last_command(
    tmp_path: Path, last_s: float, named: str
) -> None:
    whole = read(synthetic_record(tmp_path / "r.jsonl", outcome="budget"))
    assert whole.header.plan.budget_s == 60
    assert whole.footer is not None
    footer = msgspec.structs.replace(whole.footer, budget_s=last_s)
    path = write_lines(
        tmp_path / "s.jsonl", [whole.header, *whole.launches, *whole.batches, footer]
    )
    shown = weft.load(path)
    assert f"The budget of {named} ended" in ending_in_words(shown, summarise(shown))


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
    _, errors = process.communicate(timeout=600)
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
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors
    assert "--resume" in errors
    footer = weft.load(tmp_path / "r.jsonl").footer
    assert footer is not None
    assert footer.outcome == "interrupted"
    assert not left_behind(tmp_path)


# An interrupt as soon as numpy is half loaded, once.
INTERRUPTED = """
import os, signal

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy.exceptions":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
"""


def test_an_interrupt_while_numpy_is_loaded_is_one(machine: dict[str, str], tmp_path: Path) -> None:
    """It cannot be loaded twice in one process, and showing the record needs it again."""
    site = without_finder(tmp_path / "site")
    with (site / "sitecustomize.py").open("a") as lines:
        lines.write(INTERRUPTED)
    found = f"{site}{os.pathsep}{Path(weft.__file__).parents[1]}"
    done = run({**machine, "PYTHONPATH": found}, tmp_path, is_started=True)
    assert (done.returncode, "Traceback" in done.stderr) == (130, False), done.stderr


def test_a_killed_weft_leaves_no_rank(machine: dict[str, str], tmp_path: Path) -> None:
    process = start_hanging(machine, tmp_path)
    assert processes_of(tmp_path)
    process.kill()
    process.communicate(timeout=600)
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
