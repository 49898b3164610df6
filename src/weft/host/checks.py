"""The doctor's checks: from a manifest and a look at the load to findings. Pure.

Each finding says what is so, what it does to a measurement, and what to type to mend it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weft.fabric.peaks import pcie_bytes_per_s

if TYPE_CHECKING:
    from weft.host.load import Load

Level = Literal["ok", "note", "warning", "unknown"]
BUSY_SHARE = 0.1
NEEDED_MEMLOCK_BYTES = 64 << 20


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of the doctor."""

    check: str
    level: Level
    what: str
    effect: str = ""
    mend: str = ""


def diagnose(manifest: dict[str, Any], load: Load, ranks: int = 2) -> tuple[Finding, ...]:
    """All findings, warnings first."""
    cpu = manifest["cpu"]
    found = [
        _virtual_machine(cpu, load),
        _load(load),
        _cores(cpu, ranks),
        _governor(cpu),
        _turbo(cpu),
        _clock(cpu),
        _huge_pages(manifest["memory"]),
        _swap(manifest["memory"]),
        _memlock(manifest["limits"]),
        _cgroup(cpu),
        *_pcie(manifest),
        *_numa(manifest),
        *_ports(manifest),
    ]
    levels = ("warning", "unknown", "note", "ok")
    return tuple(sorted(found, key=lambda finding: levels.index(finding.level)))


def _virtual_machine(cpu: dict[str, Any], load: Load) -> Finding:
    kind = cpu["virtual_machine"]
    if kind is None:
        return Finding(check="virtual machine", level="ok", what="bare metal")
    stolen = f"; {load.steal_percent:.0f} % of a core is stolen now" if load.steal_percent else ""
    return Finding(
        check="virtual machine",
        level="warning",
        what=f"runs under a hypervisor ({kind}){stolen}",
        effect="the host may take a core away at any time, which shows as rare long samples and as"
        " launches that differ",
        mend="measure on bare metal, or trust medians and not the highest percentiles",
    )


def _load(load: Load) -> Finding:
    if load.total < BUSY_SHARE:
        return Finding(check="other processes", level="ok", what="nothing else is busy")
    names = ", ".join(f"{name} ({share:.0%} of a core)" for name, share in load.busiest)
    return Finding(
        check="other processes",
        level="warning",
        what=f"others are busy: {names}",
        effect="they take cores and caches from the ranks: latency rises and scatters",
        mend="end them, or measure when the machine is idle (look with: top)",
    )


def _cores(cpu: dict[str, Any], ranks: int) -> Finding:
    cores = min(cpu["cores"] or len(cpu["allowed_cpus"]), len(cpu["allowed_cpus"]))
    if ranks > cores:
        return Finding(
            check="cores",
            level="warning",
            what=f"{ranks} ranks share {cores} cores",
            effect="a waiting rank takes the core from the one that it waits for",
            mend=f"use --ranks {max(cores, 2)} or a machine with more cores",
        )
    if ranks == cores:
        return Finding(
            check="cores",
            level="note",
            what=f"the ranks use all {cores} cores",
            effect="whatever else runs, the kernel's own work too, interrupts a rank",
            mend="leave one core free on a larger machine",
        )
    return Finding(check="cores", level="ok", what=f"{cores} cores for {ranks} ranks")


def _governor(cpu: dict[str, Any]) -> Finding:
    governor = cpu["governor"]
    if governor is None:
        return Finding(
            check="governor",
            level="unknown",
            what="cannot tell: the kernel shows no frequency policy (usual in virtual machines)",
        )
    if governor == "performance":
        return Finding(check="governor", level="ok", what="performance")
    return Finding(
        check="governor",
        level="warning",
        what=f"the frequency governor is {governor}",
        effect="cores slow down when they wait, so short tests read too slow and drift",
        mend="cpupower frequency-set -g performance",
    )


def _turbo(cpu: dict[str, Any]) -> Finding:
    if cpu["turbo"] is None:
        return Finding(
            check="turbo", level="unknown", what="cannot tell: the kernel shows no turbo switch"
        )
    if not cpu["turbo"]:
        return Finding(check="turbo", level="ok", what="off")
    intel = cpu["frequency_driver"] in ("intel_pstate", "intel_cpufreq")
    switch = (
        "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
        if intel
        else "echo 0 > /sys/devices/system/cpu/cpufreq/boost"
    )
    return Finding(
        check="turbo",
        level="note",
        what="turbo is on",
        effect="the frequency depends on heat and on the other cores: two modes or a drift",
        mend=switch,
    )


def _clock(cpu: dict[str, Any]) -> Finding:
    if cpu["tsc_invariant"] is None:
        return Finding(check="clock", level="unknown", what="cannot tell: no CPU flags to read")
    if cpu["tsc_invariant"]:
        return Finding(check="clock", level="ok", what="the time stamp counter is invariant")
    return Finding(
        check="clock",
        level="warning",
        what="the time stamp counter is not invariant",
        effect="ticks change length with the frequency or stop in sleep: times may be wrong",
        mend="fix the frequency (governor performance, turbo off) and compare two runs",
    )


def _huge_pages(memory: dict[str, Any]) -> Finding:
    setting = memory["transparent_huge_pages"]
    if setting is None:
        return Finding(check="huge pages", level="unknown", what="cannot tell: no setting to read")
    if setting != "always":
        return Finding(check="huge pages", level="ok", what=f"transparent huge pages: {setting}")
    return Finding(
        check="huge pages",
        level="note",
        what="transparent huge pages are always on",
        effect="large buffers get huge pages or not by luck: launches of large sizes differ",
        mend="echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )


def _swap(memory: dict[str, Any]) -> Finding:
    used = memory["swap_used_bytes"]
    if not used:
        return Finding(check="swap", level="ok", what="no swap in use")
    return Finding(
        check="swap",
        level="note",
        what=f"{used >> 20} MiB of swap are in use",
        effect="pages that come back from disk stall a rank for milliseconds",
        mend="swapoff -a && swapon -a",
    )


def _memlock(limits: dict[str, Any]) -> Finding:
    limit = limits["memlock_bytes"]
    if limit < 0 or limit >= NEEDED_MEMLOCK_BYTES:
        shown = "unlimited" if limit < 0 else f"{limit >> 20} MiB"
        return Finding(check="locked memory", level="ok", what=shown)
    return Finding(
        check="locked memory",
        level="warning",
        what=f"only {limit >> 10} KiB may be locked",
        effect="RDMA registers locked memory: verbs, UCX and libfabric fail or fall back to TCP",
        mend="ulimit -l unlimited (for good: /etc/security/limits.conf, memlock)",
    )


def _cgroup(cpu: dict[str, Any]) -> Finding:
    limit = (cpu["cgroup_cpu_max"] or "max").split()[0]
    if limit == "max":
        return Finding(check="CPU quota", level="ok", what="none")
    return Finding(
        check="CPU quota",
        level="warning",
        what=f"a cgroup allows {cpu['cgroup_cpu_max']} (quota and period in µs)",
        effect="the kernel stops the ranks when the quota is spent: long gaps in all figures",
        mend="run without a CPU limit (docker run without --cpus, systemd CPUQuota=)",
    )


def _devices(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [d for d in (*manifest["interfaces"], *manifest["rdma"]) if d["name"] != "lo"]


def _pcie(manifest: dict[str, Any]) -> list[Finding]:
    """The slowest hop of each device decides; one that runs below its best is named."""
    found = []
    for device in _devices(manifest):
        for hop in device["pcie"]:
            now = _hop_bandwidth(hop, "speed_gt_per_s", "width")
            best = _hop_bandwidth(hop, "best_speed_gt_per_s", "best_width")
            if now is None or best is None or now >= best:
                continue
            found.append(
                Finding(
                    check="PCIe link",
                    level="warning",
                    what=f"{device['name']}: hop {hop['address']} runs at {hop['speed_gt_per_s']:g}"
                    f" GT/s x{hop['width']}, its best is {hop['best_speed_gt_per_s']:g} GT/s"
                    f" x{hop['best_width']}",
                    effect=f"bounds a direction at {now / 1e9:.1f} GB/s instead of"
                    f" {best / 1e9:.1f} GB/s",
                    mend="reseat the card, try a slot of full width, look at the slot's setting"
                    " in the firmware",
                )
            )
    return found


def _hop_bandwidth(hop: dict[str, Any], speed: str, width: str) -> float | None:
    if not hop[speed] or not hop[width]:
        return None
    return pcie_bytes_per_s(hop[speed], hop[width])


def _numa(manifest: dict[str, Any]) -> list[Finding]:
    """A device whose node is not that of the first allowed core."""
    home = next(
        (n for n in manifest["numa"] if manifest["cpu"]["allowed_cpus"][0] in n["cpus"]), None
    )
    found = []
    for device in _devices(manifest):
        node = device["numa"]
        if home is None or node is None or node < 0 or node == home["node"]:
            continue
        distance = home["distances"][node] if node < len(home["distances"]) else "unknown"
        found.append(
            Finding(
                check="NUMA",
                level="warning",
                what=f"{device['name']} is on node {node}, rank 0's core on node {home['node']}"
                f" (distance {distance}; 10 is local)",
                effect="every message crosses the link between the sockets",
                mend=f"start on the device's node: numactl -N {node} weft run",
            )
        )
    return found


def _ports(manifest: dict[str, Any]) -> list[Finding]:
    return [
        Finding(
            check="RDMA port",
            level="warning",
            what=f"{device['name']} port {port['port']} is {port['state']}",
            effect="nothing can be measured over it",
            mend="look at the cable, the switch and (InfiniBand) the subnet manager: ibstat",
        )
        for device in manifest["rdma"]
        for port in device["ports"]
        if "ACTIVE" not in (port["state"] or "")
    ]
