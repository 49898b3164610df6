"""What predictions cost here: forecast and truth side by side, for docs/predict.md.

Each row is a prediction by `weft predict`: what its line before the simulation says of time and
memory, and what the simulation of all nodes then took. `make docs-figures` runs it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from weft.report.table import render_table
from weft.report.terminal import console
from weft.tables import Table

# What is predicted, and the words behind `weft predict` for it, all on Escher's links.
ROWS = {
    "halo 8^4, 256 nodes": "halo --nodes 256 --switch 64 --extents 8",
    "halo 8^4, 1,024 nodes": "halo --nodes 1024 --switch 64 --extents 8",
    "halo 8^4, 4,096 nodes": "halo --nodes 4096 --switch 128 --extents 8",
    "halo 8^4, 4,096 nodes, 36 ports": "halo --nodes 4096 --switch 36 --extents 8",
    "milc 4^4, 512 nodes": "milc --nodes 512 --switch 64 --extents 4",
    "allreduce 8 B, 1,024 nodes": "allreduce --nodes 1024 --switch 64 --sizes 8",
    "allreduce 8 B, 4,096 nodes": "allreduce --nodes 4096 --switch 128 --sizes 8",
    "allgather 64 KiB, 128 nodes": "allgather --nodes 128 --switch 64 --sizes 64KiB",
    "alltoall 1 KiB, 128 nodes": "alltoall --nodes 128 --switch 64 --sizes 1KiB",
    "alltoall 1 KiB, 256 nodes": "alltoall --nodes 256 --switch 64 --sizes 1KiB",
}
_TOLD = re.compile(r"takes ((?:about|less than) \d+ s) and ((?:about|less than) \d+ MB)")
_BUDGET = "30m"
_KIB = 1024


def measured(what: str, words: str) -> tuple[str, ...]:
    """A row: what is predicted, what the command said of itself, and what it took."""
    weft = str(Path(sys.prefix) / "bin" / "weft")
    with tempfile.TemporaryDirectory(prefix="weft-costs-") as folder:
        asked = [weft, "predict", *words.split(), "--platform", "escher", "--budget", _BUDGET]
        begun = time.monotonic()
        process = subprocess.Popen(
            [*asked, "-o", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        told, since = ("", ""), begun
        if process.stderr is None:
            raise OSError("no pipe from weft predict")
        for line in process.stderr:
            if found := _TOLD.search(line):
                told, since = (found[1], found[2]), time.monotonic()
            if line.startswith("record:"):
                break
        ended = time.monotonic()
        process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, asked)
    took = f"{ended - since:.1f} s"
    memory = f"{used.ru_maxrss * _KIB / 1e6:.0f} MB"
    return (what, told[0], took, told[1], memory, f"{ended - begun:.0f} s")


def main() -> None:
    """Print the table, each command alone."""
    table = Table(
        name="costs",
        caption=f"weft predict ... --platform escher; load {os.getloadavg()[0]:.0f} at the start",
        head=("", "time said", "took", "memory said", "took", "the whole"),
        rows=tuple(measured(*one) for one in ROWS.items()),
    )
    console().print(*render_table(table), sep="\n")


if __name__ == "__main__":
    main()
