"""MPI places windows in the shared memory of a host."""

import os

import pytest

from support.driven import drive
from weft.launch.programs import MPIS

pytestmark = pytest.mark.engine

# As a container has it, but smaller: 20 MiB.
SMALL = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=20m shm /dev/shm && exec "$@"')
WINDOWS: dict[str, object] = {
    "test": "put_stream", "queue_depth": 2, "samples": 1, "warmup": 0, "ops_per_sample": 4,
}  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
@pytest.mark.parametrize("mpi", MPIS)
def test_windows_that_shared_memory_cannot_hold_are_refused_and_the_next_case_runs(
    mpi: str,
) -> None:
    cases = [{**WINDOWS, "id": at, "bytes": size} for at, size in enumerate((2**24, 2**10))]
    done, lines = drive(mpi, "mpi", *cases, within=(*SMALL, "sh"))
    refused, measured = lines[1:3]
    assert refused["status"] == "unsupported", (lines, done.stderr)
    reason = str(refused["reason"])
    assert "MiB of shared memory on" in reason
    assert "MiB are free in /dev/shm" in reason
    assert measured["status"] == "ok", done.stderr
