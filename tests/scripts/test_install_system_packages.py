"""The package script asks apt only for what is missing, and gives up after a bound."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from weft.launch.programs import PACKAGES

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "install-system-packages"


class Machine:
    """A Debian made of a few programs: what is installed, who we are, how apt-get ends."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.calls = folder / "calls"
        self.calls.touch()
        for name in ("awk", "bash", "cat", "env", "grep", "mktemp", "rm", "tail"):
            self.programs.joinpath(name).symlink_to(f"/usr/bin/{name}")
        self.has("dpkg-query", '[[ $4 == "$MISSING" ]] || echo installed')
        self.has("apt-get", f'echo "$*" >> {self.calls}; [[ "$*" != *" $APT_FAILS"* ]]')
        self.has("id", "echo $USER_ID")
        self.release = folder / "os-release"
        self.is_release("debian", "12")

    def is_release(self, system: str, version: str) -> None:
        number = f'VERSION_ID="{version}"\n' if version else ""
        self.release.write_text(f"ID={system}\n{number}")

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
                "OS_RELEASE": os.fspath(self.release),
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
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            (
                "Err:1 http://deb.debian.org/debian trixie InRelease\n"
                "  Temporary failure resolving 'deb.debian.org'\n"
                "E: Unable to locate package mpich"
            ),
            "Temporary failure resolving 'deb.debian.org'",
        ),
        (
            "Reading lists\nE: Unable to locate package mpich\nE: more",
            "E: Unable to locate package",
        ),
        ("no space left", "no space left"),
    ],
)
def test_packages_that_cannot_be_had_are_one_line_with_the_cause(
    machine: Machine, said: str, cause: str
) -> None:
    machine.has("apt-get", f'cat >&2 <<"END"\n{said}\nEND\nexit 100')
    done = machine.install("run", missing="mpich")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert cause in line
    assert "use the same command again" in line


@pytest.mark.parametrize(
    ("system", "version", "fits"),
    [
        ("debian", "11", False),
        ("debian", "12", True),
        ("debian", "13", True),
        # Of the release that comes next there is no number yet.
        ("debian", "", True),
        ("ubuntu", "22.04", False),
        ("ubuntu", "24.04", True),
        ("linuxmint", "9", True),
    ],
)
def test_a_release_that_is_too_old_is_one_line_before_anything_is_installed(
    machine: Machine, system: str, version: str, *, fits: bool
) -> None:
    machine.is_release(system, version)
    done = machine.install("run", missing="mpich")
    assert (done.returncode == 0) == fits
    assert (machine.asked() != []) == fits
    assert len(done.stderr.splitlines()) == (0 if fits else 1)
    assert fits or version in done.stderr


def test_without_the_right_the_command_is_told(machine: Machine) -> None:
    done = machine.install("bench", missing="sockperf", user=1000)
    assert done.returncode == 1
    assert "run as root: apt-get install --no-install-recommends sockperf" in done.stderr
    assert machine.asked() == []


@pytest.mark.parametrize(
    ("manager", "typed", "without"),
    [
        ("dnf", "dnf install gcc-c++ make cmake ninja-build ", "libsimgrid-dev"),
        ("zypper", "zypper install gcc-c++ make cmake ninja ", "libsimgrid-dev"),
        ("pacman", "pacman -S --needed gcc make cmake ninja ", "libmpich-dev"),
        ("apk", "apk add g++ make cmake ninja-is-really-ninja ", "libucx-dev"),
    ],
)
def test_another_distribution_gets_its_own_names(
    machine: Machine, manager: str, typed: str, without: str
) -> None:
    (machine.programs / "apt-get").unlink()
    machine.has(manager, "exit 1")
    done = machine.install("run")
    assert done.returncode == 0
    head, line, note = done.stderr.splitlines()
    assert "this is no Debian or Ubuntu" in head
    assert line.startswith(f"  {typed}")
    assert not {"-", "shellcheck", "sockperf"} & set(line.split()[1:])
    assert len(set(line.split())) == len(line.split())
    assert without in note


def test_arch_has_slurm_under_a_name_of_its_own(machine: Machine) -> None:
    (machine.programs / "apt-get").unlink()
    machine.has("pacman", "exit 1")
    _, line, note = machine.install("test").stderr.splitlines()
    assert {"slurm-llnl", "munge"} <= set(line.split())
    assert "slurm-wlm" not in note


def test_a_system_that_nobody_knows_gets_all_of_them(machine: Machine) -> None:
    (machine.programs / "apt-get").unlink()
    said = machine.install("test").stderr
    for manager in ("dnf install", "zypper install", "pacman -S --needed", "apk add"):
        assert f"  {manager} " in said


def table() -> list[list[str]]:
    """The rows of the script's table: part, Debian, Fedora, openSUSE, Arch, Alpine."""
    text = SCRIPT.read_text()
    return [line.split() for line in text[text.index("<<'TABLE'") : text.index("\nTABLE\n")]
            .splitlines()[1:]]  # fmt: skip


def test_every_package_of_debian_has_a_counterpart_or_is_said_to_have_none() -> None:
    rows = table()
    assert len(rows) > 40
    for row in rows:
        assert len(row) == 6, row
        assert set(row[0].split(",")) <= {"run", "test", "bench"}
        for cell in row[1:]:
            assert re.fullmatch(r"-|[A-Za-z0-9][\w.+,-]*", cell), row
    debian = [row[1] for row in rows]
    assert len(set(debian)) == len(debian)
    assert "-" not in debian
    assert {one for words in PACKAGES.values() for one in words.split()} <= set(debian)


def test_what_the_engine_cannot_do_without_is_everywhere() -> None:
    """A compiler, one MPI, and the libraries that each program is linked with."""
    wanted = {"g++", "cmake", "ninja-build", "pkg-config", "python3", "openmpi-bin"}
    wanted |= {"libopenmpi-dev", "libhwloc-dev", "libhwy-dev", "nlohmann-json3-dev", "zlib1g-dev"}
    found = {row[1]: row[2:] for row in table()}
    assert all("-" not in found[name] for name in wanted)


def test_an_unknown_purpose_is_refused(machine: Machine) -> None:
    done = machine.install("party")
    assert done.returncode == 2
    assert "use one of: run, test, bench" in done.stderr
