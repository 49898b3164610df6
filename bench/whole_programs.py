"""Peers as whole programs, and weft as a user starts it: what `python -m bench peers` compares.

A pair measures several message sizes. Both sides are pinned to the same two cores and report the
same statistic, and both wait in the same way unless the pair says otherwise.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from bench import ofi, omb, peers, ucx
from bench.comparisons import (
    LARGEST_SOCKPERF,
    MEBIBYTE,
    POLL,
    SMALLEST_SOCKPERF,
    WEFT,
    LeftOutError,
)
from weft.analysis.summary import summarise
from weft.record.run import load

SIZES = (8, 64 << 10, MEBIBYTE)
BUDGET = "8s"
LAUNCHES = 2
DEADLINE_S = 120
DEBIAN = "scripts/install-system-packages bench"
BLOCKS = ("--wait", "block")
Kind = Literal["latency", "bandwidth"]
Statistic = Literal["median", "mean"]
Figures = dict[int, float]


class Folders(msgspec.Struct, frozen=True):
    """Where the suites that Debian lacks were built; None without a folder from the user."""

    omb: Path | None = None
    imb: Path | None = None


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A program and the test of weft that measures the same: latencies in ns or B/s by size.

    `missing` is the command that adds the peer, empty if it is here. `remark` says why a pair is
    not like-for-like; such a pair is shown and does not decide.
    """

    name: str
    peer: str
    kind: Kind
    statistic: Statistic
    test: str
    transport: str
    theirs: Callable[[], Figures]
    words: tuple[str, ...] = ()
    sizes: tuple[int, ...] = SIZES
    missing: str = ""
    remark: str = ""

    def ours(self) -> Figures:
        """One `weft run`. Raises LeftOutError if weft cannot measure this here."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.jsonl"
            done = subprocess.run(
                [WEFT, "run", self.test, "--transport", self.transport,
                 "--sizes", ",".join(map(str, self.sizes)), "--launches", str(LAUNCHES),
                 "--budget", BUDGET, "--precision", "100%", "--no-report", "-o", str(path),
                 *self.words],
                capture_output=True, text=True, timeout=DEADLINE_S, check=False,
            )  # fmt: skip
            if not path.exists():
                raise LeftOutError(done.stderr.strip().splitlines()[-1])
            return figures_of_record(path, self.kind, self.statistic)


def figures_of_record(path: Path, kind: Kind, statistic: Statistic) -> Figures:
    """By size, from all launches of a record of one test: the median as weft reports it, or a mean.

    A mean bandwidth is all bytes divided by all of the time, as other programs compute it.
    Raises LeftOutError if a size has no value.
    """
    run = load(path)
    summaries = summarise(run)
    for one in summaries:
        if one.latency_ns is None and one.bandwidth_bytes_per_s is None:
            raise LeftOutError(f"{one.case}: {one.reason}")
    column = "latency_ns" if kind == "latency" else "bandwidth_bytes_per_s"
    if statistic == "median":
        return {one.bytes: getattr(one, column).value for one in summaries}
    samples = run.samples.filter(~run.samples["warmup"])
    values: dict[int, list[float]] = defaultdict(list)
    for size, value in samples.select("bytes", column).iter_rows():
        values[size].append(value)
    mean = statistics.fmean if kind == "latency" else statistics.harmonic_mean
    return {size: mean(own) for size, own in values.items()}


def pairs(folders: Folders) -> list[Pair]:
    """All of them, in the order of the table."""
    return [*_of_omb(folders.omb), *_of_imb(folders.imb), *_of_tcp(), *_of_ucx(), *_of_ofi()]


def _each(once: Callable[[int], float], sizes: tuple[int, ...] = SIZES) -> Callable[[], Figures]:
    """A peer that is started once per size."""
    return lambda: {size: once(size) for size in sizes}


def _here(program: str) -> str:
    return "" if shutil.which(program) else DEBIAN


def _of_omb(folder: Path | None) -> Iterator[Pair]:
    for name, (kind, test, words, _) in omb.PROGRAMS.items():
        facts = {
            "kind": "latency" if kind == "latency" else "bandwidth", "statistic": "mean",
            "test": test, "transport": "mpi",
        }  # fmt: skip
        yield from _of_suite(
            f"mpi-{kind}-{name}", name, folder, "--omb", _omb_figures, words, facts
        )


def _of_imb(folder: Path | None) -> Iterator[Pair]:
    facts = {"kind": "latency", "statistic": "mean", "test": "ping_pong", "transport": "mpi"}
    yield from _of_suite("mpi-latency-imb", "IMB-MPI1", folder, "--imb", _imb_figures, (), facts)


def _of_suite(
    name: str,
    program: str,
    folder: Path | None,
    option: str,
    figures: Callable[[Path, str], Figures],
    words: tuple[str, ...],
    facts: dict[str, str],
) -> Iterator[Pair]:
    """A pair for each MPI with which a program was built, or one that says how to add it."""
    found = omb.built(folder, program) if folder else []
    for path in found:
        mpi = omb.mpi_of(path)
        yield _pair(f"{name}-{mpi}", f"{path.name} ({mpi})", partial(figures, path, mpi),
                    words=(*words, "--mpi", mpi), **facts)  # fmt: skip
    if not found:
        missing = f"make bench ARGS='peers {option} FOLDER', FOLDER with a built {program}"
        yield _pair(name, program, dict, missing=missing, **facts)


def _pair(name: str, peer: str, theirs: Callable[[], Figures], **facts: object) -> Pair:
    return msgspec.convert({"name": name, "peer": peer, "theirs": theirs, **facts}, Pair)


def _omb_figures(program: Path, mpi: str) -> Figures:
    told = peers.told_by(omb.on_two_cores(mpi, [str(program), "-m", f"{SIZES[0]}:{SIZES[-1]}"]))
    return {size: omb.figure_of(told, size) for size in SIZES}


def _imb_figures(program: Path, mpi: str) -> Figures:
    first, last = (size.bit_length() - 1 for size in (SIZES[0], SIZES[-1]))
    words = [str(program), "PingPong", "-msglog", f"{first}:{last}"]
    return parse_imb(peers.told_by(omb.on_two_cores(mpi, words)))


def parse_imb(told: str) -> Figures:
    """The latencies of IMB's PingPong: size, repetitions, microseconds and MB/s on each line.

    Raises RuntimeError if a size is missing.
    """
    rows = re.findall(r"^\s*(\d+)\s+\d+\s+([0-9.]+)\s+[0-9.]+\s*$", told, re.MULTILINE)
    found = {int(size): float(time_us) * 1e3 for size, time_us in rows}
    if not set(SIZES) <= set(found):
        raise RuntimeError(f"IMB printed no value of some size: {told[-300:]}")
    return {size: found[size] for size in SIZES}


def _of_tcp() -> Iterator[Pair]:
    latency = {"kind": "latency", "test": "ping_pong", "transport": "tcp"}
    stream = {"kind": "bandwidth", "statistic": "mean", "test": "stream", "transport": "tcp"}
    yield _pair(
        "tcp-latency-netpipe", "NPtcp", _each(peers.netpipe_latency_ns), words=BLOCKS,
        statistic="median", missing=_here("NPtcp"), **latency,
    )  # fmt: skip
    sizes = (SMALLEST_SOCKPERF, LARGEST_SOCKPERF)
    yield _pair(
        "tcp-latency-sockperf", f"sockperf {POLL}",
        _each(lambda size: peers.sockperf_latency_ns(size, POLL), sizes), sizes=sizes,
        statistic="median", missing=_here("sockperf"), **latency,
    )  # fmt: skip
    sizes = SIZES[1:]
    iperf3 = _each(peers.iperf3_stream_bytes_per_s, sizes)
    for name, words, remark in (
        ("tcp-bandwidth-iperf3", (), "weft polls, iperf3 sleeps"),
        ("tcp-bandwidth-iperf3-blocking", BLOCKS, ""),
    ):
        yield _pair(
            name, "iperf3", iperf3, sizes=sizes, words=(*omb.ONE_BUFFER, *words), remark=remark,
            missing=_here("iperf3"), **stream,
        )  # fmt: skip


def _of_ucx() -> Iterator[Pair]:
    lanes = ("--option", f"ucx.tls={ucx.ANY_LANES}")
    missing = _here("ucx_perftest")
    yield _pair(
        "ucx-latency-perftest", "ucx_perftest tag_lat",
        _each(lambda size: ucx.perftest_latency_ns("tag_lat", size, _count(size), ucx.ANY_LANES)),
        kind="latency", statistic="median", test="ping_pong", transport="ucx", words=lanes,
        missing=missing,
    )  # fmt: skip
    yield _pair(
        "ucx-bandwidth-perftest", "ucx_perftest tag_bw",
        _each(
            lambda size: ucx.perftest_bandwidth_bytes_per_s(
                "tag_bw", size, _count(size), ucx.ANY_LANES
            )
        ),
        kind="bandwidth", statistic="mean", test="stream", transport="ucx",
        words=(*lanes, "--option", "ucx.multi_send=yes", "--queue-depth", str(ucx.QUEUE_DEPTH),
               *omb.ONE_BUFFER),
        missing=missing,
    )  # fmt: skip


def _of_ofi() -> Iterator[Pair]:
    yield _pair(
        "ofi-latency-pingpong", "fi_pingpong",
        _each(lambda size: ofi.pingpong_latency_ns("shm", size, _count(size))),
        kind="latency", statistic="mean", test="ping_pong", transport="ofi",
        words=("--option", "ofi.provider=shm"), missing=_here("fi_pingpong"),
    )  # fmt: skip


def _count(size: int) -> int:
    """Messages that take a fraction of a second."""
    return 100_000 if size <= 1 << 10 else 10_000 if size < MEBIBYTE else 2_000
