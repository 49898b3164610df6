"""Operations of all ranks on platforms of known numbers: rounds of exchanges, by algorithm."""

from pathlib import Path

import pytest

import weft
from support.simulations import KNOWN, platform, simulated
from weft.analysis.summary import summarise
from weft.fabric.topologies import FabricAsked
from weft.sim.algorithms import algorithms_of
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols
from weft.topics.exchange import exchanges_of

pytestmark = pytest.mark.engine

RANKS = 8


def run_of(folder: Path, test: str, sizes: str, algorithm: str) -> weft.Run:
    [(name, settings)] = algorithms_of(test, algorithm, RANKS).items()
    folder.mkdir(exist_ok=True)
    fabric = FabricAsked(nodes=RANKS, switch="24")
    variant = Variant(fabric=fabric, algorithm=name, settings=settings)
    on = predicted(platform(), variant)
    return simulated(folder, (test,), sizes, on, ranks=RANKS)


def time_ns(run: weft.Run) -> float:
    [one] = summarise(run)
    assert one.status == "ok", one.reason
    assert one.latency_ns is not None
    return one.latency_ns.value


@pytest.mark.parametrize("test", ["allreduce", "barrier"])
def test_recursive_doubling_is_an_exchange_for_each_power_of_two(tmp_path: Path, test: str) -> None:
    size = 0 if test == "barrier" else 8
    run = run_of(tmp_path, test, "8", "recursive-doubling")
    assert time_ns(run) == pytest.approx(3 * KNOWN.sendrecv_ns(size), rel=1e-3)
    # All ranks begin at one moment, so all end at one.
    [row] = exchanges_of(run)
    assert row.least_ns.value == pytest.approx(row.greatest_ns.value, rel=1e-6)


def test_a_ring_is_an_exchange_of_a_part_for_each_other_rank_twice(tmp_path: Path) -> None:
    run = run_of(tmp_path, "allreduce", "64KiB", "ring")
    steps = 2 * (RANKS - 1)
    part = 65_536 // RANKS
    # In one of the two turns it is added to another, four bytes in a nanosecond.
    wanted = steps * KNOWN.sendrecv_ns(part) + steps / 2 * part / 4
    assert time_ns(run) == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_a_reduction_and_a_broadcast_are_a_tree_each_way(tmp_path: Path, power: int) -> None:
    """On any number of ranks: a message each step, and an addition of all numbers on the way up."""
    ranks, size = 1 << power, 1 << 20
    [(name, settings)] = algorithms_of("allreduce", "reduce-broadcast", ranks).items()
    plain = Protocols(transfer=(Piece(0, 2000.0, 1.0),), eager_below_bytes=1)
    variant = Variant(
        fabric=FabricAsked(nodes=ranks, switch="24"), algorithm=name, settings=settings
    )
    on = predicted(platform(plain, nodes=ranks), variant)
    [row] = exchanges_of(simulated(tmp_path, ("allreduce",), "1MiB", on, ranks=ranks))
    wanted = 2 * power * plain.sendrecv_ns(size) + power * size / 4
    assert row.greatest_ns.value == pytest.approx(wanted, rel=0.02)


def test_a_binomial_tree_leaves_the_root_first(tmp_path: Path) -> None:
    [row] = exchanges_of(run_of(tmp_path, "broadcast", "64", "binomial"))
    assert row.least_ns.value < row.mean_ns.value < row.greatest_ns.value
    # The last rank hears of it in the third round; MPI_Send takes as long each.
    assert row.greatest_ns.value <= 3 * KNOWN.ping_pong_ns(64) * 1.01


@pytest.mark.parametrize("test", ["allreduce", "broadcast", "alltoall", "allgather", "barrier"])
@pytest.mark.parametrize("ranks", [6, 8])
def test_every_algorithm_gives_right_results(tmp_path: Path, test: str, ranks: int) -> None:
    fabric = FabricAsked(nodes=ranks, switch="24")
    for name, settings in algorithms_of(test, "all", ranks).items():
        (tmp_path / name).mkdir()
        on = predicted(platform(), Variant(fabric=fabric, algorithm=name, settings=settings))
        run = simulated(tmp_path / name, (test,), "8,4KiB,256KiB", on, ranks=ranks)
        assert [one.status for one in summarise(run)] == ["ok"] * (1 if test == "barrier" else 3)


@pytest.mark.parametrize(
    ("test", "algorithm"), [("allreduce", "recursive-doubling"), ("allgather", "openmpi")]
)
def test_without_a_word_sums_double_and_the_rest_is_open_mpis(
    tmp_path: Path, test: str, algorithm: str
) -> None:
    (tmp_path / "usual").mkdir()
    usual = simulated(tmp_path / "usual", (test,), "8,256KiB", platform(), ranks=RANKS)
    named = run_of(tmp_path / "named", test, "8,256KiB", algorithm)
    for one, other in zip(summarise(usual), summarise(named), strict=True):
        assert one.latency_ns is not None
        assert other.latency_ns is not None
        assert one.latency_ns.value == pytest.approx(other.latency_ns.value, rel=1e-6)
