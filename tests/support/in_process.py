"""The program `weft` called here and not started: what its users see, without another Python."""

import gc
import io
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from weft.cli.main import main

# Rich takes what it writes to for a terminal, whose width is in the environment.
WIDTH = 80
TERMINAL = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "TTY_COMPATIBLE": "1", "TERM": "xterm"}


def weft_here(
    words: Iterable[object], env: Mapping[str, str], given: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """How `weft` with these words ends in an environment of its own, as if it had been started.

    What is `given` is its standard input.
    """
    typed = list(map(str, words))
    begun_s = time.monotonic()
    out, errors, status = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.dict(os.environ, env, clear=True),
        mock.patch.object(sys, "argv", ["weft", *typed]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given))),
        mock.patch.object(gc, "freeze"),
        # A budget is that of the whole command, from the start of its process.
        mock.patch("weft.cli.from_record.begun_s", return_value=begun_s),
        # A line of progress would begin by the clock, wherever others keep the cores.
        mock.patch("weft.stages.PATIENCE_S", math.inf),
        redirect_stdout(out),
        redirect_stderr(errors),
    ):
        try:
            main()
        except SystemExit as ended:
            status = int(ended.code or 0)
    return subprocess.CompletedProcess(typed, status, out.getvalue(), errors.getvalue())
