"""What is handed on inside weft is what was looked at and approved once: plans, jobs, models, runs.

As tests/test_approved_outputs.py, whose head says how they are written anew, for what no command
prints: which cases a request plans and in which order, what a scheduler and a starter get, the
platforms of simulations, which amounts a run takes, and what a machine's files say.
"""

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.approved import held, rounded
from support.builders import PATTERNS, make_cases, synthetic_record
from support.drawings import charts, drawn_in_words, fabrics_drawn, loads_unlike
from support.laid_out import lay_out
from support.machines import rich_machine
from support.plans import REQUEST, RICH_SITE, RICH_TESTS
from support.simulations import KNOWN, platform
from support.typed import request_of
from support.uneven import Failing, Uneven, uneven_run
from weft import units
from weft.cli.main import app
from weft.errors import WeftError
from weft.fabric.picture import picture_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.host.checks import diagnose
from weft.host.load import Load
from weft.host.manifest import collect
from weft.host.unlike import unlike_hosts
from weft.launch.launcher import Job
from weft.launch.local import command
from weft.launch.mpirun import MpirunLauncher
from weft.launch.sbatch import SiteJob, script_of
from weft.plan.allocation import Allocation
from weft.plan.case import Case
from weft.plan.planning import planned
from weft.plan.request import Request
from weft.plan.simulated import SimulatedPlatform
from weft.plan.suites import SUITES
from weft.reference.library import platforms
from weft.report.fabric_svg import fabric_svg
from weft.report.paper import SCREEN, SERIF, Paper
from weft.sim.fidelity import beside, peaks_beside, predicted_ns
from weft.sim.platforms import protocols_of
from weft.sim.predicted import Variant, every_placed
from weft.studies.calibration import calibrated_platform
from weft.studies.simulations import Effort
from weft.units import Shape


def told(found: Any) -> str:
    """A value as JSON, on one line."""
    return msgspec.json.encode(found, order="deterministic").decode()


EVERY = {one.name: one for one in (*PATTERNS, *RICH_TESTS)}
SITE = msgspec.structs.replace(
    RICH_SITE,
    transports=tuple(
        msgspec.structs.replace(one, patterns=tuple(EVERY.values())) for one in RICH_SITE.transports
    ),
)
# Words behind `weft run`, each with something that the others have not.
TYPED = (
    "ping_pong stream --sizes 0..1KiB --transport tcp,mpi --seed 7",
    "stream --queue-depth 1,4,16 --sizes 8,64KiB --samples 30 --launches 3 --seed 7",
    "ping_pong --buffers reuse:0,turn:8 --sizes 4KiB --wait block --seed 7",
    "send_overlap offered_load --points 0,50 --seed 7",
    "milc --extents 4,6 --ranks 1,2 --sums 1 --seed 7",
    "halo --lattice 4x4x8x8 --depth 2 --ranks 4 --seed 7",
    "ping_pong --option tcp.port=7000 --interface eth1 --precision 2% --budget 90s --seed 7",
    "ping_pong --nodes 1 --ranks-per-node 2 --placement pack --seed 7",
)


def plans(_: Path, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Of each suite whose tests are there, and of words that are typed."""
    yield from map(told, SUITES)
    for suite in SUITES:
        if {test for part in suite.experiments for test in part.tests} - EVERY.keys():
            continue
        asked = msgspec.structs.replace(REQUEST, suite=suite.name, experiments=(), ranks=0)
        yield from plan_in_words(f"suite {suite.name}", asked)
    for words in TYPED:
        try:
            asked = request_of(tuple(words.split()), patch)
        except WeftError as refused:
            yield f"{words}: {refused}"
            continue
        asked = msgspec.structs.replace(asked, begun_s=0.0, command=("weft",))
        yield told(asked)
        yield from plan_in_words(words, asked)


def plan_in_words(name: str, asked: Request) -> Iterator[str]:
    said: list[str] = []
    yield f"== {name}"
    try:
        found = planned(asked, SITE, said.append)
    except WeftError as refused:
        yield f"refused: {refused}"
        return
    yield from said
    yield told(msgspec.structs.replace(found.plan, cases=()))
    for case in found.plan.cases:
        yield f"{case.key} {told(case.application)}" if case.application else case.key


COMMANDS = (
    "map --platform escher --ranks 6 --slow n2=0.5 --sizes 8,64KiB --seed 7",
    "map --hosts n1,n2,n3,n4 --transport tcp --launches 3 --rounds 3 --at-once 2 --seed 7",
    "map --hosts n1,n2,n3,n4 --ranks-per-node 2 --wait block --budget 90s --option tcp.port=7000",
    "predict stream --platform escher --nodes 8 --switch 6 --sizes 8,64KiB --pairs near,far -o p",
    "predict halo --platform callisto --nodes 8 --topology torus --shape 4x2 --switch 8 --hop 9ns",
    "predict halo --platform callisto --nodes 8 --switch 6 --speed 2,1 --within 5% -o p",
    "predict allreduce --platform escher --nodes 9 --switch 6 --blocking 1:1,2:1 --rails 2 -o p",
    "predict allreduce --platform escher --nodes 9 --switch 6 --algorithm ring --rate 4GB/s -o p",
    "predict stream --platform escher --nodes 8 --switch 6 --routing d-mod-k --mapping random -o p",
    "predict stream --platform escher --nodes 8 --switch 6 --ranks-per-node 2 --shared escher",
    "predict stream --platform escher --nodes 8 --switch 6 --samples 3 --budget 90s -o p",
)


class HandedOnError(Exception):
    """What was typed is handed on, and nothing measures it."""


def asked(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """What commands hand on to what measures and to what simulates."""
    patch.chdir(folder)
    patch.setattr("weft.cli.submit.is_needed", lambda *_: False)
    for words in COMMANDS:
        found: list[tuple[Any, ...]] = []

        def take(*given: Any, into: list[tuple[Any, ...]] = found, **_: Any) -> None:
            into.append(given)
            raise HandedOnError

        patch.setattr("weft.session.start", take)
        patch.setattr("weft.studies.prediction.predicted_on", take)
        yield f"== {words}"
        try:
            app(words.split(), standalone_mode=False)
        except WeftError as refused:
            yield f"refused: {refused}"
        except HandedOnError:
            yield from filter(None, map(handed, found[0]))


def handed(given: Any) -> str:
    """Without what is unlike each time, and a platform by its name: its file is among `models`."""
    if isinstance(given, SimulatedPlatform):
        return f"{given.label}, {given.nodes} nodes, {given.origin}"
    if isinstance(given, Request):
        platform = f"{given.platform.label}, " if given.platform else ""
        rest = msgspec.structs.replace(given, begun_s=0.0, command=("weft",), platform=None)
        return platform + told(rest)
    if isinstance(given, Effort):
        return f"{given._samples} samples, {given._budget_s:g} s, {given._folder}"
    return told(given) if isinstance(given, msgspec.Struct | list | float | str) else ""


ALLOCATIONS = (
    Allocation(hosts=("n1", "n2", "n3"), nodes=2, ranks_per_node=2),
    Allocation(hosts=("n1", "n2", "n3"), placement="pack"),
    Allocation(hosts=("n4", "n5"), ranks_per_node=4, placement="spread"),
)


def starts(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """The command lines of ranks, here and on named hosts."""
    for name in ("mpirun.openmpi", "mpirun.mpich"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    program = Path("/opt/rank-tcp")
    started: list[tuple[list[str], dict[str, str]]] = []
    patch.setattr("weft.launch.mpirun.network_of", lambda nodes: f"10.0.0.0/{8 * len(nodes)}")
    patch.setattr("weft.launch.mpirun.PipedLaunch", lambda *how: started.append(how))
    with patch.context() as alone:
        alone.setattr(os, "environ", {"PATH": f"{folder}:/usr/bin:/bin", "UCX_TLS": "tcp"})
        for mpi in ("openmpi", "mpich"):
            yield " ".join(command(program, mpi, 3, ["--port", "7"]))
            for one in ALLOCATIONS:
                job = Job(
                    program=program, mpi=mpi, ranks=4, arguments=("--a", "1"),
                    environment={"UCX_RNDV_THRESH": "8192"}, allocation=one,
                )  # fmt: skip
                MpirunLauncher().start(job)
    for words, environment in started:
        yield " ".join(words)
        yield told(dict(sorted(environment.items())))


def jobs(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """The scripts of jobs."""
    asked: tuple[dict[str, Any], ...] = (
        {"nodes": 2, "budget_s": 600.0},
        {"nodes": 3, "hosts": ("n1", "n7"), "partition": "fat", "account": "physics"},
        {"nodes": 1, "constraint": "a&b", "time_limit_s": 200.0},
    )
    usual: dict[str, Any] = {
        "command": "run", "words": ("ping_pong", "--option", "tcp.port=a b"),
        "folder": Path("/data/my runs"),
    }  # fmt: skip
    for one in asked:
        yield script_of(SiteJob(**usual, **one), {"LOADEDMODULES": "gcc/12:mpi/4"})


FABRICS = (
    Variant(fabric=FabricAsked(nodes=10, switch="4", blocking="1:1"), hop_ns=70.0),
    Variant(fabric=FabricAsked(nodes=9, switch="6", blocking="2:1"), routing="d-mod-k", speed=2.0),
    Variant(fabric=FabricAsked(nodes=8, switch="8", topology="torus", shape="4x2"), hop_ns=30.0),
    Variant(fabric=FabricAsked(nodes=6, switch="6", topology="dragonfly"), mapping="random"),
    Variant(fabric=FabricAsked(nodes=6, switch="8", rails=2), ranks_per_node=2),
)


def models(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """What published platforms are calibrated to, and the simulator's files of fabrics."""
    for one, kind in itertools.product(platforms(), ("model", "table")):
        yield f"== {one.name}, {kind}"
        try:
            yield told(protocols_of(one, kind))  # type: ignore[arg-type]
        except WeftError as refused:
            yield f"refused: {refused}"
    base = platform()
    yield base.xml
    for variant in FABRICS:
        yield f"== {variant.label}"
        try:
            every = every_placed(base, variant)
            yield every[0].platform.xml
            yield from (f"{one.share:.6g} {one.platform.origin}" for one in every)
        except WeftError as refused:
            yield f"refused: {refused}"


def calibrations(folder: Path, _: pytest.MonkeyPatch) -> Iterator[str]:
    """What becomes of published tables, and of a record with what hosts take: each with its errors,
    and what is said of a rank's rates.
    """
    tests = ("ping_pong", "sendrecv", "stream", "host_overhead", "late_receive")
    sizes = (0, *(1 << power for power in range(21)))
    cases = make_cases(tests, ("tcp",), sizes)
    record = synthetic_record(
        folder / "sizes.jsonl", cases, times_ns=calibrated_ns,
        parts_ns=lambda case, launch: {
            "post_send": [0.3 * time for time in calibrated_ns(case, launch)]
        } if case.test == "host_overhead" else {},
    )  # fmt: skip
    named = (*(one.name for one in platforms()), str(record))
    for name, kind in itertools.product(named, ("model", "table")):
        yield f"== {name}, {kind}"
        try:
            found = calibrated_platform([name], kind, 6, "3GB/s" if kind == "table" else "")
        except WeftError as refused:
            yield f"refused: {refused}"
            continue
        yield from (found.computes, found.platform.origin, told(found.certainty))
        yield from (line for table in found.tables for line in (table.caption, *table.notes))
        yield from (" | ".join(row) for table in found.tables for row in (table.head, *table.rows))
    yield found.platform.xml


def published(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """Tables of the studies, with what the models say in place of simulations."""
    found = [one for one in platforms() if one.series]
    times: dict[str, Callable[[str, int], float | None]] = {
        one.name: predicted_ns(protocols_of(one, "model")) for one in found
    }
    for table in (*beside(found, times, "model"), peaks_beside(found, times, "in words")):
        yield f"== {table.name}: {table.caption}"
        yield from (" | ".join(row) for row in (table.head, *table.rows))


def calibrated_ns(case: Case, launch: int) -> list[float]:
    """As a known platform takes, a little off at each size, with a tail."""
    size = case.bytes
    own = {
        "ping_pong": 2 * KNOWN.ping_pong_ns(size), "sendrecv": KNOWN.sendrecv_ns(size),
        "stream": 900 + 1.1 * size, "host_overhead": 2800.0 + 0.01 * size,
        "late_receive": 700 + 0.3 * size if size < KNOWN.eager_below_bytes else 9000 + 2.0 * size,
    }[case.test]  # fmt: skip
    own *= 1 + 0.006 * (13 * size.bit_length() % 7 - 3)
    return [own * (1 + 0.003 * (5 * at % 11)) for at in range(21 + 2 * launch)]


def runs(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """The lines of runs over ranks in virtual time: what each takes of what, and its end."""
    for ranks, budget_s in ((Uneven, 600.0), (Failing, 600.0), (Uneven, 4.2)):
        yield f"== {ranks.__name__}, {budget_s:g} s"
        for line in uneven_run(11, ranks, budget_s):
            fields = msgspec.to_builtins(line)
            yield told({name: fields[name] for name in fields if name not in UNLIKE_EACH_TIME})


def hosts(folder: Path, _: pytest.MonkeyPatch) -> Iterator[str]:
    """What a machine's files are to the doctor, and how it differs from others."""
    variables = {"UCX_TLS": "tcp", "HOME": "/root", "OMPI_MCA_btl": "self"}
    found = collect(rich_machine(folder / "rich"), variables)
    del found["collected_utc"]
    for name, value in found.items():
        yield f"{name}: {told(value)}"
    busy = Load(busiest=(("make", 0.57), ("cc1plus", 0.31)), total=0.88, steal_percent=3.6)
    said: set[str] = set()
    for ranks, load in ((2, busy), (3, busy), (7, busy), (4, Load(total=0.05))):
        yield f"== {ranks} ranks, {load.total:g} of a core is busy: what was not said before"
        findings = [told(one) for one in diagnose(found, load, ranks)]
        yield from (one for one in findings if one not in said)
        said.update(findings)
    bare = collect(lay_out(folder / "bare", {"proc/sys/kernel/hostname": "bare"}), {})
    yield "== nothing to read"
    yield from map(told, diagnose(bare, Load(), 2))
    others = {
        "a": {**found, "clock_s": 0.07},
        "b": {**found, "cpu": {**found["cpu"], "governor": "performance", "turbo": False}},
        "c": {**found, "memory": {**found["memory"], "total_bytes": 20 << 30}, "clock_s": -3.0},
        "d": {**found, "interfaces": found["interfaces"][1:], "rdma": []},
        "e": bare,
    }
    for names in ("ab", "abc", "abcde", "ad", "ae"):
        yield f"== {names}"
        yield from unlike_hosts({name: others[name] for name in names})


# About what is rounded to the next unit, to one more digit, or to nothing.
SHARES = (1.0, 1.2345, 9.994, 9.996, 99.94, 99.96, 999.4, 999.6)
SHAPES: tuple[Shape, ...] = (
    units.format_time, units.format_bandwidth, units.format_rate, units.format_flops,
    units.format_computed_bytes, units.format_percent, units.format_share, units.format_change,
    units.format_ratio, units.format_number,
)  # fmt: skip


def figures(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """How figures of all sizes are written, by three digits and by what their last is worth."""
    values = [share * 10.0**power for power in (-5, -3, 0, 3, 6, 9) for share in SHARES]
    for shape in SHAPES:
        yield f"== {getattr(shape, '__name__', '')}"
        for value in (0.0, *values, -1.2345, -999.6e3):
            steps = (None, abs(value) / 3, abs(value) / 70, abs(value) / 9e4)
            yield " | ".join(shape(value, step or None) for step in steps)
    lengths = (0.4, 1, 9.1, 10, 10.1, 59, 120, 120.1, 599, 3600, 3600.1, 35_999, 36_000, 36_000.1)
    yield " ".join(map(units.format_duration, lengths))


def drawings(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """What is drawn of charts, on a screen and in the narrow column of a paper."""
    narrow = Paper(width_inches=2.5, height_inches=1.9, points=6, family=SERIF)
    for chart, paper in itertools.product(charts(), (SCREEN, narrow)):
        yield f"== {chart.name}, {paper.width_inches:g} inches"
        yield from drawn_in_words(chart, paper)


def pictures(_: Path, __: pytest.MonkeyPatch) -> Iterator[str]:
    """Fabrics as they are drawn with what their cables carried; the first without it too."""
    made = [(asked, build_fabric(asked)) for asked in fabrics_drawn()]
    for (asked, fabric), has_loads in ((made[0], False), *((one, True) for one in made)):
        yield f"== {asked.topology} of {asked.nodes} nodes, loads: {has_loads}"
        yield from fabric_svg(
            picture_of(fabric, loads_unlike(fabric) if has_loads else {})
        ).splitlines()


# When something was, and raw data, of which there is too much: batches have its amounts.
UNLIKE_EACH_TIME = {"started_utc", "finished_utc", "load_average", "ticks", "samples", "parts"}
EVERY_SCENE = (
    plans, asked, starts, jobs, models, calibrations, published, runs, hosts, figures, drawings,
    pictures,
)  # fmt: skip
SCENES: dict[str, Callable[[Path, pytest.MonkeyPatch], Iterator[str]]] = {
    one.__name__: one for one in EVERY_SCENE
}


@pytest.mark.parametrize("name", SCENES)
def test_data_is_what_was_approved(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join(SCENES[name](tmp_path, monkeypatch))
    for here, called in ((str(tmp_path), "FOLDER"), (sys.prefix, "PREFIX")):
        text = text.replace(here, called)
    differs = held(f"data-{name}", rounded(text))
    assert not differs, "\n".join(differs[:60])
