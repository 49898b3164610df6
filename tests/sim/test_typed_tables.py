"""A platform typed as tables: what it predicts is in the tables."""

from pathlib import Path

import pytest

from support.simulations import by_size, simulated
from support.typed_tables import GAP_NS, WIRE_BYTES_PER_NS, bandwidths, latencies, latency_ns
from weft.sources.imported import import_outputs
from weft.sources.peers.stated import Given
from weft.studies.calibration import calibrated_platform

pytestmark = pytest.mark.engine


def test_a_stream_is_as_fast_as_the_table_of_bandwidths_says(tmp_path: Path) -> None:
    found = calibrated_platform([str(latencies(tmp_path)), str(bandwidths(tmp_path))], "model", 2)
    run = simulated(tmp_path, ("ping_pong", "stream"), "8,1MiB", found.platform)
    streams, messages = by_size(run, "stream"), by_size(run, "ping_pong")
    due = {8: 8 / GAP_NS, 1 << 20: WIRE_BYTES_PER_NS}
    for size, rate in due.items():
        bandwidth, latency = streams[size].bandwidth_bytes_per_s, messages[size].latency_ns
        assert bandwidth is not None
        assert bandwidth.value == pytest.approx(1e9 * rate, rel=0.1)
        assert latency is not None
        assert latency.value == pytest.approx(latency_ns(size), rel=0.01)


def test_a_test_that_makes_no_platform_is_named(tmp_path: Path) -> None:
    table = tmp_path / "osu_bibw.txt"
    table.write_text(
        "# OSU MPI Bi-Directional Bandwidth Test v7.4\n# Size  Bandwidth (MB/s)\n8 90.0\n"
    )
    record = import_outputs([table], Given(), tmp_path / "bibw.jsonl")
    found = calibrated_platform([str(latencies(tmp_path)), str(record)], "model", 2)
    notes = " ".join(note for table in found.tables for note in table.notes)
    assert "a platform is not made of it: bidirectional_window_stream" in notes
