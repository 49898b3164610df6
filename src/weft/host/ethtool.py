"""The one fact about an interface that sysfs lacks: its firmware."""

from __future__ import annotations

import array
import fcntl
import socket
import struct

_SIOCETHTOOL = 0x8946  # linux/sockios.h
_GET_DRIVER_INFO = 0x3  # linux/ethtool.h, ETHTOOL_GDRVINFO
# struct ethtool_drvinfo: command, driver, version, firmware, bus, erom, reserved, five counts.
_DRIVER_INFO = struct.Struct("I32s32s32s32s32s12s5I")


def firmware_version(interface: str) -> str | None:
    """The firmware that the driver names; None where it names none. Needs no privilege."""
    answer = array.array("B", _DRIVER_INFO.pack(_GET_DRIVER_INFO, *[b""] * 6, *[0] * 5))
    request = struct.pack("16sP", interface.encode()[:15], answer.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            fcntl.ioctl(asking, _SIOCETHTOOL, request)
    except OSError:
        return None
    found: bytes = _DRIVER_INFO.unpack(answer.tobytes())[3]
    firmware = found.split(b"\0")[0].decode(errors="replace").strip()
    return firmware if firmware not in ("", "N/A") else None
