"""`python -m weft.host`: this host's manifest as one line of JSON.

`python -m weft.host --lines FOLDER`, started once a node by a launcher: the same with the host's
load, its weft and that of the rank programs in the folder, as lines that can be put together again
where many hosts write at once.
"""

import os
import secrets
import sys
from pathlib import Path

import msgspec

import weft
from weft.host.engine import engine_version
from weft.host.lines import lines_of
from weft.host.load import Watch
from weft.host.manifest import collect

MARK_BYTES = 8

if "--lines" in sys.argv[1:]:
    watch = Watch()
    facts = {
        **collect(),
        "weft": weft.__version__,
        "engine": engine_version(Path(sys.argv[-1])),
        "load": msgspec.to_builtins(watch.load()),
    }
    for line in lines_of(facts, secrets.token_hex(MARK_BYTES)):
        os.write(sys.stdout.fileno(), line)
else:
    sys.stdout.write(msgspec.json.encode(collect()).decode() + "\n")
