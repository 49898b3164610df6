"""A platform of a record over several rails has as many, and is not multiplied by them again."""

import re
from pathlib import Path

import msgspec
import pytest

from support.two_rails import record_over_two_rails
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment
from weft.plan.simulated import SimulatedPlatform
from weft.sim.draws import queue_of
from weft.sim.predicted import Variant, parameters_of, predicted
from weft.studies.calibration import calibrated_platform
from weft.studies.placed_tests import placed_tests_of


def with_bus(platform: SimulatedPlatform) -> SimulatedPlatform:
    """The same with hosts whose bus carries 3 GB/s of both rails."""
    text = platform.xml.replace(' bw="', ' limiter_link="3000000000Bps" bw="', 1)
    return msgspec.structs.replace(platform, xml=text)


def test_two_rails_that_were_measured_are_two(tmp_path: Path) -> None:
    found = calibrated_platform([str(record_over_two_rails(tmp_path))], "model", 2)
    two = with_bus(found.platform)
    known = parameters_of(two)
    assert known.rails == 2
    on = predicted(two, Variant(fabric=FabricAsked(nodes=4, switch="8", rails=2)))
    [own] = re.findall(r'<cluster [^>]*bw="(\d+)Bps"', on.xml)
    assert int(own) == pytest.approx(known.bandwidth_bytes_per_s)
    assert 'limiter_link="3000000000Bps"' in on.xml
    for rails in (1, 4):
        with pytest.raises(WeftError) as refused:
            predicted(two, Variant(fabric=FabricAsked(nodes=4, switch="8", rails=rails)))
        assert refused.value.what == (
            f"{two.name} was measured over 2 rails, and the fabric has {rails}"
        )
        assert refused.value.fix == "use --rails 2, or calibrate from a record over one rail"


def test_drawn_pairs_have_a_queue_for_the_rails_that_were_measured(tmp_path: Path) -> None:
    """It was as long as if each of both rails had the bandwidth of both."""
    two = calibrated_platform([str(record_over_two_rails(tmp_path))], "model", 2).platform
    variant = Variant(fabric=FabricAsked(nodes=4, switch="8", rails=2))
    asked = Experiment(tests=("random_pairs",), sizes="16MiB", ranks=4)
    known = parameters_of(two)
    depths = [
        queue_of(known.latency_ns, 1e9 * (16 << 20) / (times * known.bandwidth_bytes_per_s))
        for times in (1, 2)
    ]
    [drawn] = placed_tests_of(two, variant, asked)
    assert drawn.experiment.variants.queue_depths == (depths[0],)
    assert depths[0] < depths[1]
