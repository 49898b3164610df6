"""The processor: model, cores, frequency policy, clock, and whether it is a virtual one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from weft.host.files import chosen, cpu_list, number, text

if TYPE_CHECKING:
    from pathlib import Path

_POLICY = "sys/devices/system/cpu/cpu0/cpufreq"


def collect_cpu(root: Path) -> dict[str, Any]:
    """CPU facts; frequencies in kHz, unknown ones None."""
    info = _cpuinfo(root)
    flags = info.get("flags", info.get("Features", "")).split()
    online = cpu_list(text(root, "sys/devices/system/cpu/online"))
    return {
        "model": info.get("model name", info.get("CPU part")),
        "vendor": info.get("vendor_id", info.get("CPU implementer")),
        "logical_cpus": len(online) or None,
        "allowed_cpus": sorted(os.sched_getaffinity(0)),
        "cores": _cores(root, online),
        "sockets": len(_topology(root, online, "physical_package_id")) or None,
        "smt": text(root, "sys/devices/system/cpu/smt/control"),
        "governor": text(root, f"{_POLICY}/scaling_governor"),
        "frequency_driver": text(root, f"{_POLICY}/scaling_driver"),
        "frequency_min_khz": number(root, f"{_POLICY}/scaling_min_freq"),
        "frequency_max_khz": number(root, f"{_POLICY}/scaling_max_freq"),
        "turbo": _turbo(root),
        "clock_source": text(
            root, "sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        "tsc_invariant": {"constant_tsc", "nonstop_tsc"} <= set(flags) if flags else None,
        "virtual_machine": _virtual_machine(root, flags),
        "cgroup_cpu_max": text(root, "sys/fs/cgroup/cpu.max"),
        "isolated": text(root, "sys/devices/system/cpu/isolated"),
        "steal_ticks": _steal(root),
    }


def collect_numa(root: Path) -> list[dict[str, Any]]:
    """Each NUMA node: its CPUs and its distances to all nodes in node order."""
    base = root / "sys/devices/system/node"
    return [
        {
            "node": int(folder.name[4:]),
            "cpus": cpu_list(text(folder, "cpulist")),
            "distances": [int(d) for d in (text(folder, "distance") or "").split()],
        }
        for folder in sorted(base.glob("node[0-9]*"), key=lambda path: int(path.name[4:]))
    ]


def _cpuinfo(root: Path) -> dict[str, str]:
    """The first processor's block of /proc/cpuinfo."""
    found: dict[str, str] = {}
    for line in (text(root, "proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            break
        found[key.strip()] = value.strip()
    return found


def _topology(root: Path, online: list[int], name: str) -> set[str]:
    found = (text(root, f"sys/devices/system/cpu/cpu{cpu}/topology/{name}") for cpu in online)
    return {value for value in found if value is not None}


def _cores(root: Path, online: list[int]) -> int | None:
    return len(_topology(root, online, "core_cpus_list")) or None


def _turbo(root: Path) -> bool | None:
    """Whether the frequency may rise above its nominal value; None if the kernel does not say."""
    no_turbo = number(root, "sys/devices/system/cpu/intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == 0
    boost = number(root, "sys/devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == 1


def _virtual_machine(root: Path, flags: list[str]) -> str | None:
    """The hypervisor's name as far as firmware tells it; None on bare metal."""
    vendor = text(root, "sys/class/dmi/id/sys_vendor") or ""
    product = text(root, "sys/class/dmi/id/product_name") or ""
    hypervisor = text(root, "sys/hypervisor/type")
    if "hypervisor" not in flags and hypervisor is None:
        return None
    return hypervisor or f"{vendor} {product}".strip() or "unnamed"


def _steal(root: Path) -> int | None:
    """Clock ticks that the hypervisor took from this machine since boot (proc(5), /proc/stat)."""
    fields = (text(root, "proc/stat") or "").splitlines()[:1]
    values = fields[0].split() if fields else []
    return int(values[8]) if len(values) > 8 else None


def collect_memory(root: Path) -> dict[str, Any]:
    """Memory facts in bytes, transparent huge pages, swap in use."""
    sizes: dict[str, int] = {}
    for line in (text(root, "proc/meminfo") or "").splitlines():
        words = line.replace(":", " ").split()
        if len(words) >= 2 and words[1].isdigit():
            sizes[words[0]] = int(words[1]) * (1024 if words[-1] == "kB" else 1)
    return {
        "total_bytes": sizes.get("MemTotal"),
        "available_bytes": sizes.get("MemAvailable"),
        "swap_used_bytes": sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0),
        "huge_pages": sizes.get("HugePages_Total"),
        "transparent_huge_pages": chosen(root, "sys/kernel/mm/transparent_hugepage/enabled"),
    }
