"""How switches were asked to treat a launch's packets: traffic class and service level. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.record.model import Launch

TRAFFIC_CLASS, SERVICE_LEVEL = "traffic class", "service level"
UNKNOWN_CLASS = "unknown"
# The same as settings of transports.
SETTINGS = (".traffic_class", ".service_level")
# The classes of launches in records that do not state them.
BEFORE = {"tcp": {TRAFFIC_CLASS: "0"}, "verbs": {TRAFFIC_CLASS: "0", SERVICE_LEVEL: "0"}}
# The traffic class has two bits of congestion notification below the DSCP.
_ECN_BITS = 2
_RAIL = re.compile(r"rail \d+ ")


def classes_of(launches: Iterable[Launch]) -> dict[str, str]:
    """What these launches of a transport had, by name: "DSCP" and "service level", if known.

    A name is missing if launches or rails differ in it.
    """
    found: dict[str, set[str]] = {}
    for launch in launches:
        stated = {**BEFORE.get(launch.transport.partition(":")[0], {}), **_stated(launch.details)}
        for name, value in stated.items():
            found.setdefault(name, set()).add(value)
    known = {name: values.pop() for name, values in found.items() if len(values) == 1}
    level = known.get(SERVICE_LEVEL, UNKNOWN_CLASS)
    dscp = known.get(TRAFFIC_CLASS, UNKNOWN_CLASS)
    return {
        **({"DSCP": str(int(dscp) >> _ECN_BITS)} if dscp.isdecimal() else {}),
        **({SERVICE_LEVEL: level} if level != UNKNOWN_CLASS else {}),
    }


def unlike_class(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[str, str] | None:
    """Both classes in words, "DSCP 0" and "DSCP 26"; None where they are alike or not known."""
    for name in first:
        if name in second and first[name] != second[name]:
            return f"{name} {first[name]}", f"{name} {second[name]}"
    return None


def _stated(details: Mapping[str, str]) -> dict[str, str]:
    """Of several rails, only what they share."""
    found: dict[str, set[str]] = {}
    for key, value in details.items():
        name = _RAIL.sub("", key, count=1)
        if name in (TRAFFIC_CLASS, SERVICE_LEVEL):
            found.setdefault(name, set()).add(value)
    return {n: v.pop() if len(v) == 1 else UNKNOWN_CLASS for n, v in found.items()}
