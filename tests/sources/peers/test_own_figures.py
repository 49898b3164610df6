"""What others measured in weft's way is turned into figures as the engine's own tests are."""

import pytest

from support.virtual import described
from weft.sources.peers.tests import _OWN, own


@pytest.mark.parametrize("name", _OWN)
def test_figure_divisor_and_factor_are_the_engines(name: str) -> None:
    here, there = own(name), described()[name]
    assert here.figure == there.figure
    assert here.latency_divisor == there.latency_divisor
    assert here.bandwidth_factor == there.bandwidth_factor
