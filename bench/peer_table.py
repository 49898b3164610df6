"""`python -m bench peers`: one table of weft and its peers, each started as a user starts it.

Both sides of a pair run once per round, weft first in odd rounds. A pair has 9 rounds, and more
until the 95 % interval of each like-for-like ratio is within 5 % of its median, at most 30
(--rounds). Exit status: 1 if weft is behind in a row (its interval lies wholly above 1.05 for a
latency, wholly below 0.95 for a bandwidth), else 3 if an interval stays wider than
5 % or a pair failed in all rounds, else 0.

    python -m bench peers --omb ~/omb --imb ~/imb
    python -m bench peers tcp ucx-latency --rounds 9
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from bench.comparisons import LeftOutError
from bench.tables import markdown
from bench.verbs import comparisons as in_the_lab
from bench.verbs import in_one_boot
from bench.whole_programs import Kind
from weft.analysis.stats.intervals import interval_of_median
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.whole_programs import Figures, Pair

FiguresByName = dict[str, list[dict[str, float]]]
FEWEST_ROUNDS, MOST_ROUNDS = 9, 30
MARGIN = 0.05
# A pair is given up after this many failed rounds if none succeeded.
FAILED_ROUNDS = 2
HEAD = ("program", "weft", "size", "weft", "peer", "ratio [95 %]", "rounds", "")


class Verdict(Enum):
    """What an interval says. Each value is the word of the table."""

    BEHIND = "behind"
    WIDE = "inconclusive"
    LEVEL = "level"
    AHEAD = "ahead"


class Row(msgspec.Struct, kw_only=True):
    """One size of a pair: each round's values, ours and theirs."""

    program: str
    kind: Kind
    test: str
    size: int
    remark: str = ""
    rounds: list[tuple[float, float]] = []

    @property
    def ratios(self) -> list[float]:
        """Ours over theirs, within each round."""
        return [ours / theirs for ours, theirs in self.rounds]

    @property
    def interval(self) -> tuple[float, float]:
        """Of the median ratio, 95 %; infinite after one round."""
        if len(self.rounds) < 2:
            return -math.inf, math.inf
        low, high, _ = interval_of_median(self.ratios)
        return low, high

    @property
    def verdict(self) -> Verdict:
        """Behind wins over wide: an interval may be both."""
        low, high = self.interval
        latency = self.kind == "latency"
        if (low > 1 + MARGIN) if latency else (high < 1 - MARGIN):
            return Verdict.BEHIND
        if self.is_wide:
            return Verdict.WIDE
        return Verdict.AHEAD if (high < 1 if latency else low > 1) else Verdict.LEVEL

    @property
    def is_wide(self) -> bool:
        """Whether the interval reaches further than the margin from the median."""
        low, high = self.interval
        middle = statistics.median(self.ratios)
        return max(high - middle, middle - low) > MARGIN * middle


def _reason(error: Exception, pair: Pair) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"{pair.peer} or weft did not end in {error.timeout:g} s; use a less busy machine"
    return str(error).splitlines()[-1]


class Rows:
    """The rows of one pair, and the reasons of its failed rounds."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.by_size = {
            size: Row(
                program=pair.peer, kind=pair.kind, test=f"{pair.transport} {pair.test}",
                size=size, remark=pair.remark,
            )
            for size in pair.sizes
        }  # fmt: skip
        self._reasons: list[str] = []

    def measure(self, round_: int) -> None:
        """One round. A failed one is reported; a pair that only fails is given up."""
        try:
            if round_ % 2:
                theirs = self.pair.theirs()
                ours = self.pair.ours()
            else:
                ours = self.pair.ours()
                theirs = self.pair.theirs()
        except (LeftOutError, RuntimeError, OSError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"round {round_ + 1}: skipped: {self.pair.name}: {error}\n")
            self._reasons.append(_reason(error, self.pair))
            return
        self._add(round_, ours, theirs)

    def _add(self, round_: int, ours: Figures, theirs: Figures) -> None:
        for size, row in self.by_size.items():
            row.rounds.append((ours[size], theirs[size]))
        ratios = ", ".join(f"{row.ratios[-1]:.3f}" for row in self.rows)
        sys.stderr.write(f"round {round_ + 1}: {self.pair.name}: {ratios}\n")

    @property
    def rows(self) -> list[Row]:
        """In the order of sizes."""
        return list(self.by_size.values())

    @property
    def not_compared(self) -> str:
        """The command that adds the peer, or the reason if no round succeeded; else empty."""
        if self.rows[0].rounds:
            return ""
        return self.pair.missing or (self._reasons[-1] if self._reasons else "interrupted")

    def wants_more(self, done: int, most: int) -> bool:
        """Whether to measure another round after `done` rounds, at most `most`."""
        only_fails = len(self._reasons) >= FAILED_ROUNDS and not self.rows[0].rounds
        if self.pair.missing or only_fails or done >= most:
            return False
        return done < FEWEST_ROUNDS or (
            not self.pair.remark and any(row.is_wide for row in self.rows)
        )


def measure(pairs: Sequence[Pair], most: int) -> list[Rows]:
    """Rounds of all pairs that want more, until none does. Ctrl-C ends them early."""
    found = [Rows(pair) for pair in pairs]
    try:
        for done in range(most):
            for rows in found:
                if rows.wants_more(done, most):
                    rows.measure(done)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: the table has the rounds so far\n")
    return found


def of_the_vm(rounds: int | None) -> list[Row]:
    """perftest and weft over Soft-RoCE in one boot of the lab's machine; without rounds empty."""
    pairs = in_the_lab()
    found = in_one_boot([pair.name for pair in pairs], rounds) if rounds else {}
    return [
        Row(
            program=pair.program, kind="latency" if pair.latency_divisor else "bandwidth",
            test=f"verbs {pair.test}", size=pair.bytes,
            rounds=[(one["ours"], one["theirs"]) for one in found.get(pair.name, [])],
        )
        for pair in pairs
    ]  # fmt: skip


def table(measured: Sequence[Rows], in_vm: Sequence[Row]) -> str:
    """A row per size, and one per pair that was not compared with the reason or the command."""
    lines: list[tuple[str, ...]] = [HEAD]
    for rows in measured:
        if rows.not_compared:
            lines.append(_not_compared(rows.rows[0], rows.not_compared))
        else:
            lines += [_cells(row) for row in rows.rows if row.rounds]
    lines += [
        _cells(row) if row.rounds else _not_compared(row, "make bench ARGS='peers --vm'")
        for row in in_vm
    ]
    return markdown(lines)


def status(rows: Iterable[Row]) -> int:
    """1 if weft is behind in a like-for-like row, else 3 if one is inconclusive, else 0."""
    verdicts = {row.verdict for row in rows if row.rounds and not row.remark}
    return 1 if Verdict.BEHIND in verdicts else 3 if Verdict.WIDE in verdicts else 0


def _not_compared(row: Row, how: str) -> tuple[str, ...]:
    return (row.program, row.test, "-", "-", "-", "-", "0", f"not compared: {how}")


def _cells(row: Row) -> tuple[str, ...]:
    shape = format_time if row.kind == "latency" else format_bandwidth
    ours, theirs = (statistics.median(side) for side in zip(*row.rounds, strict=True))
    low, high = row.interval
    ends = f" [{low:.2f}, {high:.2f}]" if len(row.rounds) > 1 else ""
    ratio = f"{statistics.median(row.ratios):.2f}{ends}"
    verdict = row.verdict.value
    said = f"unlike ({row.remark}): {verdict}" if row.remark else verdict
    return (
        row.program, row.test, format_bytes(row.size), shape(ours), shape(theirs), ratio,
        str(len(row.rounds)), said,
    )  # fmt: skip


def main(pairs: Sequence[Pair], most: int | None, *, with_vm: bool) -> tuple[int, FiguresByName]:
    """Measures and prints the table: the exit status, and every round's values by row."""
    load_before = os.getloadavg()[0]
    most = most or MOST_ROUNDS
    measured = measure(pairs, most)
    in_vm = of_the_vm(min(most, FEWEST_ROUNDS) if with_vm else None)
    sys.stdout.write(
        f"{datetime.now(UTC):%Y-%m-%d}, {counted(os.cpu_count() or 1, 'CPU')}, load before"
        f" {load_before:.1f}; medians over rounds, the ratio is weft's value over the peer's:\n\n"
        f"{table(measured, in_vm)}\n"
    )
    compared = [row for rows in measured if not rows.not_compared for row in rows.rows]
    values = {
        f"{row.test} {row.size} {row.program}": [
            {"ours": ours, "theirs": theirs} for ours, theirs in row.rounds
        ]
        for row in (*compared, *in_vm)
    }
    failed = any(rows.not_compared and not rows.pair.missing for rows in measured)
    return status((*compared, *in_vm)) or (3 if failed else 0), values
