"""Messages above the path's MTU time out, and the reason says so; other time-outs say nothing."""

from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import (
    lost_batch,
    make_footer,
    make_header,
    measured_lines,
    usual_times_ns,
    write_lines,
)
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.record.model import Launch, Line

SIZES = (8, 1024, 4096, 65536)
CASES = tuple(Case(test="ping_pong", transport="tcp", bytes=size) for size in SIZES)


def reasons(
    path: Path, lost: tuple[int, ...], *, hosts: tuple[str, str] = ("n1", "n2")
) -> list[str]:
    """The reasons of the cases that timed out, of ranks on these hosts."""
    good = tuple(case for case in CASES if case.bytes not in lost)
    lines: list[Line] = [make_header(CASES, launches=3)]
    for line in measured_lines(good, 3, usual_times_ns):
        if isinstance(line, Launch):
            ranks = [msgspec.structs.replace(one, host=hosts[one.rank % 2]) for one in line.ranks]
            lines.append(msgspec.structs.replace(line, ranks=tuple(ranks)))
        else:
            lines.append(line)
    lines += [
        lost_batch(case, 0, 900 + case.bytes, "timeout", "no answer") for case in CASES
        if case.bytes in lost
    ]  # fmt: skip
    run = weft.load(write_lines(path / "r.jsonl", [*lines, make_footer(1)]))
    return [one.reason for one in summarise(run) if one.status == "timeout"]


def test_sizes_above_the_largest_that_arrives_suspect_the_path(tmp_path: Path) -> None:
    said = "no answer; messages above 1 KiB do not arrive; check the MTU between n1 and n2"
    assert reasons(tmp_path, (4096, 65536)) == [said] * 2


@pytest.mark.parametrize(
    ("lost", "hosts"),
    [
        ((1024,), ("n1", "n2")),  # larger ones arrive
        (SIZES, ("n1", "n2")),  # none arrives
        ((65536,), ("n1", "n1")),  # nothing crosses a network
    ],
)
def test_other_time_outs_suspect_nothing(
    tmp_path: Path, lost: tuple[int, ...], hosts: tuple[str, str]
) -> None:
    assert set(reasons(tmp_path, lost, hosts=hosts)) == {"no answer"}
