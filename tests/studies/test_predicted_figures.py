"""Figures of a prediction that are means: of pairs of nodes, of drawn pairs, of drawn places."""

import random
from collections import Counter
from pathlib import Path

import pytest

from support.simulations import KNOWN, platform
from weft.applications.asked import ApplicationsAsked
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.sim.answers import PredictedFigure
from weft.sim.draws import DRAWS, draws_needed
from weft.sim.predicted import Variant
from weft.studies.prediction import predicted_on
from weft.studies.simulations import Effort

pytestmark = pytest.mark.engine
# Four ranks on two leaves of two nodes, at one uplink each.
HALF = FabricAsked(nodes=4, switch="3", blocking="2:1")
HOP_NS = 1000.0
MIB = 1 << 20


def figure(folder: Path, variant: Variant, test: str, size: int) -> PredictedFigure:
    said: list[str] = []
    effort = Effort(600.0, 1, folder, said.append)
    asked = Experiment(tests=(test,), sizes=str(size), ranks=variant.fabric.nodes)
    [answer] = predicted_on(platform(), [variant], asked, effort).answers
    [found] = answer.figures
    # Placements are simulated one after the other, and say the same of themselves.
    assert said.count("measuring over sim") == 1
    return found


@pytest.mark.parametrize(
    ("pairs", "far"), [("near", 0.0), ("far", 1.0), ("random", 2 / 3), ("", 2 / 3)]
)
def test_a_ping_pong_is_of_the_pairs_that_were_asked_for(
    tmp_path: Path, pairs: str, far: float
) -> None:
    """Of three other nodes one is at the same switch; two switches more are on the way to two."""
    found = figure(tmp_path, Variant(fabric=HALF, hop_ns=HOP_NS, pairs=pairs), "ping_pong", 8)
    near_ns = KNOWN.ping_pong_ns(8)
    assert found.value == pytest.approx(near_ns + far * 2 * HOP_NS, rel=1e-6)
    if pairs in ("near", "far"):
        assert found.low is None
        return
    assert (found.low, found.high) == pytest.approx((near_ns, near_ns + 2 * HOP_NS), rel=1e-6)


def test_random_pairs_are_the_mean_of_many_draws_with_their_range(tmp_path: Path) -> None:
    """A third of the draws stays in the leaves, and half of the others share the one uplink.

    So the mean is 5/3 of a link's bandwidth; its standard error over the draws is 3 % of it.
    """
    found = figure(tmp_path, Variant(fabric=HALF), "random_pairs", MIB)
    rate = KNOWN.bandwidth_bytes_per_s
    assert found.draws == DRAWS
    assert found.value == pytest.approx(5 / 3 * rate, rel=0.1)
    assert (found.low, found.high) == pytest.approx((rate, 2 * rate), rel=0.02)


def test_random_pairs_are_distributed_as_their_busiest_uplinks(tmp_path: Path) -> None:
    """Of 20,000 draws over four leaves of 16 nodes with 8 uplinks, counted here."""
    draw = random.Random(25)  # noqa: S311 - no secret

    def busiest() -> float:
        order = [0, *draw.sample(range(1, 64), 63)]
        leaves = [node // 16 for node in order]
        pairs = [two for two in batched(leaves) if two[0] != two[1]]
        ups, downs = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
        return max(8, *ups.values(), *downs.values()) / 8

    rates = sorted(32 / busiest() for _ in range(20_000))
    fabric = FabricAsked(nodes=64, switch="24", blocking="2:1")
    found = figure(tmp_path, Variant(fabric=fabric), "random_pairs", MIB)
    rate = KNOWN.bandwidth_bytes_per_s
    assert found.draws == DRAWS
    # Draws scatter by 9 %, the mean of a hundred by 1 %.
    assert found.value == pytest.approx(sum(rates) / len(rates) * rate, rel=0.04)
    assert found.high == pytest.approx(rates[19_000] * rate, rel=0.02)
    assert found.low == pytest.approx(rates[1_000] * rate, rel=0.12)


def batched(leaves: list[int]) -> list[tuple[int, int]]:
    return list(zip(leaves[::2], leaves[1::2], strict=True))


def test_a_random_mapping_is_the_mean_of_several(tmp_path: Path) -> None:
    found = figure(tmp_path, Variant(fabric=HALF, mapping="random"), "alltoall", MIB)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_lattices_with_unlike_sites_are_predicted_apart(tmp_path: Path) -> None:
    """Both were one case, whose figure was the mean of the two."""

    def of_sizes(sizes: str) -> dict[str, float]:
        asked = Experiment(
            tests=("halo",), sizes=sizes, ranks=4,
            variants=Variants(application=ApplicationsAsked(extents="4"), single=True),
        )  # fmt: skip
        effort = Effort(600.0, 1, tmp_path / sizes, lambda _: None)
        [answer] = predicted_on(platform(), [Variant(fabric=HALF)], asked, effort).answers
        return {one.case: one.value for one in answer.figures}

    alone = of_sizes("36") | of_sizes("360")
    assert list(alone) == ["halo 4^4", "halo 4^4 360B_a_site"]
    assert of_sizes("36,360") == pytest.approx(alone)
    assert alone["halo 4^4 360B_a_site"] > 1.5 * alone["halo 4^4"]


@pytest.mark.parametrize(
    ("values", "draws"),
    [
        ([5.0] * 8, 8),
        # A standard deviation of 1 % of the mean: (2.365 x 1 / 2)^2 = 1.4 draws.
        ([0.99, 1.01] * 4, 8),
        # Of 5.3 %: (2.365 x 5.345 / 2)^2 = 39.9.
        ([0.95, 1.05] * 4, 40),
        ([1.0, 2.0] * 4, DRAWS),
    ],
)
def test_draws_are_as_many_as_their_scatter_needs(values: list[float], draws: int) -> None:
    assert draws_needed(values) == draws
