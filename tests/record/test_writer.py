"""Whole lines only, whatever goes wrong while writing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.builders import (
    lost_batch,
    make_batch,
    make_cases,
    make_footer,
    make_header,
    make_launch,
    synthetic_record,
    write_lines,
)
from weft.errors import WeftError
from weft.record.model import Batch, Line
from weft.record.reader import read
from weft.record.writer import RecordWriter, compress


def unpack(path: Path) -> Path:
    """Hold a record and take it out of its compression."""
    with RecordWriter.resume(path) as writer:
        writer.unpack()
        return writer.path


def test_a_program_without_standard_input_closes_its_record(tmp_path: Path) -> None:
    """The first file that it opens is number 0."""
    kept = os.dup(0)
    os.close(0)
    try:
        with RecordWriter.create(tmp_path / "r.jsonl") as writer:
            assert writer._descriptor == 0
        assert writer._descriptor == -1
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(0)
    finally:
        os.dup2(kept, 0)
        os.close(kept)


CASES = make_cases(["ping_pong"], ["tcp"], [8])
HEADER = make_header(CASES)
START: tuple[Line, ...] = (HEADER, make_launch(0, "tcp"))
BATCH = make_batch(CASES[0], 0, 0, [1000.0] * 20)

numbers = st.integers(0, 2**62)
batches = st.builds(
    lambda ticks, warmup, ops, reason, order: Batch(
        case=CASES[0].key,
        launch=0,
        order=order,
        role="measure",
        status="ok",
        reason=reason,
        ops_per_sample=ops,
        warmup=min(warmup, len(ticks) - 1),
        ticks=tuple(ticks),
    ),
    ticks=st.lists(numbers, min_size=1, max_size=20),
    warmup=st.integers(0, 5),
    ops=st.integers(1, 2**20),
    reason=st.text(),
    order=numbers,
)


@given(written=st.lists(batches, max_size=5), compressed=st.booleans())
@settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, written: list[Batch], compressed: bool
) -> None:
    path = tmp_path_factory.mktemp("r") / ("a.jsonl.zst" if compressed else "a.jsonl")
    footer = make_footer(len(written))
    lines = read(write_lines(path, [*START, *written, footer]))
    assert (lines.header, lines.batches, lines.footer) == (HEADER, tuple(written), footer)
    assert lines.launches == START[1:]
    assert not lines.truncated


def test_every_line_is_in_the_file_as_soon_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with RecordWriter.create(path) as writer:
        for count, line in enumerate([*START, BATCH], start=1):
            writer.write(line)
            assert path.read_bytes().count(b"\n") == count
            assert path.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.zst"])
def test_an_existing_record_is_never_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(WeftError, match="exists"):
        RecordWriter.create(tmp_path / "a.jsonl")
    assert (tmp_path / name).read_text() == "precious"


def test_a_place_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="cannot write"):
        RecordWriter.create(tmp_path / "nowhere" / "a.jsonl")


def test_a_second_writer_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with RecordWriter.create(path) as writer:
        writer.write(HEADER)
        before = path.read_bytes()
        for second in (RecordWriter.resume, compress):
            with pytest.raises(WeftError, match="another run"):
                second(path)
        assert path.read_bytes() == before
    RecordWriter.resume(path).close()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.zst"])
def test_a_record_that_is_held_to_be_resumed_is_read_and_changed_by_nobody_else(
    tmp_path: Path, name: str
) -> None:
    path = synthetic_record(tmp_path / name, CASES)
    before = path.read_bytes()
    with RecordWriter.resume(path) as held:
        for second in (RecordWriter.resume, unpack):
            with pytest.raises(WeftError, match="being written by another run"):
                second(path)
        assert path.read_bytes() == before
        held.unpack()
        # The lock is on the plain file before that has its name.
        with pytest.raises(WeftError, match="being written by another run"):
            RecordWriter.resume(tmp_path / "a.jsonl")
    RecordWriter.resume(tmp_path / "a.jsonl").close()


def test_a_record_that_another_run_packed_meanwhile_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was opened before the other run packed it, and is locked after that ended."""
    path = synthetic_record(tmp_path / "a.jsonl", CASES)
    really_open = os.open

    def late(name: Path, flags: int, *mode: int) -> int:
        descriptor = really_open(name, flags, *mode)
        monkeypatch.undo()
        compress(path)
        return descriptor

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(WeftError, match="was moved by another run"):
        RecordWriter.resume(path)
    assert read(tmp_path / "a.jsonl.zst").footer is not None


@pytest.mark.parametrize("tail", [b"", b'{"kind":"batch","ca', b"\xff\x00"])
@pytest.mark.parametrize("finished", [True, False])
def test_resume_cuts_a_half_line_and_the_footer_and_no_more(
    tmp_path: Path, tail: bytes, finished: bool
) -> None:
    path = write_lines(tmp_path / "a.jsonl", [*START, BATCH])
    kept = path.read_bytes()
    if finished:
        path.write_bytes(kept + msgspec.json.encode(make_footer(1)) + b"\n")
    with path.open("ab") as file:
        file.write(tail)
    before = path.read_bytes()
    with RecordWriter.resume(path) as writer:
        assert path.read_bytes() == before
        writer.write(BATCH)
        assert path.read_bytes().startswith(kept)
    assert read(path).batches == (BATCH, BATCH)
    assert not read(path).truncated


@pytest.mark.parametrize("content", [b"", b"no record\n", b'{"kind":"footer"}\n'])
def test_resume_refuses_what_is_no_record_and_leaves_it_alone(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    for _ in range(2):  # the lock of a refused resume is free again
        with RecordWriter.resume(path) as writer, pytest.raises(WeftError, match="not a weft rec"):
            writer.write(BATCH)
    assert path.read_bytes() == content


def test_a_compressed_record_under_a_plain_name_is_not_cut(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "a.jsonl.zst", CASES).rename(tmp_path / "a.jsonl")
    before = path.read_bytes()
    with (
        RecordWriter.resume(path) as writer,
        pytest.raises(WeftError, match=r"rename it to a\.jsonl\.zst"),
    ):
        writer.write(BATCH)
    assert path.read_bytes() == before


def test_compress_replaces_the_plain_record_by_the_same_lines(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "a.jsonl", CASES)
    before = read(path)
    packed = compress(path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl.zst"]
    assert read(packed) == before


def test_unpack_gives_back_the_plain_record(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "a.jsonl", CASES)
    before = path.read_bytes()
    assert unpack(compress(path)) == path
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]
    assert path.read_bytes() == before


def test_unpack_of_a_cut_record_gives_what_can_be_read(tmp_path: Path) -> None:
    lines = [HEADER, START[1], *(BATCH for _ in range(3000))]
    packed = write_lines(tmp_path / "a.jsonl.zst", lines)
    packed.write_bytes(packed.read_bytes()[:-5])
    readable = read(packed)
    assert readable.truncated
    assert read(unpack(packed)).batches == readable.batches


def test_unpack_never_replaces_another_record(tmp_path: Path) -> None:
    packed = synthetic_record(tmp_path / "a.jsonl.zst", CASES)
    (tmp_path / "a.jsonl").write_text("precious")
    with pytest.raises(WeftError, match="move one of them away"):
        unpack(packed)
    assert (tmp_path / "a.jsonl").read_text() == "precious"
    assert read(packed).footer is not None


def test_unpack_without_room_keeps_the_packed_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = synthetic_record(tmp_path / "a.jsonl.zst", CASES)
    before = packed.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WeftError, match="the disk is full"):
        unpack(packed)
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl.zst"]
    assert packed.read_bytes() == before


def test_compress_never_replaces_another_record(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "a.jsonl", CASES)
    (tmp_path / "a.jsonl.zst").write_text("precious")
    with pytest.raises(WeftError, match="exists"):
        compress(path)
    assert (tmp_path / "a.jsonl.zst").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "a.jsonl.zst"]


def test_compress_without_room_keeps_the_plain_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = synthetic_record(tmp_path / "a.jsonl", CASES)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WeftError, match="the disk is full"):
        compress(path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]
    assert path.read_bytes() == before


def test_a_line_that_the_disk_takes_in_part_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    really_write = os.write
    room = 100

    def nearly_full(descriptor: int, data: bytes) -> int:
        nonlocal room
        if room == 0:
            raise OSError(28, "No space left on device")
        written = really_write(descriptor, data[:room])
        room -= written
        return written

    with RecordWriter.create(path) as writer:
        for line in START:
            writer.write(line)
        before = path.read_bytes()
        monkeypatch.setattr(os, "write", nearly_full)
        with pytest.raises(WeftError, match=r"the disk is full.*--resume"):
            writer.write(BATCH)
        assert path.read_bytes() == before
        monkeypatch.undo()
        writer.write(BATCH)
    assert read(path).batches == (BATCH,)


def test_an_interrupt_inside_a_line_takes_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    really_write = os.write

    def interrupted(descriptor: int, data: bytes) -> int:
        really_write(descriptor, data[:10])
        raise KeyboardInterrupt

    with RecordWriter.create(path) as writer:
        writer.write(HEADER)
        before = path.read_bytes()
        monkeypatch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            writer.write(BATCH)
        monkeypatch.undo()
    assert path.read_bytes() == before


def test_a_real_limit_of_the_system_leaves_a_record_that_can_be_resumed(tmp_path: Path) -> None:
    """A process of its own, whose files may not grow past 64 KiB."""
    program = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
from support.builders import *
path = Path(sys.argv[1])
cases = make_cases(["ping_pong"], ["tcp"], [8])
try:
    write_lines(path, [make_header(cases), make_launch(0, "tcp"),
        *(make_batch(cases[0], 0, order, [1000.0] * 500) for order in range(100))])
except WeftError as error:
    sys.exit(error.what)
"""
    path = tmp_path / "a.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", "from weft.errors import WeftError\n" + program, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "may not grow" in done.stderr
    assert done.stderr.count("\n") == 1
    kept = read(path)
    assert not kept.truncated
    assert len(kept.batches) > 5
    with RecordWriter.resume(path) as writer:
        writer.write(lost_batch(CASES[0], 0, 99, "timeout", "later"))
    assert read(path).batches[:-1] == kept.batches


@pytest.mark.parametrize("gone", ["file", "folder", "moved"])
def test_a_record_that_lost_its_name_is_noticed_at_the_next_line(tmp_path: Path, gone: str) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    path = folder / "r.jsonl"
    first, second = HEADER, START[1]
    with RecordWriter.create(path) as writer:
        writer.write(first)
        if gone == "file":
            path.unlink()
        elif gone == "folder":
            shutil.rmtree(folder)
        else:
            folder.rename(tmp_path / "elsewhere")
        with pytest.raises(WeftError, match="was removed or moved during the run"):
            writer.write(second)
