"""`python -m weft.host`: this host's manifest as one line of JSON.

`python -m weft.host --lines FOLDER [--asked NAME] [--heard]`, started once per node by a launcher:
the same with the host's load, the versions of its weft and of the rank programs in the folder, the
name that the launcher asked it by, and the first line of its standard input. The lines of many
hosts can be put together again if they mix.
"""

import argparse
import os
import secrets
import select
import sys
from pathlib import Path

import msgspec

import weft
from weft.host.engine import engine_version
from weft.host.lines import lines_of
from weft.host.load import Watch
from weft.host.manifest import collect

MARK_BYTES = 8

# The name of the node by which Slurm started this process.
NODE_OF_SLURM = "SLURMD_NODENAME"

# Ranks other than rank 0 may have an input that never ends.
INPUT_DEADLINE_S = 5.0


def _first_line() -> str:
    ready, _, _ = select.select([sys.stdin], [], [], INPUT_DEADLINE_S)
    return sys.stdin.readline().strip() if ready else ""


if "--lines" in sys.argv[1:]:
    reader = argparse.ArgumentParser(prog="python -m weft.host")
    reader.add_argument("--lines", type=Path, nargs="?", const=Path())
    reader.add_argument("--asked", default=os.environ.get(NODE_OF_SLURM, ""))
    reader.add_argument("--heard", action="store_true")
    given = reader.parse_args()
    watch = Watch()
    facts = {
        **collect(),
        "weft": weft.__version__,
        "engine": engine_version(given.lines),
        "asked": given.asked,
        "load": msgspec.to_builtins(watch.load()),
        **({"heard": _first_line()} if given.heard else {}),
    }
    for line in lines_of(facts, secrets.token_hex(MARK_BYTES)):
        os.write(sys.stdout.fileno(), line)
else:
    sys.stdout.write(msgspec.json.encode(collect()).decode() + "\n")
