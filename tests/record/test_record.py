"""A record is whole lines: what is cut, damaged or foreign is told, never guessed."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from lines import batch_of, sample_lines, write_lines
from weft.errors import WeftError
from weft.record.model import Batch, Case, Footer, Header
from weft.record.reader import read
from weft.record.schema import schema_text
from weft.record.writer import RecordWriter, compress

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schemas" / "record-1.schema.json"
EXAMPLE = ROOT / "schemas" / "examples" / "record-1.jsonl"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    lines = sample_lines()
    found = read(write_lines(tmp_path / "r.jsonl", lines))
    assert [found.header, found.footer] == [lines[0], lines[-1]]
    assert [*found.batches] == [line for line in lines if isinstance(line, Batch)]
    assert not found.truncated


@given(
    ticks=st.lists(st.integers(0, 2**62), min_size=6, max_size=30),
    reason=st.text(max_size=50),
    warmup=st.integers(0, 5),
)
def test_any_batch_survives(
    tmp_path_factory: pytest.TempPathFactory, ticks: list[int], reason: str, warmup: int
) -> None:
    folder = tmp_path_factory.mktemp("record")
    case = Case(test="stream", transport="tcp", bytes=1024)
    batch = batch_of(case, 0, 9, ticks, reason=reason, warmup=warmup)
    lines = [*sample_lines()[:-1], batch]
    assert read(write_lines(folder / "r.jsonl", lines)).batches[-1] == batch


def test_a_record_cut_anywhere_gives_a_prefix_or_a_reason(tmp_path: Path) -> None:
    lines = sample_lines()
    whole = write_lines(tmp_path / "r.jsonl", lines).read_bytes()
    batches = [line for line in lines if isinstance(line, Batch)]
    first = whole.index(b"\n") + 1
    cut = tmp_path / "cut.jsonl"
    for length in range(len(whole)):
        cut.write_bytes(whole[:length])
        if length < first:
            with pytest.raises(WeftError):
                read(cut)
            continue
        found = read(cut)
        assert [*found.batches] == batches[: len(found.batches)]
        assert found.truncated == (whole[length - 1 : length] != b"\n")
        assert found.footer is None


def test_a_cut_compressed_record_never_lies(tmp_path: Path) -> None:
    packed = compress(write_lines(tmp_path / "r.jsonl", sample_lines()))
    assert packed.name == "r.jsonl.zst"
    assert read(packed).footer is not None
    whole = packed.read_bytes()
    batches = list(read(packed).batches)
    for length in range(0, len(whole), 7):
        packed.write_bytes(whole[:length])
        try:
            found = read(packed)
        except WeftError:
            continue
        assert list(found.batches) == batches[: len(found.batches)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a weft record"),
        (b"hello\n", "not a weft record"),
        (b'{"kind":"batch"}\n', "not a weft record"),
        (b'{"kind":"header","schema_version":99}\n', "schema 99"),
        (b"\xff\xfe\x00\n", "not a weft record"),
    ],
)
def test_what_is_no_record_is_told(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(WeftError, match=words):
        read(path)


def test_damage_in_the_middle_names_its_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", sample_lines())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"kind":"bat\n', *lines[2:]]))
    with pytest.raises(WeftError, match="damaged in line 3"):
        read(path)


def test_an_existing_record_is_not_overwritten(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", sample_lines())
    with pytest.raises(WeftError, match="exists"):
        RecordWriter.create(path)


def test_two_writers_do_not_share_a_record(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", sample_lines()[:-1])
    with RecordWriter.resume(path), pytest.raises(WeftError, match="another run"):
        RecordWriter.resume(path)


def test_resume_cuts_a_half_line_and_the_footer(tmp_path: Path) -> None:
    lines = sample_lines()
    path = write_lines(tmp_path / "r.jsonl", lines)
    with path.open("ab") as file:
        file.write(b'{"kind":"foot')
    footer = Footer(finished_utc="later", outcome="precise", batches=4)
    with RecordWriter.resume(path) as writer:
        writer.write(footer)
    assert read(path).footer == footer
    assert len(read(path).batches) == len([line for line in lines if isinstance(line, Batch)])


def test_a_full_disk_keeps_the_finished_lines(tmp_path: Path) -> None:
    """A file size limit of the kernel stands for the disk: the write in full fails half way."""
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from lines import sample_lines, batch_of, write_lines\n"
        "from weft.record.model import Case\n"
        "from weft.record.writer import RecordWriter\n"
        "from weft.errors import WeftError\n"
        "path = Path(sys.argv[1])\n"
        "write_lines(path, sample_lines()[:-1])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 40,) * 2)\n"
        "try:\n"
        "    with RecordWriter.resume(path) as writer:\n"
        "        writer.write(sample_lines()[2])\n"
        "except WeftError as error:\n"
        "    print(error)\n"
    )
    path = tmp_path / "r.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", script, path, Path(__file__).parents[1]],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "make room" in done.stdout
    assert not read(path).truncated
    assert len(read(path).batches) == 4


def test_the_published_schema_is_the_code() -> None:
    assert SCHEMA.read_text() == schema_text()


def test_the_example_of_version_1_still_loads_and_is_valid() -> None:
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for line in EXAMPLE.read_text().splitlines():
        validator.validate(json.loads(line))
    assert isinstance(read(EXAMPLE).header, Header)
    run = weft.load(EXAMPLE)
    assert run.missing == ("tcp/sendrecv/64/single",)
    assert not run.complete


def test_tables_hold_the_known_figures(tmp_path: Path) -> None:
    run = weft.load(write_lines(tmp_path / "r.jsonl", sample_lines()))
    latency = run.samples.filter((run.samples["test"] == "ping_pong") & ~run.samples["warmup"])
    assert latency["latency_ns"].median() == pytest.approx(1005 * 0.5 / 2)
    streams = run.samples.filter((run.samples["test"] == "stream") & ~run.samples["warmup"])
    assert streams["latency_ns"].null_count() == streams.height
    assert streams["bandwidth_bytes_per_s"].max() == pytest.approx(1024e9 / (999 * 0.5))
    assert run.batches.height == 4
    assert run.host["cpu"].to_list() == [0, 1]
