"""The pages "add a benchmark" and "add a transport", followed to the letter in a copy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.copies import ROOT, blocks
from support.printed import result_of

WEFT = Path(sys.prefix) / "bin" / "weft"
pytestmark = pytest.mark.engine


def build(folder: Path) -> Path:
    """The copy's rank programs under Open MPI only: one build is enough to follow a page."""
    targets = ("rank-tcp-openmpi", "rank-example-openmpi")
    # Where the gate gave cmake a ccache, it knows what the pages leave as it is by its place in
    # the copy.
    env = os.environ | {"CCACHE_BASEDIR": str(folder)}
    for command in (
        ["cmake", "--preset", "release"],
        ["cmake", "--build", "--preset", "release", "--target", *targets],
    ):
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder / "build" / "release" / "libexec" / "weft"


def test_both_pages_work_as_they_stand(tmp_path: Path) -> None:
    for name in ("engine", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    engine = tmp_path / "engine"
    header, include = blocks("add-a-benchmark.md", "cpp")
    (engine / "patterns" / "ping_ping_pong.hpp").write_text(header)
    listing = (engine / "patterns" / "all.hpp").read_text()
    listing = listing.replace(
        '#include "patterns/ping_pong.hpp"', f'{include}#include "patterns/ping_pong.hpp"'
    )
    listing = listing.replace(">;", ", PingPingPong>;")
    (engine / "patterns" / "all.hpp").write_text(listing)
    [source] = blocks("add-a-transport.md", "cpp")
    folder = engine / "transports" / "example"
    folder.mkdir()
    (folder / "example.cpp").write_text(source)
    target, line = blocks("add-a-transport.md", "cmake")
    (folder / "CMakeLists.txt").write_text(target)
    cmake = (engine / "CMakeLists.txt").read_text()
    cmake = cmake.replace(
        "add_subdirectory(transports/tcp)\n", f"add_subdirectory(transports/tcp)\n{line}"
    )
    (engine / "CMakeLists.txt").write_text(cmake)
    programs = build(tmp_path)
    done = subprocess.run(
        [WEFT, "run", "ping_ping_pong", "ping_pong", "--transport", "example,tcp", "--sizes", "8",
         "--budget", "100s", "--launches", "2", "--precision", "100%", "--no-report", "--json",
         "-o", tmp_path / "r.jsonl"],
        capture_output=True, text=True, timeout=600, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "WEFT_ENGINE_DIR": str(programs)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = result_of(done.stdout)
    ran = {(row["test"], row["transport"], row["status"]) for row in rows}
    assert ("ping_ping_pong", "tcp", "ok") in ran
    assert ("ping_ping_pong", "example", "ok") in ran
    assert ("ping_pong", "example", "ok") in ran
