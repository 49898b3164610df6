"""What a person types for sizes, times and per cents; what they read."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import WeftError
from weft.units import (
    format_bandwidth,
    format_bytes,
    format_change,
    format_duration,
    format_time,
    parse_bandwidth,
    parse_bytes,
    parse_percent,
    parse_seconds,
    parse_sizes,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("8", 8), ("1KiB", 1024), ("1KB", 1000), ("1.5MiB", 1572864), ("4 GiB", 2**32)],
)
def test_sizes(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "8 apples", "1e3", "0.3KiB", "9" * 30])
def test_no_sizes(text: str) -> None:
    with pytest.raises(WeftError, match="use one like"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("text", "fix"),
    [("1Gb", "use 1GB"), ("1gb", "use 1GB"), ("8b", "use 8B"), ("64 Kib", "use 64KiB"),
     ("1.5Mb", "use 1.5MB"), ("8bit", "use 8B"), ("0..1Gb", "use 1GB"), ("8,1kb", "use 1KB")],
)  # fmt: skip
def test_bits_are_no_bytes(text: str, fix: str) -> None:
    with pytest.raises(WeftError, match=f"is in bits.*{fix}, where B is bytes, or an eighth"):
        parse_sizes(text)


def test_a_bandwidth_in_bits_is_written_out() -> None:
    assert parse_bandwidth("25 Gbit/s") == parse_bandwidth("25 GB/s") / 8
    with pytest.raises(WeftError, match="bits or in bytes; use 25Gbit/s or 25GB/s"):
        parse_bandwidth("25 Gb/s")
    with pytest.raises(WeftError, match="is not a bandwidth"):
        parse_bandwidth("25 Xb/s")


def test_ranges() -> None:
    assert parse_sizes("0..4MiB")[:4] == (0, 1, 2, 4)
    assert parse_sizes("0..4MiB")[-1] == 4 << 20
    assert len(parse_sizes("0..4MiB")) == 24
    assert parse_sizes("3..9") == (3, 4, 8, 9)
    assert parse_sizes("16MiB..64MiB+16MiB") == tuple(n << 20 for n in (16, 32, 48, 64))
    assert parse_sizes("16MiB..64MiB:16MiB") == parse_sizes("16MiB..64MiB+16MiB")
    assert len(parse_sizes("16MiB..2.1GB:16MiB")) == 125
    assert parse_sizes("1KiB,8,8") == (8, 1024)


@pytest.mark.parametrize("text", ["8..4", "0..1GiB+0", "0..1GiB+1", "..", "1,,2"])
def test_no_ranges(text: str) -> None:
    with pytest.raises(WeftError):
        parse_sizes(text)


@given(st.text(max_size=12))
def test_any_text_is_a_size_or_one_clear_error(text: str) -> None:
    for parse in (parse_sizes, parse_seconds, parse_percent):
        with contextlib.suppress(WeftError):
            parse(text)


@given(st.integers(0, 2**50))
def test_formatted_sizes_parse_back(count: int) -> None:
    assert parse_bytes(format_bytes(count)) == count


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0s"), (0.2, "1s"), (9.01, "10s"), (10.01, "20s"), (120.0, "120s"), (120.01, "3min"),
        (3600.0, "60min"), (3600.1, "1h10min"), (91 * 60.0, "1h40min"), (7200.0, "2h"),
        (10_801.0, "3h10min"), (36_000.0, "10h"), (36_001.0, "11h"),
    ],
)  # fmt: skip
def test_a_length_of_time_is_rounded_up(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


@given(st.floats(1e-3, 1e7))
def test_a_length_of_time_can_be_typed_and_is_enough(seconds: float) -> None:
    typed = parse_seconds(format_duration(seconds))
    assert seconds <= typed <= max(1.5 * seconds, seconds + 10)
    # What was rounded once stays as it is.
    assert format_duration(typed) == format_duration(seconds)


@given(st.floats(0.0, 1e7), st.floats(0.0, 1e7))
def test_no_longer_time_is_written_shorter(one_s: float, other_s: float) -> None:
    short_s, long_s = sorted((one_s, other_s))
    assert seconds_of(format_duration(short_s)) <= seconds_of(format_duration(long_s))


@given(st.floats(0.0, 1e7))
def test_a_length_of_time_has_no_more_than_59_minutes_beside_hours(seconds: float) -> None:
    hours, _, minutes = format_duration(seconds).partition("h")
    assert not minutes or int(minutes.removesuffix("min")) < 60, hours


def seconds_of(words: str) -> float:
    return 0.0 if words == "0s" else parse_seconds(words)


def test_times_and_percents() -> None:
    assert parse_seconds("60") == 60
    assert parse_seconds("2min") == 120
    assert parse_percent("0.5 %") == 0.005
    assert parse_seconds("1h 30min") == 5400
    for bad in ("0s", "5 years", "", "-3", "1h30", "30min1h", "1h1h", "1h and 2min", "1.5.5"):
        with pytest.raises(WeftError):
            parse_seconds(bad)
    assert parse_percent("5") == 0.05
    assert parse_percent("1") == 0.01
    with pytest.raises(WeftError, match=r"'0.05' may be 0.05 % or 5 %; use 0.05% or 5%"):
        parse_percent("0.05")
    for bad in ("0%", "101%", "x"):
        with pytest.raises(WeftError):
            parse_percent(bad)


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("950 MB/s", 9.5e8), ("2 GB/s", 2e9), ("3 kB/s", 3e3), ("1 MiB/s", 2**20),
        ("25 Gbit/s", 3.125e9), ("8 Mbit/s", 1e6),
    ],
)  # fmt: skip
def test_a_bandwidths_unit_is_a_power_of_ten_or_says_that_it_is_one_of_two(
    text: str, bytes_per_s: float
) -> None:
    assert parse_bandwidth(text) == bytes_per_s


def test_what_people_read() -> None:
    assert [format_time(t) for t in (0.5, 124.4, 999.96, 1234, 2.5e6, 3e9)] == [
        "0.500 ns", "124 ns", "1.00 µs", "1.23 µs", "2.50 ms", "3.00 s",
    ]  # fmt: skip
    assert [format_bandwidth(b) for b in (5, 1500, 16.4e9)] == [
        "5.00 B/s", "1.50 kB/s", "16.4 GB/s",
    ]  # fmt: skip


def test_netpipes_sizes_are_those_of_its_own_loop() -> None:
    assert parse_sizes("netpipe:1..130") == (
        *(1, 2, 3, 4, 6, 8, 12, 13, 16, 19, 21, 24, 27, 29, 32, 35, 45, 48, 51, 61, 64, 67),
        *(93, 96, 99, 125, 128, 131),
    )
    assert parse_sizes("netpipe:0..16:0") == (0, 1, 2, 3, 4, 6, 8, 12, 16)
    assert parse_sizes("netpipe:0..4MiB") == parse_sizes("netpipe:0..4MiB:3")
    assert parse_sizes("8,netpipe:1..4")[-1] == 8
    for bad in ("netpipe:", "netpipe:8", "netpipe:9..1", "netpipe:0..4MiB:x", "netpipe:0..4MiB:-1"):
        with pytest.raises(WeftError):
            parse_sizes(bad)


def test_a_change_has_its_sign_on_both_sides_of_nothing() -> None:
    assert [format_change(one)[0] for one in (0.0, 0.4, 12.0, -0.4)] == ["+", "+", "+", "-"]
    assert [format_change(one) for one in (-0.04, -0.0, -0.06)] == ["+0.0 %", "+0.0 %", "-0.1 %"]


@pytest.mark.parametrize("text", ["1h2s3min", "1h1h", "2min1h3s", "1min2min"])
def test_a_time_goes_from_its_largest_unit_down(text: str) -> None:
    with pytest.raises(WeftError, match=f"'{text}' is not a time"):
        parse_seconds(text)
    assert parse_seconds("1h2min3s") == 3723
