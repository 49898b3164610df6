"""Whatever happened to a file, reading it gives a prefix or a reason."""

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.builders import lost_batch, make_cases, make_launch, synthetic_record
from weft.errors import WeftError
from weft.record.reader import RecordLines, header_of, read
from weft.record.writer import RecordWriter

CASES = make_cases(["ping_pong", "stream"], ["tcp"], [8])


def small_record(path: Path) -> Path:
    """Every kind of line, about 3 KiB."""

    def few_times(_: Any, launch: int) -> list[float]:
        return [1000.0 + launch, 1001.5, 1002.0]

    lost = lost_batch(CASES[1], 1, 99, "timeout", "a reason with ünïcode and a \n line feed")
    return synthetic_record(path, CASES, launches=2, times_ns=few_times, more=[lost])


def is_prefix(cut: RecordLines, whole: RecordLines) -> bool:
    pairs = [(cut.launches, whole.launches), (cut.batches, whole.batches), (cut.ends, whole.ends)]
    return (
        cut.header == whole.header
        and all(part == all_[: len(part)] for part, all_ in pairs)
        and cut.footer in (None, whole.footer)
    )


@pytest.mark.parametrize("packed", [False, True])
def test_the_header_by_itself_is_that_of_the_whole_record(tmp_path: Path, packed: bool) -> None:
    """Nothing behind it is read: what follows may be damaged. A header that is cut gives none."""
    path = small_record(tmp_path / "a.jsonl")
    whole = read(path)
    header, _, _ = path.read_bytes().partition(b"\n")

    def write(data: bytes) -> None:
        path.write_bytes(zstandard.ZstdCompressor().compress(data) if packed else data)

    write(header + b"\nnot a line\n")
    assert header_of(path) == whole.header
    write(header[:-1])
    assert header_of(path) is None
    write(b"bytes,seconds\n8,1e-6\n")
    with pytest.raises(WeftError, match="not a weft record"):
        header_of(path)


def cuts(data: bytes) -> list[int]:
    """Every fifth byte, and each around the ends of lines and of the file: others are alike."""
    return [
        end for end in range(len(data))
        if end % 5 == 0 or b"\n" in data[max(end - 3, 0) : end + 3] or end > len(data) - 5
    ]  # fmt: skip


def test_a_record_cut_anywhere_gives_its_whole_lines_or_one_error(tmp_path: Path) -> None:
    path = small_record(tmp_path / "a.jsonl")
    data = path.read_bytes()
    whole = read(path)
    header_end = data.index(b"\n") + 1
    for end in cuts(data):
        path.write_bytes(data[:end])
        if end < header_end:
            says = "cut off inside its header" if end else "not a weft record"
            with pytest.raises(WeftError, match=says):
                read(path)
            continue
        cut = read(path)
        lines = 1 + len(cut.launches) + len(cut.batches) + len(cut.ends)
        assert lines == data.count(b"\n", 0, end)
        assert is_prefix(cut, whole)
        assert cut.footer is None
        assert cut.truncated == (data[end - 1 : end] != b"\n")


def blocks(data: bytes) -> bytes:
    """A zstd file of many blocks, so that a cut one has whole ones."""
    stream = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    parts = []
    for start in range(0, len(data), 200):
        parts.append(stream.compress(data[start : start + 200]))
        parts.append(stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    return b"".join(parts) + stream.flush()


def test_a_compressed_record_cut_at_any_byte_says_so(tmp_path: Path) -> None:
    plain = small_record(tmp_path / "a.jsonl")
    whole = read(plain)
    path = tmp_path / "b.jsonl.zst"
    data = blocks(plain.read_bytes())
    loaded = 0
    for end in range(len(data)):
        path.write_bytes(data[:end])
        try:
            cut = read(path)
        except WeftError as error:
            assert ("cut off" in error.what) == (end >= 4), error  # noqa: PT017 - any is right
            continue
        loaded += 1
        assert is_prefix(cut, whole)
        assert cut.truncated
    assert loaded > len(data) / 3
    path.write_bytes(data)
    assert read(path) == whole


def test_nothing_of_a_file_of_several_frames_is_lost(tmp_path: Path) -> None:
    plain = small_record(tmp_path / "a.jsonl")
    data = plain.read_bytes()
    path = tmp_path / "b.jsonl.zst"
    cut = data.index(b"\n") + 300
    pack = zstandard.ZstdCompressor().compress
    path.write_bytes(pack(data[:cut]) + pack(data[cut:]))
    assert read(path) == read(plain)
    path.write_bytes(pack(data[:cut]) + pack(data[cut:])[:-9])
    assert read(path).truncated


def test_damage_inside_the_compression_is_found_by_its_checksum(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "a.jsonl.zst", CASES)
    data = bytearray(path.read_bytes())
    whole = read(path)
    damaged = 0
    for place in range(8, len(data), max(1, len(data) // 200)):
        data[place] ^= 0x10
        path.write_bytes(data)
        data[place] ^= 0x10
        try:
            found = read(path)
        except WeftError:
            damaged += 1
        else:
            assert is_prefix(found, whole)
    assert damaged > 150


@given(place=st.floats(0, 1, exclude_max=True), new=st.binary(min_size=1, max_size=8))
@example(place=0.02831735329421115, new=b"\\")  # "ping_ping" becomes "ping_p\ng"
@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_garbage_anywhere_is_never_another_exception(
    tmp_path_factory: pytest.TempPathFactory, place: float, new: bytes
) -> None:
    path = small_record(tmp_path_factory.mktemp("r") / "a.jsonl")
    data = path.read_bytes()
    start = int(place * len(data))
    path.write_bytes(data[:start] + new + data[start + len(new) :])
    try:
        read(path)
    except WeftError as error:
        assert "\n" not in str(error)  # noqa: PT017 - the error is allowed, not wanted


@pytest.mark.parametrize("line", [2, 4, 7])
@pytest.mark.parametrize("garbage", [b"#!?", b"", b"\x00\x00", b'{"kind":"batch"}', b"[1,2]"])
def test_garbage_between_lines_is_told_with_its_line(
    tmp_path: Path, line: int, garbage: bytes
) -> None:
    path = small_record(tmp_path / "a.jsonl")
    lines = path.read_bytes().split(b"\n")
    lines.insert(line - 1, garbage)
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(WeftError, match=f"line {line}:.*head -n {line - 1} "):
        read(path)


def edited(path: Path, line: int, **change: Any) -> Path:
    """Change fields of one line, counted from 1."""
    lines = path.read_text().splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **change})
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"case": "tcp/ping_pong/9"}, "not in the plan"),
        ({"launch": 5}, "has not started"),
        ({"warmup": 4}, "samples behind its warm-up"),
        ({"warmup": -1}, "Expected `int` >= 0"),
        ({"ops_per_sample": 0}, "samples behind its warm-up"),
        ({"ticks": []}, "samples behind its warm-up"),
        ({"ticks": [5, 5, 5, -5]}, "Expected `int` >= 0"),
        ({"ticks": [5, 5, 5, 2**63]}, "Expected `int` <= "),
        ({"ticks": [5, 5, 5, 5.5]}, "Expected `int`"),
        ({"parts": {"post": [1, 2, 3]}}, "as many values"),
        ({"parts": {"post": [1, 2, 3, 4, 5]}}, "as many values"),
        ({"status": "fine"}, "Invalid enum"),
    ],
)
def test_a_batch_that_cannot_be_is_damage(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(WeftError, match=rf"line 3:.*{says}"):
        read(edited(small_record(tmp_path / "a.jsonl"), 3, **change))


def test_a_tick_that_takes_no_time_is_damage(tmp_path: Path) -> None:
    path = small_record(tmp_path / "a.jsonl")
    clock = {"name": "tsc", "tick_ns": 0.0, "overhead_ticks": 1, "baseline_ns": 1}
    with pytest.raises(WeftError, match=r"line 2:.*Expected `float` >= .*tick_ns"):
        read(edited(path, 2, clock=clock))


@pytest.mark.parametrize(
    ("copied", "to", "says"),
    [(1, 3, "one header"), (2, 3, "starts twice"), (-2, -1, "after the footer")],
)
def test_lines_out_of_place_are_damage(tmp_path: Path, copied: int, to: int, says: str) -> None:
    path = small_record(tmp_path / "a.jsonl")
    lines = path.read_text().split("\n")
    lines.insert(to if to < 0 else to - 1, lines[copied if copied < 0 else copied - 1])
    path.write_text("\n".join(lines))
    with pytest.raises(WeftError, match=says):
        read(path)


def test_a_launch_that_never_came_up_has_an_end_and_no_start(tmp_path: Path) -> None:
    path = small_record(tmp_path / "a.jsonl")
    data = path.read_text()
    started = next(line for line in data.splitlines() if '"launch_end"' in line)
    path.write_text(data.replace(started, '{"kind":"launch_end","launch":9,"status":"failed"}', 1))
    assert [end.launch for end in read(path).ends] == [9, 1]


def test_a_newer_schema_names_both_versions_and_the_fix(tmp_path: Path) -> None:
    path = edited(small_record(tmp_path / "a.jsonl"), 1, schema_version=2, invented={"a": 1})
    with pytest.raises(WeftError, match=r"schema 2.*up to 1.*newer weft"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"a,b\n1,2\n",
        b"no line",
        b'{"kind":"batch"',
        b"{}\n",
        b"[]\n",
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b'{"kind":"batch"}\n',
        b'{"kind":"header"}\n',
        b'{"kind":"header","schema_version":"1"}\n',
        b'{"kind":"header","schema_version":true}\n',
        zstandard.ZstdCompressor().compress(b"hello\n"),
    ],
)
def test_what_is_no_record_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(WeftError, match="is not a weft record"):
        read(path)


def test_a_missing_file_and_a_folder_are_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(WeftError, match="cannot read"):
            read(path)


def test_the_order_of_lines_of_a_kind_is_kept(tmp_path: Path) -> None:
    lines = read(small_record(tmp_path / "a.jsonl"))
    assert [launch.launch for launch in lines.launches] == [0, 1]
    assert lines.launches[0].ranks == make_launch(0, "tcp").ranks
    assert [batch.order for batch in lines.batches] == [0, 1, 2, 3, 4, 5, 99]
    assert lines.footer is not None


@pytest.mark.parametrize(
    ("there", "asked", "is_whole", "told"),
    [("a.jsonl", "a.jsonl.zst", False, "the run is interrupted; use"),
     ("a.jsonl", "a.jsonl.zst", True, "the record is not packed; use"),
     ("a.jsonl.zst", "a.jsonl", True, "the run is complete; use")],
)  # fmt: skip
def test_a_record_in_its_other_form_is_named(
    tmp_path: Path, there: str, asked: str, is_whole: bool, told: str
) -> None:
    path = small_record(tmp_path / there)
    if not is_whole:
        path.write_bytes(path.read_bytes().rstrip().rpartition(b"\n")[0] + b"\n")
    for open_it in (read, RecordWriter.resume):
        with pytest.raises(WeftError) as error:
            open_it(tmp_path / asked)
        assert str(error.value).endswith(f"{told} {tmp_path / there}")
    with pytest.raises(WeftError, match="check the path"):
        read(tmp_path / "b.jsonl")
