"""ibdiagnet2.db_csv: tables between START_ and END_, each with a head.

The vendor does not describe it; columns are read by their heads, and values may be N/A.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.fabric.cabling import Cabling, Plug
from weft.sources.topologies.ibnetdiscover import host_in, switch_in

if TYPE_CHECKING:
    from pathlib import Path

is_ibdiagnet = re.compile(r"^START_(?:NODES|LINKS)\s*$", re.MULTILINE)
_SWITCH = 2
_FIX = "name the ibdiagnet2.db_csv of a whole fabric"


def cabling_of_ibdiagnet(path: Path, text: str) -> Cabling:
    """The cables of the tables NODES and LINKS. Raises WeftError without them."""
    switches: dict[str, str] = {}
    adapters: dict[str, str] = {}
    try:
        for row in _table(text, "NODES"):
            device, name = _guid(row["NodeGUID"]), row["NodeDesc"]
            if int(row["NodeType"]) == _SWITCH:
                switches[device] = switch_in(name)
            elif host := host_in(name):
                adapters[device] = host
        cables = {
            tuple(
                sorted(
                    Plug(_guid(row[f"NodeGuid{end}"]), int(row[f"PortNum{end}"])) for end in (1, 2)
                )
            )
            for row in _table(text, "LINKS")
        }
    except (KeyError, ValueError, TypeError) as error:
        raise WeftError(f"{path} has no NODES and LINKS as ibdiagnet's: {error}", _FIX) from None
    known = {*switches, *adapters}
    joined = sorted((one, other) for one, other in cables if {one.device, other.device} <= known)
    return Cabling(switches=switches, adapters=adapters, cables=tuple(joined))


def _table(text: str, name: str) -> list[dict[str, str]]:
    """The rows of a table by their heads, none where it is not there."""
    found = re.search(rf"^START_{name}\s*\n(.*?)^END_{name}\s*$", text, re.MULTILINE | re.DOTALL)
    lines = found[1].splitlines() if found else []
    return list(csv.DictReader(lines, skipinitialspace=True))


def _guid(text: str) -> str:
    """One spelling of a GUID. Raises ValueError."""
    return f"{int(text, 16):016x}"
