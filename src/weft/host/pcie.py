"""The PCI Express path from a device up to the root complex: links, speeds, widths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.peaks import pcie_bytes_per_s
from weft.host.files import number, text

if TYPE_CHECKING:
    from pathlib import Path

_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """One PCI function on the path, with the state of its link; None is unknown.

    `bus` is what the kernel writes of a slot that is no PCI Express: "133 MHz PCI-X".
    """

    address: str
    speed_gt_per_s: float | None = None
    width: int | None = None
    best_speed_gt_per_s: float | None = None
    best_width: int | None = None
    bus: str | None = None

    @property
    def now_bytes_per_s(self) -> float | None:
        """What the link carries one way now."""
        return _bandwidth(self.speed_gt_per_s, self.width)

    @property
    def best_bytes_per_s(self) -> float | None:
        """What this end of the link could carry one way."""
        return _bandwidth(self.best_speed_gt_per_s, self.best_width)


class PcieLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link and its two ends; `upper` is None where the kernel shows only one."""

    lower: Hop
    upper: Hop | None

    @property
    def best_speed_gt_per_s(self) -> float | None:
        """The lower of both ends' best speeds."""
        speeds = [end.best_speed_gt_per_s for end in self._ends if end.best_speed_gt_per_s]
        return min(speeds, default=None)

    @property
    def best_width(self) -> int | None:
        """The lower of both ends' best widths."""
        return min((end.best_width for end in self._ends if end.best_width), default=None)

    @property
    def possible_bytes_per_s(self) -> float | None:
        """What both ends together can carry one way."""
        return _bandwidth(self.best_speed_gt_per_s, self.best_width)

    @property
    def _ends(self) -> list[Hop]:
        return [self.lower, self.upper] if self.upper else [self.lower]


def parse_speed(found: str | None) -> float | None:
    """GT/s of a kernel text like "16.0 GT/s PCIe"; None if it is none."""
    match = re.match(r"([0-9]{1,4}(?:\.[0-9]{1,3})?) GT/s", found or "")
    return (float(match[1]) or None) if match else None


def _bandwidth(speed_gt_per_s: float | None, width: int | None) -> float | None:
    return pcie_bytes_per_s(speed_gt_per_s, width) if speed_gt_per_s and width else None


def pci_path(root: Path, device: Path) -> list[Path]:
    """The folders of the PCI functions from a device up to the root complex, nearest first.

    A virtual function shows no link of its own; it uses that of its physical one.
    """
    try:
        path = device.resolve(strict=True)
        if (path / "physfn").exists():
            path = (path / "physfn").resolve(strict=True)
        top = root.resolve()
    except OSError:
        return []
    return [
        folder
        for folder in (path, *path.parents)
        if folder.is_relative_to(top) and _ADDRESS.fullmatch(folder.name)
    ]


def bus_speeds(root: Path) -> dict[str, str]:
    """By domain:bus:device, the speed of the slot that it is in, of PCI and PCI-X only.

    The kernel's words (drivers/pci/slot.c): "66 MHz PCI", "133 MHz PCI-X".
    """
    slots = {}
    for slot in sorted((root / "sys/bus/pci/slots").glob("*")):
        address, speed = text(slot, "address"), text(slot, "cur_bus_speed")
        if address and speed and "MHz" in speed:
            slots[address] = speed
    return slots


def hop_of(folder: Path, speeds: dict[str, str]) -> Hop:
    """The link of one PCI function, or the bus of its slot (`bus_speeds`).

    The kernel writes width 0 where there is no link.
    """
    return Hop(
        address=folder.name,
        bus=speeds.get(folder.name.rpartition(".")[0]),
        speed_gt_per_s=parse_speed(text(folder, "current_link_speed")),
        width=number(folder, "current_link_width") or None,
        best_speed_gt_per_s=parse_speed(text(folder, "max_link_speed")),
        best_width=number(folder, "max_link_width") or None,
    )


def links(hops: list[Hop]) -> list[PcieLink]:
    """The links among the hops from a device upwards.

    A link joins two ports: the device and the port above it, then a switch's upper port and the
    next one above. A switch's lower and upper port are joined inside it, which is no link.
    """
    return [
        PcieLink(lower=hops[place], upper=hops[place + 1] if place + 1 < len(hops) else None)
        for place in range(0, len(hops), 2)
    ]
