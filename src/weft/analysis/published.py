"""Published platforms with their shares of the link's peak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.fabric.peaks import Link, parse_link
from weft.reference.library import Fact, Platform, PublishedPoint, PublishedSeries

if TYPE_CHECKING:
    from collections.abc import Iterable

# Facts that are a bandwidth of the one link of the platform, and the directions they count.
_ONE_LINK = {
    "bandwidth_peak_one_way": 1,
    "bandwidth_peak_both_ways": 2,
    "bandwidth_peak_ping_pong": 1,
    "bandwidth_peak_sendrecv": 2,
    "fit_bandwidth": 1,
}


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """A platform with the link that its per cents are of; None where no link is known."""

    platform: Platform
    link: Link | None

    def of_point(self, series: PublishedSeries, point: PublishedPoint) -> float | None:
        """Per cent of the link's peak; None for a latency."""
        if series.quantity != "bandwidth" or self.link is None:
            return None
        return 100 * point.si / self.link.peak_bytes_per_s(series.directions)

    def of_fact(self, fact: Fact) -> float | None:
        """Per cent of the link's peak for a bandwidth over that one link."""
        if self.link is None or fact.si is None or fact.key not in _ONE_LINK:
            return None
        return 100 * fact.si / self.link.peak_bytes_per_s(_ONE_LINK[fact.key])


def with_shares(platform: Platform, link: Link | None = None) -> Shares:
    """The platform with this link, or with the one that its data name."""
    named = parse_link(platform.link) if platform.link else None
    return Shares(platform=platform, link=link or named)


def suites(series: Iterable[PublishedSeries]) -> dict[tuple[str, str, str], list[PublishedSeries]]:
    """The series by test, transport and suite, in the file's order."""
    found: dict[tuple[str, str, str], list[PublishedSeries]] = {}
    for one in series:
        found.setdefault((one.test, one.transport, one.suite), []).append(one)
    return found
