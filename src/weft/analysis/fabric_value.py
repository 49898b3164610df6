"""What the money of a fabric buys: bisection bandwidth, and latency saved against a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import median_of_launches
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.fabric.cost import FabricCost
from weft.fabric.topologies import Built
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.sweeps import Series


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured between two nodes: of a record, or of a published platform.

    The latency of the smallest message, and the highest bandwidth of one link one way. `name` says
    of what, and at which sizes.
    """

    name: str
    latency_ns: Estimate
    bandwidth_bytes_per_s: Estimate


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """What an application gets of each rank, in flops/s; `name` says which and on how many."""

    name: str
    flops_per_s: Estimate


class FabricOption(msgspec.Struct, frozen=True, kw_only=True):
    """One fabric that could be bought, with its price and what was measured on its links."""

    name: str
    built: Built
    cost: FabricCost
    delivered: Delivered | None = None
    application: Application | None = None


class FabricValue(msgspec.Struct, frozen=True, kw_only=True):
    """An option with what its money buys; prices are in its currency.

    `bisection_bytes_per_s` is one way: the bisection's cables times the measured bandwidth of one
    link, or its peak where nothing was measured (`rests_on`). `price_per_gb_per_s` is the price of
    the fabric over the bisection in 10^9 bytes/s, with the ends of the bandwidth's interval.
    `price_per_us_saved` is what a port costs more than the baseline's over the µs that it saves;
    None where it saves none (`saves` says why), below zero where it is cheaper and faster.
    `price_per_mflop_per_s` is the price of the fabric over 10^6 flops/s of the application on all
    nodes, a rank on each (`flops_per_s`), with the ends of its interval.
    `is_on_front`: no other option is at least as good in all that is known of every option (price
    per port, latency, bisection per node), and better in one.
    """

    name: str
    title: str
    nodes: int
    currency: str
    total: float
    per_port: float
    over_years: float | None
    bisection_cables: int
    bisection_bytes_per_s: float | None
    rests_on: str
    latency_ns: float | None
    price_per_gb_per_s: float | None
    price_per_gb_per_s_low: float | None
    price_per_gb_per_s_high: float | None
    price_per_us_saved: float | None
    saves: str
    is_on_front: bool
    application: str = ""
    flops_per_s: float | None = None
    price_per_mflop_per_s: float | None = None
    price_per_mflop_per_s_low: float | None = None
    price_per_mflop_per_s_high: float | None = None

    @property
    def bisection_per_node(self) -> float | None:
        """Bytes/s of the bisection for each node."""
        return (
            None if self.bisection_bytes_per_s is None else self.bisection_bytes_per_s / self.nodes
        )


def delivered_by(series: Series, stream: Series | None) -> Delivered:
    """The figures of a series of latencies; the bandwidth is the stream's where there is one."""
    moving = stream or series
    last = max(range(len(moving.sizes_bytes)), key=lambda at: _rate(moving, at).value)
    small = format_bytes(int(series.sizes_bytes[0]))
    large = format_bytes(int(moving.sizes_bytes[last]))
    return Delivered(
        name=f"{series.name} {small}, {f'{moving.name} ' if stream else ''}{large}",
        latency_ns=_time(series, 0),
        bandwidth_bytes_per_s=_rate(moving, last),
    )


def _time(series: Series, at: int) -> Estimate:
    ticks_ns = series.ticks_ns[at] if series.ticks_ns else 0.0
    return median_of_launches([float(one.medians_ns[at]) for one in series.launches], ticks_ns)


def _rate(series: Series, at: int) -> Estimate:
    # Of a test that moves both ways at once, one way has half.
    return _time(series, at).mapped(lambda time_ns: 1e9 * float(series.sizes_bytes[at]) / time_ns)


def values_of(options: Sequence[FabricOption]) -> tuple[FabricValue, ...]:
    """Each option's value; the first is the baseline. Raises WeftError for unlike currencies."""
    for option in options[1:]:
        if option.cost.currency != options[0].cost.currency:
            raise WeftError(
                f"{options[0].name} costs {options[0].cost.currency} and {option.name}"
                f" {option.cost.currency}",
                "convert the prices of one list and set its currency",
            )
    front = _front(options)
    return tuple(_value(one, options[0], at in front) for at, one in enumerate(options))


def _value(option: FabricOption, baseline: FabricOption, is_on_front: bool) -> FabricValue:
    built, cost, delivered = option.built, option.cost, option.delivered
    per_gb_per_s = low = high = None
    bisection = _bisection(option)
    if bisection:
        per_gb_per_s = cost.total / (bisection / 1e9)
    if delivered is not None and delivered.bandwidth_bytes_per_s.is_bounded and bisection:
        priced = delivered.bandwidth_bytes_per_s.mapped(
            lambda rate: cost.total / (built.bisection_cables * rate / 1e9)
        )
        low, high = priced.low, priced.high
    flops = _flops_of_all(option)
    per_mflop = flops and flops.mapped(lambda rate: cost.total / (rate / 1e6))
    saved, saves = _saved(option, baseline)
    return FabricValue(
        name=option.name,
        title=built.fabric.title,
        nodes=built.asked.nodes,
        currency=cost.currency,
        total=cost.total,
        per_port=cost.per_port,
        over_years=cost.over_years,
        bisection_cables=built.bisection_cables,
        bisection_bytes_per_s=bisection,
        rests_on=delivered.name if delivered else (built.link and f"peak of {built.link}"),
        latency_ns=delivered.latency_ns.value if delivered else None,
        price_per_gb_per_s=per_gb_per_s,
        price_per_gb_per_s_low=low,
        price_per_gb_per_s_high=high,
        price_per_us_saved=saved,
        saves=saves,
        is_on_front=is_on_front,
        application=option.application.name if option.application else "",
        flops_per_s=flops.value if flops else None,
        price_per_mflop_per_s=per_mflop.value if per_mflop else None,
        price_per_mflop_per_s_low=per_mflop.low if per_mflop and per_mflop.is_bounded else None,
        price_per_mflop_per_s_high=per_mflop.high if per_mflop and per_mflop.is_bounded else None,
    )


def _flops_of_all(option: FabricOption) -> Estimate | None:
    if option.application is None:
        return None
    nodes = option.built.asked.nodes
    return option.application.flops_per_s.mapped(lambda rate: nodes * rate)


def _bisection(option: FabricOption) -> float | None:
    if option.delivered is not None:
        return option.built.bisection_cables * option.delivered.bandwidth_bytes_per_s.value
    return option.built.bisection_bytes_per_s


def _saved(option: FabricOption, baseline: FabricOption) -> tuple[float | None, str]:
    """The price per port of a µs less than the baseline's; or why there is none."""
    if option is baseline:
        return None, "baseline"
    if option.delivered is None or baseline.delivered is None:
        return None, "nothing measured"
    mine, other = option.delivered.latency_ns, baseline.delivered.latency_ns
    if mine.is_bounded and other.is_bounded and mine.high >= other.low and other.high >= mine.low:
        return None, "not significant"
    saved_us = (other.value - mine.value) / 1e3
    if saved_us <= 0:
        return None, "saves no time"
    more = option.cost.per_port - baseline.cost.per_port
    return more / saved_us, "cheaper and faster" if more <= 0 else "faster"


def _front(options: Sequence[FabricOption]) -> set[int]:
    """The options that no other one beats, in price per port, latency and bisection per node."""
    points = [_merits(option) for option in options]
    known = [at for at in range(3) if all(point[at] is not None for point in points)]

    def beats(one: tuple[float | None, ...], other: tuple[float | None, ...]) -> bool:
        pairs = [(one[at] or 0.0, other[at] or 0.0) for at in known]
        return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)

    return {
        at for at, point in enumerate(points) if not any(beats(other, point) for other in points)
    }


def _merits(option: FabricOption) -> tuple[float | None, float | None, float | None]:
    """Lower is better in each; None where it is not known."""
    bisection = _bisection(option)
    return (
        option.cost.per_port,
        option.delivered.latency_ns.value if option.delivered else None,
        None if bisection is None else -bisection / option.built.asked.nodes,
    )
