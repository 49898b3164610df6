"""The rule about the help of commands."""

import typer
from typer.testing import CliRunner


def commands_without_example(app: typer.Typer) -> list[str]:
    """Names of the commands whose help shows no example."""
    runner = CliRunner()
    names = [command.name or "" for command in app.registered_commands]
    return [name for name in names if "Example" not in runner.invoke(app, [name, "--help"]).output]
