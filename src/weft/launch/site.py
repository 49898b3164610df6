"""A site found: which launcher starts ranks there, by which MPI, which programs and hosts it has.

Beginning and resuming a run, and checking a job before it is submitted, ask the same here.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.host.manifest import asked_name, both_names
from weft.host.unlike import check_versions
from weft.launch.all import LAUNCHERS, choose_launcher, launchers_of
from weft.launch.application_file import application_file
from weft.launch.asking import ALONE_DEADLINE_S, MOST_ASKED
from weft.launch.launcher import Launcher
from weft.launch.programs import (
    MPIS,
    SIMULATOR,
    Program,
    check_engine,
    choose_mpi,
    has_starter,
    programs,
)
from weft.names import choose
from weft.plan.allocation import Allocation
from weft.plan.site import Site, Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.plan.request import Request
    from weft.plan.simulated import SimulatedPlatform
    from weft.plan.variations import Variation


class FoundSite(msgspec.Struct, frozen=True, kw_only=True):
    """What starts ranks and what they are: `hosts` are the manifests by the hosts' names."""

    launcher: Launcher
    allocation: Allocation
    mpi: str
    programs: tuple[Program, ...]
    hosts: dict[str, dict[str, Any]]

    @property
    def usable(self) -> dict[str, Program]:
        """The programs that work here, by their transports."""
        return {one.transport: one for one in self.programs if not one.reason}

    @property
    def cores(self) -> int:
        """The cores of all hosts that this process may use."""
        return sum(len(manifest["cpu"]["allowed_cpus"]) for manifest in self.hosts.values())

    def silent(self) -> dict[str, str]:
        """The hosts, of several, that do not answer any more: each is asked alone, all at once.

        By their names, with both names of each as a reader is to see them.
        """
        # A command without {hosts} does not start ranks on a host of one's choice.
        command = self.allocation.command
        if len(self.hosts) < 2 or (command and "{hosts}" not in command):
            return {}
        asked = [asked_name(host, manifest) for host, manifest in self.hosts.items()]
        with ThreadPoolExecutor(MOST_ASKED) as pool:
            answers = zip(self.hosts.items(), pool.map(self._answers, asked), strict=True)
            return {host: both_names(host, facts) for (host, facts), came in answers if not came}

    def _answers(self, host: str) -> bool:
        alone = Allocation(hosts=(host,), command=self.allocation.command)
        try:
            return bool(self.launcher.manifests(alone, ALONE_DEADLINE_S))
        except WeftError:
            return False

    def facts(self, path: str = "") -> Site:
        """What a plan must know; reads an application's file at the path, if one is named.

        Raises WeftError for a file that is none.
        """
        working = next(iter(self.usable.values()), None)
        return Site(
            launcher=self.launcher.name,
            mpi=self.mpi,
            transports=tuple(_facts_of(one) for one in self.programs),
            hosts=len(self.hosts),
            cores=self.cores,
            available_bytes=_available_bytes(self.hosts),
            sockets=_sockets(self.hosts),
            devices=_devices(self.hosts),
            application_file=application_file(working, Path(path)) if path and working else None,
        )


def find_site(
    launcher: str,
    allocation: Allocation,
    mpi: str = "",
    platform: SimulatedPlatform | None = None,
    launchers: Sequence[Launcher] = LAUNCHERS,
    variations: Mapping[str, Variation] = MappingProxyType({}),
) -> FoundSite:
    """What is there of these names; an empty one is chosen. A platform has its own of each.

    Programs with settings of their own are there beside the others, by the names of `variations`.

    Raises WeftError for what is missing, and where hosts or programs are of another weft.
    """
    check_engine()
    chosen = choose_launcher(launcher, allocation, launchers_of(platform, launchers))
    of_ranks = SIMULATOR if platform else choose_mpi(mpi, chosen.starts)
    found = programs(of_ranks)
    found += _varied(found, variations, chosen.starts)
    hosts = chosen.manifests(allocation)
    check_versions(hosts)
    return FoundSite(
        launcher=chosen, allocation=allocation, mpi=of_ranks, programs=found, hosts=hosts
    )


def site_of_job(
    request: Request, nodes: int, say: Callable[[str], None]
) -> tuple[Site | None, dict[str, Program]]:
    """What is known of a job's nodes before it starts, and the programs of here, that work there.

    None where no program can be asked, as on a login node without MPI; `say` takes a line about it.
    Raises WeftError for a file that is there and is none of an application.
    """
    try:
        mpi = choose_mpi(request.mpi)
        found = programs(mpi)
        described = [one for one in found if one.patterns]
        reason = "" if described else next((one.reason for one in found), "no programs")
    except WeftError as error:
        described, reason = [], error.what
    if not described:
        say(f"the job's tests and options are not checked before it starts: {reason}")
        return None, {}
    described += _varied(described, request.variations)
    path = request.file_path
    site = Site(
        launcher=request.launcher,
        mpi=mpi,
        transports=tuple(msgspec.structs.replace(_facts_of(one), reason="") for one in described),
        hosts=nodes,
        cores=nodes * len(os.sched_getaffinity(0)),
        application_file=(
            application_file(described[0], Path(path)) if path and Path(path).exists() else None
        ),
    )
    return site, {one.transport: one for one in described}


def _varied(
    found: Sequence[Program],
    variations: Mapping[str, Variation],
    starts: Callable[[str], bool] = has_starter,
) -> tuple[Program, ...]:
    """The programs with settings of their own, of another MPI where the setting is one.

    Raises WeftError for an MPI that is not here, and for a transport that no program is of.
    """
    mpis = dict.fromkeys(one.mpi for one in variations.values() if one.mpi)
    for mpi in mpis:
        if mpi not in MPIS:
            raise WeftError(f"there is no MPI called {mpi}", f"use --vary mpi={','.join(MPIS)}")
    by_mpi = {"": found, **{mpi: programs(choose_mpi(mpi, starts)) for mpi in mpis}}
    made = []
    for label, one in variations.items():
        known = {program.transport: program for program in by_mpi[one.mpi]}
        [name] = choose("transport", (one.of,), tuple(known))
        made.append(
            msgspec.structs.replace(
                known[name],
                transport=label,
                usual=False,
                options=one.options,
                environment=one.environment,
            )
        )
    return tuple(made)


def _facts_of(program: Program) -> Transport:
    return Transport(
        name=program.transport,
        usual=program.usual,
        reason=program.reason,
        settings=program.settings,
        patterns=program.patterns,
    )


def _sockets(hosts: Mapping[str, dict[str, Any]]) -> dict[str, int | None]:
    """How many each host has, as its kernel says; where hwloc is given another machine, no one."""
    if {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE"} & os.environ.keys():
        return {}
    return {name: manifest["cpu"].get("sockets") for name, manifest in hosts.items()}


def _devices(hosts: Mapping[str, dict[str, Any]]) -> tuple[str, ...]:
    """The interfaces and RDMA devices that any host has, by name."""
    kinds = ("interfaces", "rdma")
    named = (one["name"] for host in hosts.values() for kind in kinds for one in host.get(kind, ()))
    return tuple(dict.fromkeys(named))


def _available_bytes(hosts: Mapping[str, dict[str, Any]]) -> int:
    """The free memory of the host that has least."""
    return int(min(one["memory"]["available_bytes"] or 2**62 for one in hosts.values()))
