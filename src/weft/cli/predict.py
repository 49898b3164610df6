"""`weft predict`: tests on a fabric that nobody has, with the links and hosts of a platform."""

import datetime
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.fabric_options import Levels, Shape, Switch
from weft.cli.lattice import takes_lattice
from weft.errors import WeftError
from weft.plan.lattice import Lattices

if TYPE_CHECKING:
    from weft.fabric.topologies import FabricAsked
    from weft.plan.cases import Part
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run
    from weft.sim.effort import Forecast, Pilot
    from weft.sim.predicted import Variant

_EXAMPLES = """Examples:

weft predict halo --platform escher --topology "fat-tree 24/288 half" --nodes 256 --extents 8

weft predict halo --platform escher --nodes 96 --switch 24 --blocking 1:1,2:1,3:1 --within 5%

weft predict halo --platform escher --nodes 96 --switch 24 --speed 1,2

weft predict random_pairs --platform escher --nodes 64 --switch 24 --rails 1,2 --sizes 1MiB

weft predict hot_spot_receive --platform mine.xml --nodes 64 --topology "torus 24 4x4x2" """
_PANEL = "The fabric"
_MOST_VARIANTS = 8
_ROOM = 0.8
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


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("predict", epilog=_EXAMPLES)(takes_lattice(predict))


def predict(
    tests: Annotated[list[str], typer.Argument(help="Predict these tests (see weft list tests).")],
    platform: _Platform = "",
    nodes: _Nodes = 0,
    topology: _Topology = None,
    switch: Switch = "",
    blocking: _Blocking = "1:1",
    levels: Levels = 0,
    rails: _Rails = "1",
    shape: Shape = "",
    speed: _Speed = "1",
    hop: _Hop = "200ns",
    sizes: Annotated[str, typer.Option(help="Send these sizes: 8,64KiB.")] = "",
    points: Annotated[
        str, typer.Option(help="Take these points of a test's own axis: 1,16,63.")
    ] = "",
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
    from weft.cli.predicted import show
    from weft.fabric.topologies import FabricAsked
    from weft.plan import cases as plan
    from weft.sim.platforms import simulated_platform
    from weft.units import parse_percent, parse_seconds

    if not platform:
        raise WeftError(
            "a prediction needs the links and hosts of a platform",
            "type --platform escher (weft list platforms), or a file of weft calibrate",
        )
    if not nodes:
        raise WeftError("the fabric has no nodes", "type --nodes, like --nodes 256")
    limit = parse_percent(within) if within else None
    base = simulated_platform(platform)
    fabric = FabricAsked(nodes=nodes, switch=switch, levels=levels, shape=shape)
    variants = _variants(fabric, topology or ["fat-tree"], (blocking, rails, speed), hop)
    of = plan.parse_variants(
        plan.QUEUE_DEPTH, plan.BUFFERS, "", points=points, lattices=lattices, single=True
    )
    part = plan.Part(tests=tuple(tests), sizes=sizes, ranks=nodes, variants=of)
    effort = _Effort(parse_seconds(budget), samples, output)
    platforms = effort.platforms(base, variants)
    effort.foresee(base, variants[0], part, len(variants))
    runs = [effort.run(one, part, at) for at, one in enumerate(platforms)]
    show(base, variants, runs, limit, effort.page, _say)


class _Effort:
    """Simulates, within a budget; its records and page lie in a folder."""

    def __init__(self, budget_s: float, samples: int, folder: Path | None) -> None:
        self._budget_s = budget_s
        self._samples = samples
        self._folder = folder or Path()
        self._begun_s = time.monotonic()
        now = datetime.datetime.now(datetime.UTC)
        self._stem = f"weft-predict-{now:%Y%m%d-%H%M%S}"
        self.page = self._folder / f"{self._stem}.html"

    @staticmethod
    def platforms(
        base: "SimulatedPlatform", variants: "Sequence[Variant]"
    ) -> "list[SimulatedPlatform]":
        """All of them, before the first is simulated. Raises WeftError."""
        from weft.sim.predicted import predicted

        return [predicted(base, one) for one in variants]

    def foresee(
        self, base: "SimulatedPlatform", variant: "Variant", part: "Part", count: int
    ) -> None:
        """Print what a large simulation costs. Raises WeftError for more than there is."""
        import psutil

        from weft.plan.budget import in_words
        from weft.sim.effort import forecast, pilot_sizes

        nodes = variant.fabric.nodes
        found = forecast(self._pilots(base, variant, part, pilot_sizes(nodes)), nodes)
        if found is None:
            return
        _say(_in_words(found, count))
        seconds = count * found.seconds
        left_s = self._budget_s - (time.monotonic() - self._begun_s)
        if seconds > left_s:
            raise WeftError(
                f"{nodes} nodes need about {in_words(seconds)} of simulation here, and"
                f" {left_s:.0f} s of the budget are left",
                f"type --budget {in_words(1.5 * seconds + self._budget_s - left_s)}, or fewer"
                " --nodes, sizes or fabrics",
            )
        free = psutil.virtual_memory().available
        if found.peak_bytes > _ROOM * free:
            raise WeftError(
                f"{nodes} nodes need about {found.peak_bytes / 1e9:.1f} GB, and"
                f" {free / 1e9:.1f} GB are free",
                "type fewer --nodes, or smaller --sizes or --extents",
            )

    def _pilots(
        self,
        base: "SimulatedPlatform",
        variant: "Variant",
        part: "Part",
        sizes: Sequence[int],
    ) -> "list[Pilot]":
        """The same cases on fewer nodes; a fabric that is not there of so few is omitted."""
        import msgspec

        from weft.sim.effort import Pilot
        from weft.sim.predicted import predicted

        done = []
        with tempfile.TemporaryDirectory(prefix="weft-predict-") as folder:
            for nodes in sizes:
                fabric = msgspec.structs.replace(variant.fabric, nodes=nodes, shape="")
                small = msgspec.structs.replace(variant, fabric=fabric)
                try:
                    platform = predicted(base, small, as_of_nodes=variant.fabric.nodes)
                except WeftError:
                    continue
                begun = time.monotonic()
                on_fewer = msgspec.structs.replace(part, ranks=nodes)
                self._start(platform, on_fewer, Path(folder) / f"{nodes}.jsonl", lambda _: None)
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
                done.append(Pilot(nodes=nodes, seconds=time.monotonic() - begun, peak_bytes=peak))
        return done

    def run(self, platform: "SimulatedPlatform", part: "Part", at: int) -> "Run":
        """The record of a variant."""
        from weft.record.run import load

        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._stem}-{at + 1}.jsonl.zst"
        return load(self._start(platform, part, path, _say))

    def _start(
        self,
        platform: "SimulatedPlatform",
        part: "Part",
        path: Path,
        say: Callable[[str], None],
    ) -> Path:
        from weft import session

        request = session.simulation(
            platform,
            (part,),
            path,
            precision=1.0,
            samples=self._samples,
            command=("weft", *sys.argv[1:]),
            budget_s=self._budget_s,
            case_deadline_s=self._budget_s,
            begun_s=self._begun_s,
        )
        return session.start(request, say)[0]


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


def _in_words(found: "Forecast", count: int) -> str:
    pilots = ", ".join(
        f"{one.nodes} nodes: {one.seconds:.1f} s, {one.peak_bytes / 1e6:.0f} MB"
        for one in found.pilots
    )
    fabrics = f" for each of {count} fabrics" if count > 1 else ""
    return (
        f"simulating {found.nodes} nodes takes about {found.seconds:.0f} s and"
        f" {found.peak_bytes / 1e6:.0f} MB{fabrics} (time grows by nodes^{found.power:.2f}, after"
        f" {pilots})"
    )


def _say(line: str) -> None:
    typer.echo(line, err=True)
