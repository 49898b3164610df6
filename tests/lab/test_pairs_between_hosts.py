"""Message rates of ranks on several hosts: their pairs are between hosts, and the table counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.runs import FEW, record_in

if TYPE_CHECKING:
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine
SIZE = ("--transport", "tcp", "--wait", "block", "--sizes", "8")


@pytest.mark.parametrize(
    ("hosts", "ranks", "placement"), [("n1,n2", "4", "spread"), ("n1,n2", "4", "pack")]
)
def test_every_pair_is_between_hosts(
    cluster: Cluster, folder: Path, hosts: str, ranks: str, placement: str
) -> None:
    where = ("--hosts", hosts, "--ranks", ranks, "--placement", placement)
    words = ("weft", "run", "message_rate", *SIZE, *FEW, *where, "-o", "r.jsonl")
    done = cluster.run(*words, folder=folder, deadline_s=600)
    assert done.returncode == 0, done
    batches = record_in(folder).measured
    assert [(batch.pairs, batch.pairs_between_hosts) for batch in batches] == [(1, 1), (2, 2)]
    shown = cluster.run("weft", "show", "r.jsonl", folder=folder).stdout
    assert "between hosts" in shown
    assert "2 of 2" in shown


def test_pairs_that_share_a_host_are_counted(cluster: Cluster, folder: Path) -> None:
    where = ("--hosts", "n1,n2", "--ranks", "4", "--placement", "spread")
    words = ("weft", "run", "hot_spot_receive", *SIZE, *FEW, *where, "--points", "3")
    done = cluster.run(*words, "-o", "r.jsonl", folder=folder, deadline_s=600)
    assert done.returncode == 0, done
    [batch] = record_in(folder).measured
    # Rank 0 on n1, its peers on n2, n1, n2.
    assert (batch.pairs, batch.pairs_between_hosts) == (3, 2)
    shown = cluster.run("weft", "show", "r.jsonl", folder=folder).stdout
    assert "2 of 3" in shown
