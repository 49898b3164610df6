"""`python -m bench`: weft beside its peers on this machine, in turn, as ratios.

Each round measures every comparison once, weft first in odd rounds, the peer first in even ones;
the figure is the median over rounds of the ratio within a round, with its range, for the machine's
state changes by itself. Examples:

    python -m bench --list
    python -m bench mpi-latency tcp-stream-iperf3 --rounds 11 --json bench.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench import ofi, ucx
from bench.comparisons import Comparison, LeftOutError, comparisons
from bench.own import Cost, costs

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 5
LONG = ("default-run", "ten-million")
Figures = dict[str, list[dict[str, float]]]


def main() -> None:
    """Measure what was asked for and print a line for each."""
    asked = _arguments()
    every: list[Comparison | Cost] = [
        *comparisons(),
        *ucx.comparisons(),
        *ofi.comparisons(),
        *costs(),
    ]
    everything = {entry.name: entry for entry in every}
    if asked.list:
        for name, entry in everything.items():
            sys.stdout.write(f"{name:<32}{entry.what}\n")
        return
    unknown = [name for name in asked.names if name not in everything]
    if unknown:
        sys.exit(f"bench: there is no {unknown[0]}; type: python -m bench --list")
    names = asked.names or [name for name in everything if name not in LONG]
    figures = measure([everything[name] for name in names], asked.rounds)
    for name, rounds in figures.items():
        sys.stdout.writelines(f"{line}\n" for line in _results(everything[name], rounds))
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(entries: list[Comparison | Cost], rounds: int) -> Figures:
    """The figures of each round by name: ours and theirs, or the cost."""
    found: Figures = {}
    for round_ in range(rounds):
        for entry in entries:
            try:
                figures = _once(entry, round_)
            except LeftOutError as error:
                sys.stderr.write(f"round {round_ + 1}: left out: {entry.name}: {error}\n")
                continue
            found.setdefault(entry.name, []).append(figures)
            told = " / ".join(f"{value:.5g}" for value in figures.values())
            sys.stderr.write(f"round {round_ + 1}: {entry.name}: {told}\n")
    return found


def _once(entry: Comparison | Cost, round_: int) -> dict[str, float]:
    if isinstance(entry, Cost):
        return entry.measure()
    if round_ % 2:
        theirs = entry.theirs()
        return {"ours": entry.ours(), "theirs": theirs}
    return {"ours": entry.ours(), "theirs": entry.theirs()}


def _results(entry: Comparison | Cost, rounds: list[dict[str, float]]) -> Iterator[str]:
    """Median and range over rounds: of the ratios within a round, or of each figure."""
    yield f"{entry.name}: {entry.what}"
    if isinstance(entry, Comparison):
        better = "less" if entry.figure == "latency_ns" else "more"
        ratios = [figures["ours"] / figures["theirs"] for figures in rounds]
        yield f"  ratio ({better} is better) {_middle_and_range(ratios)}"
    for name in rounds[0]:
        unit = f" {entry.figure}" if isinstance(entry, Comparison) else ""
        yield f"  {name}{unit} {_middle_and_range([figures[name] for figures in rounds])}"


def _middle_and_range(values: list[float]) -> str:
    middle = statistics.median(values)
    return f"{middle:.4g} [{min(values):.4g}, {max(values):.4g}] over {len(values)} rounds"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", help="what to measure; all but the long ones without any"
    )
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often (%(default)s)")
    parser.add_argument("--json", type=Path, help="write every round's figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
