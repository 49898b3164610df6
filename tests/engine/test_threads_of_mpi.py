"""An MPI that allows its program no threads, where ranks compute in several."""

import subprocess
from pathlib import Path

import pytest

from weft.launch.programs import choose_mpi, programs

# What MPI gives in place of what was asked for; the library itself does the rest.
SINGLE = """
#include <mpi.h>
int MPI_Init_thread(int *count, char ***words, int wanted, int *given) {
  int code = PMPI_Init_thread(count, words, wanted, given);
  *given = wanted == MPI_THREAD_FUNNELED ? MPI_THREAD_SINGLE : wanted;
  return code;
}
"""


@pytest.mark.ranks
def test_a_rank_refuses_an_mpi_without_threads(tmp_path: Path) -> None:
    source = tmp_path / "single.c"
    source.write_text(SINGLE)
    library = tmp_path / "single.so"
    mpi = choose_mpi()
    subprocess.run(
        [f"mpicc.{mpi}", "-shared", "-fPIC", source, "-o", library], check=True, timeout=600
    )
    rank = next(one.path for one in programs(mpi) if one.transport == "tcp")
    done = subprocess.run(
        ["env", f"LD_PRELOAD={library}", rank],
        input="", capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "MPI_THREAD_FUNNELED" in done.stdout + done.stderr
