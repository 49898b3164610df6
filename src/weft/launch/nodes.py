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

import msgspec
import psutil

from weft.errors import WeftError
from weft.host.programs import answer
from weft.plan.allocation import MOST_NODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DEADLINE_S = 20.0
_RESOLVE_S = 5.0
# Each scheduler sets one of these.
_OF_A_JOB = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "LSB_HOSTS")
_ANY_PORT = 9
# A letter or a digit first: a host that begins with "-" would be an option of ssh.
_WORD = r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}"
_NAME = re.compile(rf"(?:(?P<user>{_WORD})@)?(?P<name>{_WORD})")
_COUNTED = re.compile(r"(?P<host>[^:]+|\[.+\]):(?P<count>\d{1,6})")
_RANGES = re.compile(r"(?P<before>[^\[\]]*)\[(?P<ranges>[\d,-]+)\](?P<behind>.*)")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_HOW = "use names separated by commas: n1,n2 or n[1-4], with a count of ranks if all have one: n1:2"


class HostList(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts, each once, and how many ranks each of them gets: 0 if the list does not say."""

    hosts: tuple[str, ...] = ()
    each: int = 0


def hosts_of_list(text: str) -> HostList:
    """Hosts as people write them: n1,n2, n[1-4], me@n1, IPv6 addresses, n1:2. Raises WeftError."""
    words = [name for word in _words_of(text) for name in _expanded(word, "--hosts")]
    each = [_without_count(word) for word in words]
    counts = {count for _, count in each}
    if len(counts) > 1:
        raise WeftError(
            f"--hosts {text} has unequal numbers of ranks per host",
            "use the same count for each host, or --ranks-per-node",
        )
    hosts = _checked((host for host, _ in each), "--hosts")
    return HostList(hosts=hosts, each=counts.pop() if counts else 0)


def hosts_of_file(path: Path) -> tuple[str, ...]:
    """The first word of each line, as Open MPI, MPICH, PBS and LSF write it, each once.

    A count after the name (slots=4, :4) is passed over: --ranks-per-node says how many ranks a node
    gets. Raises WeftError.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WeftError(f"cannot read {path}: {error}", "use another --hostfile") from None
    words = [line.partition("#")[0].split() for line in lines]
    hosts = [
        _without_count(name)[0]
        for own in words
        if own
        for part in _words_of(own[0])
        for name in _expanded(part, str(path))
    ]
    return _checked(hosts, str(path))


def _words_of(text: str) -> list[str]:
    """The words between commas that are in no brackets."""
    return [word.strip() for word in re.split(r",(?![^\[]*\])", text) if word.strip()]


def _expanded(word: str, where: str) -> list[str]:
    """The names that a word with ranges stands for, as n[01-04,7] or r[1-2]n[1-3]."""
    found = _RANGES.fullmatch(word)
    if not found:
        return [word]
    numbers: list[str] = []
    for part in found["ranges"].split(","):
        ends = _RANGE.fullmatch(part)
        first, last = (ends[1], ends[2] or ends[1]) if ends else ("1", "0")
        if not 0 <= int(last) - int(first) < MOST_NODES:
            raise WeftError(f"{part} in {word} of {where} is not a range", _HOW)
        numbers += [f"{number:0{len(first)}}" for number in range(int(first), int(last) + 1)]
    rest = _expanded(found["behind"], where)
    if len(numbers) * len(rest) > MOST_NODES:
        raise WeftError(f"{word} in {where} stands for over {MOST_NODES:,} hosts", _HOW)
    return [f"{found['before']}{number}{tail}" for number in numbers for tail in rest]


def _without_count(word: str) -> tuple[str, int]:
    """A host and the number of ranks behind its colon; an IPv6 address may be in brackets."""
    found = _COUNTED.fullmatch(word)
    host, count = (found["host"], int(found["count"])) if found else (word, 0)
    inner = host.removeprefix("[").removesuffix("]")
    return (inner if is_ipv6(inner) else host), count


def is_ipv6(host: str) -> bool:
    """Whether this is an IPv6 address, with or without its interface: fe80::1%eth0."""
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


def without_user(host: str) -> str:
    """The name of a host that was written as me@n1."""
    return host.rpartition("@")[2]


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
    """The nodes of this Slurm job, of all its components. Raises WeftError."""
    return tuple(host for part in components_of_slurm(environment) for host in part)


def components_of_slurm(
    environment: Mapping[str, str] = os.environ,
) -> tuple[tuple[str, ...], ...]:
    """The nodes of each component of a heterogeneous job, or of the job. Raises WeftError."""
    size = int(environment.get("SLURM_HET_SIZE") or 0)
    names = [f"SLURM_JOB_NODELIST_HET_GROUP_{number}" for number in range(size)]
    scontrol = shutil.which("scontrol")
    return tuple(
        _hosts_in(environment[name], scontrol)
        for name in names or ["SLURM_JOB_NODELIST"]
        if environment.get(name) and scontrol
    )


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
    for host in map(without_user, hosts):
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
    own = os.uname().nodename.lower()
    names = ("localhost", "127.0.0.1", "::1", own, own.partition(".")[0])
    return without_user(host).lower() in names


def network_of(hosts: Sequence[str]) -> str:
    """The network of this machine's in which all hosts are, as 10.0.0.0/24; empty where none is.

    IPv4 only: Open MPI takes no network of IPv6.
    """
    others = [without_user(host) for host in hosts if not is_this_machine(host)]
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


def names_for_mpi(mpi: str, hosts: Sequence[str]) -> list[str]:
    """The hosts as an MPI's starter takes them. Raises WeftError for those that it cannot reach.

    No starter takes IPv6 addresses, as they have colons; MPICH's has no IPv6 at all; and Open MPI's
    gets users by the environment (user_of).
    """
    names = []
    for host in hosts:
        name = _name_of(host) if is_ipv6(host) else host
        if mpi == "mpich" and _has_only_ipv6(without_user(name)):
            raise WeftError(
                f"MPICH's starter cannot reach {host}, which has IPv6 addresses only",
                "use --mpi openmpi, or give the host an IPv4 address",
            )
        names.append(without_user(name) if mpi == "openmpi" else name)
    return names


def user_of(hosts: Sequence[str]) -> str:
    """The user that all hosts were given with, as in me@n1; empty if none was. Raises WeftError."""
    users = {host.rpartition("@")[0] for host in hosts}
    if len(users) > 1:
        raise WeftError(
            "Open MPI reaches all hosts as one user", "use the same user for each host, or put the"
            " users into ~/.ssh/config",
        )  # fmt: skip
    return users.pop() if users else ""


def _name_of(address: str) -> str:
    """The name of an IPv6 address. Raises WeftError if it has none here."""
    with contextlib.suppress(OSError):
        name = socket.getnameinfo((address, 0), socket.NI_NAMEREQD)[0]
        if address in {found[4][0] for found in socket.getaddrinfo(name, None)}:
            return name
    raise WeftError(
        f"{address} has no host name here, and mpirun takes IPv6 hosts by name only",
        "add the address with a name to /etc/hosts",
    )


def _has_only_ipv6(host: str) -> bool:
    try:
        families = {found[0] for found in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return families == {socket.AF_INET6}


def _checked(names: Iterable[str], where: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    for name in found:
        if not _NAME.fullmatch(name) and not is_ipv6(name):
            raise WeftError(f"{name} in {where} is not a host name", _HOW)
    return found
