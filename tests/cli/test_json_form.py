"""Every command's --json has one form: its version, the command, and figures under one name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from support.builders import make_cases
from support.nights import night
from support.peer_outputs import OUTPUTS
from support.price_lists import FULL, HALF, price_list
from support.printed import result_of
from weft.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parents[1]
CASES = make_cases(("ping_pong", "stream"), ("ucx", "mpi"), (8, 64, 512, 4096, 32768, 262144))
# What a figure was called in some commands and not in others, by what it is called in all.
OTHER_NAMES = {"median": "value", "way": "variant"}
# What starts ranks or simulates is asked there.
ELSEWHERE = {
    "run": "launch/test_runs_scripted.py",
    "map": "sim/test_simulated_map.py",
    "predict": "cli/test_predict_command.py",
    "reproduce": "cli/test_reproduce_command.py",
}
# What writes files and prints no figures.
WITHOUT = {"report", "figure", "export", "slurm"}
SCENES = {
    "show": ("RECORD",),
    "memory": ("RECORD",),
    "compare": ("RECORD", "OTHER"),
    "check": ("RECORD", "--against", "OTHER"),
    "trend": ("RECORD", "OTHER"),
    "fit": ("RECORD",),
    "layers": ("RECORD",),
    "signature": ("RECORD", "-o", "PICTURE"),
    "price": ("--compare", "PRICES"),
    "peak": ("IB 4x FDR",),
    "list": ("tests",),
    "import": ("OUTPUT", "-o", "IMPORTED"),
    "calibrate": ("escher",),
    "doctor": (),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("form")
    return {
        "PRICES": str(price_list(folder / "p.toml", fabrics=HALF + FULL)),
        "PICTURE": str(folder / "s.svg"),
        "OUTPUT": str(OUTPUTS / "omb_latency_z.txt"),
        "IMPORTED": str(folder / "imported.jsonl"),
        "RECORD": str(night(folder, 1, cases=CASES).path),
        "OTHER": str(night(folder, 2, 1.2, cases=CASES).path),
    }


def test_every_command_with_json_has_a_scene() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    flags = {
        name
        for name, command in commands.items()
        for param in getattr(command, "params", ())
        if "--json" in param.opts and param.is_flag
    }
    assert flags == {*SCENES, *ELSEWHERE}
    assert {*commands} - flags == WITHOUT
    for place in ELSEWHERE.values():
        assert "result_of(done.stdout" in (TESTS / place).read_text()


@pytest.mark.parametrize("command", SCENES)
def test_its_json_has_the_form(command: str, files: dict[str, str]) -> None:
    words = [files.get(word, word) for word in SCENES[command]]
    done = CliRunner().invoke(app, [command, *words, "--json"])
    assert done.exit_code in (0, 1, 3), done.output
    for place, found in leaves(result_of(done.stdout, command)):
        assert not OTHER_NAMES.keys() & found.keys(), f"{command}: {place}"
        # An interval has its figure, and no figure has its ends beside it.
        if {"low", "high"} <= found.keys():
            assert "value" in found, f"{command}: {place}: {found}"
        assert not [name for name in found if is_an_end(name)], place
        # What says which case a row is of has one set of names; a layer lies on another one.
        if {"test", "bytes"} <= found.keys():
            assert {"transport", "below"} & found.keys(), f"{command}: {place}: {found}"
            assert "variant" in found, f"{command}: {place}: {found}"


def test_the_file_of_an_export_has_the_form_too(files: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    words = ["export", files["RECORD"], "--table", "summary", "--json", str(path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert len(result_of(path.read_text(), "export")) == len(CASES)


def is_an_end(name: str) -> bool:
    """Whether a field beside others is the end of an interval: price_low, low_ns."""
    return name.endswith(("_low", "_high")) or name.startswith(("low_", "high_"))


def leaves(found: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every table of names in a result, with its way there."""
    if isinstance(found, dict):
        yield place, found
        for name, inner in found.items():
            yield from leaves(inner, f"{place}.{name}")
    elif isinstance(found, list):
        for inner in found:
            yield from leaves(inner, f"{place}[]")
