"""The doctor's checks: from a manifest and a look at the load to findings. Pure.

Each finding says what is so, what it does to a measurement, and what to type to fix it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.host.device_checks import device_findings
from weft.host.finding import Finding
from weft.host.manifest import typed
from weft.plan.cases import fix_of_crowding
from weft.wording import counted

if TYPE_CHECKING:
    from weft.host.cpu import Cpu
    from weft.host.load import Load
    from weft.host.manifest import Manifest
    from weft.host.memory import Limits, Memory
    from weft.host.system import System

BUSY_SHARE = 0.1
SETTING_OF_HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
MEASURE_HUGE_PAGES = "weft doctor --measure"
NEEDED_MEMLOCK_BYTES = 64 << 20
NEEDED_TEMPORARY_BYTES = 8 << 20
NEEDED_SHARED_MEMORY_BYTES = 256 << 20
_CHOOSERS = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")


def diagnose(manifest: dict[str, Any], load: Load, ranks: int) -> tuple[Finding, ...]:
    """All findings about a host for so many ranks, warnings first. Raises WeftError.

    `load` is this machine's, and passed over where the manifest has that of its host.
    """
    host = typed(manifest)
    load = host.load or load
    found = [
        _virtual_machine(host.system, load),
        _load(load),
        _cores(host.cpu, ranks),
        _governor(host.cpu),
        _turbo(host.cpu),
        _clock(host.cpu),
        _huge_pages(host.memory),
        *_page_moves(host),
        _swap(host.memory),
        _memlock(host.limits),
        _temporary(host.temporary_free_bytes),
        _shared_memory(host.shared_memory_free_bytes),
        _single_copy(host.single_copy),
        _cgroup(host.system),
        *device_findings(host, ranks),
    ]
    levels = ("warning", "unknown", "note", "ok")
    return tuple(sorted(found, key=lambda finding: levels.index(finding.level)))


def _virtual_machine(system: System, load: Load) -> Finding:
    if system.is_virtual is None:
        return Finding(
            check="virtual machine", level="unknown", what="cannot tell: nothing to read about it"
        )
    if not system.is_virtual:
        return Finding(check="virtual machine", level="ok", what="bare metal")
    stolen = f"; {load.steal_percent:.0f} % of a core is stolen now" if load.steal_percent else ""
    return Finding(
        check="virtual machine",
        level="warning",
        what=f"runs under a hypervisor ({system.hypervisor or 'unnamed'}){stolen}",
        effect="the host may preempt a core at any time: rare long samples, and launches that"
        " differ",
        fix="measure on bare metal, or rely on medians and not on the highest percentiles",
    )


def _load(load: Load) -> Finding:
    if load.total < BUSY_SHARE:
        return Finding(check="other processes", level="ok", what="no other process is busy")
    names = ", ".join(f"{name} ({share:.0%} of a core)" for name, share in load.busiest)
    return Finding(
        check="other processes",
        level="warning",
        what=f"other processes are busy: {names}",
        effect="they take cores and caches from the ranks: latency rises and varies",
        fix="stop them, or measure when the machine is idle (top shows them)",
    )


def _cores(cpu: Cpu, ranks: int) -> Finding:
    allowed = set(cpu.allowed_cpus)
    cores = sum(1 for group in cpu.core_cpus if allowed & set(group)) or len(allowed)
    if not cores:
        return Finding(check="cores", level="unknown", what="cannot tell: no CPUs to read")
    if ranks > cores:
        what = f"{counted(ranks, 'rank')} share {counted(cores, 'core')}"
        effect = "a polling rank takes the core from the rank that it waits for"
        if ranks <= len(allowed):
            what += ", each on a hardware thread of its own"
            effect = "hardware threads share the units of a core: ranks slow each other down"
        return Finding(
            check="cores", level="warning", what=what, effect=effect, fix=fix_of_crowding(cores)
        )
    if ranks == cores:
        return Finding(
            check="cores",
            level="note",
            what=f"the ranks use all {counted(cores, 'core')}",
            effect="any other process, and the kernel's own work, interrupts a rank",
            fix="use a machine with at least one core more than ranks",
        )
    return Finding(
        check="cores", level="ok", what=f"{counted(cores, 'core')} for {counted(ranks, 'rank')}"
    )


def _governor(cpu: Cpu) -> Finding:
    if cpu.governor is None:
        return Finding(
            check="governor",
            level="unknown",
            what="cannot tell: the kernel shows no frequency policy (usual in virtual machines)",
        )
    if cpu.governor == "performance":
        return Finding(check="governor", level="ok", what="performance")
    # In their active modes these drivers follow the energy preference, not the governor.
    if cpu.frequency_driver in _CHOOSERS and cpu.energy_preference == "performance":
        what = f"{cpu.governor}, with the energy preference performance"
        return Finding(check="governor", level="ok", what=what)
    return Finding(
        check="governor",
        level="warning",
        what=f"the frequency governor is {cpu.governor}",
        effect="cores clock down while they wait: short tests measure too slow and drift",
        fix="cpupower frequency-set -g performance",
    )


def _turbo(cpu: Cpu) -> Finding:
    if cpu.turbo is None:
        return Finding(
            check="turbo", level="unknown", what="cannot tell: the kernel shows no turbo switch"
        )
    if not cpu.turbo:
        return Finding(check="turbo", level="ok", what="off")
    switch = cpu.turbo_switch or ""
    return Finding(
        check="turbo",
        level="note",
        what="turbo is on",
        effect="the frequency depends on temperature and on the other cores: two modes or a drift",
        fix=f"echo {int(switch.endswith('no_turbo'))} | tee {switch}",
    )


def _clock(cpu: Cpu) -> Finding:
    if cpu.tsc_invariant is None:
        return Finding(check="clock", level="unknown", what="cannot tell: no CPU flags to read")
    if cpu.tsc_invariant:
        return Finding(check="clock", level="ok", what="the time stamp counter is invariant")
    return Finding(
        check="clock",
        level="warning",
        what="the time stamp counter is not invariant",
        effect="ticks change length with the frequency or stop in sleep: times may be wrong",
        fix="fix the frequency (governor performance, turbo off) and compare two runs",
    )


def _huge_pages(memory: Memory) -> Finding:
    setting = memory.transparent_huge_pages
    if setting is None:
        return Finding(check="huge pages", level="unknown", what="cannot tell: no setting to read")
    if setting != "always":
        return Finding(check="huge pages", level="ok", what=_small_pages(memory, setting))
    return Finding(
        check="huge pages",
        level="note",
        what="transparent huge pages are always on",
        effect="large buffers get huge pages by chance: launches of large sizes differ",
        fix=f"echo madvise > {SETTING_OF_HUGE_PAGES}",
    )


def _small_pages(memory: Memory, setting: str) -> str:
    """That messages have small pages here, and what tells what huge ones would give."""
    free, size = memory.huge_pages_free or 0, memory.huge_page_bytes or 0
    reserved = f", {free} pages of {size >> 20} MiB reserved and free" if free and size else ""
    asked = "" if setting != "never" or free else f" after echo madvise > {SETTING_OF_HUGE_PAGES}"
    return (
        f"transparent huge pages: {setting}{reserved}; messages get none unasked; to see what they"
        f" would give here, run {MEASURE_HUGE_PAGES}{asked}"
    )


def _page_moves(host: Manifest) -> list[Finding]:
    """Only with several nodes is there somewhere to move a page to."""
    if len(host.numa) < 2 or not host.memory.numa_balancing:
        return []
    return [
        Finding(
            check="page moves",
            level="note",
            what="the kernel moves pages between NUMA nodes (numa_balancing)",
            effect="it unmaps pages to see who uses them: long samples, and buffers that change"
            " their node during a run",
            fix="echo 0 > /proc/sys/kernel/numa_balancing",
        )
    ]


def _swap(memory: Memory) -> Finding:
    used = memory.swap_used_bytes
    if used is None:
        return Finding(check="swap", level="unknown", what="cannot tell: nothing to read about it")
    if not used:
        return Finding(check="swap", level="ok", what="no swap in use")
    return Finding(
        check="swap",
        level="note",
        what=f"{used >> 20} MiB of swap are in use",
        effect="pages read back from disk stall a rank for milliseconds",
        fix="swapoff -a && swapon -a",
    )


def _memlock(limits: Limits) -> Finding:
    limit = limits.memlock_bytes
    if limit is None:
        return Finding(check="locked memory", level="unknown", what="cannot tell: no limit to read")
    if limit < 0 or limit >= NEEDED_MEMLOCK_BYTES:
        shown = "unlimited" if limit < 0 else f"{limit >> 20} MiB"
        return Finding(check="locked memory", level="ok", what=shown)
    if limits.ipc_lock:
        what = f"{limit >> 10} KiB, which this process may pass (CAP_IPC_LOCK)"
        return Finding(check="locked memory", level="ok", what=what)
    return Finding(
        check="locked memory",
        level="warning",
        what=f"only {limit >> 10} KiB may be locked",
        effect="RDMA registers locked memory: verbs, UCX and libfabric fail or fall back to TCP",
        fix="ulimit -l unlimited (permanently: memlock in /etc/security/limits.conf)",
    )


def _temporary(free_bytes: int | None) -> Finding:
    if free_bytes is None:
        return Finding(check="temporary files", level="unknown", what="cannot tell: not looked at")
    if free_bytes >= NEEDED_TEMPORARY_BYTES:
        return Finding(check="temporary files", level="ok", what="there is room for them")
    return Finding(
        check="temporary files",
        level="warning",
        what=f"only {free_bytes >> 10} KiB are free in /tmp",
        effect="MPI's starters and shared memory keep files there: ranks do not start",
        fix="remove files from /tmp, or set TMPDIR to a folder with room",
    )


def _shared_memory(free_bytes: int | None) -> Finding:
    check = "shared memory"
    if free_bytes is None:
        return Finding(check=check, level="unknown", what="cannot tell: no /dev/shm to look at")
    free = f"{free_bytes >> 20:,} MiB are free in /dev/shm"
    if free_bytes >= NEEDED_SHARED_MEMORY_BYTES:
        return Finding(check=check, level="ok", what=free)
    return Finding(
        check=check,
        level="warning",
        what=f"only {free}",
        effect="MPI and UCX keep messages and windows there: ranks of one host fail or crash",
        fix="docker run --shm-size=1g, or mount -o remount,size=1g /dev/shm",
    )


def _single_copy(single_copy: bool | None) -> Finding:
    check = "single copy"
    if single_copy is None:
        return Finding(check=check, level="unknown", what="cannot tell: not looked at")
    if single_copy:
        return Finding(check=check, level="ok", what="ranks of a host may read each other's memory")
    return Finding(
        check=check,
        level="warning",
        what="process_vm_readv is blocked: ranks of a host cannot read each other's memory",
        effect="MPI and UCX copy large messages twice: bandwidth in this host is lower",
        fix="docker run --cap-add=SYS_PTRACE, or sysctl kernel.yama.ptrace_scope=1",
    )


def _cgroup(system: System) -> Finding:
    limit = system.cgroup.cpu_limit_cores
    if not system.cgroup.cpu_limit_known:
        return Finding(check="CPU quota", level="unknown", what="cannot tell: no cgroup to read")
    if limit is None:
        return Finding(check="CPU quota", level="ok", what="none")
    return Finding(
        check="CPU quota",
        level="warning",
        what=f"a cgroup allows the time of {limit:g} cores",
        effect="the kernel stops the ranks when the quota is spent: long gaps in all figures",
        fix="run without a CPU limit (docker run without --cpus, systemd without CPUQuota=)",
    )
