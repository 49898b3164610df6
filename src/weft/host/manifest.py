"""What this machine is, as it stands in a record. Addresses and names of users stay out."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from weft.host.cpu import collect_cpu, collect_memory, collect_numa
from weft.host.nic import collect_interfaces, collect_rdma
from weft.host.software import collect_environment, collect_limits, collect_software


def collect(root: Path = Path("/")) -> dict[str, Any]:
    """The manifest of this host: JSON-able, unknown facts None. Reads below `root`."""
    return {
        "host": platform.node(),
        "cpu": collect_cpu(root),
        "numa": collect_numa(root),
        "memory": collect_memory(root),
        "interfaces": collect_interfaces(root),
        "rdma": collect_rdma(root),
        "software": collect_software(root),
        "limits": collect_limits(),
        "environment": collect_environment(),
    }


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What makes two manifests unlike machines: records of such are never merged."""
    facts = {
        "host name": ("host",),
        "processor": ("cpu", "model"),
        "number of CPUs": ("cpu", "logical_cpus"),
        "kernel": ("software", "kernel"),
    }
    found = []
    for name, keys in facts.items():
        old, new = _at(before, keys), _at(now, keys)
        if old != new:
            found.append(f"{name} {old} then, {new} now")
    return found


def _at(manifest: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        manifest = manifest.get(key) if isinstance(manifest, dict) else None
    return manifest
