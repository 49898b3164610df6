"""`weft run`."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command("run")
    def run() -> None:
        """Not written yet."""
