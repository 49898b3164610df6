"""What is installed is what was configured: a library that came or went is noticed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "list-libraries"
# What stands for the programs that `make build` starts: each says that it was started.
CMAKE = """#!/bin/sh
echo configured >>calls
mkdir -p build/release
scripts/list-libraries ucx simgrid mpicxx.mpich >build/release/libraries
"""


class Checkout:
    """A checkout of a Makefile and scripts, on a machine whose libraries are files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.libraries = folder / "pc"
        self.programs = folder / "bin"
        for made in (self.libraries, self.programs, folder / "engine", folder / ".stamps"):
            made.mkdir()
        shutil.copy(ROOT / "Makefile", folder)
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        for name in ("CMakeLists.txt", "pyproject.toml", "requirements.lock"):
            (folder / name).touch()
        (folder / ".stamps" / "packages-run").touch()
        (folder / ".venv" / "bin").mkdir(parents=True)
        (folder / ".venv" / ".environment").touch()
        self.program(self.programs / "cmake", CMAKE)
        for program in (self.programs / "ninja", folder / ".venv" / "bin" / "pip"):
            self.program(program, "#!/bin/sh\n")
        self.add("ucx", "1.13")

    def program(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def add(self, name: str, version: str) -> None:
        text = f"Name: {name}\nDescription: a library\nVersion: {version}\n"
        (self.libraries / f"{name}.pc").write_text(text)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        # The machine's own MPIs are out of the way.
        path = f"{self.programs}:/usr/bin:/bin"
        environment = {"PATH": path, "PKG_CONFIG_LIBDIR": os.fspath(self.libraries)}
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def configured(self) -> int:
        """How often `make build` has configured until now, after one more."""
        done = self.run("make", "build")
        assert done.returncode == 0, done.stdout + done.stderr
        return len((self.folder / "calls").read_text().split()) // 2


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_list_says_what_is_here_and_what_is_not(checkout: Checkout) -> None:
    done = checkout.run("scripts/list-libraries", "ucx", "simgrid", "mpicxx.nobodys")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "ucx 1.13\nsimgrid -\nmpicxx.nobodys -\n"


def test_a_library_whose_own_library_is_missing_is_not_here(checkout: Checkout) -> None:
    with (checkout.libraries / "ucx.pc").open("a") as file:
        file.write("Requires: nobodys\n")
    assert checkout.run("scripts/list-libraries", "ucx").stdout == "ucx -\n"


def test_a_build_is_made_again_when_a_library_came_went_or_changed(checkout: Checkout) -> None:
    assert checkout.configured() == 1
    assert checkout.configured() == 1
    checkout.add("simgrid", "3.32")
    assert checkout.configured() == 2
    assert checkout.configured() == 2
    checkout.add("simgrid", "3.36")
    assert checkout.configured() == 3
    (checkout.libraries / "ucx.pc").unlink()
    assert checkout.configured() == 4
    assert checkout.configured() == 4


def test_a_build_is_made_again_when_an_mpi_came_or_went(checkout: Checkout) -> None:
    # Whatever MPI this machine has is not the one that is looked for.
    before = checkout.configured()
    compiler = checkout.programs / "mpicxx.mpich"
    checkout.program(compiler, "#!/bin/sh\nexit 1\n")
    assert checkout.configured() == before + 1
    compiler.unlink()
    assert checkout.configured() == before + 2
    assert checkout.configured() == before + 2


@pytest.mark.engine
def test_cmake_forgets_a_library_that_is_gone_and_lists_all_it_asked_for(tmp_path: Path) -> None:
    """The real configuration, where simgrid is hidden and comes back."""
    folders = subprocess.run(
        ["pkg-config", "--variable", "pc_path", "pkg-config"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    hidden = tmp_path / "pc"
    hidden.mkdir()
    for folder in map(Path, folders.split(":")):
        for path in folder.glob("*.pc"):
            if not (hidden / path.name).exists() and path.stem != "simgrid":
                shutil.copy(path, hidden)
    build = tmp_path / "build"
    found = []
    for libraries in (folders, str(hidden), folders):
        subprocess.run(
            ["cmake", "--preset", "release", "-B", build, "--log-level=WARNING"],
            cwd=ROOT, env={**os.environ, "PKG_CONFIG_LIBDIR": libraries},
            check=True, capture_output=True,
        )  # fmt: skip
        listed = dict(line.split(" ", 1) for line in (build / "libraries").read_text().splitlines())
        assert {"ucx", "libfabric", "libibverbs", "librdmacm", "mpicxx.mpich"} <= set(listed)
        programs = "build libexec/weft/smpi/rank-sim" in (build / "build.ninja").read_text()
        note = build / "libexec" / "weft" / "smpi" / "omitted" / "sim"
        found.append((listed["simgrid"] != "-", programs, note.exists() and note.read_text()))
    missing = "no simgrid was found; use apt-get install libsimgrid-dev, then make build\n"
    assert found == [(True, True, False), (False, False, missing), (True, True, False)]
