"""`weft run`: measures this machine or a cluster and shows a report."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import asdict

from weft.applications.asked import ApplicationsAsked
from weft.cli.from_record import Again, AllowEnv, Resume, of_command, resumed
from weft.cli.from_record import again as request_of
from weft.cli.lattice import LATTICE_OPTIONS, takes_lattice
from weft.cli.measured import Detail, show
from weft.cli.options import Json, Mpi, Options, Quiet
from weft.cli.printed import say
from weft.cli.submit import earlier, is_for_a_job, may_be_submitted, started
from weft.cli.typed import is_typed, refuse_typed, typed_of
from weft.cli.where import Where, takes_where
from weft.errors import without_effect
from weft.plan import cases as plan
from weft.plan.variations import names_of, parse_vary, variations_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from weft.plan.other_suites import Same
    from weft.plan.simulated import SimulatedPlatform
    from weft.plan.suites import Suite

_EXAMPLES = """Examples:

weft run

weft run ping_pong stream --transport tcp --sizes 8,1KiB..1MiB --budget 2min

weft run rendezvous-sweep --sizes 16MiB..512MiB:16MiB --transport tcp

weft run hot_spot_receive random_pairs --ranks 8 --sizes 8,64KiB

weft run stream --vary ucx.rendezvous=8192,65536 --sizes 4KiB..256KiB

weft run --suite paper --transport ucx,mpi --budget 15min

weft run halo --ranks 1,2,4,8,16 --extents 4,6,8 --compute 60ns

weft run milc --gauge lat.sample.l8 --u0 0.502 --ranks 1,2,4

weft run offered_load --transport tcp --sizes 8 --points 10..100:10

weft run --nodes 4 --submit --partition compute

weft run --hosts n1,n2 --interface ib0

weft run ping_pong sendrecv --platform escher --sizes 0..4MiB

weft run --again weft-20261121-101500.jsonl.zst --launches 10 --budget 2min

weft run --resume weft-20261121-101500.jsonl.zst"""
# What a simulated platform has not, or what makes no difference there.
_NOT_SIMULATED = (
    "hosts", "hostfile", "nodes", "ranks_per_node", "placement", "launcher",
    "launcher_command", "interface", "device",
    "mpi", "transport", "option", "vary", "buffers", "pages", "long_links", "threads", "wait",
)  # fmt: skip
# What a suite sets itself.
_SET_BY_SUITE = (
    "tests", "sizes", "queue_depth", "buffers", "pages", "points", "single", "wait", "samples",
    *LATTICE_OPTIONS)  # fmt: skip

_Tests = Annotated[
    list[str] | None,
    typer.Argument(
        help="Measure these tests (see weft list tests), or rendezvous-sweep. Default: ping_pong,"
        " ping_ping, stream and bidirectional_stream."
    ),
]
_Transports = Annotated[
    str,
    typer.Option(
        help="Measure over these transports, separated by commas. Default: all here; of halo and"
        " milc mpi."
    ),
]
_SuiteName = Annotated[
    str, typer.Option(help="Measure a suite: quick, paper or full (see weft list suites).")
]
_Sizes = Annotated[
    str,
    typer.Option(
        help="Measure these message sizes: a list (8,1KiB), or a range that doubles (0..4MiB) or"
        f" has a step (16MiB..512MiB:16MiB). Default: {plan.SIZES}, or as a test says."
    ),
]
_Ranks = Annotated[
    str,
    typer.Option(
        "--ranks",
        "-n",
        help="Start this many ranks, each of a list one after the other: 2, 1,2,4 or 1..16."
        " Default: 2, or one on each of --nodes; of halo and milc 1,2,4 up to there, or up to the"
        " cores.",
    ),
]
_Precision = Annotated[
    str, typer.Option(help="Target half-width of the 95 % interval, % of the median.")
]
_Budget = Annotated[str, typer.Option(help="Time budget of the whole run, report included.")]
_Launches = Annotated[
    int,
    typer.Option(
        help="Launch the ranks exactly this many times per case. If you omit it, cases that are"
        " not precise get more launches."
    ),
]
_Samples = Annotated[
    int, typer.Option(help="Take this many samples per launch. 0: as many as the budget allows.")
]
_KeepAll = Annotated[
    bool,
    typer.Option(
        "--keep-all",
        help="Keep every value of every rank: of many ranks with many values the record has"
        " quantiles otherwise.",
    ),
]
_Seed = Annotated[int, typer.Option(help="Seed the random order of launches and cases.")]
_Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="Write the record to this file. Default: weft-DATE-TIME.jsonl.zst."
    ),
]
_Vary = Annotated[
    list[str] | None,
    typer.Option(
        help="Measure these values of a setting beside each other, a launch of each in every round:"
        " ucx.rendezvous=8192,65536, mpi=openmpi,mpich or env:NAME=A,B (A|B where values have"
        " commas)."
    ),
]
_QueueDepth = Annotated[
    str, typer.Option(help="Keep this many messages in flight in streams (Q), e.g. 16 or 1..256.")
]
_Buffers = Annotated[
    str,
    typer.Option(
        help="Choose the buffers of messages: one, shared (one for all receives too), turn:N"
        " (N in turn) or reuse:N:R% (R % of the messages reuse a buffer). Lists and ranges are"
        " measured one by one."
    ),
]
_Pages = Annotated[
    str,
    typer.Option(
        help="Put buffers on small or huge pages, or each in turn: small,huge."
        " Default: as the kernel does."
    ),
]
_Points = Annotated[
    str, typer.Option(help="Measure these points of a test's own axis (see weft list tests).")
]
_Single = Annotated[bool, typer.Option(help="Time every operation by itself.")]
_Wait = Annotated[
    str,
    typer.Option(
        help="Wait for completions by spin (polling), library (its own wait) or block (asleep"
        " until an event). Default: library for mpi, else spin."
    ),
]
_Deadline = Annotated[str, typer.Option(help="Timeout per case, added to its expected time.")]
_PlatformName = Annotated[
    str,
    typer.Option(
        help="Simulate this platform, measure nothing: a published one (escher, escher:table) or a"
        " file of weft calibrate.",
        rich_help_panel="Where",
    ),
]
_Rate = Annotated[
    str,
    typer.Option(
        help="Let a rank of --platform compute so much: 4GFlop/s.", rich_help_panel="Where"
    ),
]
_Report = Annotated[bool, typer.Option(help="Write the HTML report.")]
_Verbose = Annotated[
    bool, typer.Option("--verbose", help="Print a screen of figures, findings and notes.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("run", epilog=_EXAMPLES)(
        may_be_submitted(takes_where(takes_lattice(run)), budget_s_of)
    )


def budget_s_of(context: typer.Context) -> float:
    """The time budget of a run with these options, seconds. Raises WeftError."""
    from weft.units import parse_seconds

    record = earlier(context.params)
    if record is not None and not is_typed(context, "budget"):
        from weft.record.run import load

        return load(record).header.plan.budget_s
    given = _options_with(context, context.params["suite"], context.params["tests"] or ())
    return parse_seconds(given("budget", context.params["budget"]))


def run(
    context: typer.Context,
    tests: _Tests = None,
    transport: _Transports = "",
    suite: _SuiteName = "",
    sizes: _Sizes = "",
    ranks: _Ranks = "",
    precision: _Precision = plan.PRECISION,
    budget: _Budget = plan.BUDGET,
    launches: _Launches = plan.LAUNCHES,
    samples: _Samples = 0,
    keep_all: _KeepAll = False,
    seed: _Seed = plan.SEED,
    output: _Output = None,
    resume: Resume = None,
    again: Again = None,
    allow_env: AllowEnv = None,
    mpi: Mpi = "",
    option: Options = None,  # noqa: ARG001 - see _transports
    vary: _Vary = None,
    queue_depth: _QueueDepth = plan.QUEUE_DEPTH,
    buffers: _Buffers = plan.BUFFERS,
    pages: _Pages = "",
    points: _Points = "",
    single: _Single = False,
    wait: _Wait = "",
    deadline: _Deadline = plan.CASE_DEADLINE,
    platform: _PlatformName = "",
    rate: _Rate = "",
    json: Json = False,
    report: _Report = True,
    verbose: _Verbose = False,  # noqa: ARG001 - see _detail
    quiet: Quiet = False,  # noqa: ARG001 - see _detail
    where: Where = Where(),  # noqa: B008 - frozen
    asked: ApplicationsAsked = ApplicationsAsked(),  # noqa: B008 - frozen
) -> None:
    """Measure latency and bandwidth between ranks: a table, the record, an HTML report."""
    from weft.plan.request import Request

    given = _options_with(context, suite, tests or ())
    if allow_env and not (resume or again):
        raise without_effect("--allow-env", "no record is taken", "add --again or --resume")
    if resume is not None:
        done = resumed(context, resume, report=report, for_a_job=is_for_a_job(context))
    elif again is not None:
        done = started(context, request_of(context, again, report=report))
    else:
        variants = functools.partial(
            plan.parse_variants, wait=wait, points=points, pages=pages, application=asked
        )
        counts = plan.parse_ranks(ranks, one=bool(suite))
        usual = {
            "queue_depth": queue_depth, "buffers": buffers, "single": given("single", single)
        }  # fmt: skip
        asked_tests = _asked_tests(context, given("tests", tests) or plan.TESTS)
        of_sizes = functools.partial(plan.Experiment, sizes=given("sizes", sizes))
        experiments = [
            each
            for own, more in _by_options(asked_tests)
            for each in plan.on_ranks(
                of_sizes(tests=own, variants=variants(**usual | more)), counts or where.usual_ranks
            )
        ]
        request = Request(
            experiments=() if suite else tuple(experiments),
            **_transports(context, transport or _only_transport(asked_tests), vary or ()),
            ranks=counts[0] if counts else 0,
            **{**asdict(where), "seed": seed, "output": output, "mpi": mpi, "suite": suite},
            **of_command(context, report=report),
            platform=_platform(context, platform, rate),
            fixed_launches=is_typed(context, "launches"),
            **_effort(given, precision, (budget, deadline), launches, (samples, keep_all)),
        )
        done = started(context, request)
    if done:
        show(*done, as_json=json, report=report, asked=resume or output, detail=_detail(context))


def _detail(context: typer.Context) -> Detail:
    """How much is printed. Raises WeftError for options that exclude each other."""
    if context.params["json"]:
        refuse_typed(context, "verbose", "quiet", why="--json prints the figures alone")
    if context.params["quiet"]:
        refuse_typed(context, "verbose", why="--quiet prints the files alone")
        return "quiet"
    return "verbose" if context.params["verbose"] else "brief"


def _transports(context: typer.Context, transport: str, vary: "Sequence[str]") -> dict[str, Any]:
    """The transports, their own settings and those for all, as fields of the request.

    Raises WeftError for a setting that is typed for all, and varied too.
    """
    named = tuple(filter(None, transport.split(",")))
    variations = variations_of(parse_vary(vary), named)
    if any(one.mpi for one in variations.values()):
        refuse_typed(context, "mpi", why="--vary mpi=... names each")
    given = plan.parse_options(context.params["option"] or ())
    both = [name for one in variations.values() for name in one.options if name in given]
    if both:
        raise without_effect(
            f"--option {both[0]}", "--vary has its values", f"omit --option {both[0]}"
        )
    return {
        "transports": names_of(variations, named), "variations": variations, "options": given,
    }  # fmt: skip


def _asked_tests(context: typer.Context, names: "Sequence[str]") -> "Sequence[Same]":
    """The tests of these names, which may be those of other suites: says so in a line.

    Raises WeftError.
    """
    from weft.plan.other_suites import translated

    set_already = {*typed_of(context), *(_NOT_SIMULATED if context.params["platform"] else ())}
    found = translated(names, set_already)
    if not context.params["quiet"]:
        for name, one in found.items():
            if one.tests != (name,):
                say(f"{name} is weft run {one.words}", err=True)
    return tuple(found.values())


def _by_options(asked: "Sequence[Same]") -> "Iterator[tuple[tuple[str, ...], dict[str, Any]]]":
    """The tests that have the same options of their own, and these options."""
    each: list[dict[str, str]] = []
    for one in asked:
        if one.options not in each:
            each.append(one.options)
    for options in each:
        tests = dict.fromkeys(test for one in asked if one.options == options for test in one.tests)
        more: dict[str, Any] = {**options, **({"single": True} if "single" in options else {})}
        yield tuple(tests), more


def _only_transport(asked: "Sequence[Same]") -> str:
    return next((one.transport for one in asked if one.transport), "")


def _effort(
    given: "Callable[[str, Any], Any]",
    precision: str,
    times: tuple[str, str],
    launches: int,
    samples: tuple[int, bool],
) -> dict[str, Any]:
    """How much is measured, as fields of the request: presets and platforms have their own.

    `times` are the budget and the deadline of a case, `samples` how many and whether all are kept.
    """
    from weft import units

    budget, deadline = times
    return {
        "case_deadline_s": units.parse_seconds(deadline),
        "precision": units.parse_percent(given("precision", precision)),
        "budget_s": units.parse_seconds(given("budget", budget)),
        "launches": given("launches", launches),
        "samples": given("samples", samples[0]),
        "keep_all": samples[1],
        "fits_memory": given("fits_memory", False),
    }


def _suite(context: typer.Context, name: str) -> "Suite":
    """The requested suite. Raises WeftError where an option that the suite sets is given too."""
    from weft.plan.suites import suite_called

    refuse_typed(context, *_SET_BY_SUITE, why=f"--suite {name} sets it")
    return suite_called(name)


def _options_with(
    context: typer.Context, suite: str, tests: "Sequence[str]"
) -> "Callable[[str, Any], Any]":
    """`_given` for a suite, or for the preset that the tests name.

    Raises WeftError for options that exclude each other, before anything is measured.
    """
    _detail(context)
    chosen = _suite(context, suite) if suite else plan.preset_of(tests)
    fixed = plan.SIMULATED if context.params["platform"] else {}
    return functools.partial(_given, context, chosen, fixed)


def _given(
    context: typer.Context,
    chosen: "plan.Preset | Suite | None",
    fixed: "Mapping[str, Any]",
    name: str,
    value: Any,
) -> Any:
    """An option's value: as typed, else as `fixed`, from the preset or suite, else the default."""
    is_own = is_typed(context, name) and name != "tests"
    return value if is_own else fixed.get(name, getattr(chosen, name, value))


def _platform(context: typer.Context, name: str, rate: str) -> "SimulatedPlatform | None":
    """The platform to simulate, if any. Raises WeftError for what it has not, or not of its own."""
    from weft.sim.platforms import simulated_platform

    if not name:
        refuse_typed(
            context, "rate", why="ranks compute as fast as they do",
            fix="omit {}, or use --platform NAME",
        )  # fmt: skip
        return None
    others = [one for one in _NOT_SIMULATED if context.params.get(one) != "sim"]
    refuse_typed(
        context, *others, why=f"the hosts, devices and libraries of --platform {name} are simulated"
    )
    return simulated_platform(name, rate)
