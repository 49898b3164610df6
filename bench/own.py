"""What weft itself costs: between batches, at its start, in memory, over a whole default run."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import psutil

from bench.comparisons import WEFT
from bench.ten_million import measured
from weft.launch.launcher import Job
from weft.launch.local import LocalLauncher
from weft.launch.programs import choose_mpi, programs

BATCHES = 300
LOOK_EVERY_S = 0.02


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of weft's own that have no peer, by name with their unit last."""

    name: str
    what: str
    measure: Callable[[], dict[str, float]]


def costs() -> tuple[Cost, ...]:
    """All of them; the last takes a minute a round."""
    return (
        Cost(
            name="between-batches",
            what="from one batch to the next without the measuring, median of 300",
            measure=lambda: {"between_us": between_batches_us()},
        ),
        Cost(name="start-up", what="weft --help", measure=lambda: {"help_s": help_s()}),
        Cost(
            name="short-run",
            what="weft run --budget 10s --launches 2 with its report: until the first rank is"
            " there, after the last has gone, in all; peak memory of it and of what it starts",
            measure=lambda: figures_of(
                ["--budget", "10s", "--launches", "2", "--precision", "100%"]
            ),
        ),
        Cost(
            name="ten-million",
            what="a record of 10^7 samples loaded, summarised, fitted and reported: seconds of the"
            " processor for each, peak memory, and until it has ended",
            measure=measured,
        ),
        Cost(
            name="default-run",
            what="weft run without an option, with its report: the same",
            measure=lambda: figures_of([]),
        ),
    )


def between_batches_us() -> float:
    """Python, pipes, parsing and telling the other rank, of cases that measure next to nothing."""
    mpi = choose_mpi()
    program = next(p for p in programs(mpi) if p.transport == "tcp")
    case = {"test": "ping_pong", "bytes": 8, "samples": 1, "warmup": 0, "ops_per_sample": 1}
    spent = []
    with LocalLauncher().start(Job(program=program.path, mpi=mpi, ranks=2)) as ranks:
        ranks.hello()
        for number in range(BATCHES):
            start = time.perf_counter_ns()
            answer = ranks.run({**case, "id": number, "verify": False}, 10)
            spent.append(time.perf_counter_ns() - start - answer.elapsed_ns)
        ranks.finish()
    return statistics.median(spent) / 1e3


def help_s() -> float:
    """Seconds that `weft --help` takes."""
    start = time.perf_counter()
    subprocess.run([WEFT, "--help"], capture_output=True, check=True, timeout=60)
    return time.perf_counter() - start


class Watched(msgspec.Struct, kw_only=True):
    """What was seen of one `weft run`."""

    whole_s: float = 0.0
    until_ranks_s: float = 0.0
    after_ranks_s: float = 0.0
    peak_bytes: int = 0
    rank_peak_bytes: int = 0


def figures_of(words: list[str]) -> dict[str, float]:
    """One `weft run` with these options, all tests and transports."""
    seen = _watched(words)
    return {
        "until_ranks_s": seen.until_ranks_s,
        "after_ranks_s": seen.after_ranks_s,
        "whole_s": seen.whole_s,
        "peak_mb": seen.peak_bytes / 1e6,
        "largest_child_peak_mb": seen.rank_peak_bytes / 1e6,
    }


def _watched(words: list[str]) -> Watched:
    """Looks at the processes of a run until it ends; ranks are what names a rank program."""
    seen = Watched()
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with subprocess.Popen(
            [WEFT, "run", *words, "-o", str(Path(folder) / "r.jsonl")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        ) as process:
            last_ranks = start
            while process.poll() is None:
                if _look(psutil.Process(process.pid), seen):
                    last_ranks = time.perf_counter()
                    seen.until_ranks_s = seen.until_ranks_s or last_ranks - start
                time.sleep(LOOK_EVERY_S)
        seen.whole_s = time.perf_counter() - start
        seen.after_ranks_s = start + seen.whole_s - last_ranks
    if process.returncode not in (0, 1):
        raise RuntimeError(f"weft run ended with status {process.returncode}")
    return seen


def _look(weft: psutil.Process, seen: Watched) -> bool:
    """Take the high-water marks as they are now; whether there are ranks."""
    seen.peak_bytes = max(seen.peak_bytes, _peak_bytes(weft))
    ranks = False
    try:
        for child in weft.children(recursive=True):
            seen.rank_peak_bytes = max(seen.rank_peak_bytes, _peak_bytes(child))
            words = child.cmdline()
            ranks = ranks or (bool(words) and "/rank-" in words[0] and "--describe" not in words)
    except psutil.Error:
        pass  # It ended between two looks.
    return ranks


def _peak_bytes(process: psutil.Process) -> int:
    """The kernel's high-water mark of a process (proc(5), VmHWM); 0 once it has ended."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    marks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(marks[0]) * 1024 if marks else 0
