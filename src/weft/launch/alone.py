"""Local ranks in a network namespace with only the loopback, out of reach of other hosts.

The starters of MPI listen on every interface, and one connection with one byte stalls them.
"""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What is in a launch's details, by the name of the detail.
DETAIL = "starter network"
ALONE = "a namespace with the loopback only"
# Options of a transport, and variables of libraries, that choose an interface or a device.
_OPTIONS = re.compile(r"(?:rail\d+\.)?(interface|device|domain)=(.*)")
_VARIABLES = re.compile(r".*_(IF_INCLUDE|IF_EXCLUDE|IFACE|IFNAME|NET_DEVICES|HCA)", re.IGNORECASE)
_LOOPBACKS = ("lo", "shm", "127.0.0.1")
_PROBE_S = 5.0
_UP = 'ip link set lo up && exec "$@"'


def words_alone(program: Path, arguments: Sequence[str], more: Mapping[str, str]) -> list[str]:
    """The command prefix that starts a program in its own network; empty if it cannot have one."""
    return [] if network_of_host(program, arguments, more) else list(_words())


def network_of_host(program: Path, arguments: Sequence[str], more: Mapping[str, str]) -> str:
    """Why ranks use the network of the host, where others reach their starter; or empty."""
    if program.name == "rank-verbs":
        return "verbs uses a device"
    for word in arguments:
        chosen = _OPTIONS.fullmatch(word)
        if chosen and (chosen[1] != "domain" or chosen[2] not in _LOOPBACKS):
            return f"{chosen[1]} {chosen[2]} was chosen"
    for name, value in {**os.environ, **more}.items():
        if value and _VARIABLES.fullmatch(name):
            return f"{name} chooses an interface or a device"
    return "" if _words() else "this user may make no network namespace"


@cache
def _words() -> tuple[str, ...]:
    """The command prefix by which this user gets its own network; empty if not permitted."""
    kind = ("-n",) if os.geteuid() == 0 else ("-Unc", "--keep-caps")
    words = ("unshare", *kind, "--", "sh", "-c", _UP, "sh")
    try:
        done = subprocess.run(
            [*words, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return words if done.returncode == 0 else ()


def is_reached_by_strangers(starter: int) -> bool:
    """Whether a process that the starter did not start is connected to it."""
    try:
        process = psutil.Process(starter)
        family = [process, *process.children(recursive=True)]
        own = process.net_connections()
        listened = {one.laddr.port for one in own if one.status == psutil.CONN_LISTEN}
        known = {
            (one.laddr.ip, one.laddr.port)
            for member in family
            for one in member.net_connections()
            if one.laddr
        }
    except psutil.Error:
        return False
    return any(
        one.laddr.port in listened and (one.raddr.ip, one.raddr.port) not in known
        for one in own
        if one.raddr
    )
