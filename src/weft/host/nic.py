"""Network interfaces and RDMA devices, and the PCIe way from each to the processor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from weft.host.files import number, text

if TYPE_CHECKING:
    from pathlib import Path

_PCI_ADDRESS = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def collect_interfaces(root: Path) -> list[dict[str, Any]]:
    """Every network interface: driver, MTU, speed in Mbit/s, state, NUMA node, PCIe hops."""
    return [_interface(root, folder) for folder in sorted((root / "sys/class/net").glob("*"))]


def _interface(root: Path, folder: Path) -> dict[str, Any]:
    speed = number(folder, "speed")
    return {
        "name": folder.name,
        "driver": (folder / "device/driver").resolve().name
        if (folder / "device/driver").exists()
        else None,
        "mtu": number(folder, "mtu"),
        "state": text(folder, "operstate"),
        "speed_mbit_per_s": speed if speed and speed > 0 else None,
        "duplex": text(folder, "duplex"),
        "numa": number(folder, "device/numa_node"),
        "pcie": pcie_hops(root, folder / "device"),
    }


def collect_rdma(root: Path) -> list[dict[str, Any]]:
    """Every RDMA device with its ports: state, rate as the kernel writes it, link layer."""
    devices = []
    for folder in sorted((root / "sys/class/infiniband").glob("*")):
        ports = [
            {
                "port": int(port.name),
                "state": text(port, "state"),
                "rate": text(port, "rate"),
                "link_layer": text(port, "link_layer"),
            }
            for port in sorted((folder / "ports").glob("[0-9]*"))
        ]
        devices.append(
            {
                "name": folder.name,
                "firmware": text(folder, "fw_ver"),
                "board": text(folder, "board_id"),
                "numa": number(folder, "device/numa_node"),
                "ports": ports,
                "pcie": pcie_hops(root, folder / "device"),
            }
        )
    return devices


def parse_pcie_speed(found: str | None) -> float | None:
    """GT/s of a kernel text like "16.0 GT/s PCIe"; None if it is none."""
    match = re.match(r"(\d+(?:\.\d+)?) GT/s", found or "")
    return float(match[1]) if match else None


def pcie_hops(root: Path, device: Path) -> list[dict[str, Any]]:
    """Speed and width, now and at best, from the device up to the root complex, nearest first."""
    try:
        path = device.resolve(strict=True)
    except OSError:
        return []
    hops = []
    while path != root.resolve() and path.parent != path:
        if _PCI_ADDRESS.fullmatch(path.name):
            hop = {
                "address": path.name,
                "speed_gt_per_s": parse_pcie_speed(text(path, "current_link_speed")),
                "best_speed_gt_per_s": parse_pcie_speed(text(path, "max_link_speed")),
                "width": number(path, "current_link_width"),
                "best_width": number(path, "max_link_width"),
            }
            if hop["speed_gt_per_s"] is not None:
                hops.append(hop)
        path = path.parent
    return hops
