"""Records that are odd in every way a run can be, for property tests of what reads records.

One to twenty launches, ties, no scatter and a huge one, missing sizes, a single size, unlike ticks,
launches and cases that failed, and files that end before the run did.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from support.builders import (
    lost_batch,
    make_batch,
    make_footer,
    make_header,
    make_launch,
    pattern,
    write_lines,
)
from support.records_of_any_kind import PARTS, POINTS, STREAMS
from weft.plan.case import Case
from weft.record.model import LaunchEnd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weft.record.model import Line, Status

SIZES = (0, 8, 64, 512, 1024, 4096, 16384, 65536)
TESTS = ("ping_pong", "stream", "sendrecv", "host_overhead", "registration", *POINTS)
# A size that is left out of a launch, and what else becomes of a batch.
FATES: tuple[Status | str, ...] = ("failed", "timeout", "unsupported", "left out")


@dataclass(frozen=True)
class OddRecord:
    """How a record is odd. `scatter` is the standard deviation of the launches' logarithms."""

    seed: int
    launches: int
    tests: tuple[str, ...]
    transports: tuple[str, ...]
    sizes: tuple[int, ...]
    scatter: float
    samples: int
    ticks_ns: tuple[float, ...]
    unlucky: float
    lost_launches: float
    is_finished: bool
    is_cut: bool

    def write(self, path: Path) -> Path:
        """The record as a file."""
        path.unlink(missing_ok=True)
        write_lines(path, self._lines())
        if self.is_cut:
            text = path.read_bytes()
            path.write_bytes(text[: -min(40, len(text) // 3)])
        return path

    @property
    def _cases(self) -> tuple[Case, ...]:
        return tuple(
            Case(test=test, transport=transport, bytes=size, point=point)
            for transport in self.transports
            for test in self.tests
            for point in POINTS.get(test, (None,))
            for size in self.sizes
            if size > 0 or pattern(test).latency_divisor > 0
        )

    def _lines(self) -> Iterator[Line]:
        cases = self._cases or (Case(test="ping_pong", transport="tcp", bytes=8),)
        draw = random.Random(self.seed)  # noqa: S311 - noise, no secret
        yield make_header(cases, launches=draw.randint(1, 5))
        order = number = 0
        for _ in range(self.launches):
            for transport in dict.fromkeys(case.transport for case in cases):
                tick_ns = draw.choice(self.ticks_ns)
                if draw.random() >= self.lost_launches / 2:
                    yield make_launch(number, transport, tick_ns=tick_ns)
                    effect = draw.lognormvariate(0, self.scatter)
                    for case in cases:
                        if case.transport == transport:
                            line = self._batch(case, number, order, tick_ns, effect, draw)
                            yield from line
                            order += len(line)
                is_lost = draw.random() < self.lost_launches
                yield LaunchEnd(
                    launch=number,
                    status="failed" if is_lost else "ok",
                    reason="rank 1 was killed" if is_lost else "",
                )
                number += 1
        if self.is_finished:
            outcome = draw.choice(("precise", "budget", "interrupted"))
            yield make_footer(order, outcome)  # type: ignore[arg-type]

    def _batch(
        self,
        case: Case,
        launch: int,
        order: int,
        tick_ns: float,
        effect: float,
        draw: random.Random,
    ) -> list[Line]:
        fate = draw.choice(FATES) if draw.random() < self.unlucky else "ok"
        if fate == "left out":
            return []
        if fate != "ok":
            return [lost_batch(case, launch, order, fate, "a reason")]  # type: ignore[arg-type]
        middle = 1000 * (1 + case.bytes / 1000) * effect
        spread = self.scatter / 4
        # No record holds more ticks than 2^63.
        times = [min(middle * draw.lognormvariate(0, spread), 1e15) for _ in range(self.samples)]
        shares = PARTS.get(case.test, {})
        if case.test in STREAMS:
            shares = {f"rank{rank}": 1.0 for rank in range(1, 1 + (case.point or 0))}
        parts = {name: [share * time for time in times] for name, share in shares.items()}
        ops = 1 if pattern(case.test).every_operation else draw.choice((1, 8))
        return [
            make_batch(
                case,
                launch,
                order,
                times,
                ops_per_sample=ops,
                warmup=draw.choice((0, 1, 5)),
                tick_ns=tick_ns,
                parts_ns=parts,
            )
        ]


def odd_records() -> st.SearchStrategy[OddRecord]:
    """Any of them."""
    return st.builds(
        OddRecord,
        seed=st.integers(0, 2**32),
        launches=st.one_of(st.integers(1, 5), st.integers(6, 20)),
        tests=st.lists(st.sampled_from(TESTS), max_size=2, unique=True).map(
            lambda more: ("ping_pong", *(test for test in more if test != "ping_pong"))
        ),
        transports=st.sampled_from((("tcp",), ("tcp", "mpi"))),
        sizes=st.one_of(
            st.just(SIZES),
            st.sets(st.sampled_from(SIZES), min_size=1, max_size=4).map(
                lambda sizes: tuple(sorted(sizes))
            ),
        ),
        scatter=st.sampled_from((0.0, 1e-4, 0.02, 0.5, 4.0, 12.0)),
        samples=st.sampled_from((1, 2, 12)),
        ticks_ns=st.sampled_from(((0.5,), (0.5, 0.7), (40.0,), (40.0, 0.5), (3000.0,), (1e7,))),
        unlucky=st.sampled_from((0.0, 0.0, 0.2, 1.0)),
        lost_launches=st.sampled_from((0.0, 0.0, 0.3)),
        is_finished=st.booleans(),
        is_cut=st.sampled_from((False, False, True)),
    )
