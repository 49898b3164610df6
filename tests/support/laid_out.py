"""Machines laid out in files, for the tests of the host."""

from pathlib import Path
from typing import Any

CPU = "sys/devices/system/cpu"
NODE = "sys/devices/system/node"


def lay_out(root: Path, files: dict[str, str]) -> Path:
    """Write these files below a root; gives the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def two_sockets(root: Path) -> Path:
    """Four cores whose numbers go across two sockets: 0 and 2 are on node 0, 1 and 3 on node 1."""
    files = {
        f"{CPU}/online": "0-3",
        "proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-3",
        f"{NODE}/node0/cpulist": "0,2",
        f"{NODE}/node0/distance": "10 21",
        f"{NODE}/node1/cpulist": "1,3",
        f"{NODE}/node1/distance": "21 10",
    }
    for cpu in range(4):
        files[f"{CPU}/cpu{cpu}/topology/core_cpus_list"] = str(cpu)
        files[f"{CPU}/cpu{cpu}/topology/physical_package_id"] = str(cpu % 2)
    return lay_out(root, files)


def card(root: Path, name: str = "eth5", node: int = 0, **facts: Any) -> Path:
    """An Ethernet card behind a root port; links of both ends as (GT/s, lanes)."""
    port = "sys/devices/pci0000:00/0000:00:01.0"
    function = f"{port}/0000:01:00.0"
    ends = {
        function: (facts.get("now", (16, 16)), facts.get("best", (16, 16))),
        port: (facts.get("now", (16, 16)), facts.get("port_best", (16, 16))),
    }
    files = {f"{function}/numa_node": str(node)}
    for folder, (now, best) in ends.items():
        files[f"{folder}/current_link_speed"] = f"{now[0]:.1f} GT/s PCIe"
        files[f"{folder}/current_link_width"] = str(now[1])
        files[f"{folder}/max_link_speed"] = f"{best[0]:.1f} GT/s PCIe"
        files[f"{folder}/max_link_width"] = str(best[1])
    net = f"sys/class/net/{name}"
    files |= {f"{net}/operstate": "up", f"{net}/speed": str(facts.get("speed", 100_000))}
    lay_out(root, files)
    (root / net / "device").symlink_to(root / function)
    return root
