"""Costs of predictions, estimated and measured, for docs/validation/simulation-costs.md.

Each row is a prediction by `weft predict`: what its line before the simulation says of time, of a
processor's time and of memory, and what the simulation of all nodes then took. The clock's time is
also that of what else the machine did meanwhile. `make docs-figures` runs it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from weft.report.table import console, render_table
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
_TOLD = re.compile(
    r"takes (?P<time>(?:about|less than) \d+ s)(?: \((?P<work>\d+ s) of a processor\))?"
    r" and (?P<memory>(?:about|less than) \d+ MB)"
)
_BUDGET = "30m"
_KIB = 1024
# Where the line before a simulation names none of a figure.
_NONE = "-"


def told(line: str) -> tuple[str, str, str] | None:
    """What a line says that a simulation takes: time, a processor's time, memory."""
    found = _TOLD.search(line)
    return (found["time"], found["work"] or _NONE, found["memory"]) if found else None


def _processor_s(process: subprocess.Popen[str]) -> float:
    """What it and those that it waited for have taken of processors so far."""
    return float(sum(psutil.Process(process.pid).cpu_times()[:4]))


def measured(what: str, words: str) -> tuple[str, ...]:
    """A row: what is predicted, what the command said of itself, and what it took."""
    weft = str(Path(sys.prefix) / "bin" / "weft")
    with tempfile.TemporaryDirectory(prefix="weft-costs-") as folder:
        asked = [weft, "predict", *words.split(), "--platform", "escher", "--budget", _BUDGET]
        begun = time.monotonic()
        process = subprocess.Popen(
            [*asked, "-o", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        said, since, worked_s, line = ("", "", ""), begun, 0.0, ""
        if process.stderr is None:
            raise OSError("no pipe from weft predict")
        for line in process.stderr:
            if found := told(line):
                said, since, worked_s = found, time.monotonic(), _processor_s(process)
            if line.startswith("record:"):
                break
        else:
            raise SystemExit(f"weft predict {words}: {line}")
        ended, work_s = time.monotonic(), _processor_s(process) - worked_s
        process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, asked)
    memory = f"{used.ru_maxrss * _KIB / 1e6:.0f} MB"
    took = (f"{ended - since:.1f} s", f"{work_s:.1f} s", memory)
    both = (text for pair in zip(said, took, strict=True) for text in pair)
    return (what, *both, f"{ended - begun:.0f} s")


def main() -> None:
    """Print the table, each command alone."""
    table = Table(
        name="costs",
        caption=f"weft predict ... --platform escher; load {os.getloadavg()[0]:.0f} at the start",
        head=("", "time", "took", "processor", "took", "memory", "took", "the whole"),
        rows=tuple(measured(*one) for one in ROWS.items()),
    )
    console().print(*render_table(table), sep="\n")


if __name__ == "__main__":
    main()
