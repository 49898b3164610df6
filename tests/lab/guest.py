"""What the checks in the lab's machine share: starting programs there, each with a deadline."""

from __future__ import annotations

import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DEADLINE_S = 60.0
# A server says nowhere that it listens: its client is started again until it does.
PATIENCE_S = 20.0


def run(*words: str, until_works: bool = False, text: str = "") -> subprocess.CompletedProcess[str]:
    """A program's output; started again for a while if it may fail at first."""
    end = time.monotonic() + PATIENCE_S
    while True:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=DEADLINE_S, input=text
        )
        if done.returncode == 0 or not until_works or time.monotonic() > end:
            return done


@contextmanager
def beside(words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A program that runs while something else does; it is ended afterwards."""
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()
