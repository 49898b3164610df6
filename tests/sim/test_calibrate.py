"""Calibration: the published tables come back, and known protocols are found again."""

import re
import statistics

import msgspec
import pytest

from support.simulations import KNOWN, platform
from weft.errors import WeftError
from weft.reference.library import PublishedSeries, find_platform, platforms
from weft.sim.calibrate import Times, lines_of, model_of, table_of
from weft.sim.platforms import (
    calibrated,
    protocols_of,
    read_platform,
    simulated_platform,
    times_of,
)
from weft.sim.protocols import Piece, Protocols

SANDIA = ("escher", "red-squall", "callisto")
SIZES = [0, *(2**power for power in range(23))]


def test_two_sizes_are_enough_for_a_line() -> None:
    """8 bytes in 1,000 ns and 1,008 in 1,100 ns: 0.1 ns a byte."""
    found = lines_of(Times(ping_pong={8: 1000.0, 1008: 1100.0}))
    assert found.ping_pong_ns(508) == pytest.approx(1050.0)
    with pytest.raises(WeftError, match="a model needs times of two sizes"):
        lines_of(Times(ping_pong={8: 1000.0}))


def errors_percent(protocols: Protocols, series: PublishedSeries) -> list[float]:
    """Of each published figure, as a reader of the table would see it."""
    found = []
    for point in series.points:
        is_exchange = series.test == "sendrecv"
        time = (protocols.sendrecv_ns if is_exchange else protocols.ping_pong_ns)(point.bytes)
        own = time if series.quantity == "latency" else series.directions * 1e9 * point.bytes / time
        found.append(100 * abs(own / point.si - 1))
    return found


@pytest.mark.parametrize("name", SANDIA)
def test_the_model_is_as_near_to_the_tables_as_asked(name: str) -> None:
    published = find_platform(name)
    protocols = protocols_of(published, "model")
    assert protocols.parameters <= 12
    for series in published.series:
        mean = statistics.fmean(errors_percent(protocols, series))
        assert mean <= (5 if series.quantity == "latency" else 3), series.table


@pytest.mark.parametrize("name", SANDIA)
def test_the_table_is_right_at_every_published_size(name: str) -> None:
    published = find_platform(name)
    protocols = protocols_of(published, "table")
    for series in published.series:
        assert max(errors_percent(protocols, series)) <= 0.2, series.table


@pytest.mark.parametrize("name", ["osu-vapi", "osu-gm", "osu-elan3"])
def test_single_figures_of_a_text_come_back(name: str) -> None:
    published = find_platform(name)
    known = {fact.key: fact.si for fact in published.facts}
    protocols = protocols_of(published, "model")
    latency = known.get("latency_small_send") or known["latency_small_put"]
    assert protocols.ping_pong_ns(0) == pytest.approx(latency)
    assert protocols.bandwidth_bytes_per_s == pytest.approx(known["bandwidth_peak_one_way"])
    both = known["bandwidth_peak_both_ways"]
    assert both is not None
    assert protocols.bus_bytes_per_s == pytest.approx(both)
    overhead = protocols.send[0].ns + protocols.receive[0].ns
    assert overhead == pytest.approx(known["host_overhead"])
    with pytest.raises(WeftError, match="without a table"):
        protocols_of(published, "table")


@pytest.mark.parametrize("blocking_ns", [700.0, 1600.0])
def test_known_protocols_are_found_in_their_own_times(blocking_ns: float) -> None:
    """Also where MPI_Send takes longer than MPI_Isend."""
    known = msgspec.structs.replace(KNOWN, blocking_send=(Piece(0, blocking_ns),))
    times = Times(
        ping_pong={size: known.ping_pong_ns(size) for size in SIZES},
        sendrecv={size: known.sendrecv_ns(size) for size in SIZES},
    )
    for found in (model_of(times), table_of(times)):
        assert found.eager_below_bytes == 2048
        assert found.bus_factor == pytest.approx(1.25, rel=1e-3)
        for size in (4, 3000, 100_000):  # between and at the sizes that it has seen
            assert found.ping_pong_ns(size) == pytest.approx(known.ping_pong_ns(size), rel=1e-3)
            assert found.sendrecv_ns(size) == pytest.approx(known.sendrecv_ns(size), rel=1e-3)


def test_one_line_has_no_switch() -> None:
    own = {size: 1000 + 0.5 * size for size in SIZES}
    found = model_of(Times(ping_pong=own, posting_ns=150.0, receiving_ns=150.0))
    assert found.eager_below_bytes == 0
    [line] = found.transfer
    assert line.from_bytes == 0
    assert line.ns == pytest.approx(1000)
    assert line.ns_per_byte == pytest.approx(0.5)


@pytest.mark.parametrize("make", [model_of, table_of])
def test_one_size_is_no_calibration(make: object) -> None:
    with pytest.raises(WeftError, match="times of two sizes"):
        make(Times(ping_pong={8: 1000.0}))  # type: ignore[operator]


def test_a_file_is_read_as_it_was_written(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    written = calibrated(find_platform("escher"), "table", nodes=24)
    (folder / "e.xml").write_text(written.xml, encoding="utf-8")
    assert read_platform(folder / "e.xml") == written
    assert (written.nodes, written.kind, written.name) == (24, "table", "escher")
    assert simulated_platform(str(folder / "e.xml")) == written
    assert "measured" not in written.in_words
    foreign = '<platform version="4.1"><cluster id="c" radical="0-3,8"/><host id="h"/></platform>'
    (folder / "mine.xml").write_text(foreign)
    own = read_platform(folder / "mine.xml")
    assert (own.name, own.kind, own.nodes) == ("mine", "given", 6)
    # One that somebody changed, with some of what calibrate says of it, is anybody's.
    some = re.sub(r'<prop id="weft-kind"[^>]*/>', "", written.xml)
    assert some != written.xml
    (folder / "some.xml").write_text(some)
    assert (read_platform(folder / "some.xml").kind, read_platform(folder / "some.xml").nodes) == (
        "given", 24)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eschr", "did you mean escher"),
        ("escher:guess", "there is no kind guess; use model or table"),
        ("nowhere.xml", "cannot read nowhere.xml as a platform file"),
        ("osu-pcix", "without a bandwidth"),
    ],
)
def test_what_is_no_platform_is_refused(text: str, message: str) -> None:
    with pytest.raises(WeftError, match=message):
        simulated_platform(text)


def test_every_platform_with_figures_can_be_simulated() -> None:
    able = [one.name for one in platforms() if times_of(one) is not None]
    assert able == ["callisto", "escher", "red-squall"]
    assert simulated_platform("fdr-ping-pong").nodes == platform(nodes=128).nodes
    # A map of more ranks than is usual has as many nodes.
    assert [simulated_platform("escher", nodes=few).nodes for few in (0, 9, 256)] == [128, 128, 256]


def test_the_settings_say_what_simgrid_begins_above() -> None:
    settings = KNOWN.settings()
    assert settings["smpi/os"] == "0:7e-07:0"
    assert settings["smpi/bw-factor"] == "0:0.8;2063:1"
    assert settings["smpi/send-is-detached-thresh"] == "2048"


def test_the_times_of_known_protocols() -> None:
    assert KNOWN.ping_pong_ns(8) == 700 + 2000 + 8 + 500
    assert KNOWN.ping_pong_ns(2048) == pytest.approx(9000 + 0.8 * 2048)
    # 16 bytes of envelope share the bus too; a rendezvous costs the sender alone, by MPI_Isend.
    assert KNOWN.sendrecv_ns(8) == pytest.approx(900 + 2000 + 8 + 500 + 0.25 * 24)
    assert KNOWN.sendrecv_ns(2048) == pytest.approx(900 + 9000 + 0.8 * 2048 + 0.2 * 2064)
