"""Room in the kernel's table of neighbours, which all namespaces of a machine share.

With 64 hosts that each speak with all others it has some 8,000 entries, and 1,024 fit as Linux
starts. Beyond these a host is not found for seconds, and its connections seem dead.
"""

from __future__ import annotations

from pathlib import Path

from lab.cluster.layout import NETWORKS, all_hosts

LIMITS = Path("/proc/sys/net/ipv4/neigh/default")
# Above the second the kernel forgets entries after 5 s, above the third at once.
NAMES = ("gc_thresh2", "gc_thresh3")


def make_room(count: int, folder: Path = LIMITS) -> None:
    """Raise the limits where so many compute hosts need more; they are never lowered again.

    Another lab may run meanwhile, and a limit that is too high costs nothing.
    """
    hosts = len(all_hosts(count))
    needed = len(NETWORKS) * hosts * (hosts - 1)
    for name in reversed(NAMES):
        if int((folder / name).read_text()) < needed:
            (folder / name).write_text(f"{needed}\n")
