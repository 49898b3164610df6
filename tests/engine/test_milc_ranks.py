"""The staggered solver over real transports: it solves, and says how well."""

import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec
import psutil
import pytest

from support import frozen_thread
from support.driven import drive
from weft.applications.asked import MASSES, SHORT_LINK_REALS, U0S
from weft.applications.info import ApplicationInfo
from weft.applications.lattice import Lattice
from weft.launch.launcher import Job
from weft.launch.local import LocalLauncher
from weft.launch.programs import engine_folder, programs
from weft.launch.protocol import Answer, LaunchError
from weft.record.undescribed import as_measured

pytestmark = pytest.mark.engine


def residual_of(answer: dict[str, object]) -> object:
    found = answer["application"]
    assert isinstance(found, dict)
    return found["residual"]


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
    lattices: tuple[dict[str, object], ...] = (
        {"sums": 2},
        {"sums": 1, "overlaps": False},
        {"sums": 1},
    )
    extents = [12, 8, 4, 6] if ranks == 3 else [8, 4, 4, 6]
    cases = [
        {"id": number, "test": "milc", "bytes": size, "samples": 6, "ops_per_sample": 5,
         "lattice": {"extents": extents, "is_global": True, **lattice},
         "application": {"long_links": 12} if number == 1 else {}}
        for number, (lattice, size) in enumerate(zip(lattices, (36, 36, 72), strict=True))
    ]  # fmt: skip
    done, lines = drive(mpi, transport, *cases, ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert [line["status"] for line in lines[1:-1]] == ["ok"] * len(cases), lines[1:-1]
    # After 30 iterations, on one rank or on two: the same but for rounding.
    residuals = [residual_of(line) for line in lines[1:-1]]
    assert all(residual == pytest.approx(residuals[-1], rel=1e-2) for residual in residuals)
    for line in lines[1:-1]:
        assert isinstance(line["verified_bytes"], int)
        assert (line["verified_bytes"] > 0) == (ranks > 1)
        assert isinstance(line["parts"], dict)
        names = {name.rpartition(".")[2] for name in line["parts"]}
        assert {"local", "sum"} <= names


def test_threads_are_refused_where_there_is_no_core_for_each() -> None:
    case: dict[str, object] = {"id": 1, "test": "milc", "bytes": 36, "samples": 2,
            "lattice": {"extents": [4, 4, 4, 4], "sums": 2, "threads": 1024}}  # fmt: skip
    done, lines = drive("openmpi", "mpi", case, ranks=1)
    assert done.returncode == 0, done.stderr
    assert lines[1]["status"] == "unsupported"
    assert "of the cores and is to have 1024 threads; choose fewer" in str(lines[1]["reason"])


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores for two threads")
def test_two_threads_come_to_the_same_residual_as_one() -> None:
    cases: list[dict[str, object]] = [
        {"id": threads, "test": "milc", "bytes": 36, "samples": 6, "ops_per_sample": 5,
         "lattice": {"extents": [6, 4, 6, 8], "sums": 2, "threads": threads}}
        for threads in (1, 2, 1)
    ]  # fmt: skip
    done, lines = drive("openmpi", "mpi", *cases, ranks=1)
    assert done.returncode == 0, done.stderr
    residuals = [residual_of(line) for line in lines[1:-1]]
    assert residuals == [residuals[0]] * len(cases)
    details = lines[0]["details"]
    assert isinstance(details, dict)
    assert details["flush to zero"] in ("on", "off")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores for two threads")
def test_a_thread_that_stands_still_ends_with_its_case_and_leaves_nothing() -> None:
    program = engine_folder() / "openmpi" / "rank-tcp"
    case = {"id": 1, "test": "milc", "bytes": 36, "samples": 1_000_000, "ops_per_sample": 50,
            "lattice": {"extents": [4, 4, 4, 4], "sums": 2, "threads": 2}}  # fmt: skip
    with LocalLauncher().start(Job(program=program, mpi="openmpi", ranks=1)) as launch:
        [rank] = [rank.pid for rank in launch.hello().ranks]
        before = threads_of(rank)
        with ThreadPoolExecutor() as pool:
            run = pool.submit(launch.run, case, 3)
            words = [sys.executable, frozen_thread.__file__, str(new_thread(rank, before, run))]
            with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as freezer:
                with pytest.raises(LaunchError, match="the case did not end in 3 s"):
                    run.result()
                _, said = freezer.communicate(timeout=600)
    if freezer.returncode == frozen_thread.NOT_ALLOWED:
        pytest.skip(said.strip())
    assert freezer.returncode == 0, said
    assert not psutil.pid_exists(rank)


def threads_of(process: int) -> set[int]:
    return {int(path.name) for path in Path(f"/proc/{process}/task").iterdir()}


def new_thread(process: int, before: set[int], run: Future[Answer]) -> int:
    """The first that came since."""
    while not (found := threads_of(process) - before):
        assert not run.done(), run.exception()
    return min(found)


def test_the_plan_knows_its_options_as_the_engine_describes_them() -> None:
    tcp = next(one for one in programs("openmpi") if one.transport == "tcp")
    [milc] = [one for one in tcp.patterns if one.name == "milc"]
    options = {one.name: one for one in milc.application.options}
    usual = {name: one.usual for name, one in options.items() if not one.is_text}
    assert usual == Lattice(extents=(4,)).given
    assert (options["mass"].least, options["mass"].most) == MASSES
    assert (options["u0"].least, options["u0"].most) == U0S
    assert options["long_links"].least == SHORT_LINK_REALS
    assert milc.application.answers == ("residual", "plaquette_space", "plaquette_time")
    # An engine that did not describe them took the same.
    old = msgspec.structs.replace(milc, application=ApplicationInfo(dimensions=4))
    plain = [msgspec.structs.replace(one, summary="") for one in milc.application.options]
    assert list(as_measured(old).application.options) == plain
