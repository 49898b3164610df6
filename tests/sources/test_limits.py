"""A limits file is read strictly: what it does not say clearly is one line with the fix."""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.limits import read_limits
from weft.units import parse_bandwidth, parse_time


def read(folder: Path, text: str) -> None:
    path = folder / "limits.toml"
    path.write_text(text)
    read_limits(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r"has no limit; write \[\[limit\]\]"),
        ("limit = 3", r"limit: expected `array`, got `int`; write \[\[limit\]\]"),
        ("limit = [3]", r"limit 1: expected `object`, got `int`; write \[\[limit\]\]"),
        ("[[limit]", "is not TOML: .*line 1"),
        ("[[limits]]\n", "'limits' is unknown; did you mean limit"),
        ("[[limit]]\n", "limit 1 has no bound; write one of latency_at_most"),
        ('[[limit]]\nlatency_at_most = "2 us"\n', "names no test"),
        (
            '[[limit]]\ntest = "a"\nlatency_at_most = "2 us"\nbandwidth_at_least = "1 GB/s"\n',
            "more than one bound",
        ),
        (
            '[[limit]]\ntest = "a"\nlatency_at_most = 2\n',
            '`int`; write it as text: latency_at_most = "2 us"',
        ),
        ('[[limit]]\ntest = "a"\nbandwidth_at_least = 2.5\n', '"10 GB/s"'),
        ('[[limit]]\ntest = "a"\npercent_of_peak_at_least = 85\n', '"85%"'),
        (
            '[[limit]]\ntest = "a"\nlink = "IB 4x FDR"\npercent_of_peak_at_least = "0.85"\n',
            "'0.85' is not a per cent",
        ),
        ('[[limit]]\ntest = "a"\nlatency_at_most = "2"\n', "'2' is not a time; use one like 2 us"),
        ('[[limit]]\ntest = "a"\nlatency_at_most = "2 GB/s"\n', "'2 GB/s' is not a time"),
        ('[[limit]]\ntest = "a"\nbandwidth_at_least = "2 us"\n', "'2 us' is not a bandwidth"),
        ('[[limit]]\ntest = "a"\nlatency_at_most = "-2 us"\n', "is not a time"),
        ('[[limit]]\ntest = "a"\nlatency_at_most = "0 us"\n', "is not a time"),
        ('[[limit]]\ntest = "a"\nlatency_at_mots = "2 us"\n', "did you mean latency_at_most"),
        ('[[limit]]\ntest = "a"\nqqq = "2 us"\n', "write one of test, transport, sizes"),
        ('[[limit]]\ntest = "a"\nsizes = "many"\nlatency_at_most = "2 us"\n', "not a size"),
        ('[[limit]]\ntest = "a"\nsizes = "8..1"\nlatency_at_most = "2 us"\n', "write 1..8"),
        ('[[limit]]\ntest = "a"\nlink = "IB 4x FDR"\nlatency_at_most = "2 us"\n', "remove link"),
        ('[[limit]]\ntest = "a"\npercent_of_peak_at_least = "85%"\n', "needs its link"),
        (
            '[[limit]]\ntest = "a"\nlink = "rope"\npercent_of_peak_at_least = "85%"\n',
            "limit 1: 'rope' is not a link",
        ),
        (
            '[[limit]]\ntest = "a"\nlink = "IB 4x FDR"\npercent_of_peak_at_least = "185%"\n',
            "is not a per cent",
        ),
        (
            '[[limit]]\ntest = "a"\nlatency_at_most = "2 us"\n[[limit]]\ntest = "b"\n',
            "limit 2 has no bound",
        ),
    ],
)
def test_a_broken_file_is_refused_with_the_fix(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(WeftError, match=told):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="cannot read"):
        read_limits(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(WeftError, match="is not TOML"):
        read_limits(tmp_path / "b.toml")


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("900 ns", 900), ("2us", 2000), ("2 µs", 2000), ("1.5ms", 1.5e6), ("1 s", 1e9)],
)
def test_times(text: str, nanoseconds: float) -> None:
    assert parse_time(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [("10 GB/s", 1e10), ("1 MiB/s", 2**20), ("25 Gbit/s", 3.125e9), ("7 B/s", 7)],
)
def test_bandwidths(text: str, bytes_per_s: float) -> None:
    assert parse_bandwidth(text) == bytes_per_s
