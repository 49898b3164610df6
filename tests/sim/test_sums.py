"""Additions of a sum take time: recursive doubling and the ring have closed answers with them."""

from math import log2
from pathlib import Path

import msgspec
import pytest

from support.simulations import KNOWN, platform, simulated
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.case import Case
from weft.sim.algorithms import algorithms_of
from weft.sim.measured import rate_of_additions, shows_additions, sum_rate
from weft.sim.platforms import Rates, parse_rates, with_rate
from weft.sim.predicted import Variant, parameters_of, predicted

RANKS = 8
BYTES = 65_536
KIB = 1024
# Of two ranks, by size, ns.
EXCHANGES = {size: 9000.0 + 0.9 * size for size in (8, 64, 512, 2048, 4096, 8192, 16384, 65536)}


def time_ns(folder: Path, algorithm: str, rate: str) -> float:
    [(name, settings)] = algorithms_of("allreduce", algorithm, RANKS).items()
    variant = Variant(
        fabric=FabricAsked(nodes=RANKS, switch="24"), algorithm=name, settings=settings
    )
    on = predicted(with_rate(platform(), rate), variant)
    [one] = summarise(simulated(folder, ("allreduce",), str(BYTES), on, ranks=RANKS))
    assert one.latency_ns is not None
    return one.latency_ns.value


# A gigabyte a second is a nanosecond a byte; a GFlop/s, an addition of four bytes in one.
@pytest.mark.engine
@pytest.mark.parametrize(("rate", "ns_per_byte"), [("1GB/s", 1.0), ("", 0.25), ("500MFlop/s", 0.5)])
def test_recursive_doubling_adds_all_in_each_round_and_a_ring_a_part(
    tmp_path: Path, rate: str, ns_per_byte: float
) -> None:
    for algorithm in ("recursive-doubling", "ring"):
        (tmp_path / algorithm).mkdir()
    rounds = log2(RANKS)
    found = time_ns(tmp_path / "recursive-doubling", "recursive-doubling", rate)
    assert found == pytest.approx(
        rounds * (KNOWN.sendrecv_ns(BYTES) + BYTES * ns_per_byte), rel=1e-3
    )
    part = BYTES // RANKS
    found = time_ns(tmp_path / "ring", "ring", rate)
    # Of the ring's two turns one adds.
    wanted = (RANKS - 1) * (2 * KNOWN.sendrecv_ns(part) + part * ns_per_byte)
    assert found == pytest.approx(wanted, rel=0.02)


def test_a_rate_of_sums_stays_with_the_platform() -> None:
    on = with_rate(platform(), "2GB/s,4GFlop/s")
    found = parameters_of(on)
    assert (found.sum_bytes_per_s, found.flops_per_s) == (2e9, 4e9)
    assert parameters_of(with_rate(on, "3GB/s")).sum_bytes_per_s == 3e9
    assert parameters_of(platform()).sum_bytes_per_s == 0
    assert (
        'id="sum-rate" value="2000000000"'
        in predicted(on, Variant(fabric=FabricAsked(nodes=4, switch="8"))).xml
    )


@pytest.mark.parametrize("sums", ["2GB/s", "16Gbit/s"])
def test_a_rate_in_bytes_or_bits_is_of_sums_and_one_of_operations_is_not(sums: str) -> None:
    found = parse_rates(f"{sums}, 4GFlop/s")
    assert (found.sums, found.sum_bytes_per_s) == (sums, 2e9)
    assert (found.flops, found.flops_per_s) == ("4GFlop/s", 4e9)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1GB/s,2GB/s", "^'1GB/s,2GB/s' says one rate twice; use --rate 4GFlop/s,2GB/s$"),
        ("1GFlop/s,2GFlop/s", "^'1GFlop/s,2GFlop/s' says one rate twice"),
        ("fast", "is not a rate of arithmetic"),
    ],
)
def test_a_rate_that_is_none_or_two_is_refused(text: str, why: str) -> None:
    with pytest.raises(WeftError, match=why):
        parse_rates(text)
    assert parse_rates("") == Rates()


# Open MPI 4.1 takes a ring of two turns at 4 KiB, and from 16 KiB on.
@pytest.mark.parametrize("second_turn_ns", [0.0, 20_000.0])
@pytest.mark.parametrize("call_ns", [0.0, 1500.0])
def test_no_turn_and_no_call_of_an_allreduce_is_an_addition(
    second_turn_ns: float, call_ns: float
) -> None:
    longer = {size: call_ns + size / 4.0 for size in (8, 64, 512, 2048, 8192)}
    longer |= dict.fromkeys((4096, 16384, 65536), second_turn_ns)
    sums = {size: EXCHANGES[size] + more for size, more in longer.items()}
    assert rate_of_additions(sums, EXCHANGES) == pytest.approx(4e9)


@pytest.mark.parametrize(
    "longer",
    [
        {8: 1000.0, 64: 1000.0, 512: 1010.0},
        {2048: 1500.0, 4096: 30_000.0},
        {8: 1000.0, 2048: 900.0, 8192: 800.0},
    ],
)
def test_where_no_addition_is_seen_no_rate_is_known(longer: dict[int, float]) -> None:
    """Of few numbers alone, of one size, and where scatter is more than all of them take."""
    sums = {size: EXCHANGES[size] + more for size, more in longer.items()}
    assert rate_of_additions(sums, EXCHANGES) == 0
    assert rate_of_additions({2048: 9000.0, 8192: 99_000.0}, {}) == 0


@pytest.mark.parametrize(
    ("size", "shows"),
    [(8, False), (1023, False), (1024, True), (2048, True), (4096, False), (8192, True),
     (9999, True), (10_000, False)],
)  # fmt: skip
def test_what_says_what_additions_take_is_not_held_out(size: int, shows: bool) -> None:
    case = Case(test="allreduce", transport="mpi", bytes=size, ranks=2)
    assert shows_additions(case) == shows
    assert not shows_additions(msgspec.structs.replace(case, ranks=3))
    assert not shows_additions(msgspec.structs.replace(case, test="sendrecv"))


@pytest.mark.engine
def test_the_rate_of_sums_is_found_in_a_record_of_two_ranks(tmp_path: Path) -> None:
    on = with_rate(platform(), "250MB/s")
    run = simulated(tmp_path, ("sendrecv", "allreduce"), "8,2KiB,4KiB,64KiB", on)
    exchanges = {one.bytes: one.latency_ns.value for one in summarise(run)
                 if one.test == "sendrecv" and one.latency_ns}  # fmt: skip
    assert sum_rate((run,), "sim", exchanges) == pytest.approx(250e6, rel=1e-3)
    assert sum_rate((run,), "tcp", exchanges) == 0
    assert sum_rate((run,), "sim", {}) == 0
