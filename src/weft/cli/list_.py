"""`weft list`: what can be measured here, and what was published of others."""

from typing import Annotated

import typer

from weft.errors import WeftError


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("list", epilog="Example:  weft list platforms")(list_)


def list_(
    what: Annotated[str, typer.Argument(help="tests, transports or platforms.")],
    mpi: Annotated[str, typer.Option(help="openmpi or mpich. Default: what is there.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the tests, the transports of this machine, or the published platforms."""
    import msgspec  # noqa: PLC0415 - start-up

    from weft.engine import choose_mpi, programs  # noqa: PLC0415

    if what not in ("tests", "transports", "platforms"):
        raise WeftError(
            f"there is no list of {what}", "type weft list tests, transports or platforms"
        )
    found = programs(choose_mpi(mpi)) if what != "platforms" else ()
    if what == "platforms":
        rows = _platforms()
    elif what == "transports":
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
        axis = f" (--points: {row['axis']}, {row['points']})" if row.get("axis") else ""
        out = f" (cannot run here: {row['reason']})" if row.get("reason") else ""
        typer.echo(f"{name:<{width}}  {row['summary']}{axis}{out}")


def _platforms() -> list[dict[str, object]]:
    """A row a published platform."""
    from weft.reference.library import platforms  # noqa: PLC0415 - start-up

    return [
        {
            "platform": platform.name,
            "title": platform.title,
            "summary": platform.summary,
            "citation": platform.citation,
            "tests": sorted({series.test for series in platform.series}),
            "single_figures": len(platform.facts),
        }
        for platform in platforms()
    ]


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
                    "axis": f"{pattern.axis.name} {pattern.axis.unit}".strip(),
                    "points": pattern.axis.points,
                    "transports": [],
                },
            )
            if pattern.supported:
                row["transports"].append(program.transport)  # type: ignore[attr-defined]
    return list(tests.values())
