"""Records of several nights with known speeds, as a nightly job leaves them."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import msgspec

import weft
from support.builders import (
    HOST,
    make_cases,
    make_footer,
    make_header,
    measured_lines,
    usual_times_ns,
    write_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from weft.plan.case import Case
    from weft.record.model import Line, Outcome
    from weft.record.run import Run

FIRST = datetime.datetime(2026, 11, 1, 2, tzinfo=datetime.UTC)
NIGHT_CASES = make_cases(("ping_pong", "stream"), ("tcp",), (8, 65536))
# Ten nights as even as a quiet machine's: their median is 1, the standard deviation 0.6 %.
EVEN = (1.004, 0.996, 1.0, 1.008, 0.992, 1.002, 0.998, 1.006, 0.994, 1.0)


def night(
    folder: Path,
    day: int,
    factor: float = 1.0,
    *,
    cases: tuple[Case, ...] = NIGHT_CASES,
    host: str = HOST["host"],
    kernel: str = "6.1.0",
    more: Iterable[Line] = (),
    slower: str = "",
    outcome: Outcome | None = "precise",
    measures: bool = True,
) -> Run:
    """The record of a night: every time is so many times as long as the usual one.

    Those of the test that is `slower` take 1.3 times as long as the others. `outcome` None is a run
    that died. Without `measures` only `more` follows the header.
    """

    def times(case: Case, launch: int) -> list[float]:
        own = factor * (1.3 if case.test == slower else 1.0)
        return [own * time for time in usual_times_ns(case, launch)]

    header = make_header(cases, host=host)
    manifest: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(header.hosts[host]))
    manifest["software"]["kernel"] = kernel
    begun = (FIRST + datetime.timedelta(days=day)).isoformat()
    header = msgspec.structs.replace(header, created_utc=begun, hosts={host: manifest})
    lines: list[Line] = [header]
    lines += measured_lines(cases, 5, times, host) if measures else ()
    lines += more
    lines += [make_footer(len(lines), outcome)] if outcome else []
    return weft.load(write_lines(folder / f"{day:03}-{host.replace(' ', '-')}.jsonl", lines))


def nights(folder: Path, factors: Sequence[float], **how: Any) -> list[Run]:
    """A night after the other, each with its factor."""
    folder.mkdir(exist_ok=True)
    return [night(folder, day, factor, **how) for day, factor in enumerate(factors)]
