"""`weft trend` over a year of nightly records of 2 million samples each: time and memory.

    python -m bench.year --nights 365

makes the nights, which differ in their date, then looks at a process that reads them all.
Nights have one of a few contents, for a year of them all different would take hours to draw.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench.comparisons import WEFT
from bench.ten_million import write
from weft.record.model import Header
from weft.record.writer import compress

if TYPE_CHECKING:
    from collections.abc import Sequence

NIGHTS = 365
SAMPLES = 2_000_000
CONTENTS = 5
_FIRST = datetime.datetime(2025, 1, 1, 3, tzinfo=datetime.UTC)
_KIB = 1024


def nights_in(folder: Path, count: int, samples: int = SAMPLES) -> list[Path]:
    """Packed records of so many nights."""
    contents = [
        write(folder / f"content{at}.jsonl", samples, seed=1 + at).read_bytes().split(b"\n", 1)
        for at in range(min(CONTENTS, count))
    ]
    return [_night(folder, at, *contents[at % len(contents)]) for at in range(count)]


def _night(folder: Path, number: int, head: bytes, rest: bytes) -> Path:
    date = _FIRST + datetime.timedelta(days=number)
    header = msgspec.json.decode(head, type=Header)
    dated = msgspec.structs.replace(header, created_utc=date.isoformat(timespec="seconds"))
    path = folder / f"{date:%Y-%m-%d}.jsonl"
    path.write_bytes(msgspec.json.encode(dated) + b"\n" + rest)
    return compress(path)


def trend_of(records: Sequence[Path]) -> dict[str, float]:
    """What `weft trend` of these takes, a process of its own. Raises CalledProcessError."""
    words = [str(WEFT), "trend", *map(str, records)]
    begun = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words[:2])
    return {"trend_s": time.monotonic() - begun, "peak_mb": used.ru_maxrss * _KIB / 1e6}


def main() -> None:
    """Make the nights, and print what the trend of all of them takes."""
    parser = argparse.ArgumentParser(prog="python -m bench.year", description=__doc__)
    parser.add_argument("--nights", type=int, default=NIGHTS, help="how many (%(default)s)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-year-") as folder:
        found = trend_of(nights_in(Path(folder), asked.nights))
    sys.stdout.write(
        f"{asked.nights} nights of {SAMPLES:,} samples: weft trend {found['trend_s']:.0f} s,"
        f" peak {found['peak_mb']:.0f} MB\n"
    )


if __name__ == "__main__":
    main()
