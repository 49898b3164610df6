"""What to do with a record that a line of is damaged, and which files begin as one."""

from pathlib import Path

import pytest
import zstandard

from support.builders import make_cases, synthetic_record
from weft.errors import WeftError
from weft.record.reader import begins_as_record, read


def lines_of(folder: Path) -> list[bytes]:
    path = synthetic_record(folder / "whole.jsonl", make_cases(sizes=(8,)))
    return path.read_bytes().splitlines(keepends=True)


def damaged(path: Path, lines: list[bytes], number: int) -> Path:
    """The lines as a file, of which one is none."""
    data = b"".join([*lines[: number - 1], b'{"kind":"batch"}\n', *lines[number:]])
    path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else data)
    return path


def test_of_a_plain_record_the_lines_before_a_damaged_one_are_kept(tmp_path: Path) -> None:
    path = damaged(tmp_path / "r.jsonl", lines_of(tmp_path), 3)
    with pytest.raises(WeftError, match=r"is damaged in line 3") as raised:
        read(path)
    assert raised.value.fix == f"keep the lines before it: head -n 2 {path} > repaired.jsonl"


def test_of_a_packed_one_and_of_a_header_another_copy_is_used(tmp_path: Path) -> None:
    lines = lines_of(tmp_path)
    packed = damaged(tmp_path / "r.jsonl.zst", lines, 3)
    headless = tmp_path / "headless.jsonl"
    version, _, rest = lines[0].partition(b",")
    assert version == b'{"kind":"header"'
    number = rest.partition(b",")[0]
    headless.write_bytes(b"".join([version, b",", number, b"}\n", *lines[1:]]))
    for path, line in ((packed, 3), (headless, 1)):
        with pytest.raises(WeftError, match=f"is damaged in line {line}") as raised:
            read(path)
        assert raised.value.fix == "use another copy of it"


@pytest.mark.parametrize(
    ("begin", "is_one"),
    [
        (b'{"kind":"header","schema_version":1', True),
        (b'{"kind"', True),
        (b'{"title": "prices"}', False),
        (b"size,latency\n8,1.5\n", False),
        (b"", False),
    ],
)
def test_a_file_begins_as_a_record_by_its_first_bytes(
    tmp_path: Path, begin: bytes, *, is_one: bool
) -> None:
    plain = tmp_path / "a"
    plain.write_bytes(begin)
    assert begins_as_record(plain) is is_one
    packed = tmp_path / "b"
    packed.write_bytes(zstandard.compress(begin))
    assert begins_as_record(packed) is (is_one or not begin)


def test_what_cannot_be_unpacked_was_a_record(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(zstandard.compress(b'{"title": "prices"}')[:4] + b"\xff" * 20)
    assert begins_as_record(path)
