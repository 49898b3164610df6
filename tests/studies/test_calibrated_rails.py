"""A platform of a record over several rails has as many, and is not multiplied by them again."""

import re
from pathlib import Path

import msgspec
import pytest

from support.two_rails import record_over_two_rails
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.simulated import SimulatedPlatform
from weft.sim.predicted import Variant, parameters_of, predicted
from weft.studies.calibration import calibrated_platform


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
        assert refused.value.fix == "type --rails 2, or calibrate from a record over one rail"
