"""What a user reads where the simulator cannot read a platform: its last words, with the line."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.simulations import platform
from weft.errors import WeftError
from weft.launch.launcher import Job
from weft.launch.sim import SimLauncher
from weft.plan.allocation import Allocation
from weft.plan.simulated import Kind


def simulator(folder: Path, does: str) -> None:
    """A program in the simulator's place: $2 is the platform's file."""
    program = folder / "smpi" / "rank-sim"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("does", "what"),
    [
        ('echo first >&2; echo "$2:7: no host." >&2; exit 1', "line 7: no host"),
        ('echo "in $2 it ends" >&2; exit 3', "in line  it ends"),
        ("exit 1", "it gave no reason"),
    ],
)
def test_the_reason_is_the_simulators_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, what: str
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    simulator(tmp_path, does)
    with pytest.raises(WeftError) as refused:
        SimLauncher(platform())
    assert refused.value.what == f"SimGrid cannot simulate known: {what}"
    assert refused.value.fix.startswith("correct its file")


def test_a_simulator_that_never_ends_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    monkeypatch.setattr("weft.launch.sim.READ_DEADLINE_S", 0.2)
    simulator(tmp_path, "exec sleep 600")
    with pytest.raises(WeftError, match=r"did not read known in 0.2 s; use fewer --nodes"):
        SimLauncher(platform())


def test_one_that_reads_it_starts_and_its_copy_of_the_file_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    simulator(tmp_path, f'echo "$2" >{tmp_path}/seen; grep -q "<platform" "$2"')
    SimLauncher(platform())
    assert not Path((tmp_path / "seen").read_text().strip()).exists()


def test_a_machine_without_the_simulator_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    with pytest.raises(WeftError, match="use apt-get install libsimgrid-dev, then make build"):
        SimLauncher(platform())


@pytest.mark.parametrize(("kind", "more"), [("model", []), ("predicted", ["--heads"])])
def test_a_launch_has_the_platforms_file_as_long_as_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind, more: list[str]
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    simulator(tmp_path, "exit 0")
    started: list[tuple[Any, ...]] = []
    monkeypatch.setattr("weft.launch.sim.PipedLaunch", lambda *words: started.append(words))
    known = msgspec.structs.replace(platform(nodes=3), ranks_per_node=2, kind=kind)
    job = Job(
        program=tmp_path / "x", mpi="smpi", ranks=6, arguments=("--a", "1"),
        environment={"OF_A_PLAN": "1"},
    )  # fmt: skip
    launcher = SimLauncher(known)
    launcher.start(job)
    [(words, environment, done)] = started
    file = Path(words[5])
    assert words == [
        "setpriv", "--pdeathsig", "TERM", str(tmp_path / "x"), "--platform", str(file), "--ranks",
        "6", "--a", "1", *more,
    ]  # fmt: skip
    assert environment["OF_A_PLAN"] == "1"
    assert file.name == "weft-sim.xml"
    assert file.read_text() == known.xml
    done(None)
    assert not file.parent.exists()
    with pytest.raises(WeftError, match="known has 3 nodes for 7 ranks") as refused:
        launcher.start(msgspec.structs.replace(job, ranks=7))
    assert refused.value.fix == "use --ranks 6, or weft calibrate with more --nodes"


def test_it_starts_the_simulators_ranks_and_on_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    # What weft predict made is read when it is simulated.
    simulator(tmp_path, "exit 1")
    launcher = SimLauncher(msgspec.structs.replace(platform(), kind="predicted"))
    assert (launcher.starts("smpi"), launcher.starts("openmpi")) == (True, False)
    assert launcher.refuses(Allocation()) == ""
    assert launcher.refuses(Allocation(hosts=("a", "b"))) == "a is no simulated node"
