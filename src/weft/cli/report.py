"""`weft report`."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command("report")
    def report() -> None:
        """Not written yet."""
