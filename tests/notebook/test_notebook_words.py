"""What a notebook prints of its answers, whole, and every row and column of their tables."""

import warnings
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

import weft
from support.builders import make_cases, make_header, synthetic_record, write_lines
from support.nights import night
from weft.notebook.figures import Figures
from weft.notebook.tables import table_of_rows
from weft.plan.case import Case
from weft.plan.simulated import SimulatedPlatform

EVERY_SIZE = tuple(1 << power for power in range(3, 20))
SIZES = (8, 64, 512, 4096, 32768, 262144)
CASES = make_cases(("ping_pong", "stream"), ("tcp",), SIZES)


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[weft.Run, weft.Run]:
    folder = tmp_path_factory.mktemp("words")
    made = (
        night(folder, 1, cases=CASES),
        night(folder, 2, 1.25, cases=CASES, kernel="6.1.9"),
    )
    return weft.load(made[0].path), weft.load(made[1].path)


def _of_two_protocols(case: Case, launch: int) -> list[float]:
    """What each benchmark of the delay method sees of two protocols, ten samples a launch."""
    one_way = 2350 + 0.12 * case.bytes + (4000 if case.bytes > 4096 else 0)
    exact = {
        "ping_pong": 2 * one_way,
        "burst": 2 * one_way + 7 * (700 + 0.12 * case.bytes),
        "paused_burst": 2 * one_way + 7 * 300,
        "late_receive": 250,
    }[case.test]
    factor = 1 + 0.002 * (launch % 3 - 1)
    return [exact * factor * (1 + 1e-3 * (sample % 3 - 1)) for sample in range(10)]


def test_every_parameter_of_every_model_is_a_row(tmp_path: Path) -> None:
    """The record has two protocols and bursts, so that no model is left out."""
    cases = make_cases(("ping_pong", "burst", "paused_burst", "late_receive"), ("tcp",), EVERY_SIZE)
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=_of_two_protocols)
    [found] = weft.fit(weft.load(path))
    models = found.models
    assert models.piecewise is not None
    assert models.piecewise.switches
    assert models.loggp is not None
    assert models.loggp.overheads
    parts: dict[tuple[str, int | None, int | None], list[Any]] = {
        ("Hockney, least squares", None, None): [models.line.least_squares],
        ("Hockney, median line", None, None): [models.line.median_line],
        ("piecewise", None, None): [models.piecewise],
        ("LogGP", None, None): [models.loggp],
    }
    for one in models.piecewise.segments:
        parts["piecewise", one.first_bytes, one.last_bytes] = [one]
    for switch in models.piecewise.switches:
        parts["piecewise", switch.at_bytes, switch.at_bytes] = [switch]
    for overhead in models.loggp.overheads:
        parts["LogGP", overhead.bytes, overhead.bytes] = [overhead]
    for gap in models.loggp.gaps:
        parts["PLogP", gap.bytes, gap.bytes] = [gap]
    rows = {row[:4]: row[4:] for row in found.parameters.rows()}
    assert found.parameters.columns == [
        "model", "first_bytes", "last_bytes", "parameter", "value", "low", "high",
    ]  # fmt: skip
    assert {key[:3] for key in rows} == parts.keys()
    for (model, first, last, parameter), (value, low, high) in rows.items():
        [part] = parts[model, first, last]
        if parameter == "at_bytes":
            assert (value, low, high) == (part.at_bytes, part.above_bytes, part.up_to_bytes)
            continue
        known = getattr(part, parameter)
        ends = [end if abs(end) != float("inf") else None for end in (known.low, known.high)]
        assert (value, [low, high]) == (known.value, ends)
    of_size = {key[3] for key in rows if key[:3] == ("LogGP", 8, 8)}
    assert of_size == {"send_ns", "receive_ns"}


def test_a_series_without_a_model_is_a_warning_and_the_others_are_there(tmp_path: Path) -> None:
    cases = (*CASES, *make_cases(("ping_pong",), ("mpi",), (8, 64)))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    with pytest.warns(UserWarning, match="^no model: mpi/ping_pong has 2 sizes") as told:
        found = weft.fit(run)
    assert [one.name for one in found] == ["tcp/ping_pong"]
    assert len(told) == 1
    # It is of the line that called.
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [other] = weft.fit(run, test="stream", transport="tcp")
    assert other.name == "tcp/stream"


def test_a_comparison_prints_the_verdicts_and_what_is_unlike(
    nights: tuple[weft.Run, weft.Run],
) -> None:
    first, second = nights
    found = weft.compare(first, second, first)
    names = [side.title for side in found.found.sides]
    assert repr(found).splitlines() == [
        f"{names[1]} beside {names[0]}: worse 12",
        f"{names[2]} beside {names[0]}: same 12",
        *(f"unlike: {name}: {' / '.join(texts)}" for name, texts in found.unlike.items()),
    ]
    assert found.unlike["kernel"] == ("6.1.0", "6.1.9", "6.1.0")
    assert found.notes == found.found.notes
    assert set(found.table["side"]) == {1, 2}
    plot = found.plot(1, wide=True)
    assert "bandwidth" in plot.axes[0].get_ylabel()
    assert plot.get_size_inches()[0] == pytest.approx(7.16)


def test_a_check_prints_each_answer_that_is_no_pass(nights: tuple[weft.Run, weft.Run]) -> None:
    first, second = nights
    found = weft.check(second, against=first)
    bad = [one for one in found.found.checks if one.outcome != "pass"]
    assert repr(found).splitlines() == [
        f"fail: {len(found.found.checks)} checks",
        *(f"{one.outcome}: {one.case}: {one.why}" for one in bad),
    ]
    assert bad
    assert found.notes == (*found.found.unlike, *found.found.notes)
    assert any("kernel" in note for note in found.notes)
    assert {"case", "outcome", "why", "estimate", "estimate_low", "bound"} <= {*found.table.columns}


def test_a_record_says_where_when_and_how_it_ended(tmp_path: Path) -> None:
    header = make_header(CASES, launches=1)
    run = weft.load(write_lines(tmp_path / "a.jsonl", [header]))
    assert repr(run).splitlines() == [
        f"{tmp_path}/a.jsonl: 12 cases of ping_pong, stream",
        f"over tcp; node1; {header.created_utc[:16]} UTC",
        "12 cases not complete",
    ]
    nowhere = msgspec.structs.replace(header, hosts={})
    run = weft.load(write_lines(tmp_path / "b.jsonl", [nowhere]))
    assert repr(run).splitlines()[1].startswith("over tcp; no host known; ")
    simulated = SimulatedPlatform(name="escher", kind="table", nodes=128)
    case = Case(test="ping_pong", transport="sim", bytes=8)
    header = make_header((case,), simulated=simulated)
    run = weft.load(write_lines(tmp_path / "c.jsonl", [header]))
    assert repr(run).splitlines()[1].startswith(f"over sim; {simulated.label}; ")


def test_many_rows_are_cut_and_counted(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), range(1, 43))
    figures = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=1)).figures
    lines = repr(figures).splitlines()
    assert len(lines) == 1 + 40 + 1
    assert lines[-1] == "and 2 more rows"
    assert repr(Figures(figures.head(41))).splitlines()[-1] == "and 1 more row"
    assert len(repr(Figures(figures.head(40))).splitlines()) == 41
    # Of one launch a figure has no interval.
    assert "[" not in lines[1]


def test_a_figure_in_words_has_the_ends_that_it_has() -> None:
    row = {
        "transport": "tcp", "test": "stream", "bytes": 1024, "variant": "q4", "status": "ok",
        "launches": 5, "latency_ns": None, "latency_ns_low": None, "latency_ns_high": None,
        "bandwidth_bytes_per_s": 2e9, "bandwidth_bytes_per_s_low": 1.9e9,
        "bandwidth_bytes_per_s_high": 2.1e9,
    }  # fmt: skip
    lost = {**row, "status": "not_tried", "bandwidth_bytes_per_s": None}
    shown = repr(Figures(pl.DataFrame([row, lost], infer_schema_length=None))).splitlines()
    assert shown[0].split() == ["transport", "test", "size", "variant", "latency", "bandwidth"]
    assert shown[1].split(maxsplit=5) == [
        "tcp", "stream", "1", "KiB", "q4", "2.00 GB/s [1.90, 2.10]",
    ]  # fmt: skip
    assert shown[2].split() == ["tcp", "stream", "1", "KiB", "q4", "not", "tried"]


def test_an_estimate_is_columns_and_what_is_endless_is_nothing() -> None:
    estimate = {"value": 2.0, "low": 1.0, "high": float("inf"), "method": "median"}
    found = table_of_rows([
        {"speed": estimate, "alone": float("nan"), "within": {"low": 3}, "n": 4},
    ])  # fmt: skip
    assert found.columns == [
        "speed", "speed_low", "speed_high", "speed_method", "alone", "within", "n",
    ]  # fmt: skip
    assert found.row(0) == (2.0, 1.0, None, "median", None, {"low": 3}, 4)
