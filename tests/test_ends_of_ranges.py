"""Both ends of each range that can be typed, and both sides of each bound that decides a word.

The ends are written out here: a bound that is compared with itself can be any.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import pytest

from support.simulations import platform
from weft.applications.asked import parse_lattices
from weft.cli.unexpected import unexpected
from weft.cli.where import where_of
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.host.checks import _load, _memlock, _temporary
from weft.host.load import Load
from weft.host.memory import Limits
from weft.host.unlike import unlike_hosts
from weft.report.axes import log_ticks, tick_in_words
from weft.report.history import _longer
from weft.sim.algorithms import exchanges_all, taken_by
from weft.sim.answers import PredictedFabric, notes_of
from weft.sim.crossbar import coarseness_of
from weft.sim.effort import Pilot, forecast, is_enough, pilot_sizes
from weft.sim.platforms import check_nodes
from weft.sim.predicted import Variant, _check_ranges
from weft.studies.variants import _few, on_node
from weft.units import parse_bytes, parse_percent, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FABRIC = FabricAsked(nodes=4, switch="8")
MIB = 1 << 20


def lattices(**typed: Any) -> object:
    usual: dict[str, Any] = {
        "extents": "4", "whole": "", "depth": 1, "compute": "", "sums": 1, "overlaps": True
    }  # fmt: skip
    asked = {**usual, **typed}
    names = ("extents", "whole", "depth", "compute", "sums")
    rest = {name: value for name, value in asked.items() if name not in names}
    return parse_lattices(*(asked[name] for name in names), **rest)


def speed(value: float) -> None:
    _check_ranges(Variant(fabric=FABRIC, speed=value))


def hop(value: float) -> None:
    _check_ranges(Variant(fabric=FABRIC, hop_ns=value))


# What is typed, its least, its greatest, and what is just below and above them.
RANGES: dict[str, tuple[Callable[[Any], object], tuple[Any, Any], tuple[Any, Any]]] = {
    "--depth": (lambda depth: lattices(depth=depth), (1, 16), (0, 17)),
    "--sums": (lambda sums: lattices(sums=sums), (0, 2), (-1, 3)),
    "--threads": (lambda threads: lattices(threads=threads), (1, 1024), (0, 1025)),
    "--mass": (lambda mass: lattices(mass=mass), (0.001, 10.0), (0.00099, 10.01)),
    "--u0": (lambda u0: lattices(u0=u0), (0.1, 10.0), (0.099, 10.01)),
    "--compute": (lambda time: lattices(compute=time), ("1ns", "1ms"), ("-1ns", "1.001ms")),
    "--extents": (lambda extents: lattices(extents=extents), ("1", "4096x4096x256x1"),
                  ("0", "4097x1x1x1")),
    "sites": (lambda whole: lattices(whole=whole), ("1x1x1x1", "4096x4096x16x16"),
              ("0x1x1x1", "4096x4096x16x17")),
    "dimensions": (lambda whole: lattices(whole=whole), ("4x4", "4x4x4x4"),
                   ("4x4x4x4x4", "1x1x1x1x1")),
    "steps": (parse_sizes, ("0..10000:1", "8..8:1"), ("0..10001:1", "0..8:0")),
    "%": (parse_percent, ("0.001%", "100%"), ("0%", "100.1%")),
    "bytes": (parse_bytes, ("0", str(2**62)), ("-1", str(2**62 + 2**10))),
    "--speed": (speed, (0.1, 100.0), (0.0999, 100.1)),
    "--hop": (hop, (0.0, 1e6), (-1.0, 1e6 + 1)),
    "--nodes of a platform": (check_nodes, (2, 10_000), (1, 10_001)),
    "--nodes": (lambda nodes: where_of(nodes=nodes), (0, 100_000), (-1, 100_001)),
    "--ranks-per-node": (lambda ranks: where_of(ranks_per_node=ranks), (0, 100_000),
                         (-1, 100_001)),
}  # fmt: skip


@pytest.mark.parametrize("name", RANGES)
def test_both_ends_can_be_typed_and_nothing_beyond_them(name: str) -> None:
    asked, ends, beyond = RANGES[name]
    for value in ends:
        asked(value)
    for value in beyond:
        with pytest.raises(WeftError):
            asked(value)


def test_ranks_of_a_node_and_compared_fabrics_have_a_most() -> None:
    assert on_node(1, "").ranks == 1
    for ranks in (0, 257):
        with pytest.raises(WeftError, match=f"--ranks-per-node {ranks} is out of range"):
            on_node(ranks, "escher")
    with pytest.raises(WeftError) as within:
        on_node(256, "")
    assert "out of range" not in within.value.what
    eight = [Variant(fabric=FABRIC)] * 8
    assert _few(eight) == eight
    with pytest.raises(WeftError, match="9 fabrics for one comparison are too many"):
        _few([*eight, eight[0]])


def test_the_doctors_levels_change_at_their_bounds() -> None:
    memory = [_memlock(Limits(memlock_bytes=size)) for size in (-1, 64 * MIB, 64 * MIB - 1)]
    assert [one.level for one in memory] == ["ok", "ok", "warning"]
    assert [one.what for one in memory] == [
        "unlimited", "64 MiB", "only 65535 KiB may be locked"
    ]  # fmt: skip
    room = [_temporary(free) for free in (8 * MIB, 8 * MIB - 1, None)]
    assert [one.level for one in room] == ["ok", "warning", "unknown"]
    busy = [_load(Load(busiest=(("make", share),), total=share)) for share in (0.0999, 0.1)]
    assert [one.level for one in busy] == ["ok", "warning"]


@pytest.mark.parametrize(
    ("ahead_s", "words"),
    [(0.05, ""), (-0.05, ""), (0.051, "0.051 s ahead of"), (-0.051, "0.051 s behind")],
)
def test_clocks_are_apart_from_their_bound_on(ahead_s: float, words: str) -> None:
    lines = unlike_hosts({"n1": {"clock_s": ahead_s}, "n2": {}})
    wanted = [f"n1: its clock is at least {words} this host's"] if words else []
    assert list(lines) == wanted


def test_a_long_error_is_cut_and_one_that_fits_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    beside = len("ValueError: ")
    for letters in (200 - beside, 201 - beside):
        said = unexpected(ValueError("x" * letters), ["weft"])
        whole = f"internal error, ValueError: {'x' * letters};"
        assert said.startswith(whole) is (letters == 200 - beside)
    assert f"{'x' * (197 - beside)}...;" in said


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.9996, "2.000 times"), (1.0, "2 times"), (998.5, "1e+03 times"), (999.0, "1e+03 times"),
     (999.5, "over 1000 times")],
)  # fmt: skip
def test_how_many_times_as_long_is_said_as_far_as_it_can_be_read(share: float, words: str) -> None:
    assert _longer(share) == words


def test_ticks_are_powers_of_ten_from_two_decades_on() -> None:
    assert log_ticks(1, 100) == pytest.approx([1, 10, 100])
    assert log_ticks(1.01, 100) == pytest.approx([2, 5, 10, 20, 50, 100])
    assert tick_in_words(999_999.0) == "999999"
    assert tick_in_words(1e6) == "$\\mathdefault{10^{6}}$"
    assert tick_in_words(1e-6) == "$\\mathdefault{10^{-6}}$"
    assert tick_in_words(2e-6) == "0.000002"
    assert tick_in_words(1e-4) == "0.0001"


def test_two_ranks_take_the_algorithms_of_open_mpi_by_size() -> None:
    first = "Open MPI v4.1.4"
    assert taken_by(first, "allreduce", 3, 8)
    assert taken_by(first, "allreduce", 4, 8) == ""
    assert taken_by(first, "alltoall", 2, 8) == ""
    ends = [(0, "ring"), (8, "recursive-doubling"), (4096, "ring"), (8192, "recursive-doubling"),
            (16_384, "ring"), (262_144, "rabenseifner"), (1 << 30, "")]  # fmt: skip
    for (start, name), (end, _) in itertools.pairwise(ends):
        for size in (start, end - 1):
            assert taken_by(first, "allreduce", 2, size) == name
    changes = [size for size in range(1, 20_001) if exchanges_all(size) != exchanges_all(size - 1)]
    # Not of one number; a ring at 4 KiB; the exchange again up to what versions before 4.1 halved.
    assert changes == [8, 4096, 8192, 10_000]


def test_few_nodes_need_no_coarser_simulator() -> None:
    assert coarseness_of(64, 1000.0) == ""
    assert coarseness_of(65, 1000.0) != ""


@pytest.mark.parametrize(
    ("bytes_ns", "precision"),
    [(0.0, "1e-9"), (100.0, "1e-9"), (1000.0, "1e-8"), (5000.0, "3e-8"), (99_000.0, "5e-7")],
)  # fmt: skip
def test_many_nodes_are_simulated_as_coarsely_as_a_message_allows(
    bytes_ns: float, precision: str
) -> None:
    assert coarseness_of(65, 1500.0, bytes_ns) == precision
    assert coarseness_of(64, 1500.0, bytes_ns) == ""


def pilot(nodes: int, seconds: float, peak: float = 5e7) -> Pilot:
    return Pilot(nodes=nodes, seconds=seconds, peak_bytes=int(peak), processor_s=seconds)


def test_small_runs_are_begun_and_ended_at_their_bounds() -> None:
    sizes = {nodes: pilot_sizes(nodes) for nodes in range(2, 2049)}
    first = next(nodes for nodes in sizes if sizes[nodes])
    assert first == 128
    assert all(bool(sizes[nodes]) is (nodes >= first) for nodes in sizes)
    assert sizes[1024] == (4, 64, 128, 256, 512)
    assert not is_enough([], 1024)
    assert [is_enough([pilot(nodes, 30.0)], 1024) for nodes in (255, 256, 257)] == [
        False, True, True
    ]  # fmt: skip
    assert not is_enough([pilot(256, 29.99)], 1024)
    assert forecast([pilot(4, 1.0)], 1024) is None
    assert forecast([pilot(4, 1.0), pilot(64, 8.0)], 1024) is not None


@pytest.mark.parametrize(("more", "is_power"), [(1.0e7, False), (1.01e7, True)])
def test_memory_grows_by_a_power_where_it_is_more_than_by_chance(
    more: float, *, is_power: bool
) -> None:
    """As many more from 64 nodes as from 4, by four: a power of two of the nodes, or a line."""
    sizes = [pilot(4, 1.0), pilot(64, 2.0, 5e7 + more), pilot(128, 4.0, 5e7 + 4 * more)]
    found = forecast(sizes, 256)
    assert found is not None
    by_line = 5e7 + 4 * more + 3 * more / 64 * 128
    assert math.isclose(found.peak_bytes, by_line, rel_tol=1e-6) is not is_power


@pytest.mark.parametrize(("nodes", "switches"), [(2, 1), (3, 1), (2, 2), (3, 2)])
def test_what_was_not_calibrated_is_extrapolated(nodes: int, switches: int) -> None:
    answers = (PredictedFabric(variant="a", nodes=nodes, switches=switches, figures=()),)
    said = " ".join(notes_of(platform(), answers, None))
    assert (f"{nodes} nodes (2 were calibrated)" in said) is (nodes > 2)
    assert (f"{switches} switches on a way (1 was)" in said) is (switches > 1)
    assert ("extrapolated" in said) is (nodes > 2 or switches > 1)
