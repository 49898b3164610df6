"""The example of docs/reframe, run by the real ReFrame on its local scheduler.

The ranks are scripted (1,000 ns and 1 ns a byte one way), so that the answers are known.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.printed import result_of
from support.scripted import lay_out_rank

EXAMPLE = Path(__file__).parents[2] / "docs" / "reframe"
PROGRAMS = Path(sys.prefix) / "bin"
LIMIT = '[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "{}"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example, and a machine whose one transport is the scripted one."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    check = tmp_path / "example" / "weft_acceptance.py"
    text = check.read_text().replace('parameter(["tcp"])', 'parameter(["fake"])')
    check.write_text(text.replace('["ping_pong", "stream"]', '["ping_pong"]'))
    lay_out_rank(tmp_path / "engine")
    starter = tmp_path / "bin" / "mpirun.openmpi"
    starter.parent.mkdir()
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done\nshift 2\n"$@"\n')
    starter.chmod(0o755)
    return tmp_path


def reframe(folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of the example; its records gather in `records`."""
    return subprocess.run(
        [
            *(PROGRAMS / "reframe", "-c", folder / "example" / "weft_acceptance.py", "-r"),
            *("--prefix", folder / "prefix"),
            *("-S", f"WeftAcceptance.records={folder / 'records'}"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
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


def test_the_example_passes_its_own_limits_then_fails_on_all_of_its_records(folder: Path) -> None:
    good = reframe(folder)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "P: fake_ping_pong_8: 1008" in good.stdout
    kept = answer(folder, "output")
    suite = ElementTree.parse(kept.with_name("weft.xml")).getroot()  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")
    [check] = result_of(kept.read_text())["checks"]
    assert check["launches"] == 5

    (folder / "example" / "src" / "ping_pong.toml").write_text(LIMIT.format("1.005 us"))
    bad = reframe(folder)
    assert bad.returncode == 1, bad.stdout + bad.stderr
    words = "sanity error: weft check ended with 1, not 0: fail: fake/ping_pong/8: 1.0"
    said = " ".join(bad.stdout.split())
    assert words in said
    assert " n=2, latency at most 1.005 us" in said
    [check] = result_of(answer(folder, "stage").read_text())["checks"]
    assert check["launches"] == 10
    assert len(list((folder / "records" / "fake-ping_pong").iterdir())) == 2


def test_a_limit_of_what_was_not_measured_is_no_pass_and_bad_usage_is_in_wefts_words(
    folder: Path,
) -> None:
    limits = folder / "example" / "src" / "ping_pong.toml"
    limits.write_text(limits.read_text().replace('"8"', '"8,4KiB"'))
    done = reframe(folder)
    assert "weft check ended with 3, not 0: cannot tell: *" in " ".join(done.stdout.split())
    limits.write_text("[[limits]]\n")
    done = reframe(folder)
    words = " ".join(done.stdout.split())
    assert "weft check ended with 2, not 0: weft: " in words
    assert "'limits' is unknown" in words
