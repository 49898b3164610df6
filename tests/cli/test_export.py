"""`weft export`: the right rows in the right file, and nothing overwritten by accident."""

import csv
import io
import os
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import weft
from support.builders import make_cases
from weft.cli.main import app
from weft.errors import WeftError


def export(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["export", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("table", ["samples", "batches", "host", "summary"])
def test_every_table_comes_out_whole_in_both_formats(record: Path, table: str) -> None:
    folder = record.parent
    export(record, "--csv", folder / "a.csv", "--table", table)
    export(record, "--parquet", folder / "a.parquet", "--table", table)
    as_parquet = pl.read_parquet(folder / "a.parquet")
    rows = list(csv.DictReader(io.StringIO((folder / "a.csv").read_text())))
    assert len(rows) == as_parquet.height > 0
    assert list(rows[0]) == as_parquet.columns


def test_the_samples_are_the_default_and_their_figures_survive(record: Path) -> None:
    export(record, "--parquet", record.parent / "a.parquet")
    written = pl.read_parquet(record.parent / "a.parquet")
    assert written["time_ns"].to_list() == weft.load(record).samples["time_ns"].to_list()


def test_the_summary_has_a_row_for_every_planned_case(record: Path) -> None:
    export(record, "--parquet", record.parent / "a.parquet", "--table", "summary")
    written = pl.read_parquet(record.parent / "a.parquet")
    assert written["case"].to_list() == [case.key for case in make_cases()]
    assert {"latency_ns", "bandwidth_bytes_per_s_high"} <= set(written.columns)


def test_standard_output_has_the_table_alone(
    record: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(record.parent)
    app(["export", str(record), "--markdown", "-", "--table", "figures"], standalone_mode=False)
    out, errors = capfdbinary.readouterr()
    assert b"| --- " in out, out[:80]
    assert b"rows of figures" in errors
    assert b"rows of" not in out
    assert [path.name for path in record.parent.iterdir()] == [record.name]


def test_a_pipe_is_written_to_and_not_replaced(record: Path) -> None:
    pipe = record.parent / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        export(record, "--csv", pipe, "--table", "host")
        assert os.read(reader, 1 << 16).startswith(b"rank,host,")
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_failed_export_leaves_the_old_file_and_nothing_else(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = record.parent / "a.csv"
    target.write_text("precious")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with pytest.raises(WeftError, match="the disk is full"):
        export(record, "--csv", target)
    assert target.read_text() == "precious"
    assert sorted(p.name for p in record.parent.iterdir()) == ["a.csv", "record.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "one file"),
        (("--csv", "a", "--parquet", "b"), "one file"),
        (("--csv", "nowhere/at/all.csv"), "No such file"),
        (("--csv", "."), "directory"),
        (("--csv", "a", "--table", "rows"), "no table rows"),
    ],
)
def test_a_bad_request_is_one_line(
    record: Path, arguments: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(record.parent)
    with pytest.raises(WeftError, match=says):
        export(record, *arguments)
