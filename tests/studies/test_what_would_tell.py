"""Every "cannot tell" says what would tell, and what it says to type is a run of that many."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

import weft
from support.builders import make_cases, synthetic_record
from support.typed import request_of_command
from weft.analysis.compare.comparison import compare
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.record.model import Outcome
from weft.record.run import Run
from weft.report.notes import ending_in_words
from weft.sources.sides import load_sides
from weft.studies.checks import checked

CASES = make_cases(tests=("ping_pong",), transports=("tcp",))
# Launches of a noisy machine: a tenth and more apart.
NOISE = (0.9, 1.12, 1.0, 0.86, 1.15)


def record(
    folder: Path,
    name: str,
    factor: float = 1.0,
    *,
    turn: int = 0,
    outcome: Outcome = "precise",
    noise: float = 1.0,
) -> Run:
    def times(case: Case, launch: int) -> Sequence[float]:
        slow = factor * NOISE[(launch + turn) % len(NOISE)] ** noise
        return [(1000.0 + case.bytes) * slow * (1 + at / 1000) for at in range(9)]

    path = folder / f"{name}.jsonl"
    return weft.load(synthetic_record(path, CASES, launches=5, times_ns=times, outcome=outcome))


def advised(lines: Sequence[str], records: Sequence[Run]) -> list[str]:
    """The commands of the one line that says what it takes, each on one of the records."""
    [line] = [one for one in lines if re.search(r"^([^:]*: )?[Tt]o .* takes about [\d,]+ ", one)]
    found = re.findall(r"weft run --again \S+(?: --launches \d+ --budget \w+)?", line)
    assert sorted(shlex.split(one)[3] for one in found) == sorted(str(one.path) for one in records)
    return found


def test_a_comparison_names_the_sessions_that_would_tell_and_each_command_is_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (
        record(tmp_path, "one", noise=0.2),
        record(tmp_path, "other", 1.01, turn=2, noise=0.2),
    )
    found = compare(load_sides([str(one.path), str(other.path)]))
    [said] = [line for line in found.notes if " takes " in line]
    # What sessions are taken to differ by is as much as launches do: it is out of reach.
    assert "sessions a side" in said
    assert "out of reach with this set-up" in said
    quiet = (record(tmp_path, "a", noise=0.01), record(tmp_path, "b", 1.05, noise=0.01))
    found = compare(load_sides([str(own.path) for own in quiet]))
    for command in advised(found.notes, quiet):
        assert request_of_command(command, monkeypatch).launches == 5
    # (2.58 + 0.84)^2 2 0.02^2 / log(1.05)^2 of five sizes together, and Student's z^2 / 4.
    assert "takes about 6 sessions a side" in " ".join(found.notes)


def test_a_check_has_a_line_for_all_that_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = record(tmp_path, "mine", 1.02, noise=0.1)
    theirs = record(tmp_path, "theirs", turn=1, noise=0.1)
    found = checked([mine.path], [theirs.path], 0.05)
    assert found.outcome == "cannot tell"
    [curve] = [check for check in found.checks if check.bytes is None]
    assert curve.needed is not None
    assert f"it takes about {int(curve.needed.count)} sessions a side" in curve.why
    for command in advised(found.notes, (mine, theirs)):
        assert request_of_command(command, monkeypatch).launches == 5


def test_a_check_of_limits_is_of_one_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = record(tmp_path, "mine")
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "520 ns"\n')
    found = checked([mine.path], [limits], 0.05)
    [check] = found.checks
    assert check.outcome == "cannot tell"
    assert "a side" not in check.why
    [command] = advised(found.notes, (mine,))
    assert check.needed is not None
    assert request_of_command(command, monkeypatch).launches == check.needed.count


def test_the_end_of_a_run_says_what_brings_half_of_the_others_to_the_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record(tmp_path, "run", outcome="budget", noise=0.3)
    words = ending_in_words(run, summarise(run))
    line = words[words.index("To bring") :]
    [command] = advised([line.rstrip(".")], (run,))
    assert request_of_command(command, monkeypatch).launches > 100
