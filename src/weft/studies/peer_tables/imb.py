"""The layout of IMB-MPI1 2021: src_c/IMB_output.c. Mbytes are 10^6 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.sources.peers.imb import TITLES
from weft.sources.peers.omb import ALIKE
from weft.studies.peer_tables.figures import EXCHANGES, CaseFigures
from weft.studies.peer_tables.layout import (
    PeerLayout,
    bytes_per_s,
    columns,
    lacks_a_count,
    latency_us,
)

if TYPE_CHECKING:
    from weft.studies.peer_tables.figures import CurveFigures

_WIDTH = 13
_RULE = "#" + "-" * 65
# Of its own records what it stated, which has digits that its rounded times do not give back.
_RATE, _MESSAGES = "Mbytes/sec", "Msg/sec"
_ENDS = ("t_min[usec]", "t_max[usec]")
_MEAN = "t_avg[usec]"


def lines(title: str, curve: CurveFigures) -> list[str]:
    """Times of repetitions, over the ranks where an operation is of all."""
    figures = curve.pattern.figure
    if figures == "bandwidth":
        heads = [_RATE, _MESSAGES]
        rows = [_rates(curve, one) for one in curve.cases]
    elif figures in EXCHANGES:
        heads = [*_ENDS, _MEAN]
        heads += [_RATE] if curve.pattern.bandwidth_factor else []
        rows = [_over_ranks(curve, one) for one in curve.cases]
    else:
        heads = ["t[usec]", _RATE]
        rows = [_one_time(curve, one) for one in curve.cases]
    sizes = ["#bytes", "#repetitions"] if curve.pattern.has_size else ["#repetitions"]
    table = [[*sizes, *heads], *([*_counts(curve, c), *r] for c, r in _beside(curve, rows))]
    widths = [_WIDTH] * len(table[0])
    return [
        _RULE,
        f"# Benchmarking {title} ",
        f"# #processes = {curve.first.ranks} ",
        _RULE,
        *(columns(row, widths) for row in table),
    ]


def lacks(curve: CurveFigures) -> str:
    """Its exchanges and operations of all ranks are reported over the ranks."""
    if curve.pattern.figure not in EXCHANGES:
        return lacks_a_count(curve)
    # The one of the three that counts as the figure is not among the others.
    whole = all(one.rank_means_ns or {_ENDS[0]} <= one.stated.keys() for one in curve.cases)
    return "" if whole else "the record has not every rank's own times"


def _beside(curve: CurveFigures, rows: list[list[str]]) -> zip[tuple[CaseFigures, list[str]]]:
    return zip(curve.cases, rows, strict=True)


def _counts(curve: CurveFigures, one: CaseFigures) -> list[str]:
    sizes = [str(one.case.bytes)] if curve.pattern.has_size else []
    return [*sizes, str(one.operations)]


def _rates(curve: CurveFigures, one: CaseFigures) -> list[str]:
    rate = bytes_per_s(curve, one, one.mean_ns)
    messages = curve.pattern.bandwidth_factor * 1e9 / one.mean_ns
    return [
        f"{one.stated.get(_RATE, rate / 1e6):.2f}",
        f"{one.stated.get(_MESSAGES, messages):.0f}",
    ]


def _one_time(curve: CurveFigures, one: CaseFigures) -> list[str]:
    rate = one.case.bytes / latency_us(curve, one.mean_ns)
    return [f"{latency_us(curve, one.mean_ns):.2f}", f"{one.stated.get(_RATE, rate):.2f}"]


def _over_ranks(curve: CurveFigures, one: CaseFigures) -> list[str]:
    stated = {head: 1000 * one.stated[head] for head in (*_ENDS, _MEAN) if head in one.stated}
    times = one.rank_means_ns or (*stated.values(), one.mean_ns)
    mean = sum(times) / len(times) if one.rank_means_ns else stated.get(_MEAN, one.mean_ns)
    slowest = max(times)
    cells = [f"{t / 1000:.2f}" for t in (min(times), slowest, mean)]
    if not curve.pattern.bandwidth_factor:
        return cells
    rate = bytes_per_s(curve, one, slowest) / 1e6 if slowest else 0.0
    return [*cells, f"{one.stated.get(_RATE, rate):.2f}"]


IMB = PeerLayout(
    name="imb",
    program="IMB-MPI1 2021",
    definition="means over all repetitions",
    titles=TITLES,
    alike=ALIKE,
    lines=lines,
    lacks=lacks,
    head=(_RULE, "#    Intel(R) MPI Benchmarks 2021, MPI-1 part", _RULE),
)
