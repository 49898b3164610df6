"""A record's platform predicts the record's own patterns: none took part in its numbers."""

import re
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

import weft
from support.simulations import KNOWN, platform, simulated
from weft.applications.asked import ApplicationsAsked
from weft.cli.main import app
from weft.errors import WeftError
from weft.fabric.simgrid import at_speed
from weft.plan.cases import Experiment, Variants
from weft.record.run import load
from weft.sim.calibrate import ALWAYS_EAGER, Times, lines_of
from weft.sim.measured import calibrated_from
from weft.sim.platforms import simulated_platform
from weft.sim.protocols import Piece, Protocols
from weft.studies.held_out import held_out_table, patterns_held_out

engine = pytest.mark.engine
SIZES = [0, *(2**power for power in range(21))]
# Three copies, as of three caches, behind one protocol; and a switch behind them.
COPIES = Protocols(
    transfer=(Piece(0, 300.0, 0.1), Piece(1024, 500.0, 0.1), Piece(32768, 6000.0, 0.1)),
    blocking_send=(Piece(0, 100.0, 0.3), Piece(1024, 100.0, 0.1)),
    send=(Piece(0, 100.0),),
    receive=(Piece(0, 100.0),),
    eager_below_bytes=32768,
)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Sizes on two ranks, and patterns on more, on the platform that is known."""
    folder = tmp_path_factory.mktemp("records")
    (folder / "sizes").mkdir()
    (folder / "patterns").mkdir()
    sizes = simulated(folder / "sizes", ("ping_pong", "sendrecv"), "0..1MiB", platform())
    lattices = Variants(application=ApplicationsAsked(extents="4,8"))
    parts = (
        Experiment(tests=("host_overhead", "late_receive", "stream"), sizes="8,512,64KiB"),
        Experiment(tests=("hot_spot_receive",), sizes="8,8KiB,64KiB", ranks=4),
        Experiment(tests=("allreduce",), sizes="8,4KiB", ranks=4),
        Experiment(tests=("allreduce",), sizes="8,4KiB", ranks=2),
        Experiment(tests=("halo",), sizes="36", ranks=4, variants=lattices),
        Experiment(tests=("milc",), sizes="36", ranks=1, variants=lattices),
    )
    slow = msgspec.structs.replace(platform(), xml=at_speed(platform().xml, 8e8))
    patterns = simulated(folder / "patterns", (), "", slow, parts=parts, budget_s=600.0)
    return sizes.path, patterns.path


@engine
def test_hot_spots_and_halos_are_predicted_as_they_were(records: tuple[Path, Path]) -> None:
    found = calibrated_from(tuple(map(load, records)), "", "model", 8)
    assert found.protocols.receive[0].ns == pytest.approx(500, rel=1e-3)
    assert found.protocols.send[0].ns == pytest.approx(900, rel=1e-3)
    patterns = patterns_held_out(found)
    assert {(one.what, one.bytes) for one in patterns} == {
        *(("allreduce on 4 ranks", size) for size in (8, 4096)),
        *(("allreduce", size) for size in (8, 4096)),
        *(("hot_spot_receive of 3 on 4 ranks", size) for size in (8, 8192, 65536)),
        ("halo 4^4 on 4 ranks", 36 * 4**3),
        ("halo 8^4 on 4 ranks", 36 * 8**3),
    }
    # Small messages too: what posting takes and what receiving does is known.
    assert [one.error_percent for one in patterns] == pytest.approx([0] * len(patterns), abs=3)
    assert {one.is_rate for one in patterns if "allreduce" in one.what} == {False}
    table = held_out_table(found, patterns)
    means = r"allreduce \d.* halo \d.* hot_spot_receive .* stream by other"
    assert re.search(means, table.notes[0])
    assert not [note for note in table.notes if "shared" in note or "not in the record" in note]


@engine
def test_a_record_without_patterns_says_which(records: tuple[Path, Path]) -> None:
    found = calibrated_from((load(records[0]),), "", "model", 8)
    assert patterns_held_out(found) == ()
    notes = held_out_table(found, (), "no pattern was predicted: why; do that").notes
    assert "not in the record, so not predicted: stream, hot_spot, allreduce, halo" in notes
    assert "no pattern was predicted: why; do that" in notes


def test_ranks_that_shared_cores_are_marked_and_not_averaged(records: tuple[Path, Path]) -> None:
    found = calibrated_from((load(records[0]),), "", "model", 8)
    one = msgspec.structs.replace(found.held_out[0], what="halo 4^4 on 4 ranks", by="the platform")
    crowded = msgspec.structs.replace(one, shares_cores=True, predicted=100 * one.measured)
    table = held_out_table(found, (one, crowded))
    assert table.rows[-1][0] == "halo 4^4 on 4 ranks*"
    assert f"halo {abs(one.error_percent):.1f} %" in table.notes[0]
    assert any(note.startswith("* ranks shared cores") for note in table.notes)


def test_copies_at_several_rates_are_found() -> None:
    times = Times(
        ping_pong={size: COPIES.ping_pong_ns(size) for size in SIZES},
        sendrecv={size: COPIES.sendrecv_ns(size) for size in SIZES},
        posting_ns=100,
        receiving_ns=100,
    )
    found = lines_of(times)
    assert found.eager_below_bytes == COPIES.eager_below_bytes
    assert len(found.transfer) == 3
    for size in (100, 3000, 100_000, 700_000):
        assert found.ping_pong_ns(size) == pytest.approx(COPIES.ping_pong_ns(size), rel=1e-3)


@pytest.mark.parametrize("posting_ns", [0.0, 300.0])
def test_of_one_way_alone_a_rendezvous_is_posted_and_not_copied(posting_ns: float) -> None:
    times = {size: COPIES.ping_pong_ns(size) for size in SIZES}
    found = lines_of(Times(ping_pong=times, posting_ns=posting_ns))
    assert found.eager_below_bytes == COPIES.eager_below_bytes
    for size in (COPIES.eager_below_bytes, 1 << 20):
        assert found.sendrecv_ns(size) == pytest.approx(times[size] + posting_ns)


def test_a_line_without_a_jump_is_eager() -> None:
    times = {size: 1000 + size for size in SIZES}
    found = lines_of(Times(ping_pong=times, posting_ns=200, receiving_ns=200))
    assert found.eager_below_bytes == ALWAYS_EAGER
    assert [one.ns for one in (found.send[0], found.receive[0])] == [200, 200]
    assert found.ping_pong_ns(8) == pytest.approx(1008)


@engine
def test_the_rate_is_that_of_one_rank_on_the_largest_lattice(
    records: tuple[Path, Path], tmp_path: Path
) -> None:
    file = tmp_path / "mine.xml"
    words = ["calibrate", *map(str, records), "-o", str(file)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "a rank computes 800 MFlop/s, as one rank measured on 8^4" in result.output
    assert 'speed="0.8Gf"' in file.read_text()
    result = CliRunner().invoke(app, [*words, "--rate", "4GFlop/s"])
    assert "a rank computes 4GFlop/s (--rate)" in result.output
    assert 'speed="4Gf"' in file.read_text()


@engine
def test_a_run_computes_at_the_rate_that_was_typed(tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    words = ["run", "milc", "--platform", "escher", "--rate", "800MFlop/s", "--ranks", "1"]
    # A budget counts from when this process began.
    words += ["--extents", "4", "--no-report", "--budget", "10h", "-o", str(record)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    run = weft.load(record)
    assert run.header.plan.simulated
    assert "a rank computes 800MFlop/s" in run.header.plan.simulated.origin
    [batch] = run.measured
    assert min(run.time_ns(batch)) == pytest.approx(1187 * 4**4 / 0.8, rel=1e-3)


def test_a_file_computes_at_the_rate_that_was_typed(tmp_path: Path) -> None:
    file = tmp_path / "e.xml"
    file.write_text(platform(KNOWN).xml)
    assert 'speed="0.8Gf"' in simulated_platform(str(file), "800MFlop/s").xml
    file.write_text("<platform version='4.1'><zone id='z' routing='Full'/></platform>")
    with pytest.raises(WeftError, match="no host with a speed; set the speed of its hosts"):
        simulated_platform(str(file), "800MFlop/s")
