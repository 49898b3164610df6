"""A small file that unpacks to gigabytes is refused early, whatever it has inside."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from support.builders import synthetic_record
from weft.record.reader import header_of
from weft.record.run import load

MIB = 1 << 20
READ = """
import sys
from pathlib import Path
from weft.record.reader import read
read(Path(sys.argv[1]))
"""


def bomb(folder: Path, filling: bytes, mib: int) -> Path:
    """A good record, and behind it MiB after MiB of the same."""
    path = folder / "bomb.jsonl.zst"
    good = synthetic_record(folder / "good.jsonl").read_bytes()
    with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as writer:
        writer.write(good)
        for _ in range(mib):
            writer.write(filling * (MIB // len(filling)))
    return path


@pytest.mark.parametrize(
    ("filling", "reason"), [(b"\0", "line over 256 MiB"), (b"\n", "grows more than 10,000 times")]
)
def test_a_bomb_takes_less_than_half_a_gigabyte(
    filling: bytes, reason: str, tmp_path: Path
) -> None:
    path = bomb(tmp_path, filling, mib=1200)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (500 * MIB, 500 * MIB))

    done = subprocess.run(
        [sys.executable, "-c", READ, path], preexec_fn=limit, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert reason in done.stderr.splitlines()[-1]
    assert header_of(path) is not None


def test_a_record_in_several_frames_is_whole(tmp_path: Path) -> None:
    plain = synthetic_record(tmp_path / "plain.jsonl")
    lines = plain.read_bytes().splitlines(keepends=True)
    path = tmp_path / "frames.jsonl.zst"
    path.write_bytes(b"".join(map(zstandard.ZstdCompressor().compress, lines)))
    assert load(path).header == load(plain).header
    assert len(load(path).lines.batches) == len(load(plain).lines.batches)
