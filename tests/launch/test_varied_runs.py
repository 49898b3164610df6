"""Settings varied in one run over the scripted rank: which launches, with what, in which order."""

import json
import subprocess
from pathlib import Path

import pytest

import weft
from support.in_process import weft_here
from support.scripted import resume, run

WORDS = ("--launches", "4", "--precision", "100%", "--sizes", "8")


def settings_of(done: subprocess.CompletedProcess[str], path: Path) -> list[list[str]]:
    """The words of the ranks, by round."""
    assert done.returncode == 0, done.stderr
    rounds: dict[int, list[str]] = {}
    for launch in weft.load(path).lines.launches:
        rounds.setdefault(launch.round, []).append(launch.details["words"])
    return list(rounds.values())


def test_every_round_has_a_launch_of_each_in_a_drawn_order(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, *WORDS, "--vary", "fake.depth=3,5")
    rounds = settings_of(done, tmp_path / "r.jsonl")
    assert len(rounds) == 4
    assert {tuple(sorted(one)) for one in rounds} == {("--option depth=3", "--option depth=5")}
    assert len({tuple(one) for one in rounds}) == 2
    # A line of a round tells which setting came first.
    begun = [f"round {at} of launches, fake:{one[0].removeprefix('--option ')} first"
             for at, one in enumerate(rounds, 1)]  # fmt: skip
    assert [line for line in done.stderr.splitlines() if "of launches, " in line] == begun
    assert "Settings beside each other" in done.stdout
    # Both are the scripted rank, which takes as long whatever its depth.
    of_depth_5 = "depth=5 ping_pong, fake 8 B 1.000 [1.000, 1.000] same settings:"
    assert of_depth_5 in " ".join(done.stdout.split())


def test_a_variable_reaches_the_ranks_of_its_own_setting(
    machine: dict[str, str], tmp_path: Path
) -> None:
    """One value has the scripted rank give wrong bytes, the other one does nothing."""
    varied = ("--transport", "fake", "--vary", "env:FAKE_RANK=wrong=0,times=1")
    done = run(machine, tmp_path, *WORDS, *varied)
    assert done.returncode == 1, done.stderr
    statuses: dict[str, set[str]] = {}
    for batch in weft.load(tmp_path / "r.jsonl").lines.batches:
        statuses.setdefault(batch.case, set()).add(batch.status)
    assert statuses == {
        "fake:FAKE_RANK=wrong=0/ping_pong/8": {"failed"},
        "fake:FAKE_RANK=times=1/ping_pong/8": {"ok"},
    }


def test_a_setting_that_delays_is_found_by_every_command(
    machine: dict[str, str], tmp_path: Path
) -> None:
    """One of three values makes every operation a quarter longer: a speed of 0.8."""
    names = [f"fake:FAKE_RANK={one}" for one in ("times=1", "times=2", "slower=25")]
    values = "|".join(one.partition("=")[2] for one in names)
    done = run(
        machine, tmp_path, *WORDS, "--transport", "fake", "--vary", f"env:FAKE_RANK={values}"
    )
    assert done.returncode == 0, done.stderr
    record = tmp_path / "r.jsonl"

    def typed(*words: object) -> str:
        ended = weft_here(words, machine)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    rows = {
        row["setting"]: row
        for row in json.loads(typed("show", record, "--table", "settings", "--json"))["result"]
    }
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "FAKE_RANK=times=2": "same", "FAKE_RANK=slower=25": "worse",
    }  # fmt: skip
    assert rows["FAKE_RANK=slower=25"]["speed"]["value"] == pytest.approx(0.8)
    assert "slower at 1 of 1 size" in typed("show", record)
    compared = json.loads(typed("compare", *(f"{record}@{one}" for one in names[1:]), "--json"))
    assert compared["result"]
    typed("report", record, "-o", tmp_path / "r.html")
    assert "FAKE_RANK=slower=25" in (tmp_path / "r.html").read_text()
    typed("export", record, "--table", "summary", "--csv", tmp_path / "r.csv")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert [line for line in lines if names[2] in line]
    typed("export", record, "--table", "settings", "--latex", tmp_path / "r.tex")
    assert "slower=25" in (tmp_path / "r.tex").read_text()


def test_an_mpi_that_there_is_not_is_refused_by_what_to_vary(
    machine: dict[str, str], tmp_path: Path
) -> None:
    varied = ("--transport", "fake", "--vary", "mpi=openmpi,lam")
    done = run(machine, tmp_path, *WORDS, *varied)
    assert done.returncode == 2
    assert "there is no MPI called lam; use --vary mpi=openmpi,mpich" in done.stderr


def test_a_resumed_run_keeps_the_settings(machine: dict[str, str], tmp_path: Path) -> None:
    words = (*WORDS[2:], "--launches", "2", "--vary", "fake.depth=3,5")
    settings_of(run(machine, tmp_path, *words, "--samples", "5"), tmp_path / "r.jsonl")
    record = tmp_path / "r.jsonl"
    whole = record.read_text().splitlines(keepends=True)
    second = [at for at, line in enumerate(whole) if '"kind":"launch"' in line][2]
    record.write_text("".join(whole[:second]))
    rounds = settings_of(resume(machine, record), record)
    assert [sorted(one) for one in rounds] == [["--option depth=3", "--option depth=5"]] * 2


def test_an_option_for_all_beside_its_own_values_is_refused(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--vary", "fake.depth=3,5", "--option", "fake.depth=4")
    assert done.returncode == 2
    assert "--option fake.depth has no effect: --vary has its values" in done.stderr


def test_an_mpi_for_all_beside_several_is_refused(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, "--vary", "mpi=openmpi,mpich", "--mpi", "openmpi")
    assert done.returncode == 2
    assert "--mpi has no effect" in done.stderr
