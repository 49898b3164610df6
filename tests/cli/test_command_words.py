"""What holds for the words of every command: an option counts once, and has a value."""

import pytest
import typer
from typer.testing import CliRunner

from weft.cli.main import app
from weft.errors import WeftError


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert isinstance(done.exception, WeftError), done.output
    return str(done.exception)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "--sizes", "8", "--sizes", "16"),
         "--sizes is given 2 times; give it once, with commas: --sizes A,B"),
        (("check", "a.jsonl", "--tolerance", "1%", "--tolerance", "2%"), "2 times; give it once"),
        (("run", "-o", "a.jsonl", "--output", "b.jsonl"), "--output is given 2 times"),
        (("run", "--report", "--no-report"), "is given 2 times"),
        (("run", "--option", "tcp.port=1", "--option", "tcp.port=2"),
         "tcp.port is set twice, to 1 and to 2; use --option tcp.port=VALUE once"),
        (("slurm", "script", "--sizes", "8", "--sizes", "16"), "--sizes is given 2 times"),
        (("run", "--transport", ""), "--transport is empty; give its value, or leave --transport"),
        (("run", "--option", "tcp.port=1", "--option="), "--option is empty"),
        (("check", "a.jsonl", "--against", ""), "--against is empty"),
    ],
)  # fmt: skip
def test_what_would_have_no_effect_is_refused(words: tuple[str, ...], told: str) -> None:
    assert told in refused(*words)


def test_every_command_is_held_to_it() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        for param in getattr(command, "params", ()):
            if param.param_type_name == "option" and not param.multiple and not param.is_flag:
                option = max(param.opts, key=len)
                assert f"{option} is given 2 times" in refused(name, option, "1", option, "2")
