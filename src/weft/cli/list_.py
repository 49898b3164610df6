"""`weft list`."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command("list")
    def list_() -> None:
        """Not written yet."""
