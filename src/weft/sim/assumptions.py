"""Assumptions: bandwidths of two published platforms, and the times of switches and additions.

Holmgren (2003) prints the latency of both of Fermilab's clusters and no table. A simulation needs
bandwidths too. They are assumptions, and each prediction says so.

A calibration on two nodes measures no second switch, and often no addition. Published latencies of
switches are 100 to 350 ns (Cornelis CN5000 below 100 ns, Nexus 3548 190 to 250 ns). A core adds 1
to 20 billion floats a second, from scalar code on cold data to vectors in the cache.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

AssumedPart = Literal["switches", "adder", "computing"]
PARTS: tuple[AssumedPart, ...] = get_args(AssumedPart)
# A further switch, ns: at least, usually and at most.
SWITCH_NS = (100.0, 200.0, 400.0)
# An operation, ns: at least and at most, 20 and 1 GFlop/s.
OPERATION_NS = (0.05, 1.0)
FLOAT_BYTES = 4


class Assumption(msgspec.Struct, frozen=True, kw_only=True):
    """An unmeasured time and its range, ns: per further switch, per addition in a sum, or per
    operation of an application."""

    part: AssumedPart
    usual_ns: float
    least_ns: float
    most_ns: float


def assumed_switches() -> Assumption:
    """For each switch after the first of a route."""
    least, usual, most = SWITCH_NS
    return Assumption(part="switches", usual_ns=usual, least_ns=least, most_ns=most)


def assumed_adder(flops_per_s: float) -> Assumption:
    """For ranks that add as fast as they compute; the range includes that speed."""
    return _assumed_operations("adder", flops_per_s)


def assumed_computing(flops_per_s: float) -> Assumption:
    """For ranks with unmeasured speed."""
    return _assumed_operations("computing", flops_per_s)


def _assumed_operations(part: AssumedPart, flops_per_s: float) -> Assumption:
    usual = 1e9 / flops_per_s
    least, most = OPERATION_NS
    return Assumption(
        part=part, usual_ns=usual, least_ns=min(least, usual), most_ns=max(most, usual)
    )


class Assumed(msgspec.Struct, frozen=True, kw_only=True):
    """Bandwidths of a platform's links, bytes/s, and why."""

    one_way_bytes_per_s: float
    both_ways_bytes_per_s: float
    why: str


ASSUMED = {
    "fermilab-topspin": Assumed(
        one_way_bytes_per_s=800e6,
        both_ways_bytes_per_s=800e6,
        why="800 MB/s one way and both ways together, the limit of PCI-X that the text names",
    ),
    "fermilab-myrinet": Assumed(
        one_way_bytes_per_s=250e6,
        both_ways_bytes_per_s=489e6,
        why="250 MB/s one way and 489 MB/s both ways, which the text reports of newer cards",
    ),
}
