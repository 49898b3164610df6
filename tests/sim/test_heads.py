"""Of a prediction's messages only the heads are there: the same times, and far less memory."""

from pathlib import Path

import msgspec
import pytest

import weft
from support.simulations import peak_bytes, platform, simulated
from weft.applications.asked import ApplicationsAsked
from weft.plan.cases import Experiment, Variants

pytestmark = pytest.mark.engine
RANKS = 8
HEAD_BYTES = 256
# On either side of the switch of protocol, with a face of 8 sites cubed for each.
SIZES = "3,36"
TESTS = ("halo", "ping_pong", "stream", "hot_spot_receive")


def run_on(folder: Path, kind: str) -> weft.Run:
    """Faces, streams and sums of eight ranks."""
    named = msgspec.structs.replace(platform(nodes=RANKS), kind=kind)
    lattices = Variants(application=ApplicationsAsked(extents="8", sums=2))
    parts = (
        Experiment(tests=("halo",), sizes=SIZES, ranks=RANKS, variants=lattices),
        Experiment(tests=TESTS[1:], sizes="8,64KiB", ranks=RANKS),
    )
    folder.mkdir()
    return simulated(folder, (), "", named, parts=parts)


def test_heads_take_as_long_as_whole_messages(tmp_path: Path) -> None:
    whole, heads = run_on(tmp_path / "whole", "model"), run_on(tmp_path / "heads", "predicted")
    found = [{one.case: min(one.ticks) for one in run.measured} for run in (whole, heads)]
    # A clock of picoseconds rounds.
    assert found[0] == pytest.approx(found[1], rel=1e-8)
    assert {case.split("/")[1] for case in found[0]} == set(TESTS)


def test_what_is_there_of_a_message_is_compared(tmp_path: Path) -> None:
    run = run_on(tmp_path / "heads", "predicted")
    for batch in run.measured:
        assert batch.status == "ok"
        case = run.cases[batch.case]
        assert batch.verified_bytes >= min(case.bytes, HEAD_BYTES)
        if case.test == "halo" and case.bytes == 36:
            words = RANKS * 3 * 32
            # Two neighbours in each of three dimensions are one rank: six lanes, two receives.
            assert batch.verified_bytes == RANKS * 6 * 2 * HEAD_BYTES + words


def test_heads_take_little_memory(tmp_path: Path) -> None:
    case = {"test": "hot_spot_receive", "bytes": 1 << 20, "samples": 2}
    whole = peak_bytes(tmp_path, 64, case)
    assert whole > 64 << 20
    assert peak_bytes(tmp_path, 64, case, "--heads") < 0.5 * whole
