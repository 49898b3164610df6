"""The example of docs/reframe, run by the real ReFrame on its local scheduler.

The ranks are scripted (1,000 ns and 1 ns a byte one way), so that the answers are known.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripted import lay_out_rank

EXAMPLE = Path(__file__).parents[2] / "docs" / "reframe"
PROGRAMS = Path(sys.prefix) / "bin"
LIMIT = '[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "{}"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example, and a machine whose one transport is the scripted one."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    lay_out_rank(tmp_path / "engine")
    starter = tmp_path / "bin" / "mpirun.openmpi"
    starter.parent.mkdir()
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done\nshift 2\n"$@"\n')
    starter.chmod(0o755)
    return tmp_path


def reframe(folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of the example; its records gather in `records`."""
    options = {"tests": "ping_pong", "transport": "fake", "records": str(folder / "records")}
    return subprocess.run(
        [
            *(PROGRAMS / "reframe", "-c", folder / "example" / "weft_acceptance.py", "-r"),
            *("--prefix", folder / "prefix"),
            *(word for k, v in options.items() for word in ("-S", f"WeftAcceptance.{k}={v}")),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={
            **os.environ,
            "PATH": f"{folder / 'bin'}:{PROGRAMS}:/usr/bin:/bin",
            "WEFT_ENGINE_DIR": str(folder / "engine"),
            "HOME": str(folder),
            "TMPDIR": str(folder),
        },
    )


def answer(folder: Path, stage: str) -> Path:
    [found] = (folder / "prefix" / stage).rglob("weft.json")
    return found


def test_the_example_passes_then_fails_on_all_of_its_records(folder: Path) -> None:
    limits = folder / "example" / "src" / "limits.toml"
    limits.write_text(LIMIT.format("1.01 us"))
    good = reframe(folder)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "P: fake_ping_pong_8: 1008" in good.stdout
    kept = answer(folder, "output")
    suite = ElementTree.parse(kept.with_name("weft.xml")).getroot()  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")
    [check] = json.loads(kept.read_text())["checks"]
    assert check["launches"] == 5

    limits.write_text(LIMIT.format("1.005 us"))
    bad = reframe(folder)
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "weft check ended with 1, not 0" in bad.stdout
    [check] = json.loads(answer(folder, "stage").read_text())["checks"]
    assert check["launches"] == 10
    assert len(list((folder / "records").iterdir())) == 2


def test_the_examples_own_limits_are_read(folder: Path) -> None:
    text = (folder / "example" / "src" / "limits.toml").read_text()
    (folder / "example" / "src" / "limits.toml").write_text(text.replace('"tcp"', '"fake"'))
    done = reframe(folder)
    # The scripted transport has no stream, so that nobody measured it.
    assert "weft check ended with 3, not 0" in done.stdout, done.stdout
