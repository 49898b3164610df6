"""Options of other programs, and misspelt ones, lead to weft's."""

import pytest
import typer

from support.in_process import TERMINAL, weft_here
from weft.cli.command import _FOR_FEW
from weft.cli.main import app


@pytest.mark.parametrize(
    ("command", "typed", "fix"),
    [
        ("run", "--size", "did you mean --sizes?"),
        ("run", "-t", "did you mean --transport?"),
        ("run", "--np", "did you mean --ranks?"),
        ("run", "--ntasks", "did you mean --ranks?"),
        ("run", "-w", "did you mean --nodelist?"),
        ("map", "--host", "did you mean --hosts?"),
        ("map", "--rnaks", "did you mean --ranks?"),
        ("run", "--nonsense", "run weft run --help"),
        ("run", "-Z", "run weft run --help"),
        ("show", "-t", "did you mean --transport?"),
    ],
)
def test_an_option_that_there_is_not_leads_to_the_one_that_was_meant(
    command: str, typed: str, fix: str
) -> None:
    done = weft_here([command, typed, "4"], TERMINAL)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("weft: No such option: -")
    assert line.endswith(f"; {fix}")


@pytest.mark.parametrize(
    ("short", "refusal"),
    [("-n", "--ranks 0 is out of range"), ("-N", "--nodes -1 is out of range")],
)
def test_ranks_and_nodes_have_the_letters_of_srun(short: str, refusal: str) -> None:
    done = weft_here(["run", "ping_pong", short, refusal.split()[1]], TERMINAL)
    assert done.returncode == 2
    assert refusal in done.stderr


def test_help_has_a_letter() -> None:
    assert "weft show" in weft_here(["show", "-h"], TERMINAL).stdout


def test_options_that_few_need_are_in_the_whole_help() -> None:
    brief, whole = (weft_here(["run", word], {}).stdout for word in ("-h", "--help-all"))
    assert "--help-all" in brief
    for option in ("--transport", "--sizes", "--ranks", "--nodes", "--submit"):
        assert option in brief
        assert option in whole
    few = ("--seed", "--mass", "--exclude", "--launcher-command")
    assert not any(option in brief for option in few)
    assert all(option in whole for option in few)


def test_the_options_that_few_need_are_options() -> None:
    for name, few in _FOR_FEW.items():
        command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
        assert few <= {param.name for param in command.params}
