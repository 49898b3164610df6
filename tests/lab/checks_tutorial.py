"""docs/tutorial-roce.md: every command of it, one after the other, beside two Soft-RoCE devices.

They are called in this process: the guest takes most of a minute to start another Python.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from contextlib import chdir
from pathlib import Path

from lab.guest import PLAIN_MPI
from support.in_process import weft_here

PAGE = Path(__file__).parents[2] / "docs" / "tutorial-roce.md"
# Of a command that is followed by `|| true`: it found something, and the page goes on.
GOES_ON = " || true"


def commands() -> list[str]:
    """Each line of the page's boxes for a shell."""
    boxes = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [line for box in boxes for line in box.splitlines()]


def check_every_command_of_the_tutorial_works() -> None:
    printed = ""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        env = {**os.environ, **PLAIN_MPI, "XDG_STATE_HOME": folder}
        for command in commands():
            program, *words = shlex.split(command.removesuffix(GOES_ON))
            assert program == "weft", command
            done = weft_here(words, env)
            ends = (0, 1) if command.endswith(GOES_ON) else (0,)
            kept = [path.read_text() for path in Path("weft").glob("*.txt")]
            assert done.returncode in ends, (command, done, *kept)
            printed += done.stdout
    for wanted in ("verbs:ud", "Send Latency Test", "not significant", "Ethernet 100G"):
        assert wanted in printed, (wanted, printed)
