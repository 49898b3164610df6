"""The path of a message between a card and memory: its stages, and the bottleneck among them.

Every stage carries at most so much: the link (lanes, signalling rate, encoding), each hop from the
card to the root complex, and memory. A stage that is full duplex carries its peak each way at once;
PCI, PCI-X and memory carry theirs in total. After section 4.7 of Liu et al., "Micro-Benchmark Level
Performance Comparison of High-Speed Cluster Interconnects" (2003), and Liu et al., "Performance
Evaluation of InfiniBand with PCI Express" (2004).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.fabric.detect import device_on, link_of_device
from weft.fabric.peaks import Link, families, parse_link
from weft.host.manifest import typed
from weft.host.pcie import links
from weft.plan.command import weft_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.host.pcie import PcieLink
    from weft.record.run import Run

# A copy this many times the last cache is memory's; where the caches are not known, from this size.
CACHE_TIMES = 4
SURELY_MEMORY_BYTES = 1 << 28
# A copy reads each byte and writes it, past the caches.
CROSSINGS_OF_A_COPY = 2


class BusStage(msgspec.Struct, frozen=True, kw_only=True):
    """A stage of the path and what it lets through at best, in bytes of messages a second.

    `both_ways_bytes_per_s` is the sum of both directions when messages go both ways at once.
    """

    kind: str
    name: str
    one_way_bytes_per_s: float
    both_ways_bytes_per_s: float
    note: str = ""


class Bus(msgspec.Struct, frozen=True, kw_only=True):
    """One device's path to memory on one host; `unknown` are the stages without a known rate."""

    device: str
    host: str
    transports: tuple[str, ...]
    stages: tuple[BusStage, ...]
    unknown: tuple[str, ...]

    @property
    def one_way(self) -> BusStage | None:
        """The stage that limits messages in one direction."""
        return min(self.stages, key=lambda stage: stage.one_way_bytes_per_s, default=None)

    @property
    def both_ways(self) -> BusStage | None:
        """The stage that limits messages both ways at once."""
        return min(self.stages, key=lambda stage: stage.both_ways_bytes_per_s, default=None)

    @property
    def in_words(self) -> str:
        """The hops of the bus itself, for laying two records side by side."""
        return ", ".join(stage.name for stage in self.stages if stage.kind == "hop")


def bus_of(
    device: dict[str, Any],
    host: str,
    *,
    copy_bytes_per_s: float | None = None,
    transports: tuple[str, ...] = (),
    link: Link | None = None,
) -> Bus:
    """The path of a device of a manifest; `copy_bytes_per_s` is memory's own copy rate.

    `link` is what a person says the device is connected by; without it, what the manifest tells.
    """
    stages, unknown = [], []
    known = link or link_of_device(device)
    if known is not None:
        stages.append(_stage_of("link", known))
    else:
        unknown.append("the link")
    hops = links(_hops_of(device))
    for hop in hops:
        stage = _stage_of_hop(hop)
        if stage is not None:
            stages.append(stage)
        else:
            unknown.append(f"the bus at {hop.lower.address}")
    if not hops:
        unknown.append("the bus: the device is on none")
    if copy_bytes_per_s:
        stages.append(_stage_of_memory(copy_bytes_per_s))
    else:
        unknown.append(f"memory: measure it with {weft_run('copy', '--sizes', '256MiB')}")
    return Bus(
        device=str(device.get("name")),
        host=host,
        transports=transports,
        stages=tuple(stages),
        unknown=tuple(unknown),
    )


def _hops_of(device: dict[str, Any]) -> Any:
    """The hops of a manifest's device as types."""
    kind = "rdma" if "ports" in device else "interfaces"
    whole = typed({kind: [device]})
    return (whole.rdma or whole.interfaces)[0].pcie


def _stage_of(kind: str, link: Link, place: str = "", note: str = "") -> BusStage:
    return BusStage(
        kind=kind,
        name=f"{link.name}{place}",
        one_way_bytes_per_s=link.one_way_bytes_per_s,
        both_ways_bytes_per_s=link.both_ways_bytes_per_s,
        note=note,
    )


def _stage_of_hop(hop: PcieLink) -> BusStage | None:
    """What one hop carries now; the kernel does not report the width of a parallel bus."""
    place = f" at {hop.lower.address}"
    lower = hop.lower
    try:
        if lower.speed_gt_per_s and lower.width:
            rate = _pcie_name(lower.speed_gt_per_s)
            return _stage_of("hop", parse_link(f"PCIe {rate} x{lower.width}"), place)
        match = re.fullmatch(r"([0-9]+) MHz (PCI|PCI-X)(?: ([0-9]+))?", lower.bus or "")
        if match is not None:
            wide = parse_link(f"{match[2]} 64/{match[3] or match[1]}")
            return _stage_of("hop", wide, place, "at most: the width is taken as 64 bits")
    except WeftError:
        return None  # A speed or width that no standard has.
    return None


def _pcie_name(speed_gt_per_s: float) -> str:
    family = next(family for family in families() if family.name == "PCIe")
    named = {float(rate.mbit_per_s): rate.name for rate in family.rates}
    return named.get(speed_gt_per_s * 1000, "?")


def _stage_of_memory(copy_bytes_per_s: float) -> BusStage:
    """A message crosses memory once at either end, and twice where as much comes as goes.

    A copy crosses it twice, so memory lets through twice the copy rate in total.
    """
    through = CROSSINGS_OF_A_COPY * copy_bytes_per_s
    return BusStage(
        kind="memory",
        name=f"memory, by a copy of one core at {copy_bytes_per_s / 1e9:.3g} GB/s",
        one_way_bytes_per_s=through,
        both_ways_bytes_per_s=through,
    )


def copy_rate_of(run: Run, summaries: Sequence[CaseSummary]) -> float | None:
    """Memory's own copy rate in bytes/s: of the largest copy, if it is far larger than the caches.

    None where there is none.
    """
    copies = [
        s
        for s in summaries
        if run.patterns[s.test].figure == "copy" and s.status == "ok" and s.bandwidth_bytes_per_s
    ]
    largest = max(copies, key=lambda s: s.bytes, default=None)
    if largest is None or largest.bandwidth_bytes_per_s is None:
        return None
    if largest.bytes < _least_copy_bytes(run):
        return None
    return largest.bandwidth_bytes_per_s.value


def _least_copy_bytes(run: Run) -> int:
    largest = 0
    for manifest in run.header.hosts.values():
        for cache in manifest.get("cpu", {}).get("caches", ()):
            largest = max(largest, int(cache.get("size_bytes") or 0))
    return CACHE_TIMES * largest or SURELY_MEMORY_BYTES


def buses_of(
    run: Run, summaries: Sequence[CaseSummary], link: Link | None = None
) -> tuple[Bus, ...]:
    """The path of every device that a launch of the record reports, on each host."""
    copy_rate = copy_rate_of(run, summaries)
    used: dict[tuple[str, str], dict[str, None]] = {}
    devices: dict[tuple[str, str], dict[str, Any]] = {}
    for launch in run.lines.launches:
        for host in dict.fromkeys(facts.host for facts in launch.ranks):
            device = device_on(run.header.hosts.get(host, {}), launch.details)
            if device is not None and device.get("pcie"):
                place = (host, str(device["name"]))
                devices[place] = device
                used.setdefault(place, {})[launch.transport] = None
    return tuple(
        bus_of(
            device,
            host,
            copy_bytes_per_s=copy_rate,
            transports=tuple(used[host, name]),
            link=link,
        )
        for (host, name), device in devices.items()
    )


def buses_here(manifest: dict[str, Any]) -> tuple[Bus, ...]:
    """The paths of this host's devices that are on a bus; memory's rate needs a measurement."""
    known = (*manifest.get("interfaces", ()), *manifest.get("rdma", ()))
    host = str(manifest.get("host", ""))
    return tuple(bus_of(device, host) for device in known if device.get("pcie"))
