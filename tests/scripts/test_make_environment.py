"""The Python environment: made of the first Python that fits, anew where an earlier try ended."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "make-environment"


class Folder:
    """A checkout with a Python that makes small environments, whose pip does as it is told."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, folder / "calls"
        self.calls.touch()
        self.pip = "exit 0"
        self.program(
            folder / "bin" / "python3",
            f'[ "$1" != -c ] || exit 0\necho venv >> {self.calls}\nmkdir -p .venv/bin\n'
            f"ln -sf {folder}/bin/python3.made .venv/bin/python",
        )

    def program(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def run(self, **more: str) -> subprocess.CompletedProcess[str]:
        made = f'case "$3" in --version) exit ;; esac\necho pip >> {self.calls}\n{self.pip}'
        self.program(self.folder / "bin" / "python3.made", made)
        return subprocess.run(
            [SCRIPT], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", **more},
        )  # fmt: skip

    def asked(self) -> list[str]:
        found = self.calls.read_text().split()
        self.calls.write_text("")
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_an_environment_is_made_once_and_then_only_filled(folder: Folder) -> None:
    assert folder.run().returncode == 0
    assert folder.asked() == ["venv", "pip"]
    assert folder.run().returncode == 0
    assert folder.asked() == ["pip"]


def test_an_environment_whose_python_is_gone_is_made_anew(folder: Folder) -> None:
    folder.run()
    folder.asked()
    (folder.folder / ".venv" / "bin" / "python").unlink()
    assert folder.run().returncode == 0
    assert folder.asked() == ["venv", "pip"]


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            (
                "WARNING: Retrying: NewConnectionError: Temporary failure in name resolution')'\n"
                "ERROR: No matching distribution found for annotated-doc==0.0.4"
            ),
            "Temporary failure in name resolution",
        ),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\nmore", "DO NOT MATCH THE HASHES"),
    ],
)
def test_packages_that_cannot_be_had_are_one_line_with_the_cause(
    folder: Folder, said: str, cause: str
) -> None:
    folder.pip = f"cat >&2 <<'END'\n{said}\nEND\nexit 1"
    done = folder.run()
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert cause in line
    # The next try goes on with what there is.
    folder.pip = "exit 0"
    assert folder.run().returncode == 0
