"""What is measured for the calibration of two hosts is what weft can run and calibrate from."""

from types import ModuleType

import pytest
import typer

from support.copies import ROOT
from support.typed import request_of_command
from weft.cli.main import app


@pytest.fixture
def lab_calibration(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import lab_calibration

    return lab_calibration


@pytest.mark.parametrize("transport", ["tcp", "mpi"])
def test_every_run_is_one_and_its_record_is_calibrated_from(
    lab_calibration: ModuleType, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    *runs, calibration = lab_calibration.commands(transport, "5min", is_here=False)
    records = []
    for words in runs:
        request = request_of_command(" ".join(["weft", *words]), monkeypatch)
        assert [one.tests for one in request.experiments]
        assert words[-2] == "-o"
        records.append(words[-1])
    assert calibration[: len(records) + 1] == ["calibrate", *records]
    command = typer.main.get_command(app)
    name, *others = calibration
    assert isinstance(command, typer.core.TyperGroup)
    assert command.commands[name].make_context(name, others).params["transport"] == transport


def test_what_is_measured_has_every_test_that_is_held_out(lab_calibration: ModuleType) -> None:
    tests = " ".join(lab_calibration.TRANSPORTS["mpi"].values()).split()
    held_out = ("ping_pong", "sendrecv", "stream", "hot_spot_receive", "halo", "allreduce")
    assert set(held_out) <= set(tests)
    assert "allreduce" not in " ".join(lab_calibration.TRANSPORTS["tcp"].values())
