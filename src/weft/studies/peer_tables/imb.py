"""The layout of IMB-MPI1 2021: src_c/IMB_output.c. Mbytes are 10^6 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.sources.peers.imb import TITLES
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


def lines(title: str, curve: CurveFigures) -> list[str]:
    """Times of repetitions, over the ranks where an operation is of all."""
    figures = curve.pattern.figure
    if figures == "bandwidth":
        heads = ["Mbytes/sec", "Msg/sec"]
        rows = [_rates(curve, one) for one in curve.cases]
    elif figures in EXCHANGES:
        heads = ["t_min[usec]", "t_max[usec]", "t_avg[usec]"]
        heads += ["Mbytes/sec"] if curve.pattern.bandwidth_factor else []
        rows = [_over_ranks(curve, one) for one in curve.cases]
    else:
        heads = ["t[usec]", "Mbytes/sec"]
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
    whole = all(one.rank_means_ns for one in curve.cases)
    return "" if whole else "the record has not every rank's own times"


def _beside(curve: CurveFigures, rows: list[list[str]]) -> zip[tuple[CaseFigures, list[str]]]:
    return zip(curve.cases, rows, strict=True)


def _counts(curve: CurveFigures, one: CaseFigures) -> list[str]:
    sizes = [str(one.case.bytes)] if curve.pattern.has_size else []
    return [*sizes, str(one.operations)]


def _rates(curve: CurveFigures, one: CaseFigures) -> list[str]:
    rate = bytes_per_s(curve, one, one.mean_ns)
    messages = curve.pattern.bandwidth_factor * 1e9 / one.mean_ns
    return [f"{rate / 1e6:.2f}", f"{messages:.0f}"]


def _one_time(curve: CurveFigures, one: CaseFigures) -> list[str]:
    rate = one.case.bytes / latency_us(curve, one.mean_ns)
    return [f"{latency_us(curve, one.mean_ns):.2f}", f"{rate:.2f}"]


def _over_ranks(curve: CurveFigures, one: CaseFigures) -> list[str]:
    times = one.rank_means_ns
    slowest = max(times)
    cells = [f"{t / 1000:.2f}" for t in (min(times), slowest, sum(times) / len(times))]
    has_rate = curve.pattern.bandwidth_factor
    return [*cells, *([f"{bytes_per_s(curve, one, slowest) / 1e6:.2f}"] if has_rate else [])]


IMB = PeerLayout(
    name="imb",
    program="IMB-MPI1 2021",
    definition="means over all repetitions",
    titles=TITLES,
    lines=lines,
    lacks=lacks,
    head=(_RULE, "#    Intel(R) MPI Benchmarks 2021, MPI-1 part", _RULE),
)
