"""Many more ranks than cores, over the lab's hosts."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lab.runs import status_of_job

if TYPE_CHECKING:
    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine
ROOT = Path(__file__).parents[2]


def test_many_ranks_start_run_two_cases_and_end(cluster: Cluster, folder: Path) -> None:
    """In a job on its nodes, so that rank 0 is where its memory is looked at."""
    bench = f"{sys.executable} -m bench.scale 8 16 32"
    words = ["--nodes", "4", "--chdir", str(ROOT), "--output", str(folder / "scale.log")]
    status = status_of_job(cluster, *words, "--wrap", bench, folder=folder)
    said = (folder / "scale.log").read_text()
    assert status == 0, said
    line = r"^(\d+) ranks: start .* s .*, two cases .* s, end .* s, rank 0 (\d+) MB$"
    found = re.findall(line, said, re.MULTILINE)
    assert [ranks for ranks, _ in found] == ["8", "16", "32"]
    assert all(int(memory) > 0 for _, memory in found)
    assert " s for 4,096 ranks on these " in said
    assert re.search(r"^rank 0: .* for 1,024 ranks: within 1 GB$", said, re.MULTILINE), said
