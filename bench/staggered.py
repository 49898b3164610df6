"""The staggered solver's arithmetic on one core: how near it comes to what its memory can give.

The bound is a sweep that reads the same memory's size in the same turn; the peer is a plain loop.
All three take turns in one process, in CPU time, so that a ratio is of one state of the machine.
"""

from __future__ import annotations

import statistics
from collections import defaultdict

from bench.compiled import compiled, libraries_of_engine, output_of
from bench.own import Cost

# Flops of an iteration for each site as MILC counts, and of the operator alone.
ITERATION_FLOPS = 1187
OPERATOR_FLOPS = 1146


def costs() -> tuple[Cost, ...]:
    """One for all extents."""
    return (
        Cost(
            name="staggered-solver",
            what="an iteration of milc's solver on one core, L^4 sites, single precision: GFlop/s"
            " (1187 a site), the share of a sweep that reads as many bytes over as much memory,"
            " and the ratio to a plain loop (operator alone, 1146 a site); GFlop/s with 12 numbers"
            " of a long link",
            measure=lambda: figures_of(_measure()),
        ),
    )


def figures_of(told: str) -> dict[str, float]:
    """What the program printed, a turn a line: medians over the turns of each extent."""
    turns: dict[int, list[tuple[float, ...]]] = defaultdict(list)
    for line in told.splitlines():
        extent, *numbers = line.split()
        turns[int(extent)].append(tuple(map(float, numbers)))
    figures = {}
    for length, rounds in turns.items():
        plain = OPERATOR_FLOPS / ITERATION_FLOPS
        figures[f"L{length}_gflop_per_s"] = statistics.median(
            ITERATION_FLOPS * sites / iteration / 1e9 for sites, iteration, _, _, _ in rounds
        )
        figures[f"L{length}_share_of_sweep"] = statistics.median(
            sweep / iteration for _, iteration, sweep, _, _ in rounds
        )
        figures[f"L{length}_times_plain"] = statistics.median(
            loop / iteration / plain for _, iteration, _, loop, _ in rounds
        )
        figures[f"L{length}_short_links_gflop_per_s"] = statistics.median(
            ITERATION_FLOPS * sites / shorter / 1e9 for sites, _, _, _, shorter in rounds
        )
    return figures


def _measure() -> str:
    built = compiled(
        "g++", "staggered_speed.cpp", "-O3", "-march=native", libraries_of_engine(),
        "-lweft_engine", "-lhwy",
    )  # fmt: skip
    return output_of([str(built)])
