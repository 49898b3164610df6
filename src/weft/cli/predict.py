"""`weft predict`: tests on a fabric that nobody has, with the links and hosts of a platform."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.applications.asked import ApplicationsAsked
from weft.cli.command import print_json
from weft.cli.fabric_options import Levels, PerSwitch, Shape, Switch, check_fabric
from weft.cli.lattice import takes_lattice
from weft.cli.options import Json
from weft.cli.printed import say
from weft.cli.typed import is_typed, refuse_typed, typed_of
from weft.studies.variants import NO_TAPER, USUAL_HOP
from weft.units import parse_percent, parse_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.sim.predicted import Variant
    from weft.studies.prediction import Predicted

_EXAMPLES = """Examples:

weft predict halo --platform escher --topology "fat-tree 24/288 half" --nodes 256 --extents 8

weft predict halo --platform escher --nodes 96 --switch 24 --blocking 1:1,2:1,3:1 --within 5%

weft predict halo --platform escher --nodes 96 --switch 24 --speed 1,2

weft predict allreduce --platform escher --nodes 64 --switch 24 --sizes 8..1MiB --algorithm all

weft predict random_pairs --platform escher --nodes 64 --switch 24 --sizes 1MiB --hop 150ns

weft predict halo --platform escher --nodes 16 --switch 8 --extents 8 --rails 1,2

weft predict ping_pong stream --platform escher --nodes 64 --switch 24 --pairs near,far,random

weft predict shift --platform escher --nodes 64 --switch 24 --points 1,8,32 --routing ideal,d-mod-k

weft predict alltoall --platform escher --nodes 64 --switch 24 --mapping in-order,random

weft predict halo --platform mine.xml --nodes 64 --ranks-per-node 4 --shared memory.xml

weft predict hot_spot_receive --platform mine.xml --nodes 64 --topology "torus 24 4x4x2" """
_PANEL = "The fabric"
_Platform = Annotated[
    str, typer.Option(help="Take links and hosts of this published platform, or of a file.")
]
_Nodes = Annotated[
    int,
    typer.Option(show_default=False, help="Put a rank on so many nodes.", rich_help_panel=_PANEL),
]
_Topology = Annotated[
    list[str] | None,
    typer.Option(
        help="Build this fabric: fat-tree, rail-optimised, torus, dragonfly or dragonfly+, or a"
        ' phrase: "fat-tree 24/288 half".'
        " Several are compared.",
        rich_help_panel=_PANEL,
    ),
]
_Blocking = Annotated[
    str,
    typer.Option(
        help="Cable so many nodes per uplink. Several are compared: 1:1,2:1; of leaves and spines:"
        " 2:1/1:1.",
        rich_help_panel=_PANEL,
    ),
]
_Rails = Annotated[
    str,
    typer.Option(
        help="Build so many equal planes, over which messages are striped. Several are compared.",
        rich_help_panel=_PANEL,
    ),
]
_Speed = Annotated[
    str,
    typer.Option(
        help="Make links so many times as fast as the platform's. Several are compared: 1,2.",
        rich_help_panel=_PANEL,
    ),
]
_Routing = Annotated[
    str,
    typer.Option(
        help="Choose ways by this rule: ideal or d-mod-k in a fat tree, minimal, valiant or ideal"
        " in a dragonfly. Several are compared: ideal,d-mod-k.",
        rich_help_panel=_PANEL,
    ),
]
_Mapping = Annotated[
    str,
    typer.Option(
        help="Put ranks on nodes in-order, by-leaf (each next one at the next leaf), random (drawn"
        " several times), or rank 1 far from rank 0. Several are compared: in-order,random.",
        rich_help_panel=_PANEL,
    ),
]
_Pairs = Annotated[
    str,
    typer.Option(
        help="Put the two ranks of ping_pong and stream on nodes near to each other, far from each"
        " other, or on all pairs (random), whose mean and range are shown. Default: random. Several"
        " are compared: near,far,random.",
        rich_help_panel=_PANEL,
    ),
]
_RanksPerNode = Annotated[
    int,
    typer.Option(
        help="Put so many ranks on each node; what they send to each other costs as on the platform"
        " of --shared.",
        rich_help_panel=_PANEL,
    ),
]
_Shared = Annotated[
    str,
    typer.Option(
        help="Take the memory that ranks of a node share from this platform: a file that weft"
        " calibrate wrote of a record on one host.",
        rich_help_panel=_PANEL,
    ),
]
_Hop = Annotated[
    str,
    typer.Option(
        help="Latency of each further switch. The default is an assumption: without this option"
        " intervals cover 100 to 400 ns.",
        rich_help_panel=_PANEL,
    ),
]
_Algorithm = Annotated[
    str,
    typer.Option(
        help="Run a collective operation by this algorithm, or by a library's rules. Several are"
        " compared: recursive-doubling,ring,openmpi; or all.",
        rich_help_panel=_PANEL,
    ),
]
_Points = Annotated[str, typer.Option(help="Take these points of a test's own axis: 1,16,63.")]
_Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write the records into this folder.")
]
_Within = Annotated[
    str,
    typer.Option(help="Name the fabrics that are slower than the first by at most so much: 5%."),
]
_Rate = Annotated[
    str,
    typer.Option(
        help="Let a rank compute so much, where milc charges its work, and add so much to a sum:"
        " 4GFlop/s, 2GB/s, or both with a comma. Default: as the platform does, and an operation"
        " for each number of a sum. Intervals then cover 1 to 20 GFlop/s."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("predict", epilog=_EXAMPLES)(takes_lattice(predict))


def predict(
    context: typer.Context,
    tests: Annotated[list[str], typer.Argument(help="Predict these tests (see weft list tests).")],
    platform: _Platform = "",
    nodes: _Nodes = 0,
    topology: _Topology = None,
    switch: Switch = "",
    blocking: _Blocking = NO_TAPER,
    levels: Levels = 0,
    rails: _Rails = "1",
    shape: Shape = "",
    per_switch: PerSwitch = 0,
    speed: _Speed = "1",
    routing: _Routing = "",
    mapping: _Mapping = "",
    pairs: _Pairs = "",
    ranks_per_node: _RanksPerNode = 1,
    shared: _Shared = "",
    hop: _Hop = USUAL_HOP,
    algorithm: _Algorithm = "",
    sizes: Annotated[str, typer.Option(help="Send these sizes: 8,64KiB.")] = "",
    points: _Points = "",
    rate: _Rate = "",
    samples: Annotated[int, typer.Option(help="Take so many samples of each case.")] = 2,
    within: _Within = "",
    budget: Annotated[str, typer.Option(help="Simulate for so long here, all fabrics.")] = "60s",
    output: _Output = None,
    json: Json = False,
    asked: ApplicationsAsked = ApplicationsAsked(),  # noqa: B008 - frozen
) -> None:
    """Predict tests on a fabric: a platform's links and hosts on as many nodes as asked.

    Nothing is measured. Before a large simulation small ones tell what it will cost here.
    """
    from weft.fabric.topologies import FabricAsked
    from weft.plan import cases as plan
    from weft.sim.platforms import simulated_platform
    from weft.studies.prediction import assumptions_of, check_asked, predicted_on
    from weft.studies.simulations import Effort
    from weft.studies.variants import Lists, on_node, variants_of

    check_asked(platform, nodes, samples, asked)
    lists = Lists(
        topologies=tuple(topology or ()), blocking=blocking, rails=rails, speed=speed,
        routing=routing, mapping=mapping, pairs=pairs, hop=hop, algorithm=algorithm,
        on_node=on_node(ranks_per_node, shared),
    )  # fmt: skip
    fabric = FabricAsked(
        nodes=nodes, switch=switch, levels=levels, shape=shape, per_switch=per_switch
    )
    variants = variants_of(fabric, lists, tests)
    _check_options(context, variants)
    of = plan.parse_variants(
        plan.QUEUE_DEPTH, plan.BUFFERS, "", points=points, application=asked, single=True
    )
    ranks = nodes * ranks_per_node
    experiment = plan.Experiment(tests=tuple(tests), sizes=sizes, ranks=ranks, variants=of)
    effort = Effort(parse_seconds(budget), samples, output, _say, typed_of(context))
    base, limit = simulated_platform(platform, rate), parse_percent(within) if within else None
    assumptions = assumptions_of(base, variants, tests, typed_of(context))
    found = predicted_on(base, variants, experiment, effort, limit, shared, assumptions)
    _show(found, as_json=json)


def _show(found: "Predicted", *, as_json: bool) -> None:
    """Print the fabrics side by side, write the page, and name the files."""
    from weft.report.page import write_report
    from weft.report.table import console, render_table

    if as_json:
        print_json("predict", {"fabrics": found.answers, "notes": found.table.notes})
    else:
        console().print(*render_table(found.table), sep="\n")
    write_report(found.results, found.page, front=found.front)
    for one in found.results:
        _say(f"record: {one.run.path}")
    _say(f"report: {found.page}")


def _say(line: str) -> None:
    """A line beside the table."""
    say(line, err=True)


def _check_options(context: typer.Context, variants: "Sequence[Variant]") -> None:
    """Raises WeftError for a typed option that changes nothing of these fabrics."""
    from weft.fabric.network import hops_of
    from weft.fabric.topologies import build_fabric

    refuse_typed(
        context, "threads", "long_links",
        why="a prediction computes nothing: the platform says how fast a rank is",
    )  # fmt: skip
    topologies = {one.fabric.topology for one in variants}
    if len(topologies) == 1:
        check_fabric(context, topologies.pop())
    if len(variants) == 1:
        refuse_typed(
            context, "within", why="it compares fabrics, and there is one",
            fix="omit {}, or name several: --blocking 1:1,2:1",
        )  # fmt: skip
    beside = ("hop", "routing", "mapping", "pairs")
    # Building all fabrics takes time, and most commands have none of these.
    if any(is_typed(context, name) for name in beside) and all(
        hops_of(build_fabric(one.fabric)).diameter < 2 for one in variants
    ):
        refuse_typed(
            context, *beside, why="all nodes are at one switch",
            fix="omit {}, or use --switch with fewer ports",
        )  # fmt: skip
