"""Over which medium and device a launch's messages went, from the transport's own notes. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.record.model import Launch

SHARED = "shared memory"
_RAIL = re.compile(r"rail \d+ ")
# "posix/memory (am am_bw#0), rc_mlx5/mlx5_0:1 (rma_bw#0)": UCX's transport and its device.
_LANE = re.compile(r"(?:^|, )(\w+)/([\w:.-]+)")
# The providers of libfabric's that use the kernel's sockets.
_SOCKETS = ("tcp", "udp", "net", "sockets")


def medium_of(launches: Iterable[Launch]) -> str:
    """The medium and device of these launches, in words: "sockets on lo", "shared memory".

    Empty where a launch does not say it, as MPI's do, or where launches went over unlike ones.
    """
    found = {_of_notes(launch.details) for launch in launches}
    return found.pop() if len(found) == 1 else ""


def _of_notes(details: Mapping[str, str]) -> str:
    rails = sorted({match[0] for key in details if (match := _RAIL.match(key))})
    if rails:
        own = [
            _of_notes({k.removeprefix(rail): v for k, v in details.items() if k.startswith(rail)})
            for rail in rails
        ]
        return " and ".join(own) if all(own) else ""
    if "lanes" in details:
        lanes = _LANE.findall(details["lanes"])
        return " and ".join(sorted({_of_lane(kind, device) for kind, device in lanes}))
    if "provider" in details:
        return _of_provider(details["provider"], details.get("domain", ""))
    if "device" in details:
        return f"RDMA on {details['device']}"
    return f"sockets on {details['interface']}" if "interface" in details else ""


def _of_lane(kind: str, device: str) -> str:
    if device == "memory":
        return SHARED
    name = device.partition(":")[0]
    return f"sockets on {name}" if kind == "tcp" else f"RDMA on {name}"


def _of_provider(provider: str, domain: str) -> str:
    core = provider.partition(";")[0]
    if core == "shm":
        return SHARED
    if core in _SOCKETS:
        return f"sockets on {domain}"
    return f"RDMA on {domain}" if core == "verbs" else f"{core} on {domain}"
