"""`weft fit`: figures, pictures and refusals."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import weft
from support.builders import MEAN, make_cases, synthetic_record, usual_time_ns
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.case import Case


def fit(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["fit", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """1.5 µs and 4 GB/s, twelve sizes, each a little above and below."""
    rows = [
        f"{size},{(1500 + size / 4) * factor / 1000:.9f}"
        for size in range(0, 12_000, 1000)
        for factor in (0.99, 1.0, 1.01)
    ]
    path = tmp_path / "times.csv"
    path.write_text("bytes,time_us\n" + "\n".join(rows) + "\n")
    return path


def test_both_lines_are_shown_with_intervals(table: Path) -> None:
    told = fit(table)
    assert "least squares, as published" in told
    words = [line.split() for line in told.splitlines()]
    said = {line[0]: line[1:4] for line in words if line}
    for name, value, unit in (("latency", 1.5, "µs"), ("bandwidth", 4.0, "GB/s")):
        shown, its_unit, low = said[name]
        assert float(shown) == pytest.approx(value)
        assert its_unit == unit
        assert float(low.strip("[,")) == pytest.approx(value, rel=1e-3)
    assert "asymptotic bandwidth: 4.0" in told


def test_json_holds_the_same(table: Path) -> None:
    [found] = result_of(fit(table, "--json"))
    line = found["line"]["median_line"]
    assert line["latency_ns"]["value"] == pytest.approx(1500, rel=1e-3)
    assert len(found["piecewise"]["segments"]) == 1
    assert line["bandwidth_bytes_per_s"]["low"] <= 4e9 <= line["bandwidth_bytes_per_s"]["high"]


@pytest.mark.parametrize(
    ("kind", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!DOCTYPE")]
)
def test_pictures(table: Path, kind: str, begins: bytes) -> None:
    picture = table.parent / f"fit.{kind}"
    fit(table, "-o", picture)
    first = picture.read_bytes()
    assert first.startswith(begins)
    fit(table, "-o", picture)
    assert picture.read_bytes() == first


def test_a_record_gives_a_line_for_each_transport(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), sizes=tuple(range(1000, 20_000, 1000)))
    path = synthetic_record(tmp_path / "r.jsonl", cases)
    names = [found["name"] for found in result_of(fit(path, "--json"))]
    assert names == ["mpi/ping_pong", "tcp/ping_pong"]
    [stream] = result_of(fit(path, "--json", "--test", "stream", "--transport", "tcp"))
    assert stream["name"] == "tcp/stream"


def test_a_series_without_a_model_hides_no_other(tmp_path: Path) -> None:
    def flat_over_mpi_ns(case: Case, launch: int) -> list[float]:
        middle = 2000.0 if case.transport == "mpi" else usual_time_ns(case)
        return [middle * (1 + 0.01 * ((launch + at) % 7)) for at in range(40)]

    cases = make_cases(("ping_pong",), sizes=tuple(range(1000, 20_000, 1000)))
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=flat_over_mpi_ns)
    said = fit(path)
    assert "tcp/ping_pong: " in said
    assert "no model: the times of mpi/ping_pong do not grow" in said
    with pytest.raises(WeftError, match="do not grow"):
        fit(path, "--transport", "mpi")
    with pytest.warns(UserWarning, match="mpi/ping_pong"):
        assert len(weft.fit(path)) == 1


def test_a_stream_beside_the_latency_gives_loggp_and_its_error(record: Path) -> None:
    [found] = result_of(fit(record, "--json", "--transport", "tcp"))
    # A message of the stream takes 2,000 ns and 0.1 ns a byte, one way half of that, by least
    # squares, which go through means.
    assert found["loggp"]["gap_ns_per_byte"]["value"] == pytest.approx(0.1 * MEAN, rel=1e-4)
    assert found["loggp"]["gap_ns"]["value"] == pytest.approx(2000 * MEAN, rel=1e-4)
    assert found["loggp"]["transfer_ns"]["value"] == pytest.approx(1000 * MEAN, rel=1e-4)
    off = {row["model"]: row["largest_error_percent"] for row in found["predictions"]}
    assert off["LogGP"] == pytest.approx(98, abs=2)
    assert off["Hockney, median line"] < 1
    assert "LogGP and PLogP" in fit(record, "--transport", "tcp")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--columns", "bytes"), "not two columns"),
        (("--columns", "bytes,nothing"), "no column nothing"),
        (("-o", "fit.png"), "no kind of picture"),
        (("-o", "nowhere/fit.svg"), "cannot write"),
    ],
)
def test_a_bad_request_is_one_line(table: Path, arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(WeftError, match=says):
        fit(table, *arguments)


def test_a_picture_of_several_series_is_refused(record: Path) -> None:
    with pytest.raises(WeftError, match="shows one series"):
        fit(record, "-o", record.parent / "x.svg")


def test_a_transport_that_a_platform_does_not_have_is_refused() -> None:
    assert fit("escher", "--transport", "mpi") == fit("escher")
    with pytest.raises(WeftError, match="there is no transport called tcp"):
        fit("escher", "--transport", "tcp")
