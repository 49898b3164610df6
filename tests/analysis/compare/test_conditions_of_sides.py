"""What a side says of its conditions, fact by fact, of a record whose conditions are told by hand.

Two hosts that differ in all that can differ, launches on unlike CPUs, two transports.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support.builders import HOST, make_cases, make_footer, make_header, measured_lines, write_lines
from weft.analysis.compare.sides import side_of_run
from weft.analysis.summary import summarise
from weft.record.model import Launch, Line
from weft.record.run import Run
from weft.sources.records import over

OTHER: dict[str, Any] = {
    "cpu": {"model": "Other CPU", "cores": 8, "governor": "powersave", "turbo": True},
    "memory": {"total_bytes": 3 << 34},
    "software": {"kernel": "6.9.3", "libraries": {"openmpi": "5.0.1", "ucx": "1.13"}},
    "environment": {"OMPI_MCA_btl": "tcp"},
}


def on_hosts(line: Line) -> Line:
    """Every second launch has its ranks on both hosts, on other CPUs."""
    if not isinstance(line, Launch) or line.launch % 4 < 2:
        return line
    first, second = line.ranks
    ranks = (first, msgspec.structs.replace(second, host="node2", cpu=7))
    details = (
        {"interface": "eth0", "port": "7000", "GID index": "3"} if line.transport == "tcp" else {}
    )
    return msgspec.structs.replace(line, ranks=ranks, mpi="Open MPI v5.0.1", details=details)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    cases = make_cases(("ping_pong",), ("mpi", "tcp"), (8, 1024))
    header = make_header(cases, launches=4)
    hosts = {"node1": dict(HOST), "node2": {**OTHER, "host": "node2"}}
    header = msgspec.structs.replace(header, hosts=hosts)
    lines = [on_hosts(line) for line in measured_lines(cases, launches=4)]
    return weft.load(write_lines(tmp_path / "r.jsonl", [header, *lines, make_footer(18)]))


def test_each_fact_is_that_of_its_hosts_and_launches(run: Run) -> None:
    part = over(run, ["tcp"])
    found = side_of_run(part, summarise(part), "mine").conditions
    assert found.facts == {
        "measured": "2026-01-02",
        "nodes": "node1 and node2",
        "processor": "Test CPU or Other CPU",
        "number of CPUs": "",
        "governor": "powersave or performance",
        "turbo": "True",
        "kernel": "6.1.0 or 6.9.3",
        "kernel options": "",
        "MPI": "openmpi",
        "method": "weft 0.1.0",
        "ranks": "2",
        "placement": "1 host or 2 hosts; CPUs 0,1 or 0,7",
        "memory": "16 GiB or 48 GiB",
        "software": "Open MPI v4.1.4 or Open MPI v5.0.1",
        "network": "interface lo or eth0, port 7000, GID index 3",
        "link": "",
        "bus": "",
        "queue depth": "64",
        "launches": "4",
    }
    assert found.kinds["library"] == {"openmpi": "4.1.4 or 5.0.1", "ucx": "1.13"}
    assert found.kinds["variable"] == {"OMPI_MCA_btl": "tcp or self,vader"}


def test_the_conditions_of_one_transport_are_of_its_launches(run: Run) -> None:
    part = over(run, ["mpi"])
    found = side_of_run(part, summarise(part), "mine").conditions
    assert found.facts["network"] == ""
    assert found.facts["placement"] == "1 host or 2 hosts; CPUs 0,1 or 0,7"
    assert "tcp" not in found.facts["network"]
