"""The how-to pages of a cluster and the help's examples: each is typed on the lab's hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.cluster.cluster import CHECKOUT
from lab.runs import end_of_jobs
from support.help_examples import lines_of
from support.page_commands import changed, commands, outputs

if TYPE_CHECKING:
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine
# Four hosts share two cores here: little to measure, ranks that sleep, and the lab's own names.
# However busy the cores are, there is time for that much.
FEW = "--transport tcp --launches 3 --budget 2min"
SHORTER = {
    "salloc -N 16": "salloc -N 4",
    "--nodes 16": "--nodes 4",
    r"--budget \S+": "",
    r"--nodes 64": "--nodes 4",
    "--partition compute": "--partition lab",
    "--interface ib0": "--interface eth1",
    "/etc/slurm/topology.conf": "topology.conf",
    "weft map": f"weft map --wait block --sizes 8 --rounds 3 {FEW}",
    "weft run": f"weft run {FEW} --no-report",
    "no-report(?!.*--suite)": "no-report --sizes 8,1KiB --wait block --samples 20 --precision 100%",
    "2min(.*--suite quick)": r"30s --precision 100%\1",
    "weft slurm script": "weft slurm script --launches 1 --samples 20 --sizes 8 --no-report",
    "mpirun.openmpi": "mpirun.openmpi --allow-run-as-root --oversubscribe",
}
# A check may have any answer in the lab: pass, fail, cannot tell. Seconds may be over before each
# case of a suite has its figures.
ANSWERS = {"weft check": (0, 1, 3), "--suite quick": (0, 1)}
TOPOLOGY = "SwitchName=l0 Nodes=n[1-2]\nSwitchName=l1 Nodes=n[3-4]\nSwitchName=s Switches=l[0-1]\n"


@pytest.fixture
def reader(folder: Path) -> Path:
    """Where a reader types: a checkout with its environment, and how the lab is cabled."""
    (folder / "topology.conf").write_text(TOPOLOGY)
    (folder / ".venv").symlink_to(CHECKOUT / ".venv")
    return folder


def typed_there(command: str, cluster: Cluster, folder: Path) -> None:
    """It ends well, as does the job that it leaves, and what it says it writes is there."""
    typed = changed(command, SHORTER)
    done = cluster.run("bash", "-c", typed, folder=folder, deadline_s=900)
    ends = next((some for words, some in ANSWERS.items() if words in typed), (0,))
    assert done.returncode in ends, (typed, done)
    end_of_jobs(cluster)
    for name in outputs(typed):
        assert (folder / name).stat().st_size > 0, (typed, name)


@pytest.mark.parametrize("page", ["accept-a-cluster", "find-the-bad-cable", "on-a-cluster"])
def test_every_command_of_a_page_works(page: str, cluster: Cluster, reader: Path) -> None:
    for command in commands(f"how-to/{page}"):
        typed_there(command, cluster, reader)


@pytest.mark.parametrize("line", lines_of("cluster"))
def test_every_example_of_a_cluster_works(line: str, cluster: Cluster, reader: Path) -> None:
    typed_there(line, cluster, reader)
    if script := outputs(line):
        typed_there(f"sbatch {script[0]}", cluster, reader)
