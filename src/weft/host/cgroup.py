"""What the control groups of this process allow it: CPU time, CPUs and memory."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from weft.host.files import cpu_list, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Set
    from pathlib import Path

_MOUNT = "sys/fs/cgroup"


class Cgroup(msgspec.Struct, frozen=True, kw_only=True):
    """`cpu_limit_cores` is the quota over its period; None is no limit if `cpu_limit_known`."""

    cpu_limit_known: bool = False
    cpu_limit_cores: float | None = None
    cpus: list[int] = []


def collect_cgroup(root: Path) -> Cgroup:
    """The tightest CPU limit from this process's group up to the root, versions 1 and 2."""
    groups = list(_groups(root, {"cpu", "cpuset", ""}))
    limits = [limit for folder in groups if (limit := _limit(folder)) is not None]
    # The root group has no limit and so no file of one; that it is there says that none holds.
    known = any((root / _MOUNT / name).exists() for name in ("cgroup.controllers", "cpu"))
    listed = (
        text(folder, name)
        for folder in groups
        for name in ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus")
    )
    return Cgroup(
        cpu_limit_known=known or bool(limits) or any((f / "cpu.max").exists() for f in groups),
        cpu_limit_cores=min((limit for limit in limits if limit > 0), default=None),
        cpus=next((cpus for found in listed if (cpus := cpu_list(found))), []),
    )


def memory_room_bytes(root: Path) -> int | None:
    """What the tightest of this process's groups leaves it of memory, as Slurm's --mem makes one.

    Pages of files that were not used for long count as room: the kernel drops them first. None is
    no limit, or none that can be read.
    """
    rooms = (_room(folder) for folder in _groups(root, {"memory", ""}))
    return min((room for room in rooms if room is not None), default=None)


def _room(folder: Path) -> int | None:
    """Version 2 says "max" for no limit, version 1 a number above all memory."""
    for limit, used, files in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        most, now = whole(text(folder, limit)), whole(text(folder, used))
        if most is None or now is None:
            continue
        lines = (line.split() for line in (text(folder, "memory.stat") or "").splitlines())
        dropped = sum(int(words[1]) for words in lines if len(words) == 2 and words[0] == files)
        return max(most - now + dropped, 0)
    return None


def _groups(root: Path, wanted: Set[str]) -> Iterator[Path]:
    """The folders of this process's groups of such controllers and of those above, nearest first.

    In a container the named folder is often out of sight; the mount's root is then its own group.
    """
    for line in (text(root, "proc/self/cgroup") or "0::/").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if ".." in PurePosixPath(name).parts or not wanted & {*controllers.split(",")}:
            continue
        mount = root / _MOUNT / ("" if number == "0" else controllers)
        path = PurePosixPath(name.lstrip("/"))
        yield from (mount / folder for folder in (path, *path.parents))


def _limit(folder: Path) -> float | None:
    """Cores that a group may use: cpu.max is "quota period" (version 2), else two files."""
    words = (text(folder, "cpu.max") or "").split()
    if len(words) == 2:
        quota, period = whole(words[0]), whole(words[1])
    else:
        quota = whole(text(folder, "cpu.cfs_quota_us"))
        period = whole(text(folder, "cpu.cfs_period_us"))
    return quota / period if quota is not None and period else None
