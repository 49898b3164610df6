"""What a fit takes of published tables."""

import pytest

from weft.reference.library import Platform, platforms
from weft.sources.series import _of_platform

WITH_BOTH = [
    (platform, test)
    for platform in platforms()
    for test in dict.fromkeys(series.test for series in platform.series)
    if len({one.quantity for one in platform.series if one.test == test}) == 2
]


@pytest.mark.parametrize(
    ("platform", "test"), WITH_BOTH, ids=[f"{one.name} {test}" for one, test in WITH_BOTH]
)
def test_a_size_in_both_tables_has_its_published_latency(platform: Platform, test: str) -> None:
    """A bandwidth of three digits says less of the time."""
    latency, bandwidth = (
        {
            point.bytes: point.si
            for one in platform.series
            if (one.test, one.quantity) == (test, quantity)
            for point in one.points
        }
        for quantity in ("latency", "bandwidth")
    )
    assert latency.keys() & bandwidth.keys()
    [(series, _)] = _of_platform(platform, test, "")
    [launch] = series.launches
    found = dict(zip(launch.sizes_bytes.tolist(), launch.medians_ns.tolist(), strict=True))
    assert {size: found[size] for size in latency} == latency
    assert found.keys() == latency.keys() | bandwidth.keys()
