"""The output of ibnetdiscover: all devices of an InfiniBand fabric with their cables.

As infiniband-diags writes it (rdma-core 691953d, ibnetdiscover.c): a line for each device, "Switch
40 "S-..." # "name" ...", then one for each port, "[13] "H-..."[1](guid) # "n1 mlx5_0" lid 5 4xHDR".
Each cable stands there from both ends. With -g ports have "[ext n]" as well.
"""

from __future__ import annotations

import re

from weft.fabric.cabling import Cabling, Plug

# A terminal's log has lost the tabs.
is_ibnetdiscover = re.compile(r'^(?:Switch|Ca)\s*\d+\s*"[SH]-', re.MULTILINE)
_DEVICE = re.compile(r'(Switch|Ca|Rt)\s*\d+\s*"([^"]+)"(?:\s*#\s*"([^"]*)")?')
_PORT = re.compile(
    r'\[(\d+)\](?:\([0-9a-f]+\))?(?:\[ext \d+\])?\s*"([^"]+)"\[(\d+)\](?:\([0-9a-f]+\))?'
    r"(?:\[ext \d+\])?(?:\s*#\s*(?:lid (\d+))?.*)?"
)
# As a managed switch calls itself: its name, its model, and which chip of several it is.
_MANAGED = re.compile(r"MF0;([^:;]+):[^/:]+(?:/U1|((?:/[A-Z]\d+)+))?")
# What names no host: adapters that nobody described, and SHARP's own within switches.
_OF_NO_HOST = "Mellanox Technologies"


def cabling_of_ibnetdiscover(text: str) -> Cabling:
    """The cables. The host of an adapter is the first word of its description: "n1 mlx5_0"."""
    switches: dict[str, str] = {}
    adapters: dict[str, str] = {}
    lids: dict[int, str] = {}
    cables: set[tuple[Plug, Plug]] = set()
    device = ""
    for line in text.splitlines():
        if found := _DEVICE.match(line):
            device, name = found[2], found[3] or ""
            if found[1] == "Switch":
                switches[device] = switch_in(name)
            elif found[1] == "Ca" and (host := host_in(name)):
                adapters[device] = host
        elif found := _PORT.match(line):
            ends = sorted((Plug(device, int(found[1])), Plug(found[2], int(found[3]))))
            cables.add((ends[0], ends[1]))
            if device in adapters and found[4]:
                lids[int(found[4])] = device
    known = {*switches, *adapters}
    return Cabling(
        switches=switches,
        adapters=adapters,
        cables=tuple(sorted(one for one in cables if {one[0].device, one[1].device} <= known)),
        lids=lids,
    )


def switch_in(description: str) -> str:
    """The name of a switch by its description: "l1", of "MF0;l1:MQM8700/U1" l1 too.

    Of a chip of a modular one, "MF0;d1:MCS8500/L17/U2", it is d1/L17/U2.
    """
    managed = _MANAGED.fullmatch(description.strip())
    return managed[1] + (managed[2] or "") if managed else description


def host_in(description: str) -> str:
    """The host of an adapter by its description: "n1 mlx5_0", "n1 HCA-1", "'n1 mlx5_0'".

    Empty where it names none, as "MT4129 ConnectX7 Mellanox Technologies".
    """
    words = description.strip("' ").split()
    return words[0] if words and _OF_NO_HOST not in description else ""
