"""`weft export`."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command("export")
    def export() -> None:
        """Not written yet."""
