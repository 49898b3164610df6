"""The sbatch file of a run, and what becomes of submitting it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from weft.errors import WeftError
from weft.launch.sbatch import SiteJob, script_of, submit


def _job(**more: Any) -> SiteJob:
    usual: dict[str, Any] = {
        "command": "run", "words": ("ping_pong", "--nodes", "2"), "nodes": 2, "budget_s": 600.0,
        "folder": Path("/data/my runs"),
    }  # fmt: skip
    return SiteJob(**{**usual, **more})


def _asked(text: str) -> dict[str, str]:
    lines = [line.removeprefix("#SBATCH --") for line in text.splitlines() if "#SBATCH" in line]
    return {line.partition("=")[0]: line.partition("=")[2] for line in lines}


def test_the_script_asks_for_what_was_asked_and_no_more() -> None:
    asked = _asked(script_of(_job(partition="fat", account="physics", constraint="a&b"), {}))
    assert asked == {
        "job-name": "weft", "nodes": "2", "partition": "fat", "account": "physics",
        "constraint": '"a&b"', "time": "12", "chdir": '"/data/my runs"', "output": "weft-%j.log",
        "signal": "B:TERM@60", "export": "ALL", "exclusive": "", "no-kill": "", "no-requeue": "",
    }  # fmt: skip
    assert not {"partition", "account", "constraint", "nodelist"} & set(_asked(script_of(_job())))


@pytest.mark.parametrize(
    ("limit_s", "budget_s", "minutes"),
    [(0.0, 30.0, 3), (0.0, 600.0, 12), (0.0, 3600.0, 66), (90.0, 3600.0, 2), (60.0, 3600.0, 1)],
)
def test_a_job_has_time_for_more_than_the_budget_unless_it_is_given(
    limit_s: float, budget_s: float, minutes: int
) -> None:
    assert _job(time_limit_s=limit_s, budget_s=budget_s).minutes == minutes


def test_the_last_line_is_the_run_with_a_record_named_by_the_job() -> None:
    last = script_of(_job(words=("ping_pong", "--option", "tcp.port=a b"))).splitlines()[-1]
    program, *words = last.removeprefix("exec ").split(" ", 4)
    assert Path(program).name == "weft"
    assert words[:3] == ["run", "--output", '"weft-${SLURM_JOB_ID}.jsonl.zst"']
    assert last.endswith("ping_pong --option 'tcp.port=a b'")


@pytest.mark.parametrize(
    "words", [("-o", "mine.jsonl"), ("--output=mine.jsonl",), ("--resume", "old.jsonl")]
)
def test_a_record_that_was_named_keeps_its_name(words: tuple[str, ...]) -> None:
    assert "SLURM_JOB_ID" not in script_of(_job(words=words))


def test_the_modules_of_here_are_loaded_there() -> None:
    loaded = {"LOADEDMODULES": "gcc/12.2:openmpi/4.1.4:odd name"}
    assert "\nmodule load gcc/12.2 openmpi/4.1.4 'odd name'\n" in script_of(_job(), loaded)
    assert "module" not in script_of(_job(), {})


@pytest.mark.parametrize(
    ("asked", "told"),
    [({"constraint": 'a"b'}, 'a"b cannot be the constraint of a job; use another --constraint'),
     ({"account": "a\\b"}, "cannot be the account of a job"),
     ({"folder": Path('/data/"mine"')}, "cannot be the chdir of a job; go to another folder")],
)  # fmt: skip
def test_what_a_script_cannot_hold_is_refused_and_never_dropped(
    asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(WeftError) as error:
        script_of(_job(**asked))
    assert told in str(error.value)


def test_a_users_words_stay_as_they_are() -> None:
    last = script_of(_job(words=("JOB_RECORD", "-o", "JOB_RECORD"))).splitlines()[-1]
    assert last.endswith(" run JOB_RECORD -o JOB_RECORD")
    assert script_of(_job(words=())).splitlines()[-1].endswith('"weft-${SLURM_JOB_ID}.jsonl.zst"')


def test_a_line_end_in_an_option_is_no_second_line_of_the_script() -> None:
    with pytest.raises(WeftError, match="cannot be the partition of a job"):
        script_of(_job(partition="x\n#SBATCH --uid=0"))


def _sbatch(
    folder: Path, text: str, monkeypatch: pytest.MonkeyPatch, nodes: tuple[str, ...] = ()
) -> None:
    """Scripts for sbatch, and for sinfo, which has a line for each partition, node and state."""
    said = "; ".join(f"echo {line!r}" for line in nodes)
    for name, script in (("sbatch", text), ("sinfo", said)):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize("said", ["12", "12;cluster", "lua: welcome\n12"])
def test_the_number_of_the_job_is_read(
    tmp_path: Path, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _sbatch(tmp_path, f"cat > {tmp_path}/script; echo '{said}'", monkeypatch)
    assert submit(_job()) == 12
    assert (tmp_path / "script").read_text() == script_of(_job())


def test_a_job_that_slurm_does_not_take_is_one_line_in_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "sbatch: error: invalid partition specified: nix"
    _sbatch(tmp_path, f"echo '{said}' >&2; exit 1", monkeypatch)
    with pytest.raises(WeftError, match="not take the job: invalid partition specified: nix; see"):
        submit(_job())


NODES = ("lab* n1 idle", "lab* n2 down*", "dark n2 down*", "dark n3 drained", "night n4 idle~")


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"partition": "dark"}, r"partition dark is down \(n2: down\*, n3: drained\)"),
        ({"partition": "lab", "hosts": ("n2",)}, r"partition lab is down \(n2: down\*\)"),
        ({"hosts": ("n2",)}, r"the usual partition is down \(n2: down\*\)"),
    ],
)
def test_a_partition_whose_nodes_are_all_down_is_one_line_before_anything_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], where: str
) -> None:
    _sbatch(tmp_path, f"touch {tmp_path}/submitted; echo 12", monkeypatch, NODES)
    with pytest.raises(WeftError, match=rf"every node of {where}; choose another --partition"):
        submit(_job(**asked))
    assert not (tmp_path / "submitted").exists()


@pytest.mark.parametrize(
    "asked", [{}, {"partition": "lab"}, {"partition": "night"}, {"partition": "dark,lab"},
              {"partition": "nix"}, {"partition": "dark", "hosts": ("n9",)}],
)  # fmt: skip
def test_nodes_that_may_come_and_what_slurm_judges_itself_are_submitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    _sbatch(tmp_path, "echo 12", monkeypatch, NODES)
    assert submit(_job(**asked)) == 12


def test_without_slurm_it_says_where_to_submit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(WeftError, match="sbatch is not installed here; submit from a login node"):
        submit(_job())


def _weft(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from weft.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


def test_the_command_prints_the_file_of_any_run(tmp_path: Path) -> None:
    words = ("--suite", "paper", "--nodes", "4", "--account=physics")
    done = _weft("slurm", "script", *words, folder=tmp_path)
    assert done.returncode == 0, done
    asked = _asked(done.stdout)
    assert (asked["nodes"], asked["account"], asked["chdir"]) == ("4", "physics", str(tmp_path))
    assert done.stdout.endswith("--suite paper --nodes 4 --account=physics\n")
    assert int(asked["time"]) > 10  # the suite's own budget


def test_the_file_of_a_run_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    done = _weft("slurm", "script", "--nonsense", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "No such option: --nonsense; run weft run --help" in done.stderr


def test_an_option_for_jobs_alone_does_nothing_here_and_is_refused(tmp_path: Path) -> None:
    done = _weft("run", "--partition", "fat", folder=tmp_path)
    assert done.returncode == 2
    assert "--partition has no effect: this is no job of Slurm; omit --partition" in done.stderr


def test_a_short_job_is_warned_a_part_of_its_time_before_its_end() -> None:
    assert _asked(script_of(_job(time_limit_s=60.0)))["signal"] == "B:TERM@15"
    assert _asked(script_of(_job(time_limit_s=600.0)))["signal"] == "B:TERM@60"
