"""The manual page, the groups of the help, and what a shell is told of a word that goes on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from support.builders import pattern
from weft.cli.lists import LISTS
from weft.cli.main import app
from weft.cli.manual import manual
from weft.cli.program import COMMANDS
from weft.launch.programs import Program
from weft.plan.site import Setting

PROGRAM = typer.main.get_command(app)


def test_the_manual_has_every_command_with_every_option() -> None:
    page = manual(app)
    sections = dict(re.findall(r"^\.SS (.+)\n((?:(?!\.S[SH]).*\n)*)", page, re.MULTILINE))
    names = {*PROGRAM.commands} - {"slurm"}  # type: ignore[attr-defined]
    assert set(sections) == names | {"slurm script"}
    for name, text in sections.items():
        command = PROGRAM
        for word in name.split():
            command = command.commands[word]  # type: ignore[attr-defined]
        for param in command.params:
            word = param.opts[0] if param.opts[0].startswith("-") else (param.name or "").upper()
            assert word.replace("-", "\\-") in text, (name, word)


def test_no_word_of_the_manual_is_taken_for_a_request() -> None:
    """Only these begin a line with a dot."""
    requests = {line.split()[0] for line in manual(app).splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".nh", ".ad", ".nf", ".fi"}


def test_an_example_stands_in_one_line_as_it_is_typed() -> None:
    examples = re.findall(r"^\.nf\n(.*)\n\.fi$", manual(app), re.MULTILINE)
    typed = [line.replace("\\-", "-") for line in examples]
    assert "weft run ping_pong stream --transport tcp --sizes 8,1KiB..1MiB --budget 2min" in typed
    assert {line.split()[0] for line in typed} == {"weft", "sbatch"}


def test_every_command_of_the_help_is_in_a_group() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    places = [shown.index(f" {title} ") for title in COMMANDS]
    assert places == sorted(places)
    assert " Commands " not in shown


def test_the_help_begins_with_what_weft_is_for_and_ends_with_an_example() -> None:
    shown = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    purpose = "Measure, model, compare and price cluster interconnects."
    assert shown.startswith(f"Usage: weft [OPTIONS] COMMAND [ARGS]... {purpose}")
    assert shown.endswith("Example: weft run ping_pong --transport tcp --budget 20s")


@pytest.mark.parametrize(
    ("typed", "goes_on"),
    [("weft pre", "predict"), ("weft run --prec", "--precision"), ("weft slurm s", "script")],
)
def test_a_shell_completes_commands_and_options(typed: str, goes_on: str) -> None:
    assert completed(typed) == [goes_on]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("weft run pi", ["ping_pong"]),
        ("weft run --transport scripted,b", ["scripted,blocked"]),
        ("weft run --suite q", ["quick"]),
        ("weft run --mpi o", ["openmpi"]),
        ("weft run --wait s", ["spin"]),
        ("weft list t", ["tests", "transports"]),
        ("weft show esch", ["escher"]),
        ("weft show nothing", []),
        ("weft show run.jsonl --table compl", ["completion"]),
        ("weft show run.jsonl --like p", ["perftest"]),
        ("weft compare run.jsonl red", ["red-squall", "red.jsonl"]),
        ("weft figure run.jsonl --layout a", ["acm"]),
        ("weft calibrate escher --kind t", ["table"]),
        ("weft reproduce s", ["sandia"]),
        ("weft run --option scripted.", ["scripted.inject=", "scripted.port="]),
        ("weft map --option scripted.i", ["scripted.inject="]),
        ("weft run --option scripted.inject=y", ["scripted.inject=yes"]),
        ("weft run --option scripted.port=", []),
        ("weft run --option nothing.x=", []),
        ("weft run --vary scripted.p", ["scripted.port="]),
        ("weft run --vary m", ["mpi="]),
        ("weft run --vary mpi=openmpi,m", ["mpi=openmpi,mpich"]),
    ],
)
def test_a_shell_is_offered_what_a_word_may_be(
    typed: str, offered: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("red.jsonl").touch()
    ours = [
        Program(
            transport=name,
            mpi="openmpi",
            path=tmp_path,
            patterns=(pattern("ping_pong"),),
            settings=(
                Setting(name="inject", summary="", choices="yes,no"),
                Setting(name="port", summary="", most=65535),
            ),
        )
        for name in ("scripted", "scripted:wait", "blocked", "other")
    ]
    monkeypatch.setattr("weft.cli.completion._programs", lambda: ours)
    assert completed(typed) == offered


def test_without_an_mpi_a_shell_is_offered_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert completed("weft run pi") == []
    assert completed("weft list p") == ["platforms"]


@pytest.mark.parametrize(
    ("typed", "not_needed"),
    [
        ("weft ru", {"numpy"}),
        ("weft compare esch", {"numpy"}),
        ("weft run --suite f", {"numpy"}),
        ("weft run --wait s", {"numpy"}),
        ("weft figure --layout i", {"numpy"}),
        ("weft predict --st", {"numpy"}),
        ("weft show --table ov", set()),
        ("weft reproduce s", set()),
    ],
)
def test_a_word_is_offered_without_what_figures_need(typed: str, not_needed: set[str]) -> None:
    """A shell waits for it at every press of the key. Lists of topics know their arrays."""
    shown = "import sys; from weft.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", shown], env={**os.environ, **asked_for(typed)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "weft" in loaded
    assert loaded & {"polars", "scipy", "plotly", "jinja2", *not_needed} == set()


def completed(typed: str) -> list[str]:
    """What bash is offered for the last word."""
    done = CliRunner().invoke(app, env=asked_for(typed), prog_name="weft")
    assert done.exit_code == 0, done.exception
    return done.output.split()


def asked_for(typed: str) -> dict[str, str]:
    """How bash asks for its last word."""
    return {
        "_WEFT_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }


def test_list_alone_says_what_can_be_listed() -> None:
    lines = CliRunner().invoke(app, ["list"]).output.splitlines()
    assert [line.split()[0] for line in lines] == list(LISTS)
    for name in LISTS:
        assert CliRunner().invoke(app, ["list", name]).exit_code == 0


def test_the_manual_has_each_exit_status_once_and_in_order() -> None:
    _, _, ends = manual(app).partition(".SH EXIT STATUS")
    found = [
        int(one) for one in re.findall(r"^\.(?:TP|B|BR|IP).*\n?(?:\.B )?(\d+)$", ends, re.MULTILINE)
    ]
    assert found == [0, 1, 2, 3, 70, 130, 141]


def test_an_option_stands_in_a_group_of_a_few_words_and_has_a_sentence() -> None:
    groups = set()
    for name, command in PROGRAM.commands.items():  # type: ignore[attr-defined]
        for param in command.params:
            group = getattr(param, "rich_help_panel", None)
            said = getattr(param, "help", None)
            groups.add(group or "")
            assert not said or said.rstrip().endswith((".", ")", "]")), (name, param.name, said)
    assert not [group for group in groups if group.endswith(".") or len(group) > 40]
