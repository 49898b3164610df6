"""Forwarding tables of an InfiniBand fabric: opensm-lfts.dump, which dump_lfts.sh writes too.

As OpenSM writes it (fa74b98, osm_dump.c): "Unicast lids [0-5] of switch Lid 2 guid 0x... ('l1'):",
then a line an address, "0x0005 001 # ...": in hex the LID and in decimals the port.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.errors import WeftError

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric.cabling import Cabling, Forwarding

is_forwarding = re.compile(r"^Unicast lids .*guid 0x", re.MULTILINE)
_SWITCH = re.compile(r"Unicast lids .*guid 0x([0-9a-fA-F]+)")
_ADDRESS = re.compile(r"0x([0-9a-fA-F]+)\s+(\d+)\b")


def forwarding_of(path: Path, cabling: Cabling) -> Forwarding:
    """The port of each switch for each adapter. Raises WeftError where it knows no switch."""
    by_guid = {int(device.rpartition("-")[2], 16): device for device in cabling.switches}
    found: Forwarding = {}
    table: dict[str, int] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if switch := _SWITCH.match(line):
            device = by_guid.get(int(switch[1], 16))
            table = found.setdefault(device, {}) if device else {}
        elif address := _ADDRESS.match(line):
            adapter = cabling.lids.get(int(address[1], 16))
            if adapter:
                table[adapter] = int(address[2])
    if not found:
        raise WeftError(
            f"{path} has the routes of none of these switches", "dump both of one fabric"
        )
    return found
