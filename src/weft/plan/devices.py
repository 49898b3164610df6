"""Which setting of a transport chooses its interface or its RDMA devices, and who takes which."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

# By transport: the setting that takes the name of an interface, or of an RDMA device.
_OF_INTERFACE = {"mpi": "interface", "tcp": "interface", "ucx": "device", "ofi": "domain"}
_OF_DEVICE = {"verbs": "device", "ucx": "device", "ofi": "domain"}
# Its ranks on a host take the devices in turn (engine/transports/verbs/device.hpp), but for the
# modes in which each rank has all of them.
_IN_TURN = "verbs"
_OF_ALL = ("stripe", "turn")


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


def device_nowhere(option: str, value: str, there: Container[str]) -> str:
    """The first interface or device in an option's value that is none of these; empty if all are.

    Of libfabric it may be a domain of a provider alone, and a subnet of MPI's is no name.
    """
    family, _, name = option.partition(".")
    if family == "ofi" or name not in (_OF_INTERFACE.get(family), _OF_DEVICE.get(family)):
        return ""
    # UCX takes the port of a device behind it, "all", and behind a caret what it shall not take.
    names = (one.partition(":")[0] for one in value.removeprefix("^").split(","))
    others = (one for one in names if one not in there and "/" not in one)
    return next((one for one in others if one not in ("", "all")), "")


def devices_in_turn(transport: str, options: Mapping[str, str]) -> tuple[str, ...]:
    """The devices of which each rank of a host takes the next one; empty where there is no list."""
    family, _, mode = transport.partition(":")
    named = options.get(f"{family}.{_OF_DEVICE.get(family, '')}", "")
    is_list = family == _IN_TURN and mode not in _OF_ALL and "," in named
    return tuple(named.split(",")) if is_list else ()
