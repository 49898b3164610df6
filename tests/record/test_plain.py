"""Plain tables: what their columns mean, or a clear refusal."""

from pathlib import Path

import numpy as np
import pytest

from weft.errors import WeftError
from weft.record.plain import is_plain, read_plain


def written(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("header", "size", "time", "size_bytes", "time_ns"),
    [
        ("bytes,seconds", "1024", "0.002", 1024, 2e6),
        ("size,time_us", "1024", "2", 1024, 2e3),
        ("msg_bytes,latency_ns", "8", "900", 8, 900),
        ("Message Size (bytes),Time (s)", "8", "1e-6", 8, 1e3),
        ("Size [KiB],t_ms", "4", "3", 4096, 3e6),
        ("size_mb,elapsed_sec", "2", "1", 2_000_000, 1e9),
        ("msgSize,oneWayTime_usec", "64", "1.5", 64, 1500),
        ("nbytes;duration_s", "64", "1", 64, 1e9),
        ("length\tlatency_µs", "64", "1", 64, 1e3),
        ("message bytes\tlatency µs", "64", "1", 64, 1e3),
        ("nbytes;duration\ts", "64", "1", 64, 1e9),
        ("iteration,size_bytes,time_ns,bandwidth_mb_per_s", "64", "10", 64, 10),
    ],
)
def test_columns_are_found_by_name_and_unit(
    tmp_path: Path, header: str, size: str, time: str, size_bytes: int, time_ns: float
) -> None:
    mark = next(mark for mark in ",;\t" if mark in header)
    row = {"size": size, "time": time}
    cells = [size, time]
    if header.startswith("iteration"):
        cells = ["1", row["size"], row["time"], "77"]
    table = read_plain(written(tmp_path, f"{header}\n{mark.join(cells)}\n"))
    assert table.sizes_bytes.tolist() == [size_bytes]
    assert table.times_ns == pytest.approx(np.array([time_ns]))


@pytest.mark.parametrize(
    ("unit", "ns"),
    [*((word, 1e9) for word in ("s", "sec", "secs", "second", "seconds")),
     *((word, 1e6) for word in ("ms", "msec", "millisecond", "milliseconds")),
     *((word, 1e3) for word in ("us", "µs", "μs", "usec", "microsecond", "microseconds")),
     *((word, 1.0) for word in ("ns", "nsec", "nanosecond", "nanoseconds"))],
)  # fmt: skip
def test_each_word_for_a_unit_of_time_is_one(tmp_path: Path, unit: str, ns: float) -> None:
    table = read_plain(written(tmp_path, f"bytes,time_{unit}\n8,3\n"))
    assert table.times_ns.tolist() == [3 * ns]


@pytest.mark.parametrize(
    ("unit", "of_bytes"),
    [*((word, 1) for word in ("b", "byte", "bytes", "nbytes")), ("kb", 10**3), ("mb", 10**6),
     ("gb", 10**9), ("kib", 2**10), ("mib", 2**20), ("gib", 2**30)],
)  # fmt: skip
def test_each_word_for_a_unit_of_size_is_one(tmp_path: Path, unit: str, of_bytes: int) -> None:
    table = read_plain(written(tmp_path, f"size_{unit},time_us\n3,1\n"))
    assert table.sizes_bytes.tolist() == [3 * of_bytes]


@pytest.mark.parametrize("word", ["message_size", "sizes", "bytes", "byte", "length", "len",
                                  "nbytes", "msgsize", "msglen"])  # fmt: skip
def test_each_word_for_a_size_names_its_column(tmp_path: Path, word: str) -> None:
    table = read_plain(written(tmp_path, f"row,{word},time_us\n7,3,1\n"))
    assert table.sizes_bytes.tolist() == [3]


def test_a_round_trip_is_halved_and_told(tmp_path: Path) -> None:
    table = read_plain(written(tmp_path, "bytes,rtt_us\n8,10\n"))
    assert table.times_ns.tolist() == [5000.0]
    assert "half" in table.notes[0]


@pytest.mark.parametrize(
    "name",
    [
        "half_roundtrip_s", "half_rtt_us", "half round trip (us)", "rtt_half_us",
        "latency_us (half round-trip)", "latency (half of RTT) us", "HalfRTT_us", "halfrtt_us",
        "halfRoundTrip_us", "half-round-trip us",
    ],
)  # fmt: skip
def test_half_a_round_trip_is_not_halved_again(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, f"bytes,{name}\n8,10\n")
    for table in (read_plain(path), read_plain(path, ("bytes", name))):
        assert table.times_ns.tolist() == [1e10 if name.endswith("_s") else 1e4]
        assert table.notes == (f"{name} is half a round trip: it counts as it is",)


def test_columns_can_be_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, "bytes,min_us,time_us,time_ms\n8,1,2,0.002\n")
    with pytest.raises(WeftError, match="could be the times"):
        read_plain(path)
    assert read_plain(path, ("bytes", "time_us")).times_ns.tolist() == [2000.0]


@pytest.mark.parametrize(
    "unit", ["k", "m", "g", "kbit", "mbit", "gbit", "bits", "bit", "min", "ticks"]
)
def test_a_unit_that_is_of_several_things_is_none(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "t.csv"
    for head in (f"size_{unit},time_us", f"bytes,time_{unit}"):
        path.write_text(f"{head}\n8,2\n16,3\n")
        with pytest.raises(WeftError, match="is ambiguous"):
            read_plain(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a table|no header|no column"),
        ("8,1.0\n16,2.0\n", "no header"),
        ("x,y\n1,2\n", "no column of sizes"),
        ("bytes,y\n1,2\n", "no column of times"),
        ("bytes,time\n1,2\n", "has no unit in its name"),
        ("bytes,latency\n1,2\n", "has no unit in its name"),
        ("size_k,time_us\n1,2\n", "is ambiguous"),
        ("size_kbit,time_us\n1,2\n", "is ambiguous"),
        ("bytes,time_us_ms\n1,2\n", "is ambiguous"),
        ("bytes,size,time_us\n1,1,2\n", "could be the sizes"),
        ("bytes,time_us\n", "no rows"),
        ("bytes,time_us\n8,2\n16,0\n", "row 2: a time that is zero or negative"),
        ("bytes,time_us\n8,-2\n", "row 1: a time that is zero or negative"),
        ("bytes,time_us\n-8,2\n", "below zero"),
        ("bytes,time_us\n1.5,2\n", "whole number of bytes"),
        ("bytes,time_us\n1e30,2\n", "larger than any memory"),
        ("bytes,time_us\n8,two\n", "row 1: 'two'"),
        ("bytes,time_us\n8,\n", "empty cell"),
        ("bytes,time_us\n8KiB,2\n", "'8KiB'"),
        ("bytes,time_us\n8,2 ms\n", "'2 ms'"),
        ("bytes,time_us\n8,nan\n", "'nan'"),
        ("bytes,time_us\n8,inf\n", "'inf'"),
        ("bytes,time_us\n8,2,3\n", "not a table"),
    ],
)
def test_what_could_mislead_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(WeftError, match=says):
        read_plain(written(tmp_path, text))


def test_a_record_is_not_taken_for_a_table(tmp_path: Path, record: Path) -> None:
    assert not is_plain(record)
    assert is_plain(written(tmp_path, "bytes,s\n"))
    assert is_plain(written(tmp_path, "bytes,s\n", "data"))
    assert not is_plain(written(tmp_path, "{}", "data"))
    # What cannot be read is left to who says why.
    assert is_plain(tmp_path / "absent") is False


@pytest.mark.parametrize(
    ("rows", "what"),
    [(("8,1", "8,0", "8,3", "8,0"), "a time that is zero"),
     (("8,2", "-8,2", "8,2", "-8,2"), "a size below zero"),
     (("8,2", "1.5,2", "8,2", "2.5,2"), "a size that is not a whole number")],
)  # fmt: skip
def test_the_first_of_several_bad_rows_is_named(
    rows: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    with pytest.raises(WeftError, match=f"row 2: {what}"):
        read_plain(written(tmp_path, "\n".join(("bytes,time_us", *rows, ""))))


def test_the_first_of_several_cells_that_are_no_numbers_is_named(tmp_path: Path) -> None:
    table = "bytes,time_us\n8,1\n8,two\n8,3\n8,four\n"
    with pytest.raises(WeftError, match="row 2: 'two' in column time_us is not a number"):
        read_plain(written(tmp_path, table))
