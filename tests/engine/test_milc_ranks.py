"""The staggered solver over real transports: it solves, says how well, and where it cannot."""

import pytest

from driven import drive

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(("mpi", "ranks"), [("openmpi", 1), ("openmpi", 2), ("mpich", 2)])
def test_its_faces_are_checked_and_its_solution_is_true(mpi: str, ranks: int) -> None:
    lattices = ({"sums": 2}, {"sums": 1, "overlaps": False}, {"sums": 1})
    cases = [
        {"id": number, "test": "milc", "bytes": size, "samples": 6, "ops_per_sample": 5,
         "lattice": {"extents": [8, 4, 4, 6], "is_global": True, **lattice}}
        for number, (lattice, size) in enumerate(zip(lattices, (36, 36, 72), strict=True))
    ]  # fmt: skip
    done, lines = drive(mpi, "mpi", *cases, ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert [line["status"] for line in lines[1:-1]] == ["ok"] * len(cases), lines[1:-1]
    # After 30 iterations, on one rank or on two: the same but for rounding.
    residuals = [line["residual"] for line in lines[1:-1]]
    assert all(residual == pytest.approx(residuals[-1], rel=1e-2) for residual in residuals)
    for line in lines[1:-1]:
        assert isinstance(line["verified_bytes"], int)
        assert (line["verified_bytes"] > 0) == (ranks > 1)
        assert isinstance(line["parts"], dict)
        names = {name.rpartition(".")[2] for name in line["parts"]}
        assert {"local", "sum"} <= names


def test_a_transport_without_a_sum_says_so() -> None:
    lattice = {"extents": [4, 4, 4, 4], "sums": 2}
    _, lines = drive(
        "openmpi", "tcp", {"id": 1, "test": "milc", "bytes": 36, "samples": 2, "lattice": lattice}
    )
    assert lines[1]["status"] == "unsupported"
    assert "choose mpi" in str(lines[1]["reason"])
