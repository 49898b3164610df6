"""`weft doctor`."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command("doctor")
    def doctor() -> None:
        """Not written yet."""
