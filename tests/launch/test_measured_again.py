"""A record measured once more: its plan into a new record, whatever was typed for the first."""

import contextlib
import subprocess
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import write_lines
from support.in_process import weft_here
from support.scripted import run
from weft.record.reader import read


def again(
    machine: dict[str, str], record: Path, output: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    with contextlib.chdir(record.parent):
        return weft_here(("run", "--again", record, "-o", output, "--no-report", *words), machine)


def test_it_has_the_plan_but_for_what_was_typed(machine: dict[str, str], tmp_path: Path) -> None:
    assert run(machine, tmp_path, "--option", "fake.depth=3").returncode == 0
    first = weft.load(tmp_path / "r.jsonl")
    words = ("--launches", "3", "--budget", "30s")
    done = again(machine, tmp_path / "r.jsonl", tmp_path / "s.jsonl", *words)
    assert done.returncode == 0, done.stderr
    assert "other conditions" not in done.stderr
    second = weft.load(tmp_path / "s.jsonl")
    wanted = msgspec.structs.replace(first.header.plan, launches=3, budget_s=30.0)
    assert second.header.plan == wanted
    assert second.header.patterns == first.header.patterns
    assert {launch.details["words"] for launch in second.lines.launches} == {"--option depth=3"}
    assert len(second.lines.launches) == 3
    assert weft.load(tmp_path / "r.jsonl").lines == first.lines


def test_other_conditions_are_said_before_it_measures(
    machine: dict[str, str], tmp_path: Path
) -> None:
    assert run(machine, tmp_path).returncode == 0
    lines = read(tmp_path / "r.jsonl")
    [host] = lines.header.hosts
    manifest = lines.header.hosts[host]
    older = {**manifest, "software": {**manifest["software"], "kernel": "5.4.0"}}
    header = msgspec.structs.replace(lines.header, hosts={host: older})
    old = write_lines(tmp_path / "old.jsonl", [header])
    done = again(machine, old, tmp_path / "s.jsonl")
    assert done.returncode == 0, done.stderr
    assert "measured under other conditions (kernel 5.4.0 then" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sizes", "8"), "--sizes cannot change when a run is measured again"),
        (("ping_pong",), "TESTS cannot change when a run is measured again"),
        (("--resume", "r.jsonl"), "--again cannot change when a run is resumed"),
    ],
)
def test_what_would_measure_something_else_is_refused(
    machine: dict[str, str], tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    assert run(machine, tmp_path).returncode == 0
    done = again(machine, tmp_path / "r.jsonl", tmp_path / "s.jsonl", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (tmp_path / "s.jsonl").exists()
