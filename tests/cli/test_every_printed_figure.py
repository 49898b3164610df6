"""What a command prints is what it prints as JSON: each figure in its place, under its own name.

Every command that prints JSON is in this by its scenes in tests/support/scenes.py: a new one
without a scene fails. How a figure is held to its field is in support/printed_figures.py.
"""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from support.in_process import weft_here
from support.printed_figures import Told, printed_in, with_figures_exchanged
from support.scenes import ENDS, SCENES, make_named
from weft.cli.main import app
from weft.cli.manual import commands_of

# What a title or a sentence calls a field that has another name in the data.
ALSO = {
    "slower": ("+",),
    "longer": ("+", "longer"),
    "above_ns": ("its latency",),
    "below_ns": ("below it",),
    "added_ns": ("interval", "saves", "adds", " to "),
    "transfer_ns": ("l + o_s + o_r",),
    "gap_ns": (" g:", "µs", "ns"),
    "gap_ns_per_byte": ("g per byte",),
    "plogp_latency_ns": ("l of plogp",),
    "misfit_percent": ("median error of the median line",),
    "r_squared": ("r²",),
    "latency_ns": ("time at",),
    "piecewise": ("time at", "asymptotic"),
    "asymptotic_bandwidth_bytes_per_s": ("asymptotic bandwidth",),
    "moves_total": ("adds",),
    "speeds": ("speed",),
    "kept_at": ("down to r",),
    "both_ways_bytes_per_s": ("together", " by "),
    "lane_bits_per_s": ("4 x", "16 x"),
    "per_port": ("a port", "per port", "price per port"),
    "required": ("times as fast",),
    # Of sides the heads are their names (test_cells_of_commands.py), of courses the days.
    "reference": ("over",),
    "figure": ("over",),
    "estimate": ("latency", "bandwidth"),
    "same_margin": ("within",),
    "speed": ("speed ratio", "times as fast"),
}
# Words with a figure that no record tells.
CONSTANTS = ("95 % interval", "time at 0 B", "over 5%", "+10% adds", "100.0 %", "over 99%")
# Their JSON is a file, or that of a command in here: `run` prints what `show` does.
OTHERS = {
    "run": "show",
    "doctor": "tests/cli/test_cells_of_lists.py",
    "import": "tests/cli/test_json_form.py",
    "calibrate": "tests/cli/test_json_form.py",
    "predict": "tests/cli/test_predict_command.py",
    "reproduce": "tests/cli/test_reproduce_command.py",
}
# Where two figures of a row may be those of either column here, and not in the test that is named.
EXCHANGED = {"compare": "tests/cli/test_cells_of_commands.py"}
# These options write a file of their own, and no JSON beside it.
NOT_BOTH = ("--make-limits", "--like", "made.toml", "--cables", "--draw", "--simgrid")
# What tests/topics/test_every_cell.py holds, row by row.
OF_TOPICS = ("show",)


def commands_with_json() -> list[str]:
    return [
        name
        for name, command in commands_of(typer.main.get_command(app))
        for option in command.params
        if "--json" in option.opts and getattr(option, "is_flag", False)
    ]


def typed_of(name: str) -> list[str]:
    """The scenes of a command, without what it writes and what asks for JSON."""
    typed = [one.partition(" > ")[0] for scene in SCENES.values() for one in scene]
    own = [one.replace(" --json", "") for one in typed if one.split()[0] == name]
    return [one for one in dict.fromkeys(own) if not any(word in one for word in NOT_BOTH)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("printed")


def printed_by(typed: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Any]:
    """What a command prints on a screen with room for every line, and as JSON."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("weft.report.table.TERMINAL_WIDTH", 1000)
    make_named([typed], folder)
    words = [
        name
        for word in shlex.split(typed)
        for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    if "-o" in words:
        at = words.index("-o")
        words = [*words[:at], *words[at + 2 :]]
    env = {"COLUMNS": "1000", "NO_COLOR": "1", "PATH": os.environ["PATH"]}
    shown, plain = weft_here(words, env), weft_here([*words, "--json"], env)
    assert shown.returncode == plain.returncode in ENDS, plain.stderr
    return shown.stdout, json.loads(plain.stdout)["result"]


@pytest.mark.parametrize("name", [one for one in commands_with_json() if one not in OTHERS])
def test_each_figure_is_its_fields(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed_of(name), f"{name} prints JSON: give it a scene in tests/support/scenes.py"
    if name in OF_TOPICS:
        return
    missed: list[str] = []
    for typed in typed_of(name):
        text, data = printed_by(typed, folder, monkeypatch)
        told = Told(data, ALSO, CONSTANTS)
        assert told.faults(text) == [], typed
        for wrong in with_figures_exchanged(text) if name not in EXCHANGED else ():
            if not told.faults(wrong):
                missed += set(wrong.splitlines()) - set(text.splitlines())
    assert missed == []


def test_what_is_held_elsewhere_is_a_command() -> None:
    assert set(OTHERS) <= set(commands_with_json())
    assert len(list(printed_in("latency 3.2 µs ±1% over 8 B\n"))) == 1
