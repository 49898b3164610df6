"""A list of cables: `ibnetdiscover -p`, or `iblinkinfo` with a section for each device.

A line is one end of a cable and, if it is plugged in, the other one: kind or name, LID, port. Both
ends have a line; a device is told by its LID, which an adapter has for each of its ports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.fabric.cabling import Cabling, Plug
from weft.sources.topologies.ibnetdiscover import host_in, switch_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_GUID = r"0x[0-9a-f]{1,16}"
# SW  3  24 0x0008f1 4x QDR - CA  12  1 0x0002c9 ( 'leaf 1' - 'n1 mlx5_0' )
_PORT = re.compile(
    rf"^(?P<kind>SW|CA|RT) +(?P<lid>\d+) +(?P<port>\d+) +{_GUID} +\S+ +\S+"
    rf" +- +(?P<kind2>SW|CA|RT) +(?P<lid2>\d+) +(?P<port2>\d+) +{_GUID}"
    r" +\( *'(?P<name>[^']*)' +- +'(?P<name2>[^']*)' *\)"
)
# Switch: 0x0008f1 leaf 1:
#   3   24[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==>  12  1[  ] "n1 mlx5_0"
_SECTION = re.compile(rf"^(?P<kind>Switch|CA): +(?:{_GUID} +)?(?P<name>[^:]*(?::[^:]+)*):$")
_LINK = re.compile(
    rf"^(?:{_GUID} +)?(?P<lid>\d+) +(?P<port>\d+)\[[^\]]{{0,6}}\] *==\([^()]*\)==>"
    r' +(?P<lid2>\d+) +(?P<port2>\d+)\[[^\]]{0,6}\] *"(?P<name2>[^"]*)"'
)
is_links = re.compile(
    rf"^(?:SW|CA) +\d+ +\d+ +{_GUID} +\S+ +\S+ +- +(?:SW|CA) "
    rf"|^(?:Switch|CA): +(?:{_GUID} +)?\S.*:$",
    re.MULTILINE,
)


def cabling_of_links(text: str) -> Cabling:
    """The cables. The host of an adapter is the first word of its description: "n1 mlx5_0"."""
    switches: dict[str, str] = {}
    adapters: dict[str, str] = {}
    others: dict[str, str] = {}
    cables: set[tuple[Plug, Plug]] = set()
    for kind, name, lid, port, kind2, name2, lid2, port2 in _ends_in(text):
        for one, own_name, own in ((kind, name, lid), (kind2, name2, lid2)):
            if one == "SW":
                switches[own] = switch_in(own_name)
            elif one == "CA" and (host := host_in(own_name)):
                adapters[own] = host
            elif not one:
                others[own] = own_name
        ends = sorted((Plug(lid, port), Plug(lid2, port2)))
        cables.add((ends[0], ends[1]))
    # A section does not say what is at the other end; a switch has a section of its own.
    for own, own_name in others.items():
        if own not in switches and (host := host_in(own_name)):
            adapters[own] = host
    known = {*switches, *adapters}
    return Cabling(
        switches=switches,
        adapters=adapters,
        cables=tuple(sorted(one for one in cables if {one[0].device, one[1].device} <= known)),
        lids={int(lid): lid for lid in adapters},
    )


def _ends_in(text: str) -> Iterator[tuple[str, str, str, int, str, str, str, int]]:
    """Kind, name, LID and port of either end of each cable; the kind is empty if it is unknown."""
    kind = name = ""
    for line in text.splitlines():
        words = line.strip()
        if section := _SECTION.match(words):
            kind, name = ("SW" if section["kind"] == "Switch" else "CA"), section["name"].strip()
        elif found := _PORT.match(words):
            own = (found["kind"], found["name"], found["lid"], int(found["port"]))
            yield (*own, found["kind2"], found["name2"], found["lid2"], int(found["port2"]))
        elif kind and (found := _LINK.match(words)):
            own = (kind, name, found["lid"], int(found["port"]))
            yield (*own, "", found["name2"], found["lid2"], int(found["port2"]))
