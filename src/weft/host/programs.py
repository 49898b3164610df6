"""Other programs' answers, several asked at once, none waited for longer than a deadline."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEADLINE_S = 2.0


def answers(
    commands: Mapping[str, tuple[str, ...]], deadline_s: float = DEADLINE_S
) -> dict[str, str]:
    """What each command writes, by the commands' names.

    A program that is missing or late is omitted; one that fails counts with what it wrote, for
    pkg-config and dpkg-query fail when only one of many things asked for is unknown.
    """
    plain = {**os.environ, "LC_ALL": "C"}
    with ThreadPoolExecutor(max_workers=max(1, len(commands))) as pool:
        found = pool.map(
            lambda command: answer(command, deadline_s, environment=plain), commands.values()
        )
        return {name: one.stdout for name, one in zip(commands, found, strict=True) if one}


def answer(
    command: Sequence[str],
    deadline_s: float = DEADLINE_S,
    given: str = "",
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str] | None:
    """What a program writes and ends with, `given` on its standard input.

    None where it is missing or does not end in time.
    """
    try:
        return subprocess.run(
            list(command),
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=deadline_s,
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
