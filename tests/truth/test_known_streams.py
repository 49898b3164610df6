"""Many ranks on a fabric of known costs: a sample tick by tick, and what is shown of it.

A sample of many streams begins with rank 0's words and ends with the words of all others, or when
the last message is there. A clock that stops a word too early is off by that word.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import weft
from support.printed import result_of
from support.virtual import Costs, described, run_virtual

COSTS = Costs(latency=50, clock_read=4, ranks=4)
SIZE = 1000
WORD_WIRE = COSTS.per_byte * 32
EMPTY = COSTS.send_overhead + COSTS.latency + COSTS.receive_overhead
WORD = EMPTY + WORD_WIRE
READ = COSTS.clock_read
MESSAGE = COSTS.per_byte * SIZE


def hot_spot_send(n: int, peers: int) -> int:
    """One wire carries the words and all messages; the last peer, who reads its clock, says so."""
    return peers * WORD_WIRE + n * MESSAGE + 2 * EMPTY + WORD_WIRE + 2 * READ


def hot_spot_receive(n: int, peers: int) -> int:
    """The last peer hears of it last; rank 0's own last word has left when the clock stops."""
    begins = EMPTY + peers * WORD_WIRE + READ
    return begins + n // peers * MESSAGE + EMPTY + COSTS.send_overhead + WORD_WIRE + READ


def pairs(n: int, count: int) -> int:
    """Rank 0's pair is one of them; where there are others it calls them and hears of their end."""
    others = 2 * WORD + READ if count > 1 else 0
    return n // count * MESSAGE + EMPTY + WORD + 2 * READ + others


TRUTHS: dict[str, Callable[[int, int], int]] = {
    "hot_spot_send": hot_spot_send,
    "hot_spot_receive": hot_spot_receive,
    "message_rate": pairs,
    "random_pairs": lambda n, _: pairs(n, COSTS.ranks // 2),
}


def test_every_sample_takes_what_its_streams_take(tmp_path: Path) -> None:
    there = described()
    # The latency of a message says how long a stream has to be.
    tests = [name for name in ("ping_pong", *TRUTHS) if name in there]
    done = run_virtual(
        tmp_path, tests, "--sizes", str(SIZE), "--samples", "3", "--launches", "2",
        "--budget", "60s", "--no-report", "--json", costs=COSTS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = weft.load(tmp_path / "r.jsonl")
    streams = [b for b in run.measured if run.cases[b.case].test in TRUTHS]
    assert streams
    for batch in streams:
        case = run.cases[batch.case]
        truth = TRUTHS[case.test](batch.ops_per_sample, case.point or 1)
        # In the warm-up a stream looks at its queue besides.
        assert set(batch.ticks[batch.warmup :]) == {truth}, batch.case
    rows = {row["case"]: row for row in result_of(done.stdout)}
    assert set(rows) == set(run.cases)
    for key in {batch.case for batch in streams}:
        row, case = rows[key], run.cases[key]
        own = [b.ops_per_sample for b in streams if b.case == key]
        times = [TRUTHS[case.test](n, case.point or 1) * COSTS.tick_ns / n for n in own]
        rate = SIZE * 1e9 / (sum(times) / len(times))
        assert row["bandwidth_bytes_per_s"]["value"] == pytest.approx(rate, rel=1e-9)
