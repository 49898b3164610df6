"""`weft map`: all pairs in rounds, and which node, direction or switch is slow."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import structs

from weft.cli.command import print_json
from weft.cli.from_record import of_command
from weft.cli.measured import end
from weft.cli.options import Json, LinkName, Mpi, Options, Quiet, Topologies, topology_typed
from weft.cli.printed import say
from weft.cli.submit import may_be_submitted, started
from weft.cli.typed import refuse_typed
from weft.cli.where import Where, takes_where
from weft.errors import WeftError
from weft.names import choose
from weft.plan import cases as plan
from weft.plan.rounds import MOST_ROUNDS, drawn_rounds, turns_of, usual_rounds
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.fabric.topology import Topology
    from weft.plan.request import Request
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run

_EXAMPLES = """Examples:

weft map --hosts n1,n2,n3,n4 --interface ib0

weft map --nodes 64 --topology /etc/slurm/topology.conf --budget 10min

weft map --nodes 64 --submit --partition compute

weft map --platform escher --ranks 32 --slow n7=0.5

weft map --platform escher --topology "fat-tree 8/16 full d-mod-k" --slow leaf3-spine2=0.5

weft map weft-20261121-101500.jsonl.zst --topology topology.conf"""
_SIZES = "8,64KiB"
_LAUNCHES = 3
_ALREADY = (
    "transport", "sizes", "ranks", "rounds", "at_once", "launches", "budget", "seed", "output",
    "platform", "slow", "hosts", "hostfile", "nodes", "ranks_per_node", "placement", "launcher",
    "launcher_command", "interface", "device", "wait", "mpi", "option", "quiet", "submit",
    "partition", "account", "constraint", "time", "nodelist", "exclude",
)  # fmt: skip
_NOT_SIMULATED = (
    "hosts", "hostfile", "nodes", "ranks_per_node", "placement", "launcher",
    "launcher_command", "interface", "device",
    "transport", "launches", "wait", "mpi", "option",
)  # fmt: skip
_Record = Annotated[
    Path | None,
    typer.Argument(help="Show the map of this record again, and measure nothing."),
]
_Sizes = Annotated[str, typer.Option(help="Measure these message sizes.")]
_Ranks = Annotated[
    int,
    typer.Option(
        "--ranks",
        "-n",
        help="Start this many ranks. 0: one on each of --hosts or --nodes, or of this job's nodes.",
    ),
]
_Rounds = Annotated[
    int,
    typer.Option(
        min=0,
        help="Measure so many rounds, in each of which every rank has one partner. 0: all of up"
        " to 64 ranks, several times of few; of more ranks 64.",
    ),
]
_AtOnce = Annotated[
    int,
    typer.Option(
        min=0, max=1 << 20,
        help="Let so many disjoint pairs run at once: 1 is an idle fabric. 0: all of a round.",
    ),
]  # fmt: skip
_Transport = Annotated[str, typer.Option(help="Measure over these transports, with commas.")]
_Launches = Annotated[int, typer.Option(help="Launch the ranks so many times.")]
_Budget = Annotated[str, typer.Option(help="Time budget of the whole map.")]
_Seed = Annotated[int, typer.Option(help="Seed of the rounds: who meets whom, and their order.")]
_Wait = Annotated[
    str,
    typer.Option(
        help="Wait for messages by spin (polling), library (its own wait) or block (asleep until"
        " an event), which ranks that share cores need. Default: library for mpi, else spin."
    ),
]
_Platform = Annotated[
    str,
    typer.Option(
        help="Simulate this platform, measure nothing: a published one (escher) or a file of"
        " weft calibrate or predict.",
        rich_help_panel="Where",
    ),
]
_Slow = Annotated[
    list[str] | None,
    typer.Option(
        help="Give a node of --platform a cable of this share of its bandwidth: n7=0.5; or the"
        " cables between two switches of the words of --topology: leaf3-spine2=0.5, of which"
        " leaf3-spine2/1=0.5 is the first.",
        rich_help_panel="Where",
    ),
]
_Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="Write the record to this file. Default: weft-DATE-TIME.jsonl.zst."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("map", epilog=_EXAMPLES)(may_be_submitted(takes_where(map_), budget_s_of))


def budget_s_of(context: typer.Context) -> float:
    """The time budget of a map with these options, seconds. Raises WeftError."""
    from weft.units import parse_seconds

    return parse_seconds(context.params["budget"])


def map_(
    context: typer.Context,
    record: _Record = None,
    topology: Topologies = None,
    link: LinkName = "",
    sizes: _Sizes = _SIZES,
    ranks: _Ranks = 0,
    rounds: _Rounds = 0,
    at_once: _AtOnce = 0,
    transport: _Transport = "mpi",
    launches: _Launches = _LAUNCHES,
    budget: _Budget = plan.BUDGET,
    seed: _Seed = plan.SEED,
    wait: _Wait = "",
    mpi: Mpi = "",
    option: Options = None,
    platform: _Platform = "",
    slow: _Slow = None,
    output: _Output = None,
    json: Json = False,
    quiet: Quiet = False,
    where: Where = Where(),  # noqa: B008 - frozen
) -> None:
    """Measure all pairs, both ways, in rounds, and name the node or switch that is slow, if any.

    The record keeps every pair; weft report makes a page of it, and weft run --resume goes on.
    """
    from weft.sim.slow_cables import parse_slow
    from weft.studies.maps import cases_read

    if json:
        refuse_typed(context, "quiet", why="--json prints the figures alone")
    known = topology_typed(topology)
    if record is not None:
        refuse_typed(context, *_ALREADY, why=f"{record} is measured already")
        run, _ = _show(record, known, link, as_json=json)
        if not run.measured:
            raise WeftError(f"{record} has no map that was measured", "measure one with weft map")
        return
    refuse_typed(
        context, "link", why="a map is measured as it is",
        fix="omit {}, and run weft map RECORD --link NAME then",
    )  # fmt: skip
    shares = parse_slow(slow or ())
    simulated = _platform(context, platform, shares, known, ranks)
    request = _request(
        context, simulated, where, _asked(simulated, shares, where, ranks, rounds, seed),
        at_once=at_once, sizes=sizes, transport=transport, launches=launches, budget=budget,
        seed=seed, wait=wait, mpi=mpi, option=option, output=output,
    )  # fmt: skip
    done = started(context, request, topology=known.kept if known else None)
    if done is None:
        return
    path, footer = done
    say(f"record: {path}", err=True)
    run, summaries = cases_read(path) if quiet else _show(path, known, "", as_json=json)
    end(run, summaries, footer, asked=output)


def _platform(
    context: typer.Context,
    name: str,
    slow: "Mapping[str, float]",
    topology: "Topology | None",
    ranks: int,
) -> "SimulatedPlatform | None":
    """The platform as it is, or its links on the fabric that the words of a topology describe.

    Raises WeftError where the topology does not have its nodes.
    """
    from weft.sim.platforms import simulated_platform
    from weft.sim.slow_cables import on_fabric, with_slow

    if not name:
        refuse_typed(
            context, "slow", why="real nodes are as they are",
            fix="omit {}, or use --platform NAME",
        )  # fmt: skip
        return None
    refuse_typed(context, *_NOT_SIMULATED, why=f"--platform {name} is simulated, once")
    platform = simulated_platform(name, nodes=ranks)
    links: dict[str, tuple[str, ...]] = {}
    nodes = ranks or min(platform.nodes, MOST_ROUNDS)
    if topology:
        topology.on([f"n{node}" for node in range(nodes)])
    if topology and topology.asked:
        platform, links = on_fabric(platform, topology.asked, nodes, topology.routing)
    return with_slow(platform, slow, links)


def _asked(
    platform: "SimulatedPlatform | None",
    slow: "Mapping[str, float]",
    where: Where,
    ranks: int,
    rounds: int,
    seed: int = plan.SEED,
) -> tuple[int, tuple[int, ...]]:
    """The number of ranks and the rounds. Raises WeftError for too few."""
    from weft.sim.slow_cables import slow_nodes

    count = ranks or (min(platform.nodes, MOST_ROUNDS) if platform else _usual_ranks(where))
    last = max(slow_nodes(slow), default=0)
    if last >= count and platform:
        raise WeftError(
            f"n{last} is not among the {counted(count, 'rank')}",
            f"use --ranks {last + 1}, or name one of n0 to n{count - 1}",
        )
    if count < plan.RANKS:
        raise WeftError(
            f"a map of {counted(count, 'rank')} has no pairs"
            if count
            else "no hosts given, and not inside a Slurm job",
            "use --hosts n1,n2,n3,n4, or --ranks 4",
        )
    return count, drawn_rounds(count, rounds or usual_rounds(count), seed)


def _usual_ranks(where: Where) -> int:
    """One on each host, or as many as --ranks-per-node says; none where no host is known.

    The hosts are those that are named or, in a job, its own. Raises WeftError.
    """
    from weft.launch.nodes import hosts_of_site

    asked = where.allocation
    is_here = asked.hosts or asked.nodes or where.launcher == "local"
    hosts = asked.hosts if is_here else hosts_of_site()
    return structs.replace(asked, hosts=hosts).usual_ranks if hosts or asked.nodes else 0


def _request(
    context: typer.Context,
    platform: "SimulatedPlatform | None",
    where: Where,
    asked: tuple[int, tuple[int, ...]],
    *,
    at_once: int,
    sizes: str,
    transport: str,
    launches: int,
    budget: str,
    seed: int,
    wait: str,
    mpi: str,
    option: list[str] | None,
    output: Path | None,
) -> "Request":
    from weft import units
    from weft.plan.request import Request
    from weft.studies.maps import map_experiment

    ranks, points = asked
    transports = () if platform else tuple(filter(None, transport.split(",")))
    options = plan.parse_options(option or ())
    _refuse_other_rails(transports, where.interface or options.get("tcp.interface", ""))
    usual: dict[str, Any] = dict(plan.SIMULATED) if platform else {"launches": launches}
    experiment = map_experiment(
        ranks,
        points,
        sizes,
        choose("way to wait", [wait] if wait else [], plan.WAITS),
        platform,
        at_once if turns_of(ranks, at_once) > 1 else 0,
    )
    # What a report takes is the time to find the causes.
    of = of_command(context, report=True)
    return Request(
        experiments=(experiment,),
        transports=transports,
        ranks=ranks,
        # The interval of one round is not what a map is for: each gets its launches.
        precision=1.0,
        budget_s=units.parse_seconds(budget),
        seed=seed,
        output=output,
        mpi=mpi,
        options=options,
        case_deadline_s=units.parse_seconds(plan.CASE_DEADLINE),
        platform=platform,
        **{**structs.asdict(where), **of, **usual},
    )


def _refuse_other_rails(transports: "Sequence[str]", interface: str) -> None:
    """Raises WeftError for rails that nobody would map: of several, sockets take the first."""
    first, *others = interface.split(",")
    if "tcp" in transports and others:
        raise WeftError(
            f"tcp takes {first} alone of {interface}: the map would have none of the others",
            f"map each by itself: --interface {first}, then --interface {others[0]}",
        )


def _show(
    path: Path, topology: "Topology | None", link: str, *, as_json: bool
) -> "tuple[Run, tuple[CaseSummary, ...]]":
    """The findings first, then the slowest ways; gives what it has read. Raises WeftError."""
    from weft.report.notes import troubles_in_words
    from weft.report.table import console, render_table
    from weft.studies.maps import map_shown

    run, summaries, shown = map_shown(path, topology.on if topology else None, link)
    if as_json:
        print_json("map", shown.plain)
        return run, summaries
    screen = console()
    screen.print(*shown.findings, *troubles_in_words(summaries), sep="\n")
    for table in shown.tables:
        screen.print(*render_table(table), sep="\n")
    return run, summaries
