"""The halo over real transports: one to three ranks, every face and every sum checked."""

import pytest

from support.driven import drive

pytestmark = pytest.mark.engine

WEAK = {"extents": [4, 4, 4, 4], "compute_ps_per_site": 1000}
BEHIND = {"extents": [6, 4], "compute_ps_per_site": 1000, "overlaps": False, "depth": 2}
WHOLE = {"extents": [12, 8, 8], "is_global": True, "compute_ps_per_site": 1000}
# By ranks: the cases, and the messages of an iteration. More ranks than cores take long.
CASES = {1: (WEAK, BEHIND, WHOLE), 2: (WEAK, BEHIND, WHOLE), 3: (WHOLE,)}
SENT = {1: (0, 0, 0), 2: (2, 2, 2), 3: (2,)}


@pytest.mark.parametrize("ranks", SENT)
@pytest.mark.parametrize(
    ("mpi", "transport"),
    [("openmpi", "mpi"), ("mpich", "mpi"), *(("openmpi", name) for name in ("tcp", "ucx", "ofi"))],
)
def test_faces_cross_and_verify(mpi: str, transport: str, ranks: int) -> None:
    cases = [
        {"id": number, "test": "halo", "bytes": 36, "samples": 4, "warmup": 1, "ops_per_sample": 3,
         "lattice": {**lattice, "sums": number % 3}}
        for number, lattice in enumerate(CASES[ranks])
    ]  # fmt: skip
    done, lines = drive(mpi, transport, *cases, ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert [line["status"] for line in lines[1:-1]] == ["ok"] * len(cases), lines[1:-1]
    assert tuple(line.get("sent_messages", 0) for line in lines[1:-1]) == SENT[ranks]
    for line in lines[1:-1]:
        assert isinstance(line["verified_bytes"], int)
        assert (line["verified_bytes"] > 0) == (ranks > 1)
        assert isinstance(line["parts"], dict)
        names = {name.rpartition(".")[2] for name in line["parts"]}
        assert {"compute", "wait"} <= names
        assert sum(name.endswith("compute") for name in line["parts"]) == ranks
