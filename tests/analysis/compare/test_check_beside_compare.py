"""Of any two records, on clocks of any tick, a check and a comparison say what can both be true."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.builders import make_batch, make_header, make_launch, write_lines
from weft.analysis.compare.acceptance import TOLERANCE, against_record
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.pool import pool
from weft.plan.case import Case
from weft.sources.sides import load_sides

if TYPE_CHECKING:
    from weft.record.model import Line

CASES = tuple(Case(test="ping_pong", transport="tcp", bytes=size) for size in (8, 1024, 65536))


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """One side: its time of a message, how its launches and samples scatter, and its clock."""

    time_ns: float
    scatter: float
    launches: int
    sessions: int
    tick_ns: float
    seed: int


SIDES = st.builds(
    Drawn,
    time_ns=st.floats(400, 4000),
    scatter=st.sampled_from([0.0, 0.01, 0.1, 0.4]),
    launches=st.integers(2, 6),
    sessions=st.integers(1, 3),
    tick_ns=st.sampled_from([0.3, 1.0, 16.0, 80.0]),
    seed=st.integers(0, 2**32),
)


def written(folder: Path, side: Drawn) -> list[str]:
    """A record a session, each launch with its own time; the clock counts whole ticks."""
    draw = random.Random(side.seed)  # noqa: S311 - noise, no secret
    paths = []
    for session in range(side.sessions):
        lines: list[Line] = [
            msgspec.structs.replace(
                make_header(CASES), created_utc=f"2026-01-0{session + 1}T03:04:05+00:00"
            )
        ]
        for launch in range(side.launches):
            lines.append(make_launch(launch, "tcp", tick_ns=side.tick_ns))
            for order, case in enumerate(CASES):
                middle = side.time_ns * (1 + case.bytes / 1024) * draw.lognormvariate(0, 0.1)
                times = [
                    side.tick_ns
                    * max(1, round(middle * draw.lognormvariate(0, side.scatter) / side.tick_ns))
                    for _ in range(7)
                ]
                place = len(CASES) * launch + order
                lines.append(
                    make_batch(case, launch, place, times, ops_per_sample=1, tick_ns=side.tick_ns)
                )
        paths.append(str(write_lines(folder / f"{session}.jsonl", lines)))
    return paths


@settings(max_examples=30, deadline=None)
@given(theirs=SIDES, mine=SIDES)
def test_a_check_and_a_comparison_agree(theirs: Drawn, mine: Drawn) -> None:
    with TemporaryDirectory() as folder:
        paths = []
        for name, side in (("theirs", theirs), ("mine", mine)):
            (Path(folder) / name).mkdir()
            paths.append(written(Path(folder) / name, side))
        [table] = compare(load_sides([",".join(own) for own in paths])).tables
        reference, ours = (pool([weft.load(path) for path in own]) for own in paths)
        checks = {check.bytes: check for check in against_record(ours, reference)}
    assert {row.bytes for row in table.rows} == {case.bytes for case in CASES}
    for row in table.rows:
        [ratio], check = row.ratios, checks[row.bytes]
        assert ratio is not None
        assert check.speed is not None
        assert ratio.speed == pytest.approx(check.speed.speed, rel=1e-12)
        assert ratio.basis == check.speed.basis
        # A comparison's ends hold together at all sizes, the lower one of a check by itself.
        assert ratio.low <= check.speed.low <= check.speed.speed <= check.speed.high
        # Who fails is slower by more than is allowed; who passes is not, but may be slower.
        assert (check.outcome, row.verdicts[0]) not in {("fail", "better"), ("fail", "same")}
        assert check.outcome != "pass" or ratio.high > 1 / (1 + TOLERANCE)
