"""A record's tables for other programs: every column has its own figure, null where it has none."""

import math
from pathlib import Path

import msgspec
import polars as pl
import pytest

from support.builders import synthetic_record
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.record.run import load
from weft.topics.frames import TABLES, summary_table, table_of

ENDS = ("", "_low", "_high", "_coverage", "_method", "_launches", "_unit")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic_record(tmp_path_factory.mktemp("frames") / "r.jsonl")


def test_each_name_is_its_own_table(record: Path) -> None:
    run = load(record)
    assert TABLES == ("samples", "batches", "host", "summary", "pairs")
    for name in ("samples", "batches", "host"):
        assert table_of(run, name).equals(getattr(run, name))
    assert len({tuple(table_of(run, name).columns) for name in TABLES[:4]}) == 4
    with pytest.raises(WeftError, match=r"r\.jsonl has no map; measure one with weft map"):
        table_of(run, "pairs")


def test_each_cell_of_the_summary_is_its_field(record: Path) -> None:
    rows = summarise(load(record))
    table = summary_table(rows)
    assert table.height == len(rows)
    for row, shown in zip(rows, table.iter_rows(named=True), strict=True):
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            estimate: Estimate | None = getattr(row, name)
            parts = msgspec.to_builtins(estimate) if estimate else {}
            own = (parts.get(each) for each in Estimate.__struct_encode_fields__)
            for end, part in zip(ENDS, own, strict=True):
                infinite = isinstance(part, float) and math.isinf(part)
                assert shown[f"{name}{end}"] == (None if infinite else part), (name, end)
        for name, column in (
            ("percentiles_latency_ns", "latency_ns"),
            ("percentiles_of_means_latency_ns", "latency_of_means_ns"),
        ):
            known = getattr(row, name)
            columns = {key for key in shown if key.startswith(f"{column}_p")}
            told = {key: shown[f"{column}_p{key}"] for key in known}
            assert told == known
            assert all(shown[one] is None for one in columns - {f"{column}_p{p}" for p in known})
        assert (shown["test"], shown["transport"], shown["bytes"]) == (
            row.test, row.transport, row.bytes)  # fmt: skip
        # A figure comes first, then its ends from low to high.
        names = list(shown)
        for at, low in enumerate(names):
            if low.endswith("_low"):
                figure = low.removesuffix("_low")
                assert names[at - 1 : at + 2] == [figure, low, f"{figure}_high"]
        flags = [value for value in shown.values() if isinstance(value, list)]
        assert flags == []


def test_one_launch_has_a_figure_and_no_ends(tmp_path: Path) -> None:
    record = synthetic_record(tmp_path / "r.jsonl", launches=1)
    for shown in summary_table(summarise(load(record))).iter_rows(named=True):
        if shown["latency_ns"] is not None:
            assert (shown["latency_ns_low"], shown["latency_ns_high"]) == (None, None)
            assert shown["latency_ns_coverage"] == 0
    assert isinstance(table_of(load(record), "summary"), pl.DataFrame)


def test_a_sample_begins_with_its_case_in_the_order_of_a_command(record: Path) -> None:
    axes = ["case", "test", "transport", "bytes", "ranks", "queue_depth", "point", "variant"]
    assert table_of(load(record), "samples").columns[: len(axes)] == axes
