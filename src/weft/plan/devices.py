"""Which setting of a transport chooses its interface or its RDMA device."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# By transport: the setting that takes the name of an interface, or of an RDMA device.
_OF_INTERFACE = {"mpi": "interface", "tcp": "interface", "ucx": "device", "ofi": "domain"}
_OF_DEVICE = {"verbs": "device", "ucx": "device", "ofi": "domain"}


def chosen_devices(transports: Iterable[str], interface: str, device: str) -> dict[str, str]:
    """The options of these transports that choose an interface and a device, where one is named.

    MPI chooses an RDMA device by itself. UCX wants a device's port beside its name; where both an
    interface and a device are named, UCX and libfabric get the device.
    """
    found: dict[str, str] = {}
    for family in dict.fromkeys(name.partition(":")[0] for name in transports):
        if interface and family in _OF_INTERFACE:
            found[f"{family}.{_OF_INTERFACE[family]}"] = interface
        if device and family in _OF_DEVICE:
            is_portless = family == "ucx" and ":" not in device
            found[f"{family}.{_OF_DEVICE[family]}"] = f"{device}:1" if is_portless else device
    return found
