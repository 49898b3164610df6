"""`weft list`: what can be measured here."""

from typing import Annotated

import typer

from weft.errors import WeftError


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("list", epilog="Example:  weft list tests")(list_)


def list_(
    what: Annotated[str, typer.Argument(help="tests or transports.")],
    mpi: Annotated[str, typer.Option(help="openmpi or mpich. Default: what is there.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the tests, or the transports of this machine."""
    import msgspec  # noqa: PLC0415 - start-up

    from weft.engine import choose_mpi, programs  # noqa: PLC0415

    if what not in ("tests", "transports"):
        raise WeftError(f"there is no list of {what}", "type weft list tests or transports")
    found = programs(choose_mpi(mpi))
    if what == "transports":
        rows = [
            {
                "transport": p.transport,
                "mpi": p.mpi,
                "usable": not p.reason,
                "summary": p.summary or p.reason,
                "reason": p.reason,
                "settings": {setting.name: setting.summary for setting in p.settings},
            }
            for p in found
        ]
    else:
        rows = _tests(found)
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    width = max((len(str(next(iter(row.values())))) for row in rows), default=0)
    for row in rows:
        name = str(next(iter(row.values())))
        out = f" (cannot run here: {row['reason']})" if row.get("reason") else ""
        typer.echo(f"{name:<{width}}  {row['summary']}{out}")


def _tests(found: object) -> list[dict[str, object]]:
    """A row a test, with the transports that can run it."""
    tests: dict[str, dict[str, object]] = {}
    for program in found:  # type: ignore[attr-defined]
        for pattern in program.patterns:
            row = tests.setdefault(
                pattern.name,
                {
                    "test": pattern.name,
                    "title": pattern.title,
                    "summary": pattern.summary,
                    "ranks": pattern.ranks,
                    "transports": [],
                },
            )
            if pattern.supported:
                row["transports"].append(program.transport)  # type: ignore[attr-defined]
    return list(tests.values())
