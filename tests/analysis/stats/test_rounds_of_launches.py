"""Of which round a launch is: as it says itself, or by the order of older records."""

from pathlib import Path

import msgspec
import pytest

import weft
from weft.analysis.stats.rounds import rounds_of
from weft.record.model import Launch
from weft.record.run import Run


def launches_in(order: str, run: Run) -> tuple[Launch, ...]:
    """Launches of tcp (t) and mpi (m) in this order; small letters broke."""
    known = {launch.transport[0].upper(): launch for launch in run.lines.launches}
    return tuple(
        msgspec.structs.replace(known[letter.upper()], launch=number)
        for number, letter in enumerate(order)
    )


def test_a_launch_says_of_which_round_it_is(record: Path) -> None:
    """The second command began with the transport that the first had not come to."""
    run = weft.load(record)
    said = (-1, 4, 4, 5)
    launches = tuple(
        msgspec.structs.replace(launch, round=number)
        for launch, number in zip(launches_in("TMTM", run), said, strict=True)
    )
    lines = msgspec.structs.replace(run.lines, launches=launches, ends=run.lines.ends[:4])
    assert list(rounds_of(Run(run.path, lines)).values()) == [0, 4, 4, 5]


@pytest.mark.parametrize(
    ("order", "rounds"),
    [
        ("TMTM", [0, 0, 1, 1]),
        ("TMMTTM", [0, 0, 1, 1, 2, 2]),
        ("TmMT", [0, 0, 0, 1]),  # a launch that broke is tried again in its round
        ("TTT", [0, 1, 2]),
    ],
)
def test_a_round_is_a_launch_of_each_transport(record: Path, order: str, rounds: list[int]) -> None:
    run = weft.load(record)
    [end, *_] = run.lines.ends
    ends = tuple(
        msgspec.structs.replace(end, launch=number, status="failed" if letter.islower() else "ok")
        for number, letter in enumerate(order)
    )
    lines = msgspec.structs.replace(run.lines, launches=launches_in(order, run), ends=ends)
    assert list(rounds_of(Run(run.path, lines)).values()) == rounds
