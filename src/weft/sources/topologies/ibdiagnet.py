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
    from collections.abc import Sequence
    from pathlib import Path

is_ibdiagnet = re.compile(r"^START_(?:NODES|LINKS)\s*$", re.MULTILINE)
_SWITCH = 2
_UNKNOWN = "N/A"
_FIX = "name the ibdiagnet2.db_csv of a whole fabric"


def cabling_of_ibdiagnet(path: Path, text: str) -> Cabling:
    """The cables of the tables NODES and LINKS. Raises WeftError without them."""
    switches: dict[str, str] = {}
    adapters: dict[str, str] = {}
    try:
        for guid, kind, name in _rows(text, "NODES", ("NodeGUID", "NodeType", "NodeDesc")):
            if _UNKNOWN in (guid, kind):
                continue
            said = "" if name == _UNKNOWN else name
            if int(kind) == _SWITCH:
                switches[_guid(guid)] = switch_in(said)
            elif host := host_in(said):
                adapters[_guid(guid)] = host
        columns = ("NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2")
        cables = {
            tuple(sorted((Plug(_guid(one), int(port)), Plug(_guid(other), int(far)))))
            for one, port, other, far in _rows(text, "LINKS", columns)
            if _UNKNOWN not in (one, port, other, far)
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise WeftError(f"{path} has no NODES and LINKS as ibdiagnet's: {error}", _FIX) from None
    known = {*switches, *adapters}
    joined = sorted((one, other) for one, other in cables if {one.device, other.device} <= known)
    return Cabling(switches=switches, adapters=adapters, cables=tuple(joined))


def _rows(text: str, name: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """These columns of a table. Raises ValueError where it or one of them is not there."""
    found = re.search(rf"^START_{name}\s*\n(.*?)^END_{name}\s*$", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"no table {name}")
    table = csv.DictReader(found[1].splitlines(), skipinitialspace=True)
    for column in columns:
        if column not in (table.fieldnames or ()):
            raise ValueError(f"{name} has no column {column}")
    return [tuple(row[column] for column in columns) for row in table]


def _guid(text: str) -> str:
    """One spelling of a GUID. Raises ValueError."""
    return f"{int(text, 16):016x}"
