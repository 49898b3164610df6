"""The package script asks apt only for what is missing, and gives up after a bound."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "install-system-packages"


class Machine:
    """A Debian made of a few programs: what is installed, who we are, how apt-get ends."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.calls = folder / "calls"
        self.calls.touch()
        for name in ("bash", "cat", "env", "grep", "mktemp", "rm", "tail"):
            self.programs.joinpath(name).symlink_to(f"/usr/bin/{name}")
        self.has("dpkg-query", '[[ $4 == "$MISSING" ]] || echo installed')
        self.has("apt-get", f'echo "$*" >> {self.calls}; [[ "$*" != *" $APT_FAILS"* ]]')
        self.has("id", "echo $USER_ID")

    def has(self, name: str, script: str) -> None:
        program = self.programs / name
        program.write_text(f"#!/usr/bin/env bash\n{script}\n")
        program.chmod(0o755)

    def install(
        self, *words: str, missing: str = "none", user: int = 0, fails: str = "never"
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SCRIPT, *words],
            env={
                "PATH": os.fspath(self.programs),
                "MISSING": missing,
                "USER_ID": str(user),
                "APT_FAILS": fails,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def asked(self) -> list[str]:
        return self.calls.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_nothing_missing_asks_nothing(machine: Machine) -> None:
    done = machine.install("run")
    assert (done.returncode, done.stderr, machine.asked()) == (0, "", [])


def test_only_what_is_missing_is_installed(machine: Machine) -> None:
    done = machine.install("run", missing="mpich")
    assert done.returncode == 0
    update, install = machine.asked()
    assert update.endswith(" update")
    assert install.endswith(" install --no-install-recommends mpich")


@pytest.mark.parametrize("library", ["libsimgrid-dev", "libucx-dev", "libfabric-dev", "mpich"])
def test_what_runs_has_every_transport(machine: Machine, library: str) -> None:
    """What `make run` leaves out, `weft run --platform` and others of the README would lack."""
    assert machine.install("run", missing=library).returncode == 0
    assert machine.asked()[-1].endswith(f" install --no-install-recommends {library}")


def test_a_mirror_that_fails_is_asked_three_times(machine: Machine) -> None:
    done = machine.install("run", missing="mpich", fails="update")
    assert done.returncode == 1
    assert len(machine.asked()) == 3
    assert "attempt 3 of 3" in done.stderr


def test_without_the_right_the_command_is_told(machine: Machine) -> None:
    done = machine.install("bench", missing="sockperf", user=1000)
    assert done.returncode == 1
    assert "type as root: apt-get install --no-install-recommends sockperf" in done.stderr
    assert machine.asked() == []


def test_another_distribution_gets_names(machine: Machine) -> None:
    (machine.programs / "apt-get").unlink()
    done = machine.install("run")
    assert done.returncode == 0
    assert "dnf install" in done.stderr
    assert "zypper install" in done.stderr


def test_an_unknown_purpose_is_refused(machine: Machine) -> None:
    done = machine.install("party")
    assert done.returncode == 2
    assert "type one of: run, test, bench" in done.stderr
