"""What this machine is, as it stands in a record. Addresses and names of users stay out."""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.host.cpu import Cpu, collect_cpu
from weft.host.environment import steering
from weft.host.files import text
from weft.host.load import Load
from weft.host.memory import Limits, Memory, collect_limits, collect_memory
from weft.host.nic import Interface, RdmaDevice, collect_interfaces, collect_rdma
from weft.host.numa import NumaNode, collect_numa
from weft.host.shared_memory import shared_memory_free_bytes, single_copy
from weft.host.software import Software, collect_software
from weft.host.system import System, collect_system

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path("/")
TEMPORARY = "/tmp"  # noqa: S108 - where MPI's starters put their files


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All facts of a host. Every field may be missing in the record of an older weft.

    `temporary_free_bytes` is what is free in the folder for temporary files,
    `shared_memory_free_bytes` in the folder for shared memory. `single_copy`: a rank may read from
    the memory of another one.
    If a launcher asked several hosts, `weft` is the version there, `load` what others did, and
    `asked` the name that the launcher used, if it is not `host`: an address, or n1-ib.
    """

    host: str = "unknown"
    boot_id: str = ""
    collected_utc: str = ""
    system: System = System()
    cpu: Cpu = Cpu()
    numa: list[NumaNode] = []
    memory: Memory = Memory()
    interfaces: list[Interface] = []
    rdma: list[RdmaDevice] = []
    software: Software = Software()
    limits: Limits = Limits()
    environment: dict[str, str] = {}
    temporary_free_bytes: int | None = None
    shared_memory_free_bytes: int | None = None
    single_copy: bool | None = None
    weft: str = ""
    asked: str = ""
    load: Load | None = None


def collect(root: Path = ROOT, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The manifest of this host: JSON-able, unknown facts None. Reads below `root`.

    Only the real root's system is asked for what no file tells: versions, a card's firmware.
    """
    live = root == ROOT
    now = datetime.datetime.now(datetime.UTC)
    facts = Manifest(
        host=text(root, "proc/sys/kernel/hostname") or "unknown",
        boot_id=text(root, "proc/sys/kernel/random/boot_id") or "",
        collected_utc=now.isoformat(timespec="milliseconds"),
        system=collect_system(root),
        cpu=collect_cpu(root),
        numa=collect_numa(root),
        memory=collect_memory(root),
        interfaces=collect_interfaces(root, live=live),
        rdma=collect_rdma(root),
        software=collect_software(root, live=live),
        limits=collect_limits(root),
        environment=steering(environment),
        temporary_free_bytes=_temporary_free_bytes() if live else None,
        shared_memory_free_bytes=shared_memory_free_bytes() if live else None,
        single_copy=single_copy(root) if live else None,
    )
    built: dict[str, Any] = msgspec.to_builtins(facts)
    return built


def _temporary_free_bytes() -> int | None:
    """What is free where libraries put their files; they ask TMPDIR too."""
    with contextlib.suppress(OSError):
        return shutil.disk_usage(os.environ.get("TMPDIR", TEMPORARY)).free
    return None


def asked_name(host: str, manifest: Mapping[str, Any]) -> str:
    """The name that reaches a host from where weft ran."""
    return str(manifest.get("asked") or host)


def both_names(host: str, manifest: Mapping[str, Any]) -> str:
    """A host's own name, with the name that it was asked by if that is another one."""
    asked = asked_name(host, manifest).rpartition("@")[2]
    return host if asked.lower() == host.lower() else f"{host} ({asked})"


def typed(manifest: dict[str, Any]) -> Manifest:
    """A manifest of a record as types; facts of a newer weft are passed over.

    Raises WeftError where a fact has another type than it ever had.
    """
    try:
        return msgspec.convert(manifest, Manifest)
    except msgspec.ValidationError as error:
        raise WeftError(
            f"the host manifest is damaged ({error})", "run python -m weft.host to collect it anew"
        ) from error
