"""`weft show`."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command("show")
    def show() -> None:
        """Not written yet."""
