"""Kernel, distribution, and the versions of the libraries that carry messages."""

from __future__ import annotations

import os
import platform
import re
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from weft.host.files import text
from weft.host.programs import answers

# Kernel options that change what is measured; others may hold addresses and are not recorded.
_OPTION = re.compile(
    r"(mitigations|no?smt|isolcpus|nohz|nohz_full|rcu_nocbs|irqaffinity|intel_pstate|amd_pstate"
    r"|(intel_|amd_)?iommu[\w.]*|pci|pcie_\w+|idle|\w+\.max_cstate|cpuidle[\w.]*|haltpoll[\w.]*|tsc"
    r"|clocksource|transparent_hugepage|(default_)?hugepages(z)?|numa\w*|preempt|threadirqs"
    r"|skew_tick|nmi_watchdog|nowatchdog|nosoftlockup|audit|maxcpus|nr_cpus|mem|swiotlb|x?apic"
    r"|nopti|pti|nospectre_\w+|spectre_\w+|spec_\w+|retbleed|l1tf|mds|tsx\w*|srbds|cpufreq[\w.]*)"
    r"(=.*)?"
)
# Names of Debian's packages, also with the t64 of newer releases and with other major versions.
_PACKAGES = {
    "openmpi": "libopenmpi[0-9]*",
    "mpich": "libmpich1[0-9]*",
    "ucx": "libucx0*",
    "libfabric": "libfabric1*",
    "rdma-core": "libibverbs1*",
    "hwloc": "libhwloc1[0-9]*",
    "pmix": "libpmix2*",
    "glibc": "libc6",
}
LIBRARIES = frozenset(_PACKAGES)
_PKG_CONFIG = {
    "openmpi": "ompi",
    "mpich": "mpich",
    "ucx": "ucx",
    "libfabric": "libfabric",
    "rdma-core": "libibverbs",
    "hwloc": "hwloc",
}
# What each program of the PATH is asked, and where its version stands in the answer.
_PROGRAMS = {
    "ompi_info": (("ompi_info", "--version"), r"Open MPI v(\S+)"),
    "mpichversion": (("mpichversion",), r"MPICH Version:\s*(\S+)"),
    "mpirun": (("mpirun", "--version"), r"(?:\) |Version:\s*|Version )([0-9]\S*)"),
    "ucx_info": (("ucx_info", "-v"), r"[Vv]ersion[:=]? *([0-9][^\s,]*)"),
}
_QUERY = "dpkg-query"
_SHARED = re.compile(
    r"^\s*(lib(?:mpi|mpich|ucp|ucs|uct|fabric|ibverbs|rdmacm|psm2|psm_infinipath|hwloc|pmix)"
    r"\.so\.[0-9]+) .*=> (\S+)$",
    re.MULTILINE,
)


class Software(msgspec.Struct, frozen=True, kw_only=True):
    """Versions by name; what is not installed is omitted.

    `libraries` as packages and pkg-config know them, None where dpkg is too busy to answer, for
    nobody knows then which are installed; `programs` as the first of the PATH says,
    `shared_libraries` the file behind each name of the loader's cache.
    """

    kernel: str | None = None
    kernel_version: str | None = None
    kernel_command_line: str | None = None
    distribution: str | None = None
    python: str | None = None
    libc: str | None = None
    libraries: dict[str, str] | None = {}
    programs: dict[str, str] = {}
    shared_libraries: dict[str, str] = {}


def collect_software(root: Path, *, live: bool) -> Software:
    """Versions below a root; `live`: the system that runs may be asked as well."""
    release = text(root, "etc/os-release") or text(root, "usr/lib/os-release") or ""
    name = re.search(r'^PRETTY_NAME="?([^"\n]*)', release, re.MULTILINE)
    facts = Software(
        kernel=text(root, "proc/sys/kernel/osrelease"),
        kernel_version=text(root, "proc/sys/kernel/version"),
        kernel_command_line=kernel_options(text(root, "proc/cmdline")),
        distribution=name[1] if name else None,
    )
    if not live:
        return facts
    answered = answers(_commands())
    return msgspec.structs.replace(
        facts,
        python=platform.python_version(),
        libc=os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else "",
        libraries=_libraries(answered.get("packages")),
        programs=program_versions(answered),
        shared_libraries={
            name: Path(path).resolve().name
            for name, path in _SHARED.findall(answered.get("cache", ""))
        },
    )


def _libraries(packages: str | None) -> dict[str, str] | None:
    """Versions by library, from what dpkg-query answered: None where it is missing or late."""
    if packages is None and shutil.which(_QUERY):
        return None
    libraries = package_versions(packages or "")
    # Few have both: what no package brought may stand in a folder that pkg-config knows.
    others = {name: module for name, module in _PKG_CONFIG.items() if name not in libraries}
    asked = {name: ("pkg-config", "--modversion", module) for name, module in others.items()}
    configured = {name: version.strip() for name, version in answers(asked).items()}
    return libraries | {name: version for name, version in configured.items() if version}


def kernel_options(command_line: str | None) -> str | None:
    """The options of a kernel command line that change what is measured, in their order.

    What follows "--" is for the first process, not for the kernel.
    """
    if command_line is None:
        return None
    words = re.split(r"(?:^|\s)--(?:\s|$)", command_line)[0].split()
    return " ".join(word for word in words if _OPTION.fullmatch(word))


def _commands() -> dict[str, tuple[str, ...]]:
    commands = {name: command for name, (command, _) in _PROGRAMS.items()}
    shape = "${db:Status-Status} ${Package} ${Version}\n"
    commands["packages"] = (_QUERY, "-W", "-f", shape, *_PACKAGES.values())
    # Not every system path of root is a user's.
    commands["cache"] = ("/sbin/ldconfig", "-p")
    return commands


def package_versions(answered: str) -> dict[str, str]:
    """Versions of the libraries whose packages are installed, from dpkg-query's lines."""
    found: dict[str, str] = {}
    for line in answered.splitlines():
        status, package, version = (*line.split(" "), "", "", "")[:3]
        for library, pattern in _PACKAGES.items():
            if status == "installed" and fnmatchcase(package, pattern):
                found.setdefault(library, version)
    return found


def program_versions(answered: dict[str, str]) -> dict[str, str]:
    """Versions that the programs of the PATH say of themselves."""
    found = {}
    for name, (_, pattern) in _PROGRAMS.items():
        match = re.search(pattern, answered.get(name, ""))
        if match:
            found[name] = match[1]
    return found
