"""The whole chain gives back what was put in: published tables, and known protocols by a record."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from support.simulations import KNOWN, platform, simulated
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.request import Request
from weft.record.model import Footer
from weft.record.run import load
from weft.reference.library import find_platform
from weft.session import start
from weft.sim.answers import PredictedFabric, PredictedFigure, notes_of
from weft.sim.assumptions import ASSUMED
from weft.sim.fidelity import beside, errors_of, peaks_beside, predicted_ns, statements_table
from weft.sim.measured import calibrated_from
from weft.sim.platforms import calibrated, check_kind, protocols_of, simulated_platform, with_rate
from weft.sim.predicted import parameters_of
from weft.studies.reproduction import TABLED, simulated_statements, simulated_times
from weft.tables import Table

engine = pytest.mark.engine


def errors_percent(table: Table) -> list[float]:
    """All cells of a table that are errors."""
    cells = (cell for row in table.rows for cell in row)
    errors = (cell.removesuffix(" %") for cell in cells if re.fullmatch(r"[+-][\d.]+( %)?", cell))
    return list(map(float, errors))


@engine
@pytest.mark.parametrize("kind", ["model", "table"])
def test_a_study_is_reproduced_by_simulation(kind: str) -> None:
    escher = find_platform("escher")
    times = simulated_times(calibrated(escher, check_kind(kind)), TABLED)
    errors = errors_of(escher, times)
    assert [one.points for one in errors] == [14, 13, 14, 13]
    for one in errors:
        limit = {"model": 5.0 if "latency" in one.what else 3.0, "table": 0.2}[kind]
        assert one.mean_percent <= limit, one
        if kind == "table":
            assert one.worst_percent <= limit, one
    tables = beside([escher], {"escher": times}, kind)
    assert [table.name for table in tables] == ["table_4", "table_5", "table_6", "table_7"]
    assert all(f"simulated ({kind})" in table.caption for table in tables)
    assert len(errors_percent(tables[0])) == 14
    assert "latency in µs" in tables[0].caption
    assert tables[0].rows[0][:2] == ("0 B", "4.29")
    assert tables[3].rows[-2][:2] == ("4 MiB", "1857")
    peaks = peaks_beside([escher], {"escher": times}, "label")
    assert peaks.rows[1][:3] == ("Escher, sendrecv", "1.86 GB/s", "92.9 %")
    assert max(map(abs, errors_percent(peaks))) < 0.5


def test_three_platforms_fit_eighty_columns() -> None:
    found = [find_platform(name) for name in ("escher", "red-squall", "callisto")]
    times = {one.name: predicted_ns(protocols_of(one, "model")) for one in found}
    for table in beside(found, times, "model"):
        widest = [max(len(row[at]) for row in table.rows) for at in range(len(table.head))]
        gaps = 2 * (len(widest) - 1)
        assert sum(map(max, widest, map(len, table.head))) + gaps <= 80, table.caption


def test_shares_of_the_peak_are_those_that_were_published() -> None:
    found = [find_platform(name) for name in ("escher", "red-squall", "callisto")]
    times = {one.name: predicted_ns(protocols_of(one, "model")) for one in found}
    shares = [row[2] for row in peaks_beside(found, times, "label").rows]
    # 831 of 2000 MB/s is 41.55 %, which was printed as 41.6 %.
    assert shares == ["95.8 %", "92.9 %", "82.1 %", "40.7 %", "72.9 %", "41.6 %"]


@engine
@pytest.mark.parametrize(
    ("outcome", "error"), [("interrupted", KeyboardInterrupt), ("budget", WeftError)]
)
def test_half_a_simulation_is_no_answer(
    outcome: str, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(request: Request, say: Callable[[str], None]) -> tuple[Path, Footer]:
        path, footer = start(request, say)
        return path, msgspec.structs.replace(footer, outcome=outcome)

    monkeypatch.setattr("weft.session.start", ended)
    with pytest.raises(error):
        simulated_times(calibrated(find_platform("escher"), "model"), ("ping_pong",))


@engine
def test_what_a_text_states_is_reproduced_by_simulation() -> None:
    vapi = find_platform("osu-vapi")
    table = statements_table([vapi], {"osu-vapi": simulated_statements(calibrated(vapi, "model"))})
    assert len(table.rows) == 4
    assert max(map(abs, errors_percent(table))) < 0.5


@engine
def test_a_record_of_a_known_platform_gives_its_numbers_back(tmp_path: Path) -> None:
    run = simulated(tmp_path, ("ping_pong", "sendrecv"), "0..1MiB", platform())
    found = calibrated_from((run,), "", "model", 16)
    assert found.protocols.eager_below_bytes == KNOWN.eager_below_bytes
    assert found.protocols.bus_factor == pytest.approx(KNOWN.bus_factor, rel=1e-3)
    for size in (3, 1500, 50_000):
        assert found.protocols.ping_pong_ns(size) == pytest.approx(
            KNOWN.ping_pong_ns(size), rel=1e-3
        )
        assert found.protocols.sendrecv_ns(size) == pytest.approx(KNOWN.sendrecv_ns(size), rel=1e-3)
    others = [one for one in found.held_out if one.by == "other sizes"]
    assert {one.what for one in others} == {"ping_pong", "sendrecv"}
    assert [one.error_percent for one in others] == pytest.approx([0] * len(others), abs=0.5)
    # ping_pong alone knows of no bus and of no MPI_Isend.
    largest = max((one for one in found.held_out if one.what == "sendrecv"), key=lambda o: o.bytes)
    assert largest.error_percent == pytest.approx(100 * (1 / 1.25 - 1), abs=1.0)
    assert found.platform.nodes == 16
    assert "simulated on known" in found.platform.origin


def test_a_record_without_a_ping_pong_is_refused(record: Path) -> None:
    with pytest.raises(WeftError, match="has no ping_pong over nope"):
        calibrated_from((load(record),), "nope", "model", 16)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("calibrate", "escher", "--kind", "guess"), "there is no kind guess"),
        (("calibrate", "escher", "--nodes", "1"), "--nodes 1 is out of range; use 2 to 10000"),
        (("calibrate", "escher", "--rate", "0GFlop/s"), "is not a rate of arithmetic; use one"),
        (("calibrate", "escher", "--rate", "4"), "is not a rate of arithmetic; use one like 800M"),
        (("calibrate", "escher", "x.jsonl"), "from what was published alone; run weft calibrate"),
        (("calibrate", "osu-pcix"), "is published without a bandwidth, so it cannot be simulated"),
        (("reproduce", "nobody"), "sandia"),
        (("reproduce", "fermilab", "--rate", "800"), "is not a rate of arithmetic; use one like"),
        (("reproduce", "fermilab", "-o", "x.doc"), "is no kind of picture"),
        (("reproduce", "osu", "--kind", "table"), "without tables; run weft reproduce osu"),
        (("reproduce", "sandia", "--rate", "1GFlop/s"), "--rate has no effect: only fermilab"),
        (("reproduce", "osu", "-o", "x.html"), "--output has no effect: only fermilab"),
        (("reproduce", "fermilab", "--kind", "table"), "Fermilab published no tables"),
        (("run", "--platform", "escher", "--submit"), "a job is for nodes that exist"),
        (("run", "--platform", "fermilab-topspin:table"), "take its model: fermilab-topspin alone"),
        (("run", "--platform", "escher", "--hosts", "n1"), "--hosts has no effect: the hosts"),
        (("run", "--platform", "escher", "--buffers", "turn:4"), "are simulated; omit --buffers"),
        (("run", "--platform", "escher", "--transport", "tcp"), "--transport has no effect"),
        (("run", "milc", "--platform", "escher", "--threads", "2"), "--threads has no effect"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(WeftError) as caught:
        app(list(words), standalone_mode=False)
    assert message in f"{caught.value.what}; {caught.value.fix}"


def test_calibrating_prints_parameters_and_errors_and_writes_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "e.xml"
    app(["calibrate", "escher", "-o", str(path)], standalone_mode=False)
    shown = capsys.readouterr()
    assert "eager below 2 KiB" in shown.out
    assert re.search(r"Table 7, sendrecv: bandwidth +13 +0\.91 % +7\.73 % +1 KiB", shown.out)
    assert f"weft run --platform {path}" in shown.err
    assert 'value="escher"' in path.read_text()


def test_a_text_without_tables_gives_a_platform_with_its_assumptions() -> None:
    topspin, myrinet = (
        with_rate(calibrated(find_platform(name), "model", 16), "800MFlop/s") for name in ASSUMED
    )
    for made, latency_ns, assumed in ((topspin, 7000, "PCI-X"), (myrinet, 11_000, "newer cards")):
        parts = parameters_of(made)
        assert (made.nodes, parts.latency_ns, parts.flops_per_s) == (16, latency_ns, 8e8)
        assert assumed in made.in_words
    # One way 250 MB/s, and 489 MB/s both ways on one bus.
    assert parameters_of(myrinet).bandwidth_bytes_per_s == pytest.approx(250e6, rel=0.05)
    assert parameters_of(topspin).bus_bytes_per_s == pytest.approx(800e6, rel=0.05)
    assert parameters_of(myrinet).bus_bytes_per_s == pytest.approx(489e6, rel=0.05)


@engine
def test_the_curves_of_the_solver_on_both_clusters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.studies.reproduction.SOLVER_EXTENTS", "4,6")
    monkeypatch.setattr("weft.studies.reproduction.SOLVER_RANKS", (1, 2))
    picture = tmp_path / "curves.svg"
    words = ["reproduce", "fermilab", "--rate", "1.5GFlop/s", "-o", str(picture)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines() if re.match(r"\d\^4", line)]
    assert [row[0] for row in rows] == ["4^4", "6^4"]
    for _, topspin_1, topspin_2, myrinet_1, myrinet_2 in rows:
        assert topspin_1 == myrinet_1 == "1500"
        assert 1500 > int(topspin_2) > int(myrinet_2) > 0
    assert int(rows[0][2]) < int(rows[1][2])
    assert "which the text does not say" in result.stdout
    assert picture.read_text().startswith("<?xml")


def test_a_latency_of_a_fit_has_a_caution_wherever_it_is_used(tmp_path: Path) -> None:
    wanted = "caution: the latency of 2.31 ms is of a fit: far from any latency of such a network"
    fdr, other = simulated_platform("fdr-ping-pong"), simulated_platform("osu-vapi")
    assert wanted in fdr.in_words
    assert "caution" not in other.in_words
    alone = PredictedFabric(
        variant="x", nodes=2, switches=1, figures=(PredictedFigure(case="c", value=1.0),)
    )
    assert any(note.startswith(wanted) for note in notes_of(fdr, (alone,), None))
    output = CliRunner().invoke(app, ["calibrate", "fdr-ping-pong", "-o", f"{tmp_path}/f.xml"])
    assert wanted in " ".join(output.output.split())
    # A file says it too.
    assert wanted in simulated_platform(f"{tmp_path}/f.xml").in_words


@pytest.mark.engine
def test_a_record_is_no_platform_file(tmp_path: Path) -> None:
    record = simulated(tmp_path, ("ping_pong",), "8,1KiB", platform()).path
    with pytest.raises(WeftError, match="is a record and no platform file") as seen:
        simulated_platform(str(record))
    assert seen.value.fix == f"make one of it: weft calibrate {record} -o r.xml"
