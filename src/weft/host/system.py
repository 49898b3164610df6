"""Hypervisor, container, and the services that move interrupts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.host.cgroup import Cgroup, collect_cgroup
from weft.host.files import fields, text

if TYPE_CHECKING:
    from pathlib import Path

# Part of the names in firmware, clock or kernel, in lower case, and the hypervisor of each.
_HYPERVISORS = (
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("xen", "Xen"),
    ("microsoft corporation virtual machine", "Hyper-V"),
    ("hyperv", "Hyper-V"),
    ("google compute engine", "Google Compute Engine"),
    ("amazon ec2", "Amazon EC2"),
    ("openstack", "OpenStack"),
    ("parallels", "Parallels"),
    ("bhyve", "bhyve"),
    ("apple virtualization", "Apple Virtualization"),
    ("kvm", "KVM"),
    ("qemu", "QEMU"),
)
_CONTAINERS = ("docker", "kubepods", "containerd", "libpod", "lxc", "singularity", "apptainer")


class System(msgspec.Struct, frozen=True, kw_only=True):
    """`is_virtual` None is unknown. `container` is a sign of one; None is no sign, not a proof.

    `steal_percent` is the share of all CPU time since boot that the hypervisor took away.
    """

    is_virtual: bool | None = None
    hypervisor: str | None = None
    container: str | None = None
    cgroup: Cgroup = Cgroup()
    steal_percent: float | None = None
    irqbalance: bool | None = None


def collect_system(root: Path) -> System:
    """The surroundings of this process, from firmware, kernel and files."""
    cpu = fields(text(root, "proc/cpuinfo"))
    flag = "hypervisor" in cpu["flags"].split() if "flags" in cpu else None
    name = _hypervisor(root)
    # Bare-metal machines of Amazon name Amazon too; x86's flag knows better than any name.
    is_virtual = flag if flag is not None else (True if name else None)
    return System(
        is_virtual=is_virtual,
        hypervisor=name if is_virtual else None,
        container=_container(root),
        cgroup=collect_cgroup(root),
        steal_percent=_steal_percent(root),
        irqbalance=_runs(root, "irqbalance"),
    )


def _hypervisor(root: Path) -> str | None:
    dmi = "sys/class/dmi/id"
    product = text(root, f"{dmi}/product_name") or ""
    sources = (
        f"{text(root, f'{dmi}/sys_vendor') or ''} {product}",
        text(root, "sys/hypervisor/type") or "",
        text(root, "proc/device-tree/hypervisor/compatible") or "",
        text(root, "sys/devices/system/clocksource/clocksource0/available_clocksource") or "",
    )
    if product.endswith(".metal"):
        return None
    names = " ".join(sources).lower()
    return next((name for part, name in _HYPERVISORS if part in names), None)


def _container(root: Path) -> str | None:
    """The container's kind, by the files and names that container programs leave."""
    systemd = text(root, "run/systemd/container")
    if systemd:
        return systemd
    for name, file in (("docker", ".dockerenv"), ("podman", "run/.containerenv")):
        if (root / file).exists():
            return name
    for path in ("proc/self/cgroup", "proc/1/cgroup"):
        found = text(root, path) or ""
        name = next((name for name in _CONTAINERS if name in found), "")
        if name:
            return name
    return None


def _steal_percent(root: Path) -> float | None:
    """Per cent of the CPU time since boot (proc(5), /proc/stat: the 8th figure is steal)."""
    match = re.match(r"cpu +((?:[0-9]{1,19} ?)+)", text(root, "proc/stat") or "")
    # Time of guests (9th and 10th) is contained in user and nice.
    ticks = [int(word) for word in match[1].split()[:8]] if match else []
    total = sum(ticks)
    return 100 * ticks[7] / total if len(ticks) == 8 and total else None


def _runs(root: Path, program: str) -> bool | None:
    processes = list((root / "proc").glob("[0-9]*"))
    if not processes:
        return None
    return any(text(folder, "comm") == program for folder in processes)
