"""Network interfaces and RDMA devices. No MAC, IP or GID is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.host.ethtool import firmware_version
from weft.host.files import number, text
from weft.host.pcie import Hop, bus_speeds, hop_of, pci_path

if TYPE_CHECKING:
    from pathlib import Path


class Interface(msgspec.Struct, frozen=True, kw_only=True):
    """A network interface; `pcie` are the hops to the root complex, nearest first."""

    name: str
    driver: str | None = None
    firmware: str | None = None
    mtu: int | None = None
    state: str | None = None
    speed_mbit_per_s: int | None = None
    duplex: str | None = None
    numa: int | None = None
    pci_address: str | None = None
    pcie: list[Hop] = []

    @property
    def is_up(self) -> bool:
        """Whether it may carry messages now."""
        return self.state == "up"

    @property
    def rate_bit_per_s(self) -> float | None:
        """The link's speed one way."""
        return self.speed_mbit_per_s * 1e6 if self.speed_mbit_per_s else None


class Port(msgspec.Struct, frozen=True, kw_only=True):
    """A port of an RDMA device; `state` and `rate` as the kernel writes them."""

    port: int
    state: str | None = None
    physical_state: str | None = None
    rate: str | None = None
    rate_gbit_per_s: float | None = None
    link_layer: str | None = None

    @property
    def is_active(self) -> bool:
        """Whether it may carry messages now; the kernel writes "4: ACTIVE"."""
        return self.state is not None and self.state.split()[-1:] == ["ACTIVE"]


class RdmaDevice(msgspec.Struct, frozen=True, kw_only=True):
    """An RDMA device and its ports."""

    name: str
    driver: str | None = None
    firmware: str | None = None
    board: str | None = None
    numa: int | None = None
    pci_address: str | None = None
    ports: list[Port] = []
    pcie: list[Hop] = []

    @property
    def is_up(self) -> bool:
        """Whether a port may carry messages now."""
        return any(port.is_active for port in self.ports)

    @property
    def rate_bit_per_s(self) -> float | None:
        """The speed of its fastest port one way."""
        rates = [port.rate_gbit_per_s for port in self.ports if port.rate_gbit_per_s]
        return max(rates) * 1e9 if rates else None


Device = Interface | RdmaDevice


def collect_interfaces(root: Path, *, live: bool) -> list[Interface]:
    """Every network interface by name; `live`: the kernel that runs may be asked too."""
    interfaces = []
    speeds = bus_speeds(root)
    for folder in sorted((root / "sys/class/net").glob("*")):
        # bonding_masters is a file beside the interfaces.
        if not folder.is_dir():
            continue
        speed = number(folder, "speed")
        path = pci_path(root, folder / "device")
        interfaces.append(
            Interface(
                name=folder.name,
                driver=_driver(folder),
                firmware=firmware_version(folder.name) if live else None,
                mtu=number(folder, "mtu"),
                state=text(folder, "operstate"),
                # The kernel writes -1 for an unknown speed.
                speed_mbit_per_s=speed if speed and speed > 0 else None,
                duplex=text(folder, "duplex"),
                numa=_numa(folder, path),
                pci_address=path[0].name if path else None,
                pcie=[hop_of(hop, speeds) for hop in path],
            )
        )
    return interfaces


def collect_rdma(root: Path) -> list[RdmaDevice]:
    """Every RDMA device by name."""
    devices = []
    speeds = bus_speeds(root)
    for folder in sorted((root / "sys/class/infiniband").glob("*")):
        path = pci_path(root, folder / "device")
        devices.append(
            RdmaDevice(
                name=folder.name,
                driver=_driver(folder),
                firmware=text(folder, "fw_ver"),
                board=text(folder, "board_id"),
                numa=_numa(folder, path),
                pci_address=path[0].name if path else None,
                ports=_ports(folder),
                pcie=[hop_of(hop, speeds) for hop in path],
            )
        )
    return devices


def parse_rate(found: str | None) -> float | None:
    """Gbit/s of a kernel text like "100 Gb/sec (4X EDR)"; None if it is none."""
    match = re.match(r"([0-9]{1,6}(?:\.[0-9]{1,3})?) Gb/sec", found or "")
    return (float(match[1]) or None) if match else None


def _ports(folder: Path) -> list[Port]:
    ports = []
    for port in (folder / "ports").glob("*"):
        if re.fullmatch(r"[0-9]{1,9}", port.name):
            rate = text(port, "rate")
            ports.append(
                Port(
                    port=int(port.name),
                    state=text(port, "state"),
                    physical_state=text(port, "phys_state"),
                    rate=rate,
                    rate_gbit_per_s=parse_rate(rate),
                    link_layer=text(port, "link_layer"),
                )
            )
    return sorted(ports, key=lambda port: port.port)


def _driver(folder: Path) -> str | None:
    driver = folder / "device/driver"
    return driver.resolve().name if driver.exists() else None


def _numa(folder: Path, path: list[Path]) -> int | None:
    """The NUMA node; of the PCI device where the device itself (virtio) has none; -1 is none."""
    places = [folder / "device", *path]
    nodes = (number(place, "numa_node") for place in places)
    return next((node for node in nodes if node is not None and node >= 0), None)
