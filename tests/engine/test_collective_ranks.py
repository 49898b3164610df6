"""Operations of all ranks over real libraries: every rank's result is looked at."""

import pytest

from support.driven import drive

pytestmark = pytest.mark.engine

# By test: sizes that take a library's short and long ways.
TESTS = {
    "allreduce": (4, 1024, 262_144),
    "broadcast": (1, 1000, 262_144),
    "alltoall": (1, 1000, 65_536),
    "allgather": (1, 1000, 65_536),
    "barrier": (0,),
}
# Of these a rank gets a message from every rank.
FROM_ALL = ("alltoall", "allgather")
# Four are looked at before the clock starts, and the last one behind it.
LOOKED_AT = 5


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_every_rank_gets_what_it_must(mpi: str, ranks: int) -> None:
    cases = [
        {"id": at, "test": test, "bytes": size, "samples": 3, "warmup": 1, "ops_per_sample": 2}
        for at, (test, size) in enumerate((t, s) for t, sizes in TESTS.items() for s in sizes)
    ]
    done, lines = drive(mpi, "mpi", *cases, ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert [line["status"] for line in lines[1:-1]] == ["ok"] * len(cases), lines[1:-1]
    for case, line in zip(cases, lines[1:-1], strict=True):
        messages = ranks if case["test"] in FROM_ALL else 1
        assert line["verified_bytes"] == LOOKED_AT * ranks * messages * int(str(case["bytes"]))
        assert isinstance(line["parts"], dict)
        assert set(line["parts"]) == {f"rank{rank}" for rank in range(1, ranks)}


def test_transports_without_a_library_of_them_say_so() -> None:
    case = {"id": 1, "test": "allreduce", "bytes": 8, "samples": 2}
    _, lines = drive("openmpi", "tcp", case)
    assert lines[1]["status"] == "unsupported"
    assert lines[1]["reason"] == "the transport has no collective operations"
