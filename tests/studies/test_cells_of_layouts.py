"""Every cell of other programs' layouts is the figure that its head names."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import weft
from support.builders import make_cases, pattern, synthetic_record, usual_times_ns
from support.told import Lines
from weft.plan.case import Case
from weft.studies.peer_tables import as_printed_by

# So many of each launch that ten in all are beyond 99.9 %.
SAMPLES = 2001
SIZES = (8, 1024, 65536)
TESTS = ("ping_pong", "stream")


def times_ns(case: Case, launch: int) -> list[float]:
    """Skewed, and with some that nothing but the tails have, each of another length."""
    usual = usual_times_ns(case, launch, SAMPLES)
    return [*(time * (1.2 + 0.1 * at + launch) for at, time in enumerate(usual[:30])), *usual[30:]]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("layouts") / "r.jsonl"
    return synthetic_record(path, make_cases(TESTS, ("tcp",), SIZES), times_ns=times_ns)


def rows_of(record: Path, name: str, head: str) -> list[dict[str, str]]:
    """The rows below each line of heads with this one in it, by their heads."""
    found: list[dict[str, str]] = []
    heads: list[str] = []
    for line in as_printed_by(weft.load(record), name):
        # Heads of perftest have single blanks in them, those of IMB between them.
        cells = line.split() if name == "imb" else re.split(r"  +", line.strip())
        if head in cells:
            heads = cells
        elif heads and len(cells) == len(heads) and re.fullmatch(r"[\d.]+", cells[0]):
            found.append(dict(zip(heads, cells, strict=True)))
        else:
            heads = []
    return found


def every_ns(record: Path, test: str, size: int) -> NDArray[np.float64]:
    lines = Lines(record)
    batches = lines.batches[f"tcp/{test}/{size}"]
    return np.concatenate([lines.times(batch) for batch in batches])


def assert_cells(row: Mapping[str, str], wanted: Mapping[str, float]) -> None:
    for head, value in wanted.items():
        digits = len(row[head].partition(".")[2])
        assert row[head] == f"{value:.{digits}f}", (head, row, value)
    assert set(row) == set(wanted)


def test_perftests_latencies_are_extremes_median_mean_and_tails(record: Path) -> None:
    rows = rows_of(record, "perftest", "t_min[usec]")
    assert len(rows) == len(SIZES)
    for row, size in zip(rows, SIZES, strict=True):
        times = every_ns(record, "ping_pong", size)
        own = times / pattern("ping_pong").latency_divisor / 1e3
        wanted = {
            "#bytes": size, "#iterations": 8 * len(own), "t_min[usec]": own.min(),
            "t_max[usec]": own.max(), "t_typical[usec]": np.median(own), "t_avg[usec]": own.mean(),
            "t_stdev[usec]": own.std(ddof=1), "99% percentile[usec]": np.percentile(own, 99),
            "99.9% percentile[usec]": np.percentile(own, 99.9),
        }  # fmt: skip
        assert_cells(row, wanted)
        assert len(set(row.values())) == len(row)


def test_perftests_bandwidths_are_means_in_mib(record: Path) -> None:
    rows = rows_of(record, "perftest", "BW average[MiB/sec]")
    assert len(rows) == len(SIZES)
    for row, size in zip(rows, SIZES, strict=True):
        mean_ns = every_ns(record, "stream", size).mean()
        assert_cells(row, {
            "#bytes": size, "#iterations": 8 * 5 * SAMPLES, "BW peak[MiB/sec]": 0,
            "BW average[MiB/sec]": size * 1e9 / mean_ns / 2**20, "MsgRate[Mpps]": 1e3 / mean_ns,
        })  # fmt: skip


def test_imbs_times_and_rates_are_means_in_mb(record: Path) -> None:
    rows = rows_of(record, "imb", "t[usec]")
    assert len(rows) == len(SIZES)
    for row, size in zip(rows, SIZES, strict=True):
        own_us = every_ns(record, "ping_pong", size).mean() / 2e3
        assert_cells(row, {
            "#bytes": size, "#repetitions": 8 * 5 * SAMPLES, "t[usec]": own_us,
            "Mbytes/sec": size / own_us,
        })  # fmt: skip
    for row, size in zip(rows_of(record, "imb", "Msg/sec"), SIZES, strict=True):
        mean_ns = every_ns(record, "stream", size).mean()
        assert_cells(row, {
            "#bytes": size, "#repetitions": 8 * 5 * SAMPLES,
            "Mbytes/sec": size * 1e3 / mean_ns, "Msg/sec": 1e9 / mean_ns,
        })  # fmt: skip


def test_so_few_samples_have_no_tail(tmp_path: Path) -> None:
    path = synthetic_record(
        tmp_path / "few.jsonl", make_cases(("ping_pong",), ("tcp",), (8,)), launches=1
    )
    [row] = rows_of(path, "perftest", "t_min[usec]")
    assert "99.9% percentile[usec]" not in row
