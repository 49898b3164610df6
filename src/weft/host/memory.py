"""Memory: sizes, huge pages, swap, and the limits of this process."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.host.cgroup import memory_room_bytes
from weft.host.files import chosen, fields, size_bytes, switch, text, whole

if TYPE_CHECKING:
    from pathlib import Path

CAP_IPC_LOCK = 14


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Memory in bytes; `huge_pages` counts reserved pages of `huge_page_bytes`.

    `available_bytes` is what this process may still take: of the host's and its control groups'.
    """

    total_bytes: int | None = None
    free_bytes: int | None = None
    available_bytes: int | None = None
    swap_total_bytes: int | None = None
    swap_used_bytes: int | None = None
    huge_pages: int | None = None
    huge_pages_free: int | None = None
    huge_page_bytes: int | None = None
    transparent_huge_pages: str | None = None
    transparent_huge_pages_defrag: str | None = None
    numa_balancing: bool | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Soft limits of this process, -1 is unlimited; `ipc_lock`: may lock memory beyond its own."""

    memlock_bytes: int | None = None
    open_files: int | None = None
    ipc_lock: bool | None = None


def collect_memory(root: Path) -> Memory:
    """Memory as /proc/meminfo and sysfs show it."""
    found = fields(text(root, "proc/meminfo"))
    sizes = {name: size_bytes(value) for name, value in found.items()}
    rooms = [sizes.get("MemAvailable"), memory_room_bytes(root)]
    swap, swap_free = sizes.get("SwapTotal"), sizes.get("SwapFree")
    return Memory(
        total_bytes=sizes.get("MemTotal"),
        free_bytes=sizes.get("MemFree"),
        available_bytes=min((room for room in rooms if room is not None), default=None),
        swap_total_bytes=swap,
        swap_used_bytes=None if swap is None or swap_free is None else swap - swap_free,
        huge_pages=sizes.get("HugePages_Total"),
        huge_pages_free=sizes.get("HugePages_Free"),
        huge_page_bytes=sizes.get("Hugepagesize"),
        transparent_huge_pages=chosen(root, "sys/kernel/mm/transparent_hugepage/enabled"),
        transparent_huge_pages_defrag=chosen(root, "sys/kernel/mm/transparent_hugepage/defrag"),
        numa_balancing=switch(root, "proc/sys/kernel/numa_balancing"),
    )


def collect_limits(root: Path) -> Limits:
    """The limits of this process, which its ranks inherit (proc(5), /proc/self/limits)."""
    limits = text(root, "proc/self/limits") or ""
    return Limits(
        memlock_bytes=_limit(limits, "Max locked memory"),
        open_files=_limit(limits, "Max open files"),
        ipc_lock=has_capability(root, CAP_IPC_LOCK),
    )


def has_capability(root: Path, number: int) -> bool | None:
    """Whether this process has a capability (capabilities(7)); None where it cannot be read."""
    effective = fields(text(root, "proc/self/status")).get("CapEff", "")
    known = re.fullmatch(r"[0-9a-f]{1,32}", effective)
    return bool(int(effective, 16) >> number & 1) if known else None


def _limit(limits: str, name: str) -> int | None:
    match = re.search(rf"^{name}\s+(\S+)", limits, re.MULTILINE)
    if match is None:
        return None
    return -1 if match[1] == "unlimited" else whole(match[1])
