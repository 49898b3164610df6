"""How well a platform calibrated from two hosts predicts them: docs/validation/simulation.md.

Measures what `weft calibrate` uses and what it holds out, over tcp and over mpi, and prints its
tables: the means of the errors stand in a line below the second. Two hosts of the lab:

    make lab CMD='python -m bench.lab_calibration'

With --here two ranks of this machine take their place.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# What is measured, for a record each.
RUNS = {
    "sizes": "ping_pong sendrecv --sizes 0..1MiB",
    "streams": "stream --sizes 8..256KiB",
    "patterns": "host_overhead late_receive hot_spot_receive"
    " --sizes 8,64,512,4KiB,16KiB,64KiB,128KiB",
    "halo": "halo --extents 4,8",
}
# The library's own, of mpi alone.
SUMS = {"sums": "allreduce --sizes 8,64,512,2KiB,4KiB,8KiB,16KiB,64KiB,128KiB"}
TRANSPORTS = {"tcp": RUNS, "mpi": RUNS | SUMS}
LAUNCHES = "3"


def commands(transport: str, budget: str, *, is_here: bool) -> list[list[str]]:
    """The words of each command of weft: runs of a transport, and the calibration from them."""
    place = ["--ranks", "2"] if is_here else ["--nodes", "2"]
    own = TRANSPORTS[transport]
    runs = [
        ["run", *words.split(), *place, "--transport", transport, "--launches", LAUNCHES,
         "--budget", budget, "--quiet", "-o", _record(transport, name)]
        for name, words in own.items()
    ]  # fmt: skip
    records = [_record(transport, name) for name in own]
    return [*runs, ["calibrate", *records, "--transport", transport, "-o", f"{transport}.xml"]]


def _record(transport: str, name: str) -> str:
    return f"{transport}-{name}.jsonl"


def main() -> None:
    """Run them all in a folder of their own; a failing one ends it."""
    parser = argparse.ArgumentParser(prog="python -m bench.lab_calibration", description=__doc__)
    parser.add_argument("--here", action="store_true", help="two ranks of this machine")
    parser.add_argument("--budget", default="5min", help="of each run")
    asked = parser.parse_args()
    weft = str(Path(sys.prefix) / "bin" / "weft")
    print(f"load {os.getloadavg()[0]:.0f} at the start")
    # Not in /tmp, which each host of the lab has for itself.
    with tempfile.TemporaryDirectory(prefix="weft-calibration-", dir=Path.cwd()) as folder:
        for transport in TRANSPORTS:
            for words in commands(transport, asked.budget, is_here=asked.here):
                print("$ weft", *words, flush=True)
                subprocess.run([weft, *words], cwd=folder, check=True)


if __name__ == "__main__":
    main()
