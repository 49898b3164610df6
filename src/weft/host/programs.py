"""Other programs' answers, all asked at once, none waited for longer than a deadline."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEADLINE_S = 2.0


def answers(
    commands: Mapping[str, tuple[str, ...]], deadline_s: float = DEADLINE_S
) -> dict[str, str]:
    """What each command writes, by the commands' names.

    A program that is missing or late is omitted; one that fails counts with what it wrote, for
    pkg-config and dpkg-query fail when only one of many things asked for is unknown.
    """
    with ThreadPoolExecutor(max_workers=max(1, len(commands))) as pool:
        found = pool.map(lambda command: _answer(command, deadline_s), commands.values())
        return {name: text for name, text in zip(commands, found, strict=True) if text is not None}


def _answer(command: tuple[str, ...], deadline_s: float) -> str | None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=deadline_s,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace")
