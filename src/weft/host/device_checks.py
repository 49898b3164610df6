"""The doctor's checks of cards: their links, their place in the machine, their ports. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.host.finding import Finding
from weft.host.numa import distance_between, node_of
from weft.host.pcie import links
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.host.manifest import Manifest
    from weft.host.nic import Device
    from weft.host.pcie import Hop, PcieLink


def device_findings(manifest: Manifest, ranks: int) -> list[Finding]:
    """All findings about cards, for ranks on the first cores."""
    return [*_pcie(manifest), *_numa(manifest, ranks), *_ports(manifest)]


def rank_cpus(manifest: Manifest, ranks: int) -> list[int]:
    """The logical CPUs that ranks are bound to: the first of each core, neighbours first.

    As the engine chooses (engine/host/placement.cpp): cores of a NUMA node follow each other even
    where the kernel numbers CPUs across the sockets. More ranks than cores begin again.
    """
    allowed = set(manifest.cpu.allowed_cpus)
    groups = manifest.cpu.core_cpus or [[cpu] for cpu in manifest.cpu.allowed_cpus]
    cores = [min(usable) for group in groups if (usable := allowed & set(group))]

    def place(cpu: int) -> tuple[int, int]:
        node = node_of(manifest.numa, cpu)
        return (min(node.cpus) if node else 0, cpu)

    cores.sort(key=place)
    return [cores[rank % len(cores)] for rank in range(ranks)] if cores else []


def _devices(manifest: Manifest) -> list[Device]:
    """Cards that may carry messages now; loopback is none."""
    devices: list[Device] = [*manifest.interfaces, *manifest.rdma]
    return [device for device in devices if device.is_up and device.name != "lo"]


def _pcie(manifest: Manifest) -> list[Finding]:
    """Every link on the way of a card, against what its two ends can do together."""
    devices = _devices(manifest)
    found = [finding for device in devices for finding in _slow_links(device)]
    shown = [device for device in devices if any(hop.now_bytes_per_s for hop in device.pcie)]
    if found:
        return found
    if shown:
        names = ", ".join(device.name for device in shown)
        return [Finding(check="PCIe link", level="ok", what=f"at its best for {names}")]
    return [
        Finding(
            check="PCIe link",
            level="unknown",
            what="cannot tell: no network card shows its link (usual in virtual machines)",
        )
    ]


def _slow_links(device: Device) -> Iterator[Finding]:
    for link in links(device.pcie):
        now, possible = link.lower.now_bytes_per_s, link.possible_bytes_per_s
        if now is None or possible is None:
            continue
        if now < possible:
            yield Finding(
                check="PCIe link",
                level="warning",
                what=f"{device.name}: hop {link.lower.address} runs at {_shape(link.lower)},"
                f" its best is {_best(link)}",
                effect=f"limits each direction to {now / 1e9:.1f} GB/s instead of"
                f" {possible / 1e9:.1f} GB/s",
                fix="check again under load (some links slow down when idle); then reseat the card,"
                " try another slot, or check the slot's setting in the firmware",
            )
        elif device.rate_bit_per_s and now < device.rate_bit_per_s / 8:
            yield Finding(
                check="PCIe link",
                level="warning",
                what=f"{device.name}: hop {link.lower.address} carries {now / 1e9:.1f} GB/s, its"
                f" port {device.rate_bit_per_s / 8e9:.1f} GB/s",
                effect="the slot limits the bandwidth, not the network",
                fix="move the card to a slot with more or faster lanes",
            )


def _shape(hop: Hop) -> str:
    return f"{hop.speed_gt_per_s:g} GT/s x{hop.width}"


def _best(link: PcieLink) -> str:
    """The best that both ends can do; the end that holds it back is named if it is the upper."""
    best = f"{link.best_speed_gt_per_s:g} GT/s x{link.best_width}"
    alone = link.lower.best_bytes_per_s
    if link.upper and alone and link.possible_bytes_per_s != alone:
        return f"{best} (bounded by {link.upper.address})"
    return best


def _numa(manifest: Manifest, ranks: int) -> list[Finding]:
    """How far each card is from each rank's core."""
    if not manifest.numa:
        return [Finding(check="NUMA", level="unknown", what="cannot tell: no nodes to read")]
    cpus = rank_cpus(manifest, ranks)
    found = []
    near = []
    for device in _devices(manifest):
        far = _far_ranks(manifest, device, cpus)
        if far:
            found.append(_far_finding(device, far))
        elif device.numa is not None:
            near.append(f"{device.name} (node {device.numa})")
    if found:
        return found
    if near:
        what = f"the ranks' cores are on the node of {', '.join(near)}"
    elif len(manifest.numa) == 1:
        what = "one node: every core is as near to every card"
    else:
        return [
            Finding(
                check="NUMA",
                level="unknown",
                what=f"cannot tell: {counted(len(manifest.numa), 'node')}, and no network card"
                " says which is"
                " its own",
            )
        ]
    return [Finding(check="NUMA", level="ok", what=what)]


def _far_ranks(manifest: Manifest, device: Device, cpus: list[int]) -> list[str]:
    """In words, each rank whose core is on another node than a card, with the distance."""
    if device.numa is None:
        return []
    far = []
    for rank, cpu in enumerate(cpus):
        home = node_of(manifest.numa, cpu)
        if home is None or home.node == device.numa:
            continue
        distance = distance_between(manifest.numa, home, device.numa)
        shown = "unknown" if distance is None else distance
        far.append(f"rank {rank}'s core {cpu} is on node {home.node} (distance {shown})")
    return far


def _far_finding(device: Device, far: list[str]) -> Finding:
    more = f", and {counted(len(far) - 2, 'more rank')}" if len(far) > 2 else ""
    return Finding(
        check="NUMA",
        level="warning",
        what=f"{device.name} is on node {device.numa}, {', '.join(far[:2])}{more}; distance 10 is"
        " local",
        effect="every message crosses the link between the sockets: latency rises, bandwidth may"
        " be limited",
        fix=f"start on the card's node: numactl -N {device.numa} weft run",
    )


def _ports(manifest: Manifest) -> list[Finding]:
    return [
        Finding(
            check="RDMA port",
            level="warning",
            what=f"{device.name} port {port.port} is {port.state or 'in an unknown state'}",
            effect="no transport can use it",
            fix="check the cable, the switch and (InfiniBand) the subnet manager with ibstat",
        )
        for device in manifest.rdma
        for port in device.ports
        if not port.is_active
    ]
