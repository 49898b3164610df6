"""Reads of /proc and /sys below a root, so that tests can lay out a machine of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def text(root: Path, path: str) -> str | None:
    """A file's text without its last newline; None where it cannot be read."""
    try:
        return (root / path.lstrip("/")).read_text(errors="replace").strip()
    except OSError:
        return None


def number(root: Path, path: str) -> int | None:
    """A file's whole number; None where there is none."""
    found = text(root, path)
    return int(found) if found is not None and re.fullmatch(r"-?\d+", found) else None


def chosen(root: Path, path: str) -> str | None:
    """The word in brackets of a file like "always [madvise] never"."""
    match = re.search(r"\[([^\]]+)\]", text(root, path) or "")
    return match[1] if match else None


def cpu_list(found: str | None) -> list[int]:
    """The CPUs of a kernel list like "0-3,8,10-11"; what is no such list gives none."""
    cpus: list[int] = []
    for part in (found or "").split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if match:
            cpus += range(int(match[1]), int(match[2] or match[1]) + 1)
    return cpus
