"""The staggered solver over real transports: it solves, and says how well."""

import pytest

from driven import drive

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("mpi", "transport", "ranks"),
    [
        ("openmpi", "mpi", 1),
        ("openmpi", "mpi", 2),
        ("mpich", "mpi", 2),
        *(("openmpi", name, 2) for name in ("tcp", "ucx", "ofi")),
        # Neither a power of two nor as many as cores: one gives its numbers to another.
        ("openmpi", "tcp", 3),
    ],
)
def test_its_faces_are_checked_and_its_solution_is_true(
    mpi: str, transport: str, ranks: int
) -> None:
    lattices = ({"sums": 2}, {"sums": 1, "overlaps": False}, {"sums": 1})
    extents = [12, 8, 4, 6] if ranks == 3 else [8, 4, 4, 6]
    cases = [
        {"id": number, "test": "milc", "bytes": size, "samples": 6, "ops_per_sample": 5,
         "lattice": {"extents": extents, "is_global": True, **lattice}}
        for number, (lattice, size) in enumerate(zip(lattices, (36, 36, 72), strict=True))
    ]  # fmt: skip
    done, lines = drive(mpi, transport, *cases, ranks=ranks)
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
