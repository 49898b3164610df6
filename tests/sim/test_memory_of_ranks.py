"""A simulated rank takes the same memory however many there are, and the forecast says so."""

import resource
from pathlib import Path

import pytest

from support.simulations import peak_bytes, platform, simulated
from weft.sim.effort import Pilot, forecast
from weft.studies.simulations import peak_bytes_of

pytestmark = pytest.mark.engine
CASE = {"test": "ping_pong", "bytes": 8, "samples": 1}
SIZES = (4, 256, 512, 1024, 2048)


def test_memory_grows_by_the_ranks_and_is_forecast(tmp_path: Path) -> None:
    peak = {ranks: peak_bytes(tmp_path, ranks, CASE, "--heads") for ranks in SIZES}
    # The hosts of all ranks, kept by each of them, were 32 bytes a pair: 537 MB of 4,096.
    each = (peak[1024] - peak[512]) / 512
    assert (peak[2048] - peak[1024]) / 1024 < 1.3 * each
    for nodes in SIZES[-2:]:
        done = [Pilot(nodes=n, seconds=1.0, peak_bytes=peak[n]) for n in SIZES if n < nodes]
        found = forecast(done, nodes)
        assert found is not None
        assert peak[nodes] / 1.5 < found.peak_bytes < 1.5 * peak[nodes]


def test_a_small_simulation_has_its_own_memory_and_not_that_of_who_starts_it(
    tmp_path: Path,
) -> None:
    said = peak_bytes_of(simulated(tmp_path, ("ping_pong",), "8", platform(nodes=4), ranks=4))
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    seen = peak_bytes(tmp_path, 4, CASE, "--heads")
    assert 0.5 * seen < said < 1.5 * seen < ours
