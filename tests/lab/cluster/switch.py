"""Process 1 of the lab: the switch between the hosts, and what starts them.

`python -m lab.cluster.switch COUNT [FOLDER...]` in namespaces of its own; it never ends by itself.
`python -m lab.cluster.switch boot HOST [FOLDER...]`, in those namespaces, starts a host again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lab.cluster import host as host_program
from lab.cluster import mounts, settings
from lab.cluster.first import reap
from lab.cluster.layout import (
    FOLDER,
    LOGS,
    NETWORKS,
    READY,
    address,
    all_hosts,
    cable,
)


def main() -> None:
    """As process 1, or to start one host."""
    if sys.argv[1] == "boot":
        boot(sys.argv[2], sys.argv[3:])
        return
    count, shared = int(sys.argv[1]), sys.argv[2:]
    mounts.in_memory(Path("/run"))
    Path("/run/netns").mkdir()
    (FOLDER / "stage").mkdir(parents=True)
    READY.mkdir()
    settings.write(count)
    hosts = all_hosts(count)
    plug_in(hosts)
    for host in hosts:
        boot(host, shared)
    reap()


def boot(host: str, shared: list[str]) -> None:
    """Start a host's process 1; it stays when this process ends."""
    (READY / host).unlink(missing_ok=True)
    namespaces = ["--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child=KILL"]
    init = [sys.executable, "-m", host_program.__name__, host, *shared]
    with (LOGS / f"{host}.log").open("a") as log:
        subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{host}", "unshare", *namespaces, *init],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def plug_in(hosts: list[str]) -> None:
    """The bridges, and for each host a network namespace with a cable to each of them."""
    lines = ["link set lo up"]
    for _, bridge, _ in NETWORKS:
        lines += [f"link add {bridge} type bridge", f"link set {bridge} up"]
    for host in hosts:
        lines.append(f"netns add {host}")
        for number, (interface, bridge, _) in enumerate(NETWORKS):
            end = cable(host, number)
            lines.append(f"link add {end} type veth peer name {interface} netns {host}")
            lines.append(f"link set {end} master {bridge} up")
    _ip(lines)
    for host in hosts:
        lines = ["link set lo up"]
        for number, (interface, _, _) in enumerate(NETWORKS):
            lines.append(f"addr add {address(host, number)}/24 brd + dev {interface}")
            lines.append(f"link set {interface} up")
        _ip(lines, "-n", host)


def _ip(lines: list[str], *where: str) -> None:
    subprocess.run(["ip", *where, "-batch", "-"], input="\n".join(lines), text=True, check=True)


if __name__ == "__main__":
    main()
