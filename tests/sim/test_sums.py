"""Additions of a sum take time: recursive doubling and the ring have closed answers with them."""

from math import log2
from pathlib import Path

import pytest

from support.simulations import KNOWN, platform, simulated
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.sim.algorithms import algorithms_of
from weft.sim.measured import sum_rate
from weft.sim.platforms import Rates, parse_rates, with_rate
from weft.sim.predicted import Variant, parameters_of, predicted

RANKS = 8
BYTES = 65_536
KIB = 1024


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


@pytest.mark.parametrize(
    ("text", "why"),
    [("1GB/s,2GB/s", "says one rate twice"), ("fast", "is not a rate of arithmetic")],
)
def test_a_rate_that_is_none_or_two_is_refused(text: str, why: str) -> None:
    with pytest.raises(WeftError, match=why):
        parse_rates(text)
    assert parse_rates("") == Rates()


@pytest.mark.engine
def test_the_rate_of_sums_is_found_in_a_record_of_two_ranks(tmp_path: Path) -> None:
    on = with_rate(platform(), "250MB/s")
    run = simulated(tmp_path, ("sendrecv", "allreduce"), "8,2KiB,4KiB,64KiB", on)
    exchanges = {one.bytes: one.latency_ns.value for one in summarise(run)
                 if one.test == "sendrecv" and one.latency_ns}  # fmt: skip
    assert sum_rate((run,), "sim", exchanges) == pytest.approx(250e6, rel=1e-3)
    assert sum_rate((run,), "tcp", exchanges) == 0
    assert sum_rate((run,), "sim", {}) == 0
