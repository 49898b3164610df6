"""What the money of a fabric buys: bisection bandwidth, and latency saved against a baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import median_of_case
from weft.analysis.stats.launches import what_would_tell
from weft.analysis.stats.needed import apart
from weft.analysis.stats.ratios import SAME
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.fabric.cost import FabricCost
from weft.fabric.topologies import Built
from weft.plan.command import NextSession
from weft.units import format_bytes
from weft.wording import NOT_SIGNIFICANT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.sweeps import Series


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured between two nodes: of a record, or of a published platform.

    The latency of the smallest message, and the highest bandwidth one way of all `rails` that were
    used. `name` says of what, and at which sizes. `again` is how to measure it once more, None of
    what was published, and `rests_on` what its sessions do not show.
    """

    name: str
    latency_ns: Estimate
    bandwidth_bytes_per_s: Estimate
    rails: int = 1
    again: NextSession | None = None
    rests_on: tuple[str, ...] = ()

    @property
    def of_one_rail(self) -> Estimate:
        """The bandwidth of one link, bytes/s."""
        return self.bandwidth_bytes_per_s.mapped(lambda rate: rate / self.rails)


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """What an application gets of each rank, in flops/s; `name` says which and on how many.

    `is_within_a_host`: its messages crossed no link.
    """

    name: str
    flops_per_s: Estimate
    is_within_a_host: bool = False


class FabricOption(msgspec.Struct, frozen=True, kw_only=True):
    """One fabric that could be bought, with its price and what was measured on its links."""

    name: str
    built: Built
    cost: FabricCost
    delivered: Delivered | None = None
    application: Application | None = None


class FabricValue(msgspec.Struct, frozen=True, kw_only=True):
    """An option with what its money buys, for each node or of the whole fabric; prices are in its
    currency.

    `bisection_bytes_per_s` is one way: the bisection's cables times the measured bandwidth of one
    link, or its peak where nothing was measured (`rests_on`). `price_per_gb_per_s` is the price of
    the fabric over the bisection in 10^9 bytes/s, and `price_per_node_gb_per_s` the price of a node
    over what is delivered to it in 10^9 bytes/s, each with the ends of the bandwidth's interval.
    `price_per_us_saved` is what a node costs more than the baseline's over the µs that it saves,
    with the ends of that interval; None where there is none, it is cheaper or saves none (`saves`
    says which). `price_per_mflop_per_s` is the price of the fabric over 10^6 flops/s of the
    application on all nodes, a rank on each (`flops_per_s`), with the ends of its interval.
    `is_on_front`: no other option is at least as good in all that is known of every option (price
    per node, latency, bisection per node), and better in one.
    """

    name: str
    title: str
    nodes: int
    ports: int
    currency: str
    total: float
    per_node: float
    over_years: float | None
    bisection_cables: int
    bisection_bytes_per_s: float | None
    delivered_bytes_per_s: float | None
    rests_on: str
    latency_ns: float | None
    price_per_gb_per_s: float | None
    price_per_gb_per_s_low: float | None
    price_per_gb_per_s_high: float | None
    price_per_node_gb_per_s: float | None
    price_per_node_gb_per_s_low: float | None
    price_per_node_gb_per_s_high: float | None
    price_per_us_saved: float | None
    price_per_us_saved_low: float | None
    price_per_us_saved_high: float | None
    saves: str
    is_on_front: bool
    application: str = ""
    application_is_within_a_host: bool = False
    flops_per_s: float | None = None
    price_per_mflop_per_s: float | None = None
    price_per_mflop_per_s_low: float | None = None
    price_per_mflop_per_s_high: float | None = None
    advice: tuple[str, ...] = ()

    @property
    def bisection_per_node(self) -> float | None:
        """Bytes/s of the bisection for each node."""
        return (
            None if self.bisection_bytes_per_s is None else self.bisection_bytes_per_s / self.nodes
        )


class _Saved(msgspec.Struct, frozen=True):
    """What a µs less costs a node, and from where to where; or in words why there is no price."""

    words: str
    price: float | None = None
    low: float | None = None
    high: float | None = None


def delivered_by(series: Series, stream: Series | None, rails: int = 1) -> Delivered:
    """The figures of a series of latencies; the bandwidth is the stream's where there is one."""
    moving = stream or series
    last = max(range(len(moving.sizes_bytes)), key=lambda at: _rate(moving, at).value)
    small = format_bytes(int(series.sizes_bytes[0]))
    large = format_bytes(int(moving.sizes_bytes[last]))
    return Delivered(
        name=f"{series.name} {small}, {f'{moving.name} ' if stream else ''}{large}",
        latency_ns=_time(series, 0),
        bandwidth_bytes_per_s=_rate(moving, last),
        rails=rails,
        again=series.again,
        rests_on=tuple(f"{series.name}: {line}" for line in series.rests_on),
    )


def _time(series: Series, at: int) -> Estimate:
    ticks_ns = series.ticks_ns[at] if series.ticks_ns else 0.0
    medians = [float(one.medians_ns[at]) for one in series.launches]
    return median_of_case(medians, series.sessions, ticks_ns)


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
    nodes = built.asked.nodes
    rate = _rate_of_link(option)
    bisection = rate and rate.mapped(lambda one: built.bisection_cables * one)
    # One half of the nodes sends, and the other has the bisection between them.
    each = bisection and bisection.mapped(lambda all_of_it: all_of_it / (nodes // 2))
    per_gb = _ends(bisection and bisection.mapped(lambda one: cost.total / (one / 1e9)))
    per_node_gb = _ends(each and each.mapped(lambda one: cost.total / nodes / (one / 1e9)))
    flops = _flops_of_all(option)
    per_mflop = _ends(flops and flops.mapped(lambda one: cost.total / (one / 1e6)))
    saved = _saved(option, baseline)
    return FabricValue(
        name=option.name,
        title=built.fabric.title,
        nodes=nodes,
        ports=built.ports,
        currency=cost.currency,
        total=cost.total,
        per_node=_per_node(option),
        over_years=cost.over_years,
        bisection_cables=built.bisection_cables,
        bisection_bytes_per_s=bisection.value if bisection else None,
        delivered_bytes_per_s=each.value if each else None,
        rests_on=delivered.name if delivered else (built.link and f"peak of {built.link}"),
        latency_ns=delivered.latency_ns.value if delivered else None,
        price_per_gb_per_s=per_gb[0],
        price_per_gb_per_s_low=per_gb[1],
        price_per_gb_per_s_high=per_gb[2],
        price_per_node_gb_per_s=per_node_gb[0],
        price_per_node_gb_per_s_low=per_node_gb[1],
        price_per_node_gb_per_s_high=per_node_gb[2],
        price_per_us_saved=saved.price,
        price_per_us_saved_low=saved.low,
        price_per_us_saved_high=saved.high,
        saves=saved.words,
        is_on_front=is_on_front,
        application=option.application.name if option.application else "",
        application_is_within_a_host=option.application is not None
        and option.application.is_within_a_host,
        flops_per_s=flops.value if flops else None,
        price_per_mflop_per_s=per_mflop[0],
        price_per_mflop_per_s_low=per_mflop[1],
        price_per_mflop_per_s_high=per_mflop[2],
        advice=_advice(option, baseline),
    )


def _advice(option: FabricOption, baseline: FabricOption) -> tuple[str, ...]:
    """What would tell the latencies apart where the intervals do not, and on what they rest."""
    mine, other = option.delivered, baseline.delivered
    if mine is None:
        return ()
    lines: tuple[str, ...] = ()
    if other is not None and _saved(option, baseline).words == NOT_SIGNIFICANT:
        distance = math.log(other.latency_ns.value / mine.latency_ns.value)
        needed = apart(mine.latency_ns, other.latency_ns, max(distance, math.log1p(SAME)))
        sides = [one.again for one in (other, mine) if one.again]
        purpose = f"tell the latency of {option.name} from that of {baseline.name}"
        lines = (what_would_tell(needed, purpose, sides, in_place=True),)
    return (*lines, *mine.rests_on)


def _ends(price: Estimate | None) -> tuple[float | None, float | None, float | None]:
    """A price and the ends of its interval, None where they are not known."""
    if price is None:
        return None, None, None
    return price.value, *((price.low, price.high) if price.is_bounded else (None, None))


def _per_node(option: FabricOption) -> float:
    return option.cost.total / option.built.asked.nodes


def _rate_of_link(option: FabricOption) -> Estimate | None:
    """What one link of one rail carries one way, bytes/s: as measured, else its peak."""
    if option.delivered is not None:
        return option.delivered.of_one_rail
    whole, cables = option.built.bisection_bytes_per_s, option.built.bisection_cables
    if whole is None or not cables:
        return None
    return Estimate(
        value=whole / cables, low=-math.inf, high=math.inf, coverage=1.0, method="peak of the link"
    )


def _flops_of_all(option: FabricOption) -> Estimate | None:
    if option.application is None:
        return None
    nodes = option.built.asked.nodes
    return option.application.flops_per_s.mapped(lambda rate: nodes * rate)


def _saved(option: FabricOption, baseline: FabricOption) -> _Saved:
    """The price of a µs less than the baseline's, for a node."""
    if option is baseline:
        return _Saved("baseline")
    if option.delivered is None or baseline.delivered is None:
        return _Saved("nothing measured")
    mine, other = option.delivered.latency_ns, baseline.delivered.latency_ns
    if mine.value == other.value:
        return _Saved("equal")
    if mine.value > other.value:
        return _Saved("saves no time")
    if not (mine.is_bounded and other.is_bounded):
        return _Saved("interval not known")
    if mine.high >= other.low:
        return _Saved(NOT_SIGNIFICANT)
    more = _per_node(option) - _per_node(baseline)
    if more <= 0:
        return _Saved("as cheap, and faster" if more == 0 else "cheaper and faster")
    return _Saved(
        "faster",
        more / ((other.value - mine.value) / 1e3),
        more / ((other.high - mine.low) / 1e3),
        more / ((other.low - mine.high) / 1e3),
    )


def _front(options: Sequence[FabricOption]) -> set[int]:
    """The options that no other one beats, in price per node, latency and bisection per node."""
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
    rate = _rate_of_link(option)
    built = option.built
    return (
        _per_node(option),
        option.delivered.latency_ns.value if option.delivered else None,
        None if rate is None else -built.bisection_cables * rate.value / built.asked.nodes,
    )
