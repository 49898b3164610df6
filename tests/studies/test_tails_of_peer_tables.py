"""The percentiles in the tables of other programs are those of the record's single operations."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

import weft
from support.builders import (
    make_batch,
    make_cases,
    make_header,
    make_launch,
    write_lines,
)
from weft.record.run import Run
from weft.studies.peer_tables import as_printed_by

if TYPE_CHECKING:
    from weft.record.model import Line

[USUAL] = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=(8,))
SINGLE = msgspec.structs.replace(USUAL, single=True)
LAUNCHES = 3


def operations(launch: int, samples: int) -> Sequence[float]:
    """4,000 ns, and a tail of exponential length that is longer from launch to launch."""
    draw = np.random.default_rng(launch)
    return [float(time) for time in 4000 + draw.exponential(900 * (1 + 0.2 * launch), samples)]


def record(folder: Path, samples: int) -> Run:
    lines: list[Line] = [make_header((SINGLE,), launches=LAUNCHES)]
    for launch in range(LAUNCHES):
        lines += [
            make_launch(launch, "tcp"),
            make_batch(SINGLE, launch, launch, operations(launch, samples), ops_per_sample=1),
        ]
    return weft.load(write_lines(folder / f"{samples}.jsonl", lines))


def row_below(lines: Sequence[str], head: str) -> dict[str, str]:
    """The only row of a table, by the words of its head, which are two blanks and more apart."""
    at = next(number for number, line in enumerate(lines) if head in line)
    parts = lines[at].replace("[usec]", "[usec]  ").split("  ")
    names = [one.strip() for one in parts if one.strip()]
    return dict(zip(names, lines[at + 1].split(), strict=True))


@pytest.mark.parametrize(
    ("name", "mean", "tails"),
    [
        ("osu", "Avg Latency(us)", {50: "P50 Tail Lat(us)", 99: "P99 Tail Lat(us)"}),
        (
            "perftest", "t_avg[usec]",
            {99: "99% percentile[usec]", 99.9: "99.9% percentile[usec]"},
        ),
    ],
)  # fmt: skip
def test_a_tail_is_that_of_all_operations_in_half_of_a_round_trip(
    tmp_path: Path, name: str, mean: str, tails: dict[float, str]
) -> None:
    row = row_below(as_printed_by(record(tmp_path, 3500), name), mean)
    every = np.concatenate([operations(launch, 3500) for launch in range(LAUNCHES)])
    for percent, head in tails.items():
        assert float(row[head]) == pytest.approx(np.percentile(every, percent) / 2e3, rel=0.01)
    assert float(row[mean]) == pytest.approx(every.mean() / 2e3, rel=0.005)


@pytest.mark.parametrize(
    ("samples", "found"), [(333, []), (334, ["99%"]), (3334, ["99%", "99.9%"])]
)
def test_a_tail_that_few_operations_are_beyond_is_left_out(
    tmp_path: Path, samples: int, found: list[str]
) -> None:
    lines = as_printed_by(record(tmp_path, samples), "perftest")
    row = row_below(lines, "t_avg[usec]")
    assert [head.split()[0] for head in row if "percentile" in head] == found
