"""`weft run`: measures this machine and shows a report."""

import functools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.options import Json
from weft.errors import WeftError
from weft.plan import cases as plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.plan.suites import Suite
    from weft.record.model import Footer

_EXAMPLES = """Examples:

weft run

weft run ping_pong stream --transport tcp --sizes 8,1KiB..1MiB --budget 2min

weft run rendezvous-sweep --sizes 16MiB..512MiB:16MiB --transport tcp

weft run hot_spot_receive random_pairs --ranks 8 --sizes 8,64KiB

weft run --suite paper --transport ucx,mpi --budget 15min

weft run offered_load --transport tcp --sizes 8 --points 10..100:10

weft run --resume weft-20261121-101500.jsonl.zst"""
# What may be typed with --resume: nothing else, for it would change what is measured.
_BESIDE_RESUME = ("resume", "budget", "deadline", "json", "report")
# What a suite says itself.
_SUITE_SAYS = (
    "tests", "sizes", "queue_depth", "buffers", "pages", "points", "single", "wait", "samples",
)  # fmt: skip


_Tests = Annotated[
    list[str] | None, typer.Argument(help="Tests of weft list tests, or rendezvous-sweep.")
]
_Options = Annotated[
    list[str] | None, typer.Option(help="Setting, e.g. tcp.port=7000; weft list transports.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("run", epilog=_EXAMPLES)(run)


def run(
    context: typer.Context,
    tests: _Tests = None,
    transport: Annotated[str, typer.Option(help="Transports, with commas. Default: all.")] = "",
    suite: Annotated[str, typer.Option(help="quick, paper or full; weft list suites.")] = "",
    sizes: Annotated[str, typer.Option(help="Message sizes: 8,1KiB or 0..4MiB.")] = plan.SIZES,
    ranks: Annotated[int, typer.Option(help="How many ranks to start.")] = plan.RANKS,
    precision: Annotated[str, typer.Option(help="Wanted half width.")] = plan.PRECISION,
    budget: Annotated[str, typer.Option(help="Time for all of it.")] = plan.BUDGET,
    launches: Annotated[int, typer.Option(help="Launches of each case.")] = plan.LAUNCHES,
    samples: Annotated[int, typer.Option(help="Samples a launch. 0: as time allows.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the random order.")] = plan.SEED,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The record.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Finish this record.")] = None,
    mpi: Annotated[str, typer.Option(help="openmpi or mpich. Default: what is there.")] = "",
    option: _Options = None,
    queue_depth: Annotated[str, typer.Option(help="Q of streams: 1..256.")] = plan.QUEUE_DEPTH,
    buffers: Annotated[str, typer.Option(help="one,turn:1..N,reuse:N:R%")] = plan.BUFFERS,
    pages: Annotated[str, typer.Option(help="small,huge. Default: as the kernel gives.")] = "",
    points: Annotated[str, typer.Option(help="Points of a test's own axis; weft list.")] = "",
    single: Annotated[bool, typer.Option(help="Time every operation by itself.")] = False,
    wait: Annotated[str, typer.Option(help="spin,library,block. Default: the cheapest.")] = "",
    launcher: Annotated[str, typer.Option(help="Starts the ranks. Default: as found.")] = "",
    deadline: Annotated[str, typer.Option(help="Longest wait.")] = plan.CASE_DEADLINE,
    json: Json = False,
    report: Annotated[bool, typer.Option(help="Write the HTML report.")] = True,
) -> None:
    """Measure latency and bandwidth here: a table, the record and an HTML report."""
    from weft import session, units

    parse_ways = functools.partial(plan.parse_ways, points=points, pages=pages)
    given = _options_with(context, suite, tests or ())
    if resume is not None:
        path, footer = session.resume(resume, _changes(context), begun_s=_begun_s(), report=report)
    else:
        ways = parse_ways(queue_depth, buffers, wait, single=given("single", single))
        chosen_tests = tuple(given("tests", tests) or plan.TESTS)
        part = plan.Part(tests=chosen_tests, sizes=given("sizes", sizes), ranks=ranks, ways=ways)
        request = session.Request(
            parts=() if suite else (part,),
            suite=suite,
            transports=tuple(name for name in transport.split(",") if name),
            ranks=ranks if _is_typed(context, "ranks") else 0,
            precision=units.parse_percent(given("precision", precision)),
            budget_s=units.parse_seconds(given("budget", budget)),
            launches=given("launches", launches),
            seed=seed,
            output=output,
            mpi=mpi,
            launcher=launcher,
            options=plan.parse_options(option or ()),
            command=("weft", *sys.argv[1:]),
            case_deadline_s=units.parse_seconds(deadline),
            samples=given("samples", samples),
            fits_memory=given("fits_memory", False),
            begun_s=_begun_s(),
            report=report,
        )
        path, footer = session.start(request, _say)
    _show(path, footer, as_json=json, report=report)


def _begun_s() -> float:
    """When this process began, as time.monotonic counts: a user's budget holds from then on."""
    import psutil

    return time.monotonic() - (time.time() - psutil.Process().create_time())


def _is_typed(context: typer.Context, name: str) -> bool:
    return str(context.get_parameter_source(name)).endswith("COMMANDLINE")


def _suite(context: typer.Context, name: str) -> "Suite":
    """The suite that is asked for. Raises WeftError for one beside what it says itself."""
    from weft.plan.suites import suite_called

    for other in _SUITE_SAYS:
        if _is_typed(context, other):
            word = "TESTS" if other == "tests" else f"--{other.replace('_', '-')}"
            raise WeftError(
                f"--suite {name} says itself what {word} says", "leave one of the two out"
            )
    return suite_called(name)


def _options_with(
    context: typer.Context, suite: str, tests: "Sequence[str]"
) -> "Callable[[str, Any], Any]":
    """`_given` for a suite, or for the preset that the tests name."""
    chosen = _suite(context, suite) if suite else plan.preset_of(tests)
    return functools.partial(_given, context, chosen)


def _given(
    context: typer.Context, chosen: "plan.Preset | Suite | None", name: str, value: Any
) -> Any:
    """An option's value: as typed, else as the preset or suite has it, else the usual one."""
    is_typed = _is_typed(context, name) and name != "tests"
    return value if is_typed else getattr(chosen, name, value)


def _changes(context: typer.Context) -> dict[str, float]:
    """What was typed beside --resume, as fields of the plan. Raises WeftError for what is fixed."""
    from weft.units import parse_seconds

    typed = {name: value for name, value in context.params.items() if _is_typed(context, name)}
    fixed = [name for name in typed if name not in _BESIDE_RESUME]
    if fixed:
        name = "TESTS" if fixed[0] == "tests" else f"--{fixed[0].replace('_', '-')}"
        raise WeftError(
            f"{name} cannot be changed in a run that goes on", f"leave {name} out, or start anew"
        )
    changes = {}
    for name, field in (("budget", "budget_s"), ("deadline", "case_deadline_s")):
        if name in typed:
            changes[field] = parse_seconds(typed[name])
    return changes


def _say(line: str) -> None:
    typer.echo(line, err=True)


def _show(path: Path, footer: "Footer | None", *, as_json: bool, report: bool) -> None:
    """The table, where things are, and the exit status."""
    if footer is None:
        typer.echo(f"{path}: nothing is missing")
        return
    import msgspec

    from weft.analysis.summary import summarise
    from weft.record.run import load
    from weft.report.page import report_path, write_report
    from weft.report.plain import json_rows
    from weft.report.terminal import console, render_brief
    from weft.sources import models_of
    from weft.topics import results_of

    measured = load(path)
    summaries = summarise(measured)
    results = results_of(measured, summaries)
    if as_json:
        text = msgspec.json.format(msgspec.json.encode(json_rows(results)), indent=2)
        typer.echo(text.decode())
    else:
        screen = console()
        screen.print(render_brief(results, screen))
    if report:
        page = report_path(path)
        try:
            write_report([results], page, models_of([measured]))
            typer.echo(f"report: {page}", err=True)
        except WeftError as error:
            typer.echo(f"weft: no report: {error.what}; {error.mend}", err=True)
    typer.echo(f"record: {path}", err=True)
    if footer.outcome == "interrupted":
        typer.echo(f"weft: interrupted; go on with: weft run --resume {path}", err=True)
        raise typer.Exit(130)
    bad = [s for s in summaries if s.status in ("failed", "timeout", "not_tried")]
    if bad:
        typer.echo(
            f"weft: {len(bad)} of {len(summaries)} cases have no good figure, first"
            f" {bad[0].case}: {bad[0].reason.rstrip('.')}; the others are in {path}; try it alone:"
            f" weft run {bad[0].test} --transport {bad[0].transport} --sizes {bad[0].bytes}",
            err=True,
        )
        raise typer.Exit(1)
