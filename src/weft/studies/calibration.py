"""A calibration: a simulated platform of published tables or of records, and how wrong it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.fabric.simgrid import RAILS
from weft.plan.simulated import SimulatedPlatform
from weft.sim.answers import CERTAINTY, Certainty, certainty_of
from weft.sim.crossbar import at_crossbar
from weft.sim.fidelity import errors_of, errors_table, parameters_table, predicted_ns
from weft.sim.measured import calibrated_from, certainty_of_held_out
from weft.sim.platforms import (
    Rates,
    check_kind,
    check_nodes,
    named_of,
    parse_rates,
    protocols_of,
)
from weft.sim.protocols import Protocols
from weft.sources.platforms import platform_named
from weft.sources.records import each_record, records_named
from weft.studies.held_out import held_out_table, patterns_held_out
from weft.tables import Table
from weft.topics.scaling.rate import rate_of, usual_rate
from weft.units import format_bandwidth
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run
    from weft.reference.library import Platform
    from weft.sim.platforms import Calibrated


class PlatformCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """A platform at one crossbar, the tables of its parameters and errors, and what a rank computes
    in words.

    `protocols` are the parameters, and `certainty` the errors in one where there were any.
    """

    platform: SimulatedPlatform
    tables: tuple[Table, ...]
    computes: str
    protocols: Protocols
    certainty: Certainty | None = None

    @property
    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "platform": self.platform.name,
            "origin": self.platform.origin,
            "computes": self.computes,
            "protocols": self.protocols,
            "certainty": self.certainty,
        }


def calibrated_platform(
    sources: Sequence[str], kind: str, nodes: int, rate: str = "", transport: str = ""
) -> PlatformCalibration:
    """Of the tables of one published platform, or of records: of them `transport`.

    A rank computes `rate`; where it is empty as a record says. Raises WeftError.
    """
    chosen = check_kind(kind)
    check_nodes(nodes)
    typed = parse_rates(rate)
    named = each_record(sources)
    published = platform_named(named[0])
    if published is not None:
        found = _from_tables(published, named, chosen, nodes)
    else:
        found = _from_records(records_named(named), transport, chosen, nodes)
    speed, words = found.computes
    if typed.flops_per_s:
        speed, words = typed.flops_per_s, f"a rank computes {typed.flops} (--rate)"
    words += f"; {_sums_in_words(typed, found.sum_bytes_per_s)}"
    known = found.certainty
    more = {CERTAINTY: msgspec.json.encode(known).decode()} if known else {}
    if found.rails > 1:
        more[RAILS] = f"{found.rails}"
    made = at_crossbar(
        found.named,
        found.protocols,
        f"{counted(nodes, 'node')} at one crossbar",
        flops_per_s=speed,
        sum_bytes_per_s=typed.sum_bytes_per_s or found.sum_bytes_per_s,
        more=more,
        is_coarse=True,
    )
    parameters = parameters_table(made.name, found.protocols)
    return PlatformCalibration(
        platform=made,
        tables=(parameters, *found.tables),
        computes=words,
        protocols=found.protocols,
        certainty=known,
    )


def _sums_in_words(typed: Rates, measured_bytes_per_s: float) -> str:
    if typed.sums:
        return f"it adds {typed.sums} to a sum (--rate)"
    if measured_bytes_per_s:
        rate = format_bandwidth(measured_bytes_per_s)
        return f"it adds {rate} to a sum, as two ranks' allreduce measured"
    return "an addition of a sum is one such operation: an assumption; use --rate 4GB/s"


class _Made(msgspec.Struct, frozen=True, kw_only=True):
    """A platform without its file, its numbers and their errors as tables and in one, and what a
    rank computes with words for it, and adds in a sum. Its bandwidth is that of `rails` together.
    """

    named: SimulatedPlatform
    protocols: Protocols
    tables: tuple[Table, ...]
    computes: tuple[float, str]
    sum_bytes_per_s: float = 0.0
    certainty: Certainty | None = None
    rails: int = 1


def _from_tables(
    published: Platform, sources: Sequence[str], kind: Calibrated, nodes: int
) -> _Made:
    if len(sources) > 1:
        raise WeftError(
            f"{published.title} is calibrated from what was published alone",
            f"run weft calibrate {published.name}",
        )
    protocols = protocols_of(published, kind)
    errors = errors_of(published, predicted_ns(protocols))
    return _Made(
        named=named_of(published, kind, nodes),
        protocols=protocols,
        tables=(errors_table(published.name, errors),) if errors else (),
        computes=usual_rate(),
        certainty=certainty_of(published, kind),
    )


def _from_records(runs: Sequence[Run], transport: str, kind: Calibrated, nodes: int) -> _Made:
    found = calibrated_from(tuple(runs), transport, kind, nodes)
    lack = ""
    try:
        patterns = patterns_held_out(found)
    except WeftError as error:
        patterns, lack = (), f"no pattern was predicted: {error.what}; {error.fix}"
    return _Made(
        named=found.platform,
        protocols=found.protocols,
        tables=(held_out_table(found, patterns, lack),),
        computes=rate_of(found.runs),
        sum_bytes_per_s=found.sum_bytes_per_s,
        certainty=certainty_of_held_out((*found.held_out, *patterns), found.protocols),
        rails=found.rails,
    )
