"""The processor: model, cores, caches, frequency policy and clock."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.host.files import cpu_list, fields, number, size_bytes, switch, text

if TYPE_CHECKING:
    from pathlib import Path

CPUS = "sys/devices/system/cpu"


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """One cache that the first CPU sees, and the CPUs that share it."""

    level: int
    kind: str | None = None
    size_bytes: int | None = None
    shared_cpus: list[int] = []


class Cpu(msgspec.Struct, frozen=True, kw_only=True):
    """The processor. Frequencies in kHz; None and empty lists are unknown.

    `core_cpus` are the logical CPUs of each core, `allowed_cpus` those that this process may use
    (affinity and cgroup). `turbo_switch` is the file that holds the turbo setting.
    """

    model: str | None = None
    vendor: str | None = None
    logical_cpus: int | None = None
    allowed_cpus: list[int] = []
    cores: int | None = None
    core_cpus: list[list[int]] = []
    sockets: int | None = None
    smt: str | None = None
    smt_active: bool | None = None
    caches: list[Cache] = []
    governor: str | None = None
    energy_preference: str | None = None
    frequency_driver: str | None = None
    frequency_min_khz: int | None = None
    frequency_max_khz: int | None = None
    frequency_now_khz: int | None = None
    turbo: bool | None = None
    turbo_switch: str | None = None
    clock_source: str | None = None
    tsc_constant: bool | None = None
    tsc_nonstop: bool | None = None
    tsc_invariant: bool | None = None
    hypervisor_flag: bool | None = None
    isolated_cpus: list[int] | None = None
    vulnerabilities: dict[str, str] = {}


def collect_cpu(root: Path) -> Cpu:
    """The processor as /proc/cpuinfo and sysfs show it."""
    info = fields(text(root, "proc/cpuinfo"))
    # Only x86 has "flags"; elsewhere neither the TSC nor a hypervisor would be named there.
    flags = set(info["flags"].split()) if "flags" in info else None
    online = _online(root)
    groups = _core_cpus(root, online)
    packages = {text(root, f"{CPUS}/cpu{cpu}/topology/physical_package_id") for cpu in online}
    allowed = cpu_list(fields(text(root, "proc/self/status")).get("Cpus_allowed_list"))
    policy = f"{CPUS}/cpu{allowed[0] if allowed else 0}/cpufreq"
    turbo_switch, turbo = _turbo(root)
    isolated = text(root, f"{CPUS}/isolated")
    return Cpu(
        model=info.get("model name", info.get("CPU part")),
        vendor=info.get("vendor_id", info.get("CPU implementer")),
        logical_cpus=len(online) or None,
        allowed_cpus=allowed,
        cores=len(groups) or None,
        core_cpus=groups,
        sockets=len(packages - {None}) or None,
        smt=text(root, f"{CPUS}/smt/control"),
        smt_active=switch(root, f"{CPUS}/smt/active"),
        caches=_caches(root, allowed[0] if allowed else 0),
        governor=_across_cpus(root, "scaling_governor"),
        energy_preference=_across_cpus(root, "energy_performance_preference"),
        frequency_driver=text(root, f"{policy}/scaling_driver"),
        frequency_min_khz=number(root, f"{policy}/scaling_min_freq"),
        frequency_max_khz=number(root, f"{policy}/scaling_max_freq"),
        frequency_now_khz=number(root, f"{policy}/scaling_cur_freq"),
        turbo=turbo,
        turbo_switch=turbo_switch,
        clock_source=text(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        tsc_constant=_flag("constant_tsc", flags),
        tsc_nonstop=_flag("nonstop_tsc", flags),
        tsc_invariant=None if flags is None else {"constant_tsc", "nonstop_tsc"} <= flags,
        hypervisor_flag=_flag("hypervisor", flags),
        isolated_cpus=None if isolated is None else cpu_list(isolated),
        vulnerabilities=_vulnerabilities(root),
    )


def _flag(name: str, flags: set[str] | None) -> bool | None:
    return None if flags is None else name in flags


def _online(root: Path) -> list[int]:
    listed = cpu_list(text(root, f"{CPUS}/online"))
    folders = (re.fullmatch(r"cpu([0-9]+)", path.name) for path in (root / CPUS).glob("cpu*"))
    return listed or sorted(int(match[1]) for match in folders if match)


def _core_cpus(root: Path, online: list[int]) -> list[list[int]]:
    """The CPUs of each core; kernels before 5.3 name the file thread_siblings_list."""
    groups: dict[tuple[int, ...], None] = {}
    for cpu in online:
        folder = f"{CPUS}/cpu{cpu}/topology"
        found = text(root, f"{folder}/core_cpus_list")
        found = found or text(root, f"{folder}/thread_siblings_list")
        if found:
            groups.setdefault(tuple(cpu_list(found)))
    return [list(group) for group in groups]


def _caches(root: Path, cpu: int) -> list[Cache]:
    caches = []
    for folder in sorted((root / f"{CPUS}/cpu{cpu}/cache").glob("index[0-9]*")):
        level = number(folder, "level")
        if level is not None:
            caches.append(
                Cache(
                    level=level,
                    kind=text(folder, "type"),
                    size_bytes=size_bytes(text(folder, "size")),
                    shared_cpus=cpu_list(text(folder, "shared_cpu_list")),
                )
            )
    return caches


def _across_cpus(root: Path, name: str) -> str | None:
    """A frequency setting of all CPUs: each value once, joined by commas."""
    found = {text(folder, name) for folder in (root / CPUS).glob("cpu[0-9]*/cpufreq")}
    return ", ".join(sorted(value for value in found if value)) or None


def _turbo(root: Path) -> tuple[str | None, bool | None]:
    """The file of the turbo setting, and whether the frequency may rise above its nominal value.

    intel_pstate has no_turbo (0: turbo is on); others have boost, newer kernels one a CPU.
    """
    no_turbo = switch(root, f"{CPUS}/intel_pstate/no_turbo")
    if no_turbo is not None:
        return f"/{CPUS}/intel_pstate/no_turbo", not no_turbo
    boost = switch(root, f"{CPUS}/cpufreq/boost")
    if boost is not None:
        return f"/{CPUS}/cpufreq/boost", boost
    single = [switch(folder, "boost") for folder in (root / CPUS).glob("cpu[0-9]*/cpufreq")]
    known = [value for value in single if value is not None]
    return (f"/{CPUS}/cpu*/cpufreq/boost", any(known)) if known else (None, None)


def _vulnerabilities(root: Path) -> dict[str, str]:
    """Each known fault of processors and what the kernel does about it on this one."""
    files = sorted((root / f"{CPUS}/vulnerabilities").glob("*"))
    return {path.name: found for path in files if (found := text(path.parent, path.name))}
