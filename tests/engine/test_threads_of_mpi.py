"""The thread level that MPI is started at, and an MPI that provides a lower one."""

import os
import subprocess
from pathlib import Path

import pytest

from support.running import started
from support.scripted import WEFT
from weft.launch.programs import choose_mpi, programs

# The library starts as requested, and reports a lower level, such as a build without threads has.
SINGLE = """
#include <mpi.h>
int MPI_Init_thread(int *count, char ***words, int wanted, int *given) {
  int code = PMPI_Init_thread(count, words, wanted, given);
  *given = MPI_THREAD_SINGLE;
  return code;
}
int MPI_Query_thread(int *given) {
  *given = MPI_THREAD_SINGLE;
  return MPI_SUCCESS;
}
"""
LEVELS = ("single", "funneled", "serialized", "multiple")


@pytest.fixture
def lying(tmp_path: Path) -> Path:
    source = tmp_path / "single.c"
    source.write_text(SINGLE)
    library = tmp_path / "single.so"
    subprocess.run(
        [f"mpicc.{choose_mpi()}", "-shared", "-fPIC", source, "-o", library],
        check=True,
        timeout=600,
    )
    return library


def rank_program(transport: str) -> Path:
    return next(one.path for one in programs(choose_mpi()) if one.transport == transport)


@pytest.mark.ranks
@pytest.mark.parametrize("level", ["", *LEVELS])
def test_mpi_is_started_at_the_chosen_level_or_else_the_lowest(level: str) -> None:
    words = ["--option", f"thread_level={level}"] if level else []
    with started(rank_program("mpi"), choose_mpi(), words) as ranks:
        details = ranks.hello().details
        ranks.finish()
    wanted = level or "single"
    assert details["requested thread level"] == wanted
    assert LEVELS.index(details["provided thread level"]) >= LEVELS.index(wanted)


@pytest.mark.ranks
@pytest.mark.parametrize(
    ("transport", "words", "wanted"),
    [("tcp", [], "funneled"), ("mpi", ["--option", "thread_level=multiple"], "multiple")],
)
def test_a_rank_reports_the_level_that_an_mpi_provides_in_place_of_the_requested_one(
    lying: Path, transport: str, words: list[str], wanted: str
) -> None:
    done = subprocess.run(
        ["env", f"LD_PRELOAD={lying}", rank_program(transport), *words],
        input="", capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert f"thread level single, not {wanted}" in done.stdout + done.stderr


@pytest.mark.ranks
@pytest.mark.parametrize(
    "words",
    [
        ["ping_pong", "--ranks", "2", "--option", "mpi.thread_level=serialized"],
        ["ping_pong", "--ranks", "2", "--vary", "mpi.thread_level=single,serialized"],
        ["milc", "--ranks", "1", "--threads", "2"],
    ],
    ids=["option", "variation", "threads"],
)
def test_a_run_that_needs_more_than_an_mpi_provides_ends_with_one_line(
    lying: Path, tmp_path: Path, words: list[str]
) -> None:
    record = tmp_path / "r.jsonl"
    done = subprocess.run(
        [WEFT, "run", *words, "--transport", "mpi", "--launches", "1", "--budget", "20s",
         "--quiet", "--no-report", "-o", record],
        env={**os.environ, "LD_PRELOAD": str(lying)},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 2
    assert last.startswith("weft: this MPI provides thread level single, not ")
    assert not record.exists()
