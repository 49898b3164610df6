"""`weft list`: what can be measured here, and what was published of others."""

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.command import print_json
from weft.cli.lists import LISTS
from weft.cli.printed import say
from weft.cli.typed import refuse_typed
from weft.names import choose
from weft.plan.cases import SIZES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.programs import Program


# Of the text beside a row's name, on however narrow a terminal.
LEAST_WIDTH = 30
_FIX = "omit {}, or run weft list tests"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("list", epilog="Example:  weft list platforms")(list_)


def list_(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(help="List these: tests, transports, suites or platforms.")
    ] = "",
    mpi: Annotated[
        str, typer.Option(help="Ask the programs of openmpi or mpich. Default: the one installed.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the tests, the transports of this machine, the suites or the published platforms.

    Without an argument: what can be listed.
    """
    from weft.launch.programs import choose_mpi, programs

    if not what:
        refuse_typed(context, "mpi", why="nothing is listed of an MPI", fix=_FIX)
        _print([{"list": name, "summary": summary} for name, summary in LISTS.items()], json)
        return
    [what] = choose("list", [what], tuple(LISTS))
    if what not in ("tests", "transports"):
        refuse_typed(
            context, "mpi", why=f"{what} are the same under every MPI",
            fix=_FIX,
        )  # fmt: skip
    rows: list[dict[str, Any]]
    found = programs(choose_mpi(mpi)) if what in ("tests", "transports") else ()
    if what == "platforms":
        rows = _platforms()
    elif what == "suites":
        rows = _suites()
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
    _print(rows, json)


def _print(rows: "Sequence[dict[str, Any]]", json: bool) -> None:
    if json:
        print_json("list", rows)
        return
    width = max((len(str(next(iter(row.values())))) for row in rows), default=0)
    for row in rows:
        name = str(next(iter(row.values())))
        axis = f" (--points: {row['axis']}, {row['points']})" if row.get("axis") else ""
        axis += f" (--extents: {row['extents']})" if row.get("extents") else ""
        axis += f" (only over {', '.join(row['only_over'])})" if row.get("only_over") else ""
        out = f" (not usable here: {row['reason']})" if row.get("reason") else ""
        # A program that describes itself nowhere has its reason for a summary.
        summary = "" if row["summary"] == row.get("reason") else row["summary"]
        _say(f"{name:<{width}}  ", f"{summary}{axis}{out}".strip())
        lead = f"{'':<{width}}    "
        for part in row.get("parts", ()):
            _say(lead, f"{part['title']} ({', '.join(part['tests'])})")
        # The modes of a transport share its options: ofi:wait takes those of ofi.
        options = {} if ":" in name else row.get("settings", {})
        for option, summary in options.items():
            _say(lead, f"--option {name}.{option}: {summary}")


def _say(lead: str, text: str) -> None:
    """A row; on a terminal in lines that fit, each under the first's text; in a pipe in one."""
    from weft.report.table import console

    screen = console()
    under = " " * len(lead)
    if screen.is_terminal:
        text = textwrap.fill(
            text,
            max(screen.width - len(lead), LEAST_WIDTH),
            break_long_words=False,
            break_on_hyphens=False,
        ).replace("\n", f"\n{under}")
    say(f"{lead}{text}")


def _suites() -> list[dict[str, Any]]:
    """One row per suite, with what it measures."""
    from weft.plan.suites import SUITES

    return [
        {
            "suite": suite.name,
            "summary": f"{suite.summary} (--budget {suite.budget})",
            "parts": [
                {"title": part.title, "tests": part.tests, "sizes": part.sizes or SIZES}
                for part in suite.experiments
            ],
        }
        for suite in SUITES
    ]


def _platforms() -> list[dict[str, Any]]:
    """One row per published platform."""
    from weft.reference.library import platforms

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


def _tests(found: "Sequence[Program]") -> list[dict[str, Any]]:
    """One row per test, with the transports that can run it."""
    tests: dict[str, dict[str, Any]] = {}
    for program in found:
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
                    "extents": pattern.application.extents,
                    "transports": [],
                },
            )
            if pattern.supported:
                row["transports"].append(program.transport)
    known = {row for test in tests.values() for row in test["transports"]}
    return [{**row, "only_over": _only_over(row["transports"], known)} for row in tests.values()]


def _only_over(able: "Sequence[str]", known: "set[str]") -> list[str]:
    """The transports that can run a test where others cannot, without their modes."""
    families = dict.fromkeys(name.partition(":")[0] for name in able)
    return [] if {name for name in known if ":" not in name} <= set(families) else list(families)
