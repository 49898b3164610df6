"""A rate in each unit that a tester prints is of so many bytes: of iperf3 and of sockperf."""

from pathlib import Path

import pytest

from weft.sources.peers import read_output
from weft.sources.peers.iperf3_rows import bytes_typed
from weft.sources.peers.stated import Given
from weft.sources.peers.text import OutputLine

OUTPUTS = Path(__file__).parent / "outputs"


def bytes_per_s(folder: Path, name: str, old: str, new: str) -> float:
    """Of the one row that a file has when its rate is printed so."""
    text = (OUTPUTS / name).read_text()
    assert old in text
    (folder / "out.txt").write_text(text.replace(old, new))
    [row] = read_output(folder / "out.txt", Given(bytes=131072))[1].rows
    return 1e9 * row.case.bytes / row.time_ns


@pytest.mark.parametrize(
    ("printed", "rate"),
    [
        ("11.6 Gbits/sec", 11.6e9 / 8), ("116 Mbits/sec", 116e6 / 8), ("116 Kbits/sec", 116e3 / 8),
        ("11.6 GBytes/sec", 11.6 * 2**30), ("116 MBytes/sec", 116 * 2**20),
        ("116 KBytes/sec", 116 * 2**10),
    ],
)  # fmt: skip
def test_bits_of_iperf3_are_counted_in_tens_and_bytes_in_twos(
    tmp_path: Path, printed: str, rate: float
) -> None:
    found = bytes_per_s(tmp_path, "iperf3.txt", "11.6 Gbits/sec", printed)
    assert found == pytest.approx(rate)


@pytest.mark.parametrize(("printed", "rate"), [("601.285 M", 2**20), ("601.285 G", 1000 * 2**20)])
def test_a_giga_of_sockperf_is_a_thousand_of_its_megas(
    tmp_path: Path, printed: str, rate: float
) -> None:
    found = bytes_per_s(tmp_path, "sockperf_tp.txt", "601.285 M", printed)
    assert found == pytest.approx(601.285 * rate)


@pytest.mark.parametrize(
    ("typed", "count"),
    [("", None), ("-l 1000", 1000), ("-l 128K", 128 << 10), ("-l1k", 1024), ("--len 2M", 2 << 20),
     ("--length=1G", 1 << 30)],
)  # fmt: skip
def test_a_length_of_iperf3_is_counted_in_twos(typed: str, count: int | None) -> None:
    line = OutputLine(Path("out.txt"), 1, "")
    line.command = f"iperf3 -c n1 {typed} -t 1"
    assert bytes_typed(line) == count
