"""A program whose library does not fit is left out of the build, with a note of the reason."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "build-optional"
REASON = "libnothing 9.9 is not supported yet"


class Build:
    """One program of one source, in a folder of its own, as CMake's rules would make it."""

    def __init__(self, folder: Path) -> None:
        self.source, self.object = folder / "part.cpp", folder / "part.o"
        self.program = folder / "rank-nothing"
        self.note = folder / "omitted" / "nothing"
        self.log = folder / "omitted" / "nothing.log"

    def run(self, *words: str | Path) -> str:
        done = subprocess.run(
            [SCRIPT, *words], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stderr

    def make(self, text: str) -> str:
        """Compiles and links the source; what both write on standard error."""
        self.source.write_text(text)
        said = self.run("--", "g++", "-Wall", "-o", self.object, "-c", self.source)
        link = ("g++", self.object, "-o", self.program)
        return said + self.run(self.note, REASON, "--", *link)

    def state(self) -> tuple[bool, bool, bool]:
        """Whether there is the program, the note, and the log."""
        return self.program.exists(), self.note.exists(), self.log.exists()


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path)


def test_a_program_that_compiles_is_there_without_a_note(build: Build) -> None:
    assert build.make("int main() {}\n") == ""
    assert build.state() == (True, False, False)


def test_a_header_that_does_not_fit_costs_the_program_and_leaves_a_note(build: Build) -> None:
    said = build.make("#error another version is needed\nint main() {}\n")
    assert build.state() == (False, True, True)
    assert build.note.read_text() == REASON + "\n"
    assert "another version is needed" in build.log.read_text()
    assert said.splitlines()[-1] == (f"rank-nothing is omitted: {REASON}; build log: {build.log}")


def test_a_function_that_the_library_lacks_costs_the_program_too(build: Build) -> None:
    build.make("int gone();\nint main() { return gone(); }\n")
    assert build.state() == (False, True, True)
    assert "gone" in build.log.read_text()


def test_an_earlier_program_goes_and_comes_back_with_what_compiles(build: Build) -> None:
    build.make("int main() {}\n")
    build.make("broken\n")
    assert build.state() == (False, True, True)
    build.make("int main() {}\n")
    assert build.state() == (True, False, False)


def test_warnings_are_shown_and_cost_nothing(build: Build) -> None:
    assert "unused" in build.make("int main() { int unused; }\n")
    assert build.state() == (True, False, False)
