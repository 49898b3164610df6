"""What MPI's starters and ranks listen on here, beside the table of the page on transports."""

import re
import shutil
import subprocess
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest

from weft.launch.environment import LOOPBACK, environment_of_ranks
from weft.launch.local import command
from weft.launch.programs import engine_folder, has_starter

PAGE = Path(__file__).parents[2] / "docs" / "transports.md"
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
pytestmark = pytest.mark.engine


def documented(mpi: str, version: str) -> dict[str, set[str]]:
    """The row of an MPI's version: the places of the starter and of the ranks over `mpi`."""
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name, _, known = cells[0].rpartition(" ")
        if name == NAMES[mpi] and version.startswith(known):
            return {
                who: set(cell.split(", "))
                for who, cell in zip(("starter", "rank"), cells[1:3], strict=True)
            }
    pytest.skip(f"{NAMES[mpi]} {version} is not in the table")


def place_of(listener: str) -> str:
    host = listener.rpartition(":")[0].strip("[]").partition("%")[0]
    if host == "*" or ip_address(host).is_unspecified:
        return "every interface"
    return "loopback" if ip_address(host).is_loopback else "address of the host"


def listening(starter: psutil.Process) -> dict[str, set[str]]:
    """Where a starter and its ranks listen; a socket that ranks inherited is the starter's."""
    names = {one.pid: one.name() for one in (starter, *starter.children(recursive=True))}
    told = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout
    found: dict[str, set[str]] = {"starter": set(), "rank": set()}
    for line in told.splitlines():
        holders = {names.get(int(pid), "") for pid in re.findall(r"pid=(\d+)", line)} - {""}
        if holders:
            who = "rank" if all(name.startswith("rank-") for name in holders) else "starter"
            found[who].add(place_of(line.split()[3]))
    return found


@pytest.mark.parametrize("mpi", NAMES)
def test_the_page_states_what_this_machines_mpi_listens_on(mpi: str) -> None:
    program = engine_folder() / mpi / "rank-mpi"
    if not (shutil.which("ss") and has_starter(mpi) and program.exists()):
        pytest.skip(f"no ss, or no {mpi}")
    with subprocess.Popen(
        command(program, mpi, 2, []), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env=environment_of_ranks({}, LOOPBACK),
    ) as ranks:  # fmt: skip
        assert ranks.stdin
        assert ranks.stdout
        hello = ranks.stdout.readline()
        seen = listening(psutil.Process(ranks.pid))
        ranks.stdin.close()
        ranks.stdout.read()
    [version] = re.findall(r'"mpi":"\D*([\d.]+)', hello)
    wanted = documented(mpi, version)
    for who, places in seen.items():
        # A host without a network has no address of its own.
        assert places | {"address of the host"} == wanted[who] | {"address of the host"}, who
