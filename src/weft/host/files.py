"""Reads of /proc and /sys below a root, so that tests can lay out a machine of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# More than any kernel counts; a longer range is damage, and must not fill the memory.
MOST_CPUS = 1 << 16
_UNITS = {"": 1, "B": 1, "K": 1 << 10, "KB": 1 << 10, "M": 1 << 20, "MB": 1 << 20, "G": 1 << 30}


def text(root: Path, path: str) -> str | None:
    """A file's text without white space around it; None where it cannot be read."""
    try:
        return (root / path.lstrip("/")).read_text(errors="replace").strip()
    except OSError:
        return None


def number(root: Path, path: str) -> int | None:
    """A file's whole number; None where there is none."""
    return whole(text(root, path))


def whole(found: str | None) -> int | None:
    """The whole number that a text is; None where it is none of at most 19 digits."""
    return int(found) if found is not None and re.fullmatch(r"-?[0-9]{1,19}", found) else None


def switch(root: Path, path: str) -> bool | None:
    """A file that holds 0 or 1; None where it holds neither."""
    return {"0": False, "1": True}.get(text(root, path) or "")


def chosen(root: Path, path: str) -> str | None:
    """The word in brackets of a file like "always [madvise] never"."""
    match = re.search(r"\[([^\]]+)\]", text(root, path) or "")
    return match[1] if match else None


def cpu_list(found: str | None) -> list[int]:
    """The CPUs of a kernel list like "0-3,8,10-11"; what is no such list gives none."""
    cpus: list[int] = []
    for part in (found or "").split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})(?:-([0-9]{1,9}))?\s*", part)
        if match:
            first, last = int(match[1]), int(match[2] or match[1])
            cpus += range(first, min(last, first + MOST_CPUS) + 1)
    return cpus


def size_bytes(found: str | None) -> int | None:
    """Bytes of a kernel size like "32K", "16M" or "24684092 kB" (all powers of 2)."""
    match = re.fullmatch(r"([0-9]{1,15})\s*([A-Za-z]*)", (found or "").strip())
    unit = _UNITS.get(match[2].upper()) if match else None
    return int(match[1]) * unit if match and unit else None


def fields(found: str | None) -> dict[str, str]:
    """The lines "name: value" of a text, up to its first empty line."""
    values: dict[str, str] = {}
    for line in (found or "").splitlines():
        key, colon, value = line.partition(":")
        if not line.strip():
            break
        if colon:
            values.setdefault(key.strip(), value.strip())
    return values
