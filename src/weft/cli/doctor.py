"""`weft doctor`: what disturbs a measurement on this machine, and how to fix it."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("doctor", epilog="Example:  weft doctor")(doctor)


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say what disturbs a measurement on this machine, and how to fix it."""
    import msgspec

    from weft.host.checks import diagnose
    from weft.host.load import Watch
    from weft.host.manifest import collect
    from weft.report.terminal import console, findings_table

    watch = Watch()
    findings = diagnose(collect(), watch.load())
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(findings), indent=2).decode())
    else:
        console().print(findings_table(findings))
