"""Which hosts there are, as a user, a file, or a site's scheduler names them, and their network."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import os
import re
import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from weft.errors import WeftError
from weft.host.programs import answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DEADLINE_S = 20.0
_RESOLVE_S = 5.0
# Each scheduler sets one of these.
_OF_A_JOB = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "LSB_HOSTS")
_ANY_PORT = 9
# A letter or a digit first: a host that begins with "-" would be an option of ssh.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")


def hosts_of_list(text: str) -> tuple[str, ...]:
    """Host names with commas between them, each once. Raises WeftError."""
    return _checked(text.split(","), "--hosts")


def hosts_of_file(path: Path) -> tuple[str, ...]:
    """The first word of each line, as Open MPI, MPICH, PBS and LSF write it, each once.

    A count after the name (slots=4, :4) is passed over: --ranks-per-node says how many ranks a node
    gets. Raises WeftError.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WeftError(f"cannot read {path}: {error}", "type another --hostfile") from None
    words = [line.partition("#")[0].split() for line in lines]
    return _checked([own[0].partition(":")[0] for own in words if own], str(path))


def is_in_a_job(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this process runs in a job, of Slurm, PBS or LSF."""
    return any(name in environment for name in _OF_A_JOB)


def hosts_of_site(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The hosts of the job that this process runs in, under Slurm, PBS or LSF; else none.

    Raises WeftError.
    """
    if "SLURM_JOB_ID" in environment:
        return hosts_of_slurm(environment)
    if "PBS_NODEFILE" in environment:
        return hosts_of_file(Path(environment["PBS_NODEFILE"]))
    if "LSB_DJOB_HOSTFILE" in environment:
        return hosts_of_file(Path(environment["LSB_DJOB_HOSTFILE"]))
    return _checked(environment.get("LSB_HOSTS", "").split(), "LSB_HOSTS")


def hosts_of_slurm(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The nodes of this Slurm job. Raises WeftError."""
    ranges = environment.get("SLURM_JOB_NODELIST", "")
    scontrol = shutil.which("scontrol")
    return _hosts_in(ranges, scontrol) if ranges and scontrol else ()


@functools.cache
def _hosts_in(ranges: str, scontrol: str) -> tuple[str, ...]:
    """The nodes that Slurm's ranges name: asked once, however many launches a run has."""
    done = answer([scontrol, "show", "hostnames", ranges], DEADLINE_S)
    if done is None:
        raise WeftError(
            f"scontrol did not answer in {DEADLINE_S:g} s", "look whether Slurm works: sinfo"
        )
    return _checked(done.stdout.split(), "SLURM_JOB_NODELIST")


def check_known(hosts: Iterable[str]) -> None:
    """Raises WeftError for a host whose name means nothing here: a starter's own words do not help.

    How MPI's starter reaches a host is its own business (ssh may have an alias for it), so only a
    name that neither the resolver nor ssh's own settings know is refused.
    """
    for host in hosts:
        if is_this_machine(host) or _is_known(host):
            continue
        raise WeftError(f"there is no host called {host} here", "check --hosts or the host file")


def _is_known(host: str) -> bool:
    with contextlib.suppress(OSError):
        return bool(socket.getaddrinfo(host, None))
    settings = answer(["ssh", "-G", host], _RESOLVE_S)
    names = re.findall(r"^hostname (\S+)$", settings.stdout, re.MULTILINE) if settings else []
    return bool(names) and names != [host]


def is_this_machine(host: str) -> bool:
    """Whether a name means the machine that this process runs on."""
    own = os.uname().nodename
    return host in ("localhost", "127.0.0.1", own, own.partition(".")[0])


def network_of(hosts: Sequence[str]) -> str:
    """The network of this machine's in which all hosts are, as 10.0.0.0/24; empty where none is."""
    others = [host for host in hosts if not is_this_machine(host)]
    try:
        addresses = [ipaddress.ip_address(socket.gethostbyname(host)) for host in others]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect((str(addresses[0]), _ANY_PORT))  # chooses its own address; sends nothing
            own = way.getsockname()[0]
    except (OSError, IndexError, ValueError):
        return ""
    for found in (found for card in psutil.net_if_addrs().values() for found in card):
        if found.address == own and found.netmask:
            network = ipaddress.ip_network(f"{own}/{found.netmask}", strict=False)
            return str(network) if all(one in network for one in addresses) else ""
    return ""


def _checked(names: Iterable[str], where: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    for name in found:
        if not _NAME.fullmatch(name):
            raise WeftError(
                f"{name} in {where} is no host name", "type names with commas between: n1,n2"
            )
    return found
