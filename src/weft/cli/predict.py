"""`weft predict`: tests on a fabric that nobody has, with the links and hosts of a platform."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.fabric_options import Levels, Shape, Switch
from weft.cli.lattice import takes_lattice
from weft.errors import WeftError
from weft.plan.lattice import LONG_LINK_REALS, Lattices

if TYPE_CHECKING:
    from weft.fabric.topologies import FabricAsked
    from weft.sim.predicted import Variant

_EXAMPLES = """Examples:

weft predict halo --platform escher --topology "fat-tree 24/288 half" --nodes 256 --extents 8

weft predict halo --platform escher --nodes 96 --switch 24 --blocking 1:1,2:1,3:1 --within 5%

weft predict halo --platform escher --nodes 96 --switch 24 --speed 1,2

weft predict allreduce --platform escher --nodes 64 --switch 24 --sizes 8..1MiB --algorithm all

weft predict random_pairs --platform escher --nodes 64 --switch 24 --rails 1,2 --sizes 1MiB

weft predict hot_spot_receive --platform mine.xml --nodes 64 --topology "torus 24 4x4x2" """
_PANEL = "The fabric"
_MOST_VARIANTS = 8
_NO_TAPER = "1:1"
_Platform = Annotated[
    str, typer.Option(help="Take links and hosts of this published platform, or of a file.")
]
_Nodes = Annotated[int, typer.Option(help="Put a rank on so many nodes.", rich_help_panel=_PANEL)]
_Topology = Annotated[
    list[str] | None,
    typer.Option(
        help='Build this fabric: fat-tree, torus or dragonfly, or a phrase: "fat-tree 24/288 half".'
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
_Hop = Annotated[
    str,
    typer.Option(help="Add so much for each switch behind the first.", rich_help_panel=_PANEL),
]
_Algorithm = Annotated[
    str,
    typer.Option(
        help="Run a collective operation by this algorithm, or by a library's rules. Several are"
        " compared: recursive-doubling,ring,openmpi; or all.",
        rich_help_panel=_PANEL,
    ),
]
_Rate = Annotated[
    str,
    typer.Option(
        help="Let a rank compute so much, where milc charges its work: 4GFlop/s. Default: as the"
        " platform does."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("predict", epilog=_EXAMPLES)(takes_lattice(predict))


def predict(
    tests: Annotated[list[str], typer.Argument(help="Predict these tests (see weft list tests).")],
    platform: _Platform = "",
    nodes: _Nodes = 0,
    topology: _Topology = None,
    switch: Switch = "",
    blocking: _Blocking = _NO_TAPER,
    levels: Levels = 0,
    rails: _Rails = "1",
    shape: Shape = "",
    speed: _Speed = "1",
    hop: _Hop = "200ns",
    algorithm: _Algorithm = "",
    sizes: Annotated[str, typer.Option(help="Send these sizes: 8,64KiB.")] = "",
    points: Annotated[
        str, typer.Option(help="Take these points of a test's own axis: 1,16,63.")
    ] = "",
    rate: _Rate = "",
    samples: Annotated[int, typer.Option(help="Take so many samples of each case.")] = 2,
    within: Annotated[
        str,
        typer.Option(
            help="Name the fabrics that are slower than the first by at most so much: 5%."
        ),
    ] = "",
    budget: Annotated[str, typer.Option(help="Simulate for so long here, all fabrics.")] = "60s",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the records into this folder.")
    ] = None,
    lattices: Lattices = Lattices(),  # noqa: B008 - frozen
) -> None:
    """Predict tests on a fabric: a platform's links and hosts on as many nodes as asked.

    Nothing is measured. Before a large simulation small ones tell what it will cost here.
    """
    from weft.fabric.topologies import FabricAsked
    from weft.plan import cases as plan
    from weft.sim.platforms import simulated_platform
    from weft.studies.prediction import known_certainty, show
    from weft.studies.simulations import Effort
    from weft.units import parse_seconds

    _check(platform, nodes, samples, lattices)
    base = simulated_platform(platform, rate)
    ports = switch or ("" if topology or levels or shape else _one_switch(nodes, blocking))
    fabric = FabricAsked(nodes=nodes, switch=ports, levels=levels, shape=shape)
    plain = _variants(fabric, topology or ["fat-tree"], (blocking, rails, speed), hop)
    variants = _by_algorithm(plain, tests, algorithm)
    limit = _limit(within, len(variants))
    of = plan.parse_variants(
        plan.QUEUE_DEPTH, plan.BUFFERS, "", points=points, lattices=lattices, single=True
    )
    part = plan.Part(tests=tuple(tests), sizes=sizes, ranks=nodes, variants=of)
    effort = Effort(parse_seconds(budget), samples, output)
    platforms = effort.platforms(base, variants)
    effort.foresee(base, variants[0], part, len(variants))
    runs = [effort.run(one, part, at) for at, one in enumerate(platforms)]
    certainty = known_certainty(base)
    moved = effort.moved(base, variants, part, certainty)
    show(base, variants, (runs, moved), certainty, limit, effort.page, effort.say)


def _limit(text: str, fabrics: int) -> float | None:
    """How much slower a fabric may be, as a fraction. Raises WeftError where there is but one."""
    from weft.units import parse_percent

    limit = parse_percent(text) if text else None
    if limit is not None and fabrics == 1:
        raise WeftError(
            "--within compares fabrics, and there is one", "name several: --blocking 1:1,2:1"
        )
    return limit


def _one_switch(nodes: int, blocking: str) -> str:
    """The ports of a switch that has all nodes, as the platform's has; a taper needs more."""
    return str(nodes) if blocking == _NO_TAPER else ""


def _check(platform: str, nodes: int, samples: int, lattices: Lattices) -> None:
    if not platform:
        raise WeftError(
            "a prediction needs the links and hosts of a platform",
            "type --platform escher (weft list platforms), or a file of weft calibrate",
        )
    if not nodes:
        raise WeftError("the fabric has no nodes", "type --nodes, like --nodes 256")
    if samples < 1:
        raise WeftError(f"--samples {samples} is out of range", "type 1 or more, like --samples 2")
    if lattices.threads > 1 or lattices.long_link_reals != LONG_LINK_REALS:
        raise WeftError(
            "a prediction computes nothing: the platform says how fast a rank is",
            "omit --threads and --long-links",
        )


def _variants(
    fabric: "FabricAsked",
    topologies: Sequence[str],
    lists: tuple[str, str, str],
    hop: str,
) -> "list[Variant]":
    """Every combination, in the order of the lists. Raises WeftError for too many."""
    import msgspec

    from weft.sim.predicted import Variant, read_topology
    from weft.units import parse_time

    blocking, rails, speed = (text.split(",") for text in lists)
    found = []
    for phrase, taper, planes, factor in product(topologies, blocking, rails, speed):
        asked = msgspec.structs.replace(fabric, blocking=taper.replace("/", ","))
        found.append(
            Variant(
                fabric=msgspec.structs.replace(
                    read_topology(phrase, asked), rails=_whole("--rails", planes)
                ),
                speed=_factor(factor),
                hop_ns=0.0 if hop.strip("0") in ("", "ns") else parse_time(hop),
            )
        )
    labels = dict.fromkeys((one.label, one.fabric.switch) for one in found)
    if len(labels) < len(found):
        raise WeftError("a fabric is named twice", "type each one once")
    return _few(found)


def _by_algorithm(variants: "list[Variant]", tests: Sequence[str], text: str) -> "list[Variant]":
    """Each variant with each algorithm of the one test. Raises WeftError."""
    import msgspec

    from weft.sim.algorithms import algorithms_of

    if not text:
        return variants
    if len(tests) > 1:
        raise WeftError("algorithms are of one operation", f"type {tests[0]} alone")
    test = tests[0].lower().replace("-", "_")
    chosen = algorithms_of(test, text, variants[0].fabric.nodes)
    found = [
        msgspec.structs.replace(one, algorithm=name, settings=settings)
        for one in variants
        for name, settings in chosen.items()
    ]
    return _few(found)


def _few(found: "list[Variant]") -> "list[Variant]":
    if len(found) > _MOST_VARIANTS:
        raise WeftError(
            f"{len(found)} fabrics are too many to compare",
            f"type at most {_MOST_VARIANTS} combinations",
        )
    return found


def _whole(name: str, text: str) -> int:
    if not text.strip().isdigit():
        raise WeftError(f"{name} '{text}' is no whole number", f"type one like {name} 2")
    return int(text)


def _factor(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise WeftError(f"--speed '{text}' is no number", "type one like --speed 1,2") from None
