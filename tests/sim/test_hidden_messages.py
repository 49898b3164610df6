"""Computing beside messages takes the longer of the two, and behind them their sum."""

from pathlib import Path

import pytest

from support.simulations import simulated
from weft.applications.asked import ApplicationsAsked
from weft.plan.cases import Experiment, Variants
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import at_crossbar
from weft.sim.protocols import ENVELOPE_BYTES, Piece, Protocols

pytestmark = pytest.mark.engine
EXACT = 1e-6
LATENCY_NS, NS_PER_BYTE = 2000.0, 1.0
PLAIN = Protocols(transfer=(Piece(0, LATENCY_NS, NS_PER_BYTE),), eager_below_bytes=1 << 30)
# Two ranks of 8^4 sites: a dimension is split, and both faces go over the one cable together.
SITES, FACE_SITES = 8**4, 8**3
FACE_BYTES = 36 * FACE_SITES
FACES_NS = LATENCY_NS + NS_PER_BYTE * (2 * (FACE_BYTES + ENVELOPE_BYTES) - ENVELOPE_BYTES)
SUM_NS = LATENCY_NS + NS_PER_BYTE * 8
# Of the solver: half of the operator has 16 legs a site of a parity, and over a face there go four
# for each two of its sites, out of either end.
HALF_FLOPS = 1146 * SITES / 2
REMOTE_FLOPS = 2 * 4 * FACE_SITES / 2 * 1146 / 16
LOCAL_FLOPS = HALF_FLOPS - REMOTE_FLOPS
REST_FLOPS = (1187 - 1146) * SITES


def iteration_ns(folder: Path, test: str, lattices: ApplicationsAsked, flops_per_s: float) -> float:
    """Of two ranks on a crossbar without overheads and without a bus."""
    named = SimulatedPlatform(name="plain", kind="predicted", nodes=2)
    variants = Variants(application=lattices)
    part = Experiment(tests=(test,), sizes="36", ranks=2, variants=variants)
    on = at_crossbar(named, PLAIN, "plain", flops_per_s=flops_per_s)
    run = simulated(folder, (test,), "36", on, parts=(part,), samples=3)
    return float(min(run.time_ns(run.measured[0])))


# The local legs take 14 and 1.4 times as long as the faces, and 0.7 and 0.07 times.
@pytest.mark.parametrize("rate_per_ns", [4.0, 40.0, 80.0, 800.0])
def test_an_iteration_of_the_solver_hides_its_faces_behind_the_local_legs(
    tmp_path: Path, rate_per_ns: float
) -> None:
    found = {}
    for overlaps in (True, False):
        (folder := tmp_path / str(overlaps)).mkdir()
        lattices = ApplicationsAsked(extents="8", overlaps=overlaps)
        found[overlaps] = iteration_ns(folder, "milc", lattices, 1e9 * rate_per_ns)
    local_ns = LOCAL_FLOPS / rate_per_ns
    rest_ns = (2 * REMOTE_FLOPS + REST_FLOPS) / rate_per_ns + 2 * SUM_NS
    assert found[True] == pytest.approx(2 * max(local_ns, FACES_NS) + rest_ns, rel=EXACT)
    assert found[False] == pytest.approx(2 * (local_ns + FACES_NS) + rest_ns, rel=EXACT)


@pytest.mark.parametrize("compute_ns_per_site", [1, 9, 10, 100])
def test_a_halo_hides_its_faces_behind_what_it_computes(
    tmp_path: Path, compute_ns_per_site: int
) -> None:
    compute_ns = compute_ns_per_site * SITES
    for overlaps, expected in (
        (True, max(compute_ns, FACES_NS)),
        (False, compute_ns + FACES_NS),
    ):
        (folder := tmp_path / str(overlaps)).mkdir()
        lattices = ApplicationsAsked(
            extents="8", overlaps=overlaps, compute_ps_per_site=1000 * compute_ns_per_site
        )
        assert iteration_ns(folder, "halo", lattices, 1e9) == pytest.approx(expected, rel=EXACT)
