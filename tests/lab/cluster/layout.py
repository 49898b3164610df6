"""The names, addresses and folders of the lab, as every part of it knows them."""

from __future__ import annotations

from pathlib import Path

# All files of the lab, in memory, on every host but the stranger. It goes with the lab.
FOLDER = Path("/run/weft-lab")
LOGS = FOLDER / "log"
READY = FOLDER / "ready"
HEAD = "head"
STRANGER = "stranger"
# What joins the hosts, and a second network beside it: the interface, the bridge, the addresses.
NETWORKS = (("eth0", "br0", "10.77.0"), ("eth1", "br1", "10.78.0"))
MOST_HOSTS = 64
# Where nobody answers.
ABSENT = "10.77.0.249"
_SPECIAL = {HEAD: 250, STRANGER: 251}


def compute_hosts(count: int) -> list[str]:
    """n1, n2, ...: those that run slurmd."""
    return [f"n{number}" for number in range(1, count + 1)]


def all_hosts(count: int) -> list[str]:
    """Every host, the stranger too."""
    return [HEAD, *compute_hosts(count), STRANGER]


def address(host: str, network: int = 0) -> str:
    """The host's address in one of NETWORKS."""
    number = _SPECIAL.get(host) or int(host.removeprefix("n"))
    return f"{NETWORKS[network][2]}.{number}"


def etc(host: str) -> Path:
    """What lies over /etc on a host."""
    return FOLDER / "etc" / host


def cable(host: str, network: int = 0) -> str:
    """The switch's end of a host's cable."""
    return f"{NETWORKS[network][0]}-{host}"
