"""Does weft's whole chain give back what is known? `make truth`, or `python -m bench.truth`.

Platforms of drawn numbers are simulated: their latency, overheads, protocols and bus are known.
Each is run, its record is fitted, calibrated from and compared with the next one's. Then the same
records get the noise of real machines (an effect of 1 % of each of five launches, a skewed tail of
each sample), and the shares of the 95 % intervals that hold the truth are counted. Prints Markdown;
docs/validation/simulation.md has what it printed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.analysis.fits.models import fit_models
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.plan.cases import Experiment
from weft.plan.request import simulation
from weft.plan.simulated import SimulatedPlatform
from weft.record.run import Run, load
from weft.session import start
from weft.sim.crossbar import at_crossbar
from weft.sim.measured import calibrated_from
from weft.sim.protocols import Piece, Protocols
from weft.sources.series import series_of_record

if TYPE_CHECKING:
    from weft.estimate import Estimate
    from weft.record.model import Batch

SIZES = "1..1MiB"
DELAYED = "8,64,128,256"
LAUNCHES = 5
SAMPLES = 15
LAUNCH_EFFECT, TAIL = 0.01, 0.02
# Where the gamma distribution of shape 2 has half of its values below.
MEDIAN_OF_GAMMA_2 = 1.6783469900166605


class Found(msgspec.Struct):
    """Errors of each quantity in %, and whether each interval held the truth."""

    errors: dict[str, list[float]]
    held: dict[str, list[bool]]

    def compare(self, what: str, own: float, truth: float) -> None:
        """A figure without noise."""
        self.errors[what].append(100 * abs(own / truth - 1))

    def cover(self, what: str, own: Estimate | None, truth: float) -> None:
        """An interval with noise; one end further out where rounding makes them equal."""
        if own is not None and own.is_bounded:
            self.held[what].append(own.low <= truth <= own.high)


def drawn(random: np.random.Generator) -> Protocols:
    """A platform as there may be: 1 to 10 us, 0.2 to 20 GB/s, a switch from 1 to 64 KiB."""
    latency = float(np.exp(random.uniform(np.log(1000), np.log(10_000))))
    per_byte = float(np.exp(random.uniform(np.log(0.05), np.log(5))))
    switch = int(2 ** random.integers(10, 17))
    post, blocking, receive = (float(latency * random.uniform(0.05, 0.3)) for _ in range(3))
    # What is published jumps up by a fifth and more where the rendezvous begins.
    later = latency + float(random.uniform(0.2, 1.5)) * (latency + per_byte * switch)
    return Protocols(
        transfer=(Piece(0, latency, per_byte), Piece(switch, later, per_byte)),
        blocking_send=(Piece(0, blocking),),
        send=(Piece(0, post),),
        receive=(Piece(0, receive),),
        eager_below_bytes=switch,
        bus_factor=float(random.uniform(1.05, 1.9)),
    )


def record_of(protocols: Protocols, folder: Path, name: str) -> Run:
    """Its tests, simulated: two launches, for LogGP wants them."""
    named = SimulatedPlatform(name=name, kind="model", nodes=2)
    platform = at_crossbar(named, protocols, name)
    tests = ("ping_pong", "sendrecv", "stream")
    delays = ("burst", "paused_burst", "late_receive")
    parts = (
        Experiment(tests=tests, sizes=SIZES, ranks=2),
        Experiment(tests=delays, sizes=DELAYED, ranks=2),
    )
    request = simulation(
        platform,
        parts,
        folder / f"{name}.jsonl",
        launches=2,
        command=("bench.truth",),
        budget_s=600.0,
        case_deadline_s=60.0,
    )
    path, _ = start(request, lambda _: None)
    return load(path)


def noisy(run: Run, random: np.random.Generator) -> Run:
    """The record as if five launches of a real machine had measured it."""
    first: dict[str, Batch] = {}
    for batch in run.measured:
        first.setdefault(batch.case, batch)
    launch = run.lines.launches[0]
    batches: list[Batch] = []
    launches = []
    for number in range(LAUNCHES):
        effect = np.exp(random.normal(0, LAUNCH_EFFECT))
        launches.append(msgspec.structs.replace(launch, launch=number))
        for batch in first.values():
            level = sorted(batch.ticks[batch.warmup :])[1]
            tail = 1 + TAIL * (random.gamma(2.0, 1.0, SAMPLES) - MEDIAN_OF_GAMMA_2)
            ticks = tuple(round(level * effect * one) for one in tail)
            batches.append(
                msgspec.structs.replace(
                    batch, launch=number, ticks=ticks, warmup=0, parts={}, order=len(batches)
                )
            )
    plan = msgspec.structs.replace(run.header.plan, simulated=None, launches=LAUNCHES)
    header = msgspec.structs.replace(run.header, plan=plan)
    lines = msgspec.structs.replace(
        run.lines, header=header, batches=tuple(batches), launches=tuple(launches), ends=()
    )
    return Run(run.path, lines)


def look_at_run(run: Run, truth: Protocols, found: Found) -> None:
    """The figures that a table shows."""
    for row in summarise(run):
        if row.test == "ping_pong" and row.latency_ns:
            found.compare("run: ping_pong", row.latency_ns.value, truth.ping_pong_ns(row.bytes))
        if row.test == "sendrecv" and row.latency_ns:
            found.compare("run: sendrecv", row.latency_ns.value, truth.sendrecv_ns(row.bytes))
        if row.test == "stream" and row.bandwidth_bytes_per_s and row.bytes == 1 << 20:
            rate = row.bandwidth_bytes_per_s.value
            found.compare("run: stream of 1 MiB", rate, truth.bandwidth_bytes_per_s)
        if row.test == "late_receive" and row.latency_ns:
            found.compare("run: late_receive", row.latency_ns.value, truth.receive[0].ns)


def look_at_fits(run: Run, truth: Protocols, found: Found) -> None:
    """The piecewise model, the switch of protocol, LogGP."""
    [(series, stream)] = series_of_record(run)
    models = fit_models(series, stream)
    line = truth.transfer[-1]
    if models.piecewise is not None:
        ends = models.piecewise.segments
        eager = truth.ping_pong_ns(0)
        found.compare("fit: latency of the first line", ends[0].latency_ns.value, eager)
        own = ends[-1].slope_ns_per_byte.value
        found.compare("fit: time of a byte, last line", own, line.ns_per_byte)
        at = [one.at_bytes for one in models.piecewise.switches]
        found.errors["fit: switch of protocol missed or invented"].append(
            0.0 if at == [truth.eager_below_bytes] else 100.0
        )
    if models.loggp is not None and models.loggp.latency_ns is not None:
        small = models.loggp.overheads[0]
        found.compare("LogGP: o_s", small.send_ns.value, truth.send[0].ns)
        if small.receive_ns is not None:
            found.compare("LogGP: o_r", small.receive_ns.value, truth.receive[0].ns)
        found.compare("LogGP: L", models.loggp.latency_ns.value, truth.transfer[0].ns)
    made = calibrated_from((run,), "", "model", 2).protocols
    for size in (3000, 100_000, 700_000):
        found.compare("calibrate: ping_pong", made.ping_pong_ns(size), truth.ping_pong_ns(size))
        found.compare("calibrate: sendrecv", made.sendrecv_ns(size), truth.sendrecv_ns(size))


def look_at_intervals(run: Run, truth: Protocols, found: Found) -> None:
    """Which intervals hold the truth, with noise."""
    for row in summarise(run):
        if row.test == "ping_pong":
            found.cover("ping_pong", row.latency_ns, truth.ping_pong_ns(row.bytes))
        if row.test == "sendrecv":
            found.cover("sendrecv", row.latency_ns, truth.sendrecv_ns(row.bytes))
    [(series, _)] = series_of_record(run, "ping_pong")
    piecewise = fit_models(series).piecewise
    if piecewise is not None:
        line = truth.transfer[-1]
        found.cover("fit: latency of the first line", piecewise.segments[0].latency_ns,
                    truth.ping_pong_ns(0))  # fmt: skip
        found.cover("fit: time of a byte, last line", piecewise.segments[-1].slope_ns_per_byte,
                    line.ns_per_byte)  # fmt: skip
        at = [one.at_bytes for one in piecewise.switches]
        found.held["fit: the one switch of protocol"].append(at == [truth.eager_below_bytes])


def look_at_pairs(runs: list[tuple[Run, Protocols]], found: Found) -> None:
    """Ratios of each platform to the next, and where they change places."""
    for (one, mine), (other, theirs) in pairwise(runs):
        left, right = _latencies(one), _latencies(other)
        for size in left:
            true = mine.ping_pong_ns(size) / theirs.ping_pong_ns(size)
            own = left[size] / right[size]
            found.compare("comparison: ratio", own, true)
            found.errors["comparison: wrong order"].append(100.0 * ((own > 1) != (true > 1)))


def _latencies(run: Run) -> dict[int, float]:
    return {
        row.bytes: row.latency_ns.value
        for row in summarise(run)
        if row.test == "ping_pong" and row.latency_ns
    }


def main() -> None:
    """Print a table of errors and one of coverage."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth")
    parser.add_argument("--platforms", type=int, default=10)
    count = parser.parse_args().platforms
    random = np.random.default_rng(20261122)
    found = Found(defaultdict(list), defaultdict(list))
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            truth = drawn(random)
            run = record_of(truth, Path(folder), f"drawn-{number}")
            runs.append((run, truth))
            look_at_run(run, truth, found)
            try:
                look_at_fits(run, truth, found)
            except WeftError as error:
                print(f"{run.path.name}: {error.what}")
            for _ in range(10):
                look_at_intervals(noisy(run, random), truth, found)
        look_at_pairs(runs, found)
    print(f"\n| {count} platforms, no noise | figures | median error | largest error |")
    print("|---|---|---|---|")
    for what, errors in found.errors.items():
        print(f"| {what} | {len(errors)} | {np.median(errors):.3f} % | {max(errors):.3f} % |")
    print("\n| With noise, 5 launches | intervals | hold the truth |")
    print("|---|---|---|")
    for what, held in found.held.items():
        print(f"| {what} | {len(held)} | {np.mean(held):.1%} |")


if __name__ == "__main__":
    main()
