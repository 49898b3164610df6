"""What the first process of the lab, and of each host, does once all is up."""

from __future__ import annotations

import os
import subprocess
from typing import NoReturn


def reap() -> NoReturn:
    """What process 1 does for ever: take leave of the children of others that ended."""
    subprocess.Popen(["sleep", "infinity"])  # a child that there always is to wait for
    while True:
        os.wait()
