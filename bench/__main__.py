"""`python -m bench`: weft beside its peers on this machine, in turn, as ratios.

Each round measures every comparison once, weft first in odd rounds, the peer first in even ones;
the figure is the median over rounds of the ratio within a round, for the machine's state changes by
itself, with its 95 % interval (order statistics; below six rounds the range). Examples:

    python -m bench --list
    python -m bench mpi-latency tcp-stream-iperf3 --rounds 11 --json bench.json
    python -m bench --omb ~/omb omb-bandwidth-8b-openmpi --rounds 9
    python -m bench verbs-send-latency verbs-write-latency --rounds 15
    python -m bench peers --omb ~/omb --imb ~/imb

`peers` is one table of whole programs with an exit status; names after it choose rows by their
beginning. It has 9 rounds, and up to 30 (--rounds) until its intervals are within 5 %.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench import asleep, gathered, loop, ofi, omb, peer_table, staggered, ucx, verbs
from bench.comparisons import Comparison, LeftOutError, comparisons
from bench.own import Cost, costs
from bench.verbs import LabComparison, in_one_boot
from bench.whole_programs import Folders, pairs
from weft.analysis.stats.intervals import order_statistics

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 5
PEERS = "peers"
# The lab's machine takes long to start programs; everything there is asked for by name.
# So does starting hundreds of ranks on a few cores.
LONG = (
    "default-run",
    "ten-million",
    "ranks-asleep-tcp-256",
    "gathered",
    *(entry.name for entry in verbs.comparisons()),
)
Entry = Comparison | LabComparison | Cost
Figures = dict[str, list[dict[str, float]]]


def main() -> None:
    """Measure what was asked for and print a line for each."""
    asked = _arguments()
    if asked.names[:1] == [PEERS]:
        sys.exit(_peers(asked))
    every: list[Entry] = [
        *comparisons(),
        *ucx.comparisons(),
        *ofi.comparisons(),
        *(omb.comparisons(asked.omb) if asked.omb else ()),
        *asleep.costs(),
        *gathered.costs(),
        *loop.costs(),
        *staggered.costs(),
        *costs(),
        *verbs.comparisons(),
    ]
    everything = {entry.name: entry for entry in every}
    if asked.list:
        for name, entry in everything.items():
            sys.stdout.write(f"{name:<32}{entry.what}\n")
        sys.stdout.write(
            f"{PEERS:<32}one table of weft and whole programs: python -m bench peers\n"
        )
        return
    unknown = [name for name in asked.names if name not in everything]
    if unknown:
        sys.exit(f"bench: there is no {unknown[0]}; run python -m bench --list")
    names = asked.names or [name for name in everything if name not in LONG]
    figures = measure([everything[name] for name in names], asked.rounds or ROUNDS)
    for name, rounds in figures.items():
        sys.stdout.writelines(f"{line}\n" for line in _results(everything[name], rounds))
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")


def _peers(asked: argparse.Namespace) -> int:
    every = pairs(Folders(omb=asked.omb, imb=asked.imb))
    chosen = [one for one in every if one.name.startswith(tuple(asked.names[1:]) or ("",))]
    if not chosen:
        names = ", ".join(one.name for one in every)
        sys.exit(f"bench: no row of peers begins so; use one of: {names}")
    status, figures = peer_table.main(chosen, asked.rounds, with_vm=asked.vm)
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")
    return status


def measure(entries: list[Entry], rounds: int) -> Figures:
    """The figures of each round by name: ours and theirs, or the cost."""
    in_lab = [entry.name for entry in entries if isinstance(entry, LabComparison)]
    found: Figures = in_one_boot(in_lab, rounds) if in_lab else {}
    for round_ in range(rounds):
        for entry in entries:
            if isinstance(entry, LabComparison):
                continue
            try:
                figures = _once(entry, round_)
            except LeftOutError as error:
                sys.stderr.write(f"round {round_ + 1}: skipped: {entry.name}: {error}\n")
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


def _results(entry: Entry, rounds: list[dict[str, float]]) -> Iterator[str]:
    """Median and interval over rounds: of the ratios within a round, or of each figure."""
    yield f"{entry.name}: {entry.what}"
    if not isinstance(entry, Cost):
        better = "less" if entry.figure == "latency_ns" else "more"
        ratios = [figures["ours"] / figures["theirs"] for figures in rounds]
        yield f"  ratio ({better} is better) {middle_and_interval(ratios)}"
    for name in rounds[0]:
        unit = "" if isinstance(entry, Cost) else f" {entry.figure}"
        yield f"  {name}{unit} {middle_and_interval([figures[name] for figures in rounds])}"


def middle_and_interval(values: list[float]) -> str:
    """The median with its 95 % interval by order statistics, or with the range of a few."""
    found = order_statistics(len(values))
    low, high = (found[0], found[1]) if found else (0, len(values) - 1)
    ordered = sorted(values)
    name = "95 %" if found else "range"
    return (
        f"{statistics.median(values):.4g} [{ordered[low]:.4g}, {ordered[high]:.4g}]"
        f" ({name}) over {len(values)} rounds"
    )


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
    parser.add_argument(
        "--rounds", type=int, help=f"how often (default: {ROUNDS}; of {PEERS}: 9 to at most 30)"
    )
    for suite, name in (("omb", "the OSU Micro-Benchmarks"), ("imb", "the Intel MPI Benchmarks")):
        variable = f"WEFT_BENCH_{suite.upper()}"
        parser.add_argument(
            f"--{suite}", type=Path, default=os.environ.get(variable),
            help=f"folder in which {name} were built (default: ${variable})",
        )  # fmt: skip
    parser.add_argument(
        "--vm", action="store_true", help=f"with {PEERS}: perftest in the lab's machine too"
    )
    parser.add_argument("--json", type=Path, help="write every round's figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
