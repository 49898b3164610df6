"""The OSU Micro-Benchmarks as a peer: which programs, of which MPI, and what they printed."""

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
LATENCY = """
# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
8                       0.21
"""
BANDWIDTH = """
# OSU MPI Bi-Directional Bandwidth Test v7.4
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)
8                     103.52
1048576             12345.67
"""


@pytest.fixture
def omb(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import omb

    return omb


def test_a_figure_is_in_the_units_of_weft(omb: ModuleType) -> None:
    assert omb.figure_of(LATENCY, 8) == pytest.approx(210)
    assert omb.figure_of(BANDWIDTH, 8) == pytest.approx(103.52e6)
    assert omb.figure_of(BANDWIDTH, 1 << 20) == pytest.approx(12345.67e6)
    with pytest.raises(RuntimeError, match="no figure of 1 B"):
        omb.figure_of(BANDWIDTH, 1)


def test_each_program_that_was_built_is_beside_the_same_loop_of_the_same_mpi(
    omb: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, name in (("a", "osu_bw"), ("a", "osu_bibw"), ("b", "osu_bw"), ("b", "osu_latency")):
        program = tmp_path / folder / name
        program.parent.mkdir(exist_ok=True)
        program.touch()
        program.chmod(0o755)
    (tmp_path / "a" / "osu_latency").touch()  # a script of its source, not built
    monkeypatch.setattr(
        "bench.peers.told_by",
        lambda words: "libmpich.so.12 => /lib" if "/b/" in words[1] else "libmpi.so.40 => /lib",
    )
    found = {one.name: (one.test, one.bytes, one.words) for one in omb.comparisons(tmp_path)}
    shared = ("--buffers", "shared", "--mpi")
    assert found == {
        "omb-latency-8b-mpich": ("ping_pong", 8, ("--mpi", "mpich")),
        "omb-bandwidth-8b-openmpi": ("window_stream", 8, (*shared, "openmpi")),
        "omb-bandwidth-1mib-openmpi": ("window_stream", 1 << 20, (*shared, "openmpi")),
        "omb-bandwidth-8b-mpich": ("window_stream", 8, (*shared, "mpich")),
        "omb-bandwidth-1mib-mpich": ("window_stream", 1 << 20, (*shared, "mpich")),
        "omb-both-ways-8b-openmpi": ("bidirectional_window_stream", 8, (*shared, "openmpi")),
        "omb-both-ways-1mib-openmpi": (
            "bidirectional_window_stream", 1 << 20, (*shared, "openmpi"),
        ),
    }  # fmt: skip
