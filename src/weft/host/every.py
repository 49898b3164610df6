"""The findings about several hosts as one list, each once, with the hosts it is about. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.host.finding import Finding


def of_hosts(findings: Mapping[str, Iterable[Finding]]) -> tuple[Finding, ...]:
    """What is so on some hosts names them; what is so on all, or on the only one, does not."""
    hosts: dict[Finding, list[str]] = {}
    for host, own in findings.items():
        for finding in own:
            hosts.setdefault(finding, []).append(host)
    levels = ("warning", "unknown", "note", "ok")
    found = sorted(hosts.items(), key=lambda entry: levels.index(entry[0].level))
    return tuple(
        finding
        if len(names) == len(findings)
        else msgspec.structs.replace(finding, what=f"{', '.join(names)}: {finding.what}")
        for finding, names in found
    )
