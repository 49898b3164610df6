"""`weft doctor`: what of this machine disturbs a measurement, and how to mend it."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("doctor", epilog="Example:  weft doctor")(doctor)


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say what of this machine disturbs a measurement, and how to mend it."""
    import msgspec  # noqa: PLC0415 - start-up

    from weft.host.checks import diagnose  # noqa: PLC0415
    from weft.host.load import Watch  # noqa: PLC0415
    from weft.host.manifest import collect  # noqa: PLC0415
    from weft.report.terminal import console, findings_table  # noqa: PLC0415

    watch = Watch()
    findings = diagnose(collect(), watch.load())
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(findings), indent=2).decode())
    else:
        console().print(findings_table(findings))
