"""A published platform as JSON: figures as published, in SI and in % of the link's peak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from weft.analysis.published import Shares
    from weft.reference.library import Fact, PublishedPoint, PublishedSeries


def published_rows(shares: Shares) -> dict[str, Any]:
    """A platform as `weft show --json` prints it: figures as published, in SI, per cent of peak."""
    platform = shares.platform
    plain: dict[str, Any] = msgspec.to_builtins(platform)
    plain["link"] = shares.link.name if shares.link else ""
    plain["series"] = [_series_row(shares, series) for series in platform.series]
    plain["facts"] = [_fact_row(shares, fact) for fact in platform.facts]
    for table, prices in zip(plain["prices"], platform.prices, strict=True):
        names = prices.rows[0].__struct_fields__
        table["rows"] = [{name: getattr(row, name) for name in names} for row in prices.rows]
    return plain


def _series_row(shares: Shares, series: PublishedSeries) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(series)
    si = "latency_ns" if series.quantity == "latency" else "bandwidth_bytes_per_s"
    row["points"] = [_known(shares, series, point, si) for point in series.points]
    return row


def _known(
    shares: Shares, series: PublishedSeries, point: PublishedPoint, si: str
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "published_size": point.published_size,
        "published": point.published,
        "bytes": point.bytes,
        si: point.si,
    }
    share = shares.of_point(series, point)
    return row if share is None else {**row, "percent_of_peak": share}


def _fact_row(shares: Shares, fact: Fact) -> dict[str, Any]:
    row = {key: value for key, value in msgspec.to_builtins(fact).items() if value is not None}
    share = shares.of_fact(fact)
    return row if share is None else {**row, "percent_of_peak": share}
