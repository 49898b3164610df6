"""Ranks on hardware threads of one core: a record names the host."""

from pathlib import Path

import msgspec
import pytest

import weft
from weft.analysis.summary import summarise
from weft.record.rank_times import on_threads_of_a_core


def placed(record: Path, places: list[tuple[str, int, int]]) -> weft.Run:
    """The record as if its ranks had been on these hosts, CPUs and cores."""
    run = weft.load(record)
    launches = tuple(
        msgspec.structs.replace(
            launch,
            ranks=tuple(
                msgspec.structs.replace(one, host=host, cpu=cpu, core=core)
                for one, (host, cpu, core) in zip(launch.ranks, places, strict=True)
            ),
        )
        for launch in run.lines.launches
    )
    return run.part_of(msgspec.structs.replace(run.lines, launches=launches), run.part)


def test_two_threads_of_a_core_are_named_with_the_fix(record: Path) -> None:
    run = placed(record, [("n1", 0, 0), ("n1", 1, 0)])
    assert on_threads_of_a_core(run, run.measured) == (2, "n1")
    assert summarise(run)[0].flags[0] == (
        "ranks share a core: 2 ranks on hardware threads of one core of n1, so they slow each"
        " other down; start fewer ranks per host, or use hosts with more cores"
    )


@pytest.mark.parametrize(
    "places",
    [
        [("n1", 0, 0), ("n1", 1, 1)],
        [("n1", 0, 0), ("n2", 1, 0)],
        # One CPU: the ranks take turns, and other warnings tell that.
        [("n1", 0, 0), ("n1", 0, 0)],
        # Older records do not report the core.
        [("n1", 0, -1), ("n1", 1, -1)],
    ],
)
def test_no_other_places_are(record: Path, places: list[tuple[str, int, int]]) -> None:
    run = placed(record, places)
    assert on_threads_of_a_core(run, run.measured) is None
    assert not any("share a core" in flag for one in summarise(run) for flag in one.flags)
