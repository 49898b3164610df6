"""From the files and names of a command to fabrics with prices and measured figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.rails import check_rails, fits_rails
from weft.names import as_typed
from weft.sources.named import split_source
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.fabric_value import Application, Delivered, FabricOption
    from weft.fabric.price_list import PriceList
    from weft.fabric.topologies import FabricAsked
    from weft.sources.series import Pairs

NO_FABRIC = "use --nodes 1152 --switch 24,288, or add [[fabric]] with nodes and switch to the file"


def options_of(
    paths: Sequence[Path], asked: FabricAsked | None, usual: Delivered | None = None
) -> list[FabricOption]:
    """Every fabric of every price list; the fabric that is `asked` for takes the place of theirs.

    A fabric that names nothing measured has the `usual` figures. Raises WeftError.
    """
    from weft.sources.price_lists import read_prices

    options = []
    for path in paths:
        prices = read_prices(path)
        fabrics = (asked,) if asked else prices.fabrics
        if not fabrics:
            raise WeftError(f"{path} has no fabric", NO_FABRIC)
        for number, fabric in enumerate(fabrics, 1):
            place = "" if asked else f"{path}, fabric {number}: "
            options.append(_option(prices, fabric, place, usual))
    return _with_names(options)


def _option(
    prices: PriceList, asked: FabricAsked, place: str, usual: Delivered | None
) -> FabricOption:
    from weft.analysis.fabric_value import FabricOption
    from weft.fabric.cost import cost_of
    from weft.fabric.topologies import build

    try:
        delivered = _delivered(asked, usual)
        built = build(asked, prices, rate_of_link(delivered))
    except WeftError as error:
        raise WeftError(place + error.what, error.fix) from None
    return FabricOption(
        name=asked.name or prices.name,
        built=built,
        cost=cost_of(built.parts, built.ports, prices),
        delivered=delivered,
        application=application_of(asked.application) if asked.application else None,
    )


def _delivered(asked: FabricAsked, usual: Delivered | None) -> Delivered | None:
    """What was measured for a fabric. Raises WeftError where it used other rails than it has."""
    if not asked.measured:
        return usual if usual and fits_rails(usual.rails, asked.rails) else None
    found = delivered_of(asked.measured)
    check_rails(asked.measured, found.rails, asked.rails, "name a record over one rail")
    return found


def rate_of_link(delivered: Delivered | None) -> float | None:
    """What was measured of one link of one rail, bytes/s; None where nothing was."""
    return delivered.of_one_rail.value if delivered else None


def _with_names(options: list[FabricOption]) -> list[FabricOption]:
    """Each option under a name of its own: the fabric's title where names are alike."""
    names = [one.name for one in options]
    found: list[FabricOption] = []
    for one in options:
        name = one.name
        if names.count(name) > 1:
            name = f"{name}, {counted(one.built.asked.nodes, 'node')}, {one.built.asked.blocking}"
        taken = {other.name for other in found}
        number = 2
        plain = name
        while name in taken:
            name, number = f"{plain} ({number})", number + 1
        found.append(msgspec.structs.replace(one, name=name))
    return found


def delivered_of(source: str) -> Delivered:
    """What a record or platform delivers; "RECORD@TRANSPORT" takes one transport.

    Of several transports the one with the least latency. Raises WeftError.
    """
    from weft.analysis.fabric_value import delivered_by

    found = [
        delivered_by(series, stream, rails)
        for rails, pairs in _series_of(source)
        for series, stream in pairs
        if series.has_latency
    ]
    if not found:
        raise WeftError(f"{source} has no latency", "name a record of ping_pong or a platform")
    return min(found, key=lambda one: one.latency_ns.value)


def application_of(source: str) -> Application:
    """The performance of a rank in a record of milc; "RECORD@8^4" takes one lattice.

    Without it the largest lattice is taken, and always the largest number of ranks that had a core
    each. Raises WeftError.
    """
    from weft.analysis.fabric_value import Application
    from weft.analysis.summary import summarise
    from weft.sources.records import record_named
    from weft.topics import results_of
    from weft.topics.scaling.rows import scaling_of

    name, lattice = split_source(source)
    run = record_named(name)
    rows = [
        (row, row.flops_per_s)
        for row in scaling_of(results_of(run, summarise(run))).all
        if row.flops_per_s is not None and not row.shares_cores
    ]
    chosen = [pair for pair in rows if lattice in ("", pair[0].lattice)]
    if not chosen:
        others = ", ".join(sorted({row.lattice for row, _ in rows}))
        raise WeftError(
            f"{source} has no flops of an application whose ranks had a core each",
            f"use {as_typed(name)}@ and one of {others}"
            if others
            else "name a record of weft run milc",
        )
    best, rate = max(chosen, key=lambda pair: (pair[0].sites, pair[0].ranks, pair[1].value))
    return Application(
        name=f"{best.test} {best.lattice} on {counted(best.ranks, 'rank')}, {best.transport}",
        flops_per_s=rate,
        is_within_a_host=run.is_within_a_host(best.case),
    )


def _series_of(source: str) -> list[tuple[int, Pairs]]:
    """The series of a platform, a plain table or a record whose messages crossed a link.

    Each with the rails that its messages went over.
    """
    from weft.record.launches import rails_of
    from weft.sources.platforms import platform_named
    from weft.sources.records import record_named
    from weft.sources.series import is_table, series_of, series_of_record

    if platform_named(source) is not None or is_table(source):
        return [(1, series_of(source))]
    run = record_named(source)
    name, part = split_source(source)
    within = run.within_a_host
    over = {launch.transport for launch in run.launches.values()}
    across = over - within
    asked = sorted(over if part else across)
    if not across or any(one in within for one in asked):
        raise WeftError(
            f"{name} was measured within one host, where nothing crosses a link",
            "name a record of two hosts or a platform, or use --link",
        )
    return [(rails_of(run.lines.launches, one), series_of_record(run, "", one)) for one in asked]


def delivered_or_why(record: Path) -> tuple[Delivered | None, str]:
    """What a record delivers; or None, and why the peak of a link is taken in its place."""
    try:
        return delivered_of(str(record)), ""
    except WeftError as error:
        return None, f"{error.what}: the peak of the link is taken"
