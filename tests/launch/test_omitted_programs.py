"""Programs that the build went on without: each has its reason wherever it could be wanted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.in_process import weft_here
from support.scripted import lay_out_rank
from weft.errors import WeftError
from weft.launch.programs import findings_of_omitted, programs
from weft.launch.sim import SimLauncher
from weft.plan.simulated import SimulatedPlatform

if TYPE_CHECKING:
    from pathlib import Path

UNFIT = "libfabric 9.9 is not supported yet"
MISSING = "no simgrid was found; use apt-get install libsimgrid-dev, then make build"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scripted program, and notes of two others."""
    folder = tmp_path / "engine"
    lay_out_rank(folder)
    for mpi, name, reason in (("openmpi", "ofi", UNFIT), ("smpi", "sim", MISSING)):
        note = folder / mpi / "omitted" / name
        note.parent.mkdir(parents=True)
        note.write_text(reason + "\n")
    (folder / "openmpi" / "omitted" / "ofi.log").write_text("fabric.hpp: error\n")
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(folder))
    return folder


def test_an_omitted_program_is_listed_with_its_reason_and_build_log(engine: Path) -> None:
    log = engine / "openmpi" / "omitted" / "ofi.log"
    found = {one.transport: one.reason for one in programs("openmpi")}
    assert found["ofi"] == f"{UNFIT}; build log: {log}"
    assert found["fake"] == ""
    done = weft_here(("list", "transports", "--mpi", "openmpi"), dict(os.environ))
    listed = done.stdout.splitlines()
    [line] = [line for line in listed if line.startswith("ofi ")]
    assert UNFIT in line
    assert str(log) in line


def test_a_run_over_an_omitted_program_ends_with_the_reason(engine: Path) -> None:
    done = weft_here(("run", "ping_pong", "--transport", "ofi", "--budget", "5s"), dict(os.environ))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert UNFIT in done.stderr
    assert str(engine / "openmpi" / "omitted" / "ofi.log") in done.stderr


def test_the_doctor_names_each_omitted_program_once(engine: Path) -> None:
    again = engine / "mpich" / "omitted" / "ofi"
    again.parent.mkdir(parents=True)
    again.write_text(UNFIT + "\n")
    ofi, sim = findings_of_omitted()
    assert UNFIT in ofi.what
    assert ofi.fix == f"build log: {engine / 'openmpi' / 'omitted' / 'ofi.log'}"
    assert sim.what.endswith("no simgrid was found")
    assert sim.fix.startswith("use apt-get install libsimgrid-dev")


def test_a_simulation_without_its_program_ends_with_the_reason(engine: Path) -> None:
    assert engine.exists()
    with pytest.raises(WeftError, match=r"no simgrid was found; use apt-get install"):
        SimLauncher(SimulatedPlatform(name="escher", kind="predicted", nodes=2))
