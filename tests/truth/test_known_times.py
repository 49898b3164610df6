"""From known times to every figure that a user can read.

The engine's own patterns run on a fabric whose costs are ours, so the time of an operation follows
from a formula on this page. It is followed through the pattern's own description, the record and
the analysis to the JSON, the terminal, the page, the CSV, the LaTeX and the drawing.
"""

import os
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from typer.testing import CliRunner

import weft
from support.drawn import page_plots, page_tables, svg_points
from support.in_process import weft_here
from support.printed import result_of
from support.virtual import Costs, described, run_virtual, shared_record
from weft.cli.main import app
from weft.record.run import Run
from weft.units import parse_bandwidth, parse_time

SIZES = (100, 10_000)
COSTS = Costs(latency=50, clock_read=4)
TOKEN_BYTES = 32
WINDOW = 64
LAUNCHES = 3
SAMPLES = 20


class Truth(msgspec.Struct, frozen=True):
    """What one test is to give: the ticks of `n` operations of `b` bytes, the operations in one
    latency (0: it has none), and the messages that count in an operation's bandwidth.

    `spare` is how many ticks of a sample the formula leaves open.
    """

    ticks: Callable[[Costs, int, int], float]
    halves: int
    messages: int
    spare: float = 0


def one_way(c: Costs, b: int) -> int:
    """A message from the call that sends it until it is taken in."""
    return c.send_overhead + c.per_byte * b + c.latency + c.receive_overhead


def put(c: Costs, b: int) -> int:
    """A put until it is in the peer's memory: nobody takes it in."""
    return c.send_overhead + c.per_byte * b + c.latency


def streamed(c: Costs, b: int, n: int) -> int:
    """n messages on one wire until the last is taken in."""
    return n * c.per_byte * b + one_way(c, 0)


def together(c: Costs, b: int, n: int) -> int:
    """n operations of all ranks: their words there and back, and a message's bytes."""
    return n * (2 * c.latency + c.per_byte * b) + (n - 1) * c.clock_read


# With the wire busy all the time a stream takes what its bytes take, once the way of one message,
# and the receiver's word. Exchanges leave open which rank is ahead, by less than a message's calls.
TRUTHS = {
    "ping_pong": Truth(lambda c, b, n: n * 2 * one_way(c, b), 2, 2),
    "ping_ping": Truth(lambda c, b, n: n * one_way(c, b), 1, 1, spare=18),
    "sendrecv": Truth(lambda c, b, n: n * one_way(c, b), 1, 2, spare=18),
    "put_ping_pong": Truth(lambda c, b, n: n * 2 * put(c, b), 2, 2),
    "put_notify_ping_pong": Truth(lambda c, b, n: n * 2 * one_way(c, b), 2, 2),
    "put_latency": Truth(lambda c, b, n: n * (put(c, b) + c.latency), 1, 1),
    "get_latency": Truth(lambda c, b, n: n * (put(c, b) + c.latency), 1, 1),
    "stream": Truth(lambda c, b, n: streamed(c, b, n) + one_way(c, TOKEN_BYTES), 0, 1),
    "window_stream": Truth(
        lambda c, b, n: n // WINDOW * (streamed(c, b, WINDOW) + one_way(c, TOKEN_BYTES)), 0, 1
    ),
    "put_stream": Truth(lambda c, b, n: n * c.per_byte * b + put(c, 0) + c.latency, 0, 1),
    "get_stream": Truth(lambda c, b, n: n * c.per_byte * b + put(c, 0) + c.latency, 0, 1),
    # Rank 0 sends a word, and its messages a round trip of such words later.
    "bidirectional_stream": Truth(
        lambda c, b, n: (
            (c.send_overhead + c.per_byte * TOKEN_BYTES)
            + (2 * one_way(c, TOKEN_BYTES) + 2 * c.clock_read)
            + streamed(c, b, n)
            + one_way(c, TOKEN_BYTES)
        ),
        0,
        2,
    ),
    # Eight at most are registered between two reads of the clock.
    "registration": Truth(
        lambda c, _, n: n * c.register_buffer + (-(-n // 2) - 1) * c.clock_read, 1, 0
    ),
    "register_ping_pong": Truth(lambda c, b, n: n * 2 * (c.register_buffer + one_way(c, b)), 2, 2),
    # Each operation has two reads of the clock; all ranks leave together.
    "allreduce": Truth(together, 1, 0),
    "alltoall": Truth(together, 1, 0),
    "allgather": Truth(together, 1, 0),
    # The mean of the root's time, who only sends, and of the other rank's.
    "broadcast": Truth(
        lambda c, b, n: (
            n * (c.send_overhead + (c.per_byte * b + c.latency) / 2) + (n - 1) * c.clock_read
        ),
        1,
        0,
    ),
}
# These have a test of their own below, or in engine/tests only; what they declare is held here.
DECLARED = {
    "host_overhead": (2, 0),
    "burst": (1, 0),
    "paused_burst": (1, 0),
    "late_receive": (1, 0),
    "send_overlap": (1, 0),
    "receive_overlap": (1, 0),
    "put_overlap": (1, 0),
    "get_overlap": (1, 0),
    "bidirectional_window_stream": (0, 2),
    "busy_stream": (0, 1),
    "hot_spot_send": (0, 1),
    "hot_spot_receive": (0, 1),
    "random_pairs": (0, 1),
    "message_rate": (0, 1),
    "pair_rounds": (1, 1),
    "shift": (1, 2),
    "offered_load": (1, 0),
    "register_stream": (0, 1),
    "copy": (1, 1),
    "halo": (1, 0),
    "milc": (1, 0),
    "barrier": (1, 0),
}


class Known(msgspec.Struct, frozen=True):
    """A case of the run with its true time of an operation in ns, and how far that may be off.

    `spread` is how far launches differ, whose samples have unlike numbers of operations.
    """

    test: str
    bytes: int
    time_ns: float
    within: float
    spread: float

    @property
    def latency_ns(self) -> float | None:
        halves = TRUTHS[self.test].halves
        return self.time_ns / halves if halves else None

    @property
    def bandwidth_bytes_per_s(self) -> float | None:
        moved = TRUTHS[self.test].messages * self.bytes
        return moved * 1e9 / self.time_ns if moved else None

    @property
    def shown(self) -> float:
        """What tables show of it: the latency, or the bandwidth where it has none."""
        return self.latency_ns or self.bandwidth_bytes_per_s or 0.0


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_record(tmp_path_factory, "known", _measure)


def _measure(folder: Path) -> None:
    costs = msgspec.structs.replace(COSTS, register_buffer=30, deregister_buffer=20)
    # A rank program of a few benchmarks is a copy with a planted bug.
    there = described()
    done = run_virtual(
        folder, [name for name in TRUTHS if name in there],
        "--sizes", ",".join(map(str, SIZES)), "--samples", str(SAMPLES),
        "--launches", str(LAUNCHES), "--budget", "100s", "--no-report", costs=costs,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def run(record: Path) -> Run:
    return weft.load(record)


@pytest.fixture(scope="module")
def known(run: Run) -> list[Known]:
    costs = msgspec.structs.replace(COSTS, register_buffer=30, deregister_buffer=20)
    found = []
    for key, case in run.cases.items():
        truth = TRUTHS[case.test]
        launches = [b.ops_per_sample for b in run.measured if b.case == key]
        assert len(launches) == LAUNCHES
        # Between the two reads of the clock lies one read's cost.
        ticks = {n: truth.ticks(costs, case.bytes, n) + costs.clock_read for n in launches}
        times_ns = [ticks[n] * costs.tick_ns / n for n in launches]
        spread = max(times_ns) / min(times_ns) - 1
        found.append(
            Known(
                case.test,
                case.bytes,
                statistics.median(times_ns),
                within=1e-9 + truth.spare / min(ticks.values()),
                spread=spread,
            )
        )
    return found


def output(*words: object) -> str:
    done = weft_here(words, os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


def near(truth: float | None, within: float) -> Any:
    return None if truth is None else pytest.approx(truth, rel=within)


def test_every_pattern_has_its_truth_here() -> None:
    """A new benchmark says here what its figures are."""
    patterns = described()
    assert set(patterns) == {*TRUTHS, *DECLARED}
    truths = {name: (truth.halves, truth.messages) for name, truth in TRUTHS.items()}
    told = {name: (one.latency_divisor, one.bandwidth_factor) for name, one in patterns.items()}
    assert told == {**truths, **DECLARED}


def test_the_json_has_the_true_figures(record: Path, known: list[Known]) -> None:
    rows = {(r["test"], r["bytes"]): r for r in result_of(output("show", record, "--json"))}
    assert len(rows) == len(known)
    for one in known:
        row = rows[one.test, one.bytes]
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            truth = near(getattr(one, name), one.within)
            told = row.get(name)
            assert (told and told["value"]) == truth, (one, told)
        if one.latency_ns:
            loose = one.within + one.spread
            of = "_of_means" if max(row["ops_per_sample"]) > 1 else ""
            assert row[f"minimum{of}_latency_ns"] == near(one.latency_ns, loose)
            assert set(row[f"percentiles{of}_latency_ns"]) == {"25", "75"}
            for value in row[f"percentiles{of}_latency_ns"].values():
                assert value == near(one.latency_ns, loose)


def test_the_samples_and_the_summary_as_csv_have_them(record: Path, known: list[Known]) -> None:
    samples, summary = record.with_name("samples.csv"), record.with_name("summary.csv")
    output("export", record, "--csv", samples)
    output("export", record, "--csv", summary, "--table", "summary")
    raw, rows = pl.read_csv(samples), pl.read_csv(summary)
    for one in known:
        where = (pl.col("test") == one.test) & (pl.col("bytes") == one.bytes)
        [row] = rows.filter(where).to_dicts()
        measured = raw.filter(where & ~pl.col("warmup"))
        assert measured.height == LAUNCHES * SAMPLES
        assert measured["time_ns"].median() == near(one.time_ns, one.within)
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            truth = near(getattr(one, name), one.within)
            assert row[name] == truth
            assert measured[name].median() == truth
        if one.latency_ns:
            of = "" if set(str(row["ops_per_sample"]).split("; ")) == {"1"} else "_of_means"
            told = row[f"latency{of}_ns_p75"]
            assert told == near(one.latency_ns, one.within + one.spread)


def read_figure(cell: str) -> float:
    """The number that a table's cell begins with, in ns or bytes a second."""
    match = re.match(r"([\d.]+) (ns|µs|ms|[kMG]?B/s)\b", cell)
    assert match, cell
    parse = parse_time if match[2].endswith("s") and "/" not in match[2] else parse_bandwidth
    return parse(f"{match[1]} {match[2]}")


def test_the_terminal_shows_them(record: Path, run: Run, known: list[Known]) -> None:
    told = output("show", record)
    for one in known:
        title = run.patterns[one.test].title
        part = told.partition(f"{title} ({one.test}):")[2].partition("\n\n")[0]
        [line] = [text for text in part.splitlines() if text.strip().startswith(f"{one.bytes} B ")]
        cell = line.strip().removeprefix(f"{one.bytes} B").strip()
        assert read_figure(cell) == near(one.shown, 0.005 + one.within), line


@pytest.mark.usefixtures("undrawn")
def test_the_page_shows_them_in_its_curves_and_its_table(
    record: Path, run: Run, known: list[Known]
) -> None:
    page = record.with_name("r.html")
    done = CliRunner().invoke(app, ["report", str(record), "-o", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    plots, tables = page_plots(text), page_tables(text)
    titles = re.findall("<caption>(.*?)</caption>", text)
    cells = {
        (title, row[0]): cell
        for title, (head, *rows) in zip(titles, tables, strict=True)
        if head == ["size", "virtual"]
        for row in rows
        for cell in row[1:]
    }
    drawn = 0
    for one in known:
        title = run.patterns[one.test].title
        cell = cells[title, f"{one.bytes} B"]
        assert read_figure(cell) == near(one.shown, 0.005 + one.within), cell
        if one.test not in plots:
            continue
        [trace] = plots[one.test]["tracks"]
        unit = 1e-3 if one.latency_ns else 1e-6
        assert plots[one.test]["y"].endswith("µs" if one.latency_ns else "MB/s")
        assert trace["y"][trace["x"].index(one.bytes)] == near(one.shown * unit, one.within)
        drawn += 1
    assert drawn >= 2 * 10


@pytest.mark.parametrize("test", ["ping_pong", "sendrecv", "put_latency"])
def test_a_drawing_has_its_points_where_they_belong(
    record: Path, known: list[Known], test: str
) -> None:
    path = record.with_name(f"{test}.svg")
    output("figure", record, "-o", path, "--show", test)
    own = [one for one in known if one.test == test]
    unit = 1e-3 if own[0].latency_ns else 1e-6
    assert [y for _, y in svg_points(path.read_text())] == [
        near(one.shown * unit, 0.002 + one.within) for one in own
    ]


@pytest.mark.parametrize("kind", ["latex", "markdown"])
def test_a_table_for_a_paper_has_them(
    record: Path, run: Run, known: list[Known], kind: str
) -> None:
    path = record.with_name(f"table.{kind}")
    output("export", record, f"--{kind}", path)
    text = path.read_text().replace(r"$\mu$", "µ")
    mark, end = ("&", r"\\") if kind == "latex" else ("|", "|")
    lines = [line for line in text.splitlines() if line.rstrip().endswith(end) and mark in line]
    rows = [[cell.strip() for cell in line.strip(f" |{end}").split(mark)] for line in lines]
    head = rows[0]
    by_size = {row[0]: row for row in rows if row[0].endswith(" B")}
    for one in known:
        [column] = [
            at for at, cell in enumerate(head) if cell == f"{run.patterns[one.test].title}, virtual"
        ]
        cell = by_size[f"{one.bytes} B"][column]
        assert read_figure(cell) == near(one.shown, 0.005 + one.within), cell


def test_half_a_round_trip_of_calls_is_the_latency(tmp_path: Path) -> None:
    costs = Costs(latency=500, clock_read=0)
    done = run_virtual(tmp_path, ["host_overhead"], "--sizes", "100", "--samples", "5",
                       "--launches", "2", "--no-report", "--json", costs=costs)  # fmt: skip
    assert done.returncode == 0, done.stderr
    [row] = result_of(done.stdout)
    assert row["latency_ns"]["value"] == pytest.approx(one_way(costs, 100) * costs.tick_ns)
