"""Both sides of every bound that a refusal states: what it says may be used is taken.

A refusal says "X is out of range; use A to B". A and B are taken, what is beyond is refused. Of
each source that says so one entry at least is in BOUNDS.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.builders import PATTERNS
from support.simulations import platform
from weft.applications.asked import parse_lattices
from weft.cli.where import where_of
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.plan import cases as plan
from weft.plan.plan import make_plan
from weft.sim.platforms import check_nodes
from weft.sim.predicted import Variant, predicted
from weft.studies.variants import on_node

ROOT = Path(__file__).resolve().parents[1]
KNOWN = {pattern.name: pattern for pattern in PATTERNS}


def variants(**asked: Any) -> None:
    usual = {"queue_depth": "64", "buffers": "one", "wait": "", "single": True}
    plan.parse_variants(**{**usual, **asked})


def planned(**asked: Any) -> None:
    usual = {"precision": 0.01, "budget_s": 10.0, "launches": 2, "seed": 1, "mpi": "openmpi"}
    make_plan((), options={}, case_deadline_s=20.0, **{**usual, **asked})


def ranks(count: int) -> None:
    plan.make_cases(("ping_pong",), ("tcp",), "8", ranks=count, patterns=KNOWN)


def lattice(**asked: Any) -> None:
    usual = {"extents": "", "whole": "", "depth": 1, "compute": "", "sums": None}
    parse_lattices(**{**usual, "overlaps": True, **asked})


def extent(count: int) -> None:
    lattice(extents=f"{count}x1")


def fabric(**asked: Any) -> None:
    build_fabric(FabricAsked(**{"nodes": 8, "switch": "8", **asked}))


def on_variant(**asked: Any) -> None:
    predicted(platform(), Variant(fabric=FabricAsked(nodes=4, switch="8"), **asked))


def shared(count: int) -> None:
    """Several ranks want a memory that they share, which is refused behind the bound."""
    try:
        on_node(count, "")
    except WeftError as error:
        if "out of range" in error.what:
            raise


# By source: what is called with a value, its bounds, and by how much beyond them it is refused.
BOUNDS: tuple[tuple[str, str, Callable[[Any], object], float, float | None, float], ...] = (
    ("plan/cases.py", "depth", lambda n: variants(queue_depth=str(n)), 1, 65536, 1),
    ("plan/cases.py", "buffers", lambda n: variants(buffers=f"turn:{n}"), 1, 1048576, 1),
    ("plan/cases.py", "reuse", lambda n: variants(buffers=f"reuse:8:{n}"), 0, 100, 1),
    ("plan/cases.py", "point", lambda n: variants(points=str(n)), 0, plan.MOST_POINT, 1),
    ("plan/cases.py", "ranks", ranks, 2, plan.MOST_RANKS, 1),
    ("plan/plan.py", "samples", lambda n: planned(samples=n), 0, 1_000_000, 1),
    ("plan/plan.py", "launches", lambda n: planned(launches=n), 1, 1000, 1),
    ("plan/plan.py", "seed", lambda n: planned(seed=n), 0, None, 1),
    ("applications/asked.py", "depth", lambda n: lattice(depth=n), 1, 16, 1),
    ("applications/asked.py", "sums", lambda n: lattice(sums=n), 0, 2, 1),
    ("applications/asked.py", "mass", lambda n: lattice(mass=n), 1e-3, 10, 1e-4),
    ("applications/asked.py", "u0", lambda n: lattice(u0=n), 0.1, 10, 1e-2),
    ("applications/asked.py", "compute", lambda n: lattice(compute=f"{n}ns"), 1, 1e6, 1),
    ("applications/asked.py", "threads", lambda n: lattice(threads=n), 1, 1024, 1),
    ("applications/asked.py", "extent", extent, 1, 4096, 1),
    ("fabric/topologies.py", "nodes", lambda n: fabric(nodes=n), 2, None, 1),
    ("fabric/topologies.py", "rails", lambda n: fabric(rails=n), 1, 16, 1),
    ("sim/platforms.py", "nodes", check_nodes, 2, 10_000, 1),
    ("sim/predicted.py", "speed", lambda n: on_variant(speed=n), 0.1, 100, 0.01),
    ("sim/predicted.py", "hop", lambda n: on_variant(hop_ns=n), 0, 1e6, 1),
    ("studies/variants.py", "ranks of a node", shared, 1, 256, 1),
    ("cli/where.py", "nodes", lambda n: where_of(nodes=n), 0, None, 1),
    ("cli/where.py", "ranks of a node", lambda n: where_of(ranks_per_node=n), 0, None, 1),
)
# Bounded by what is compared, not by a range: a margin is a share.
OTHERS = {"analysis/compare/comparison.py", "studies/prediction.py"}
NAMES = [f"{source} {what}" for source, what, *_ in BOUNDS]


def refused(call: Callable[[Any], object], value: float) -> str:
    with pytest.raises(WeftError) as found:
        call(value)
    return found.value.fix


@pytest.mark.parametrize("bound", BOUNDS, ids=NAMES)
def test_a_bound_is_taken_and_what_is_beyond_it_is_refused(bound: Any) -> None:
    _, _, call, low, high, by = bound
    call(low)
    refused(call, low - by)
    if high is not None:
        call(high)
        fix = refused(call, high + by)
        digits = re.findall(r"[\d.]+", fix.replace("1ms", "1000000ns"))
        assert f"{high:g}" in [f"{float(one.rstrip('.')):g}" for one in digits], fix


def test_each_source_that_states_a_range_is_here() -> None:
    folder = ROOT / "src" / "weft"
    stating = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if re.search(r"(is|are) out of(\"\s+f?\"| )range", path.read_text())
    }
    assert stating == {source for source, *_ in BOUNDS} | OTHERS


def test_an_error_whose_fix_stands_before_its_cause_is_noticed() -> None:
    """By tests/support/errors.py, wherever a test meets one that weft raises."""
    source = str(ROOT / "src" / "weft" / "errors.py")
    code = compile("raise WeftError('use 1 to 8', 'there are 9')", source, "exec")
    with pytest.raises(AssertionError, match="exchanged"):
        exec(code, {"WeftError": WeftError})  # noqa: S102 - our own line
