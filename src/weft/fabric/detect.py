"""Which link a record's traffic went over, from its host manifests; nothing is guessed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.fabric.peaks import Link, parse_link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft.record.run import Run

# These have a speed in sysfs that no wire has.
_VIRTUAL = ("veth", "bridge", "tun", "bonding", "virtio_net", "dummy", "vxlan", "ipvlan", "macvlan")
# "posix/memory (am am_bw#0), rc_mlx5/mlx5_0:1 (rma_bw#0)": UCX's transport and its device.
_LANE = re.compile(r"(?:^|, )(\w+)/([\w:.-]+)")


def detected_link(run: Run, transport: str) -> Link | None:
    """The link of a transport's launches when all of its ranks' hosts used the same known one.

    None where ranks share a host (nothing crosses a link then), where the library does not tell
    which device it used, or where the device has no speed that a wire has.
    """
    found: set[str] = set()
    for launch in run.lines.launches:
        if launch.transport != transport:
            continue
        hosts = {facts.host for facts in launch.ranks}
        if len(hosts) < len(launch.ranks):
            return None
        for host in hosts:
            found.add(_name_on(run.header.hosts.get(host, {}), launch.details))
    if len(found) != 1 or "" in found:
        return None
    try:
        return parse_link(found.pop())
    except WeftError:
        return None  # A speed that no standard has.


def device_on(manifest: dict[str, Any], details: dict[str, str]) -> dict[str, Any] | None:
    """The interface or RDMA device that a launch used on a host, as its manifest has it."""
    rdma = details.get("device") or details.get("domain") or ""
    name = details.get("interface") or re.split(r"[:/ ,]", rdma)[0]
    devices = {device for kind, device in _LANE.findall(details.get("lanes", ""))} - {"memory"}
    if not name and len(devices) == 1:
        name = devices.pop().partition(":")[0]
    known = (*manifest.get("interfaces", ()), *manifest.get("rdma", ()))
    return next((device for device in known if name and device.get("name") == name), None)


def link_of_device(device: dict[str, Any]) -> Link | None:
    """The link of an interface, or of the first active port of an RDMA device."""
    if "ports" in device:
        name = next((text for port in device["ports"] if (text := _of_port(port))), "")
    else:
        name = _of_interface([device], str(device.get("name")))
    try:
        return parse_link(name) if name else None
    except WeftError:
        return None  # A speed that no standard has.


def _name_on(manifest: dict[str, Any], details: dict[str, str]) -> str:
    """The link's name on one host, as parse_link reads it; empty when it is not known."""
    if "interface" in details:
        return _of_interface(manifest.get("interfaces", ()), details["interface"])
    if "device" in details:
        port = f":{details['port']}" if "port" in details else ""
        return _of_device(manifest.get("rdma", ()), details["device"] + port)
    return _of_lanes(manifest, details.get("lanes", ""))


def _of_lanes(manifest: dict[str, Any], lanes: str) -> str:
    """From UCX's lanes, "rc_mlx5/mlx5_0:1 (am), tcp/eth0"; over several devices no one link."""
    found = {(kind, device) for kind, device in _LANE.findall(lanes) if device != "memory"}
    if len({device for _, device in found}) != 1:
        return ""
    kind, device = next(iter(found))
    if kind == "tcp":
        return _of_interface(manifest.get("interfaces", ()), device)
    return _of_device(manifest.get("rdma", ()), device)


def _of_interface(interfaces: Iterable[dict[str, Any]], name: str) -> str:
    for interface in interfaces:
        speed = interface.get("speed_mbit_per_s")
        driver = interface.get("driver")
        if interface.get("name") == name and speed and driver and driver not in _VIRTUAL:
            return f"Ethernet {speed / 1000:g}G"
    return ""


def _of_device(devices: Iterable[dict[str, Any]], name: str) -> str:
    """From a device and port such as "mlx5_0:1"; a Soft-RoCE device has no PCIe hops."""
    device_name, _, port_name = re.sub(r"[:/]", " ", name).partition(" ")
    for device in devices:
        if device.get("name") != device_name or not device.get("pcie"):
            continue
        for port in device.get("ports", ()):
            if not port_name or str(port.get("port")) == port_name:
                return _of_port(port)
    return ""


def _of_port(port: dict[str, Any]) -> str:
    """From the kernel's rate, "56 Gb/sec (4X FDR)"; over Ethernet only its number counts."""
    rate = re.match(r"([\d.]+) Gb/sec(?: \((\d+)X (\w+)\))?", port.get("rate") or "")
    if rate is None:
        return ""
    if port.get("link_layer") == "Ethernet":
        return f"RoCE {rate[1]}G"
    return f"IB {rate[2]}x {rate[3]}" if rate[2] else ""
