"""A calibration: a simulated platform of published tables or of records, and how wrong it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.plan.simulated import SimulatedPlatform
from weft.reference.library import platform_or_none
from weft.sim.crossbar import at_crossbar
from weft.sim.fidelity import errors_of, errors_table, parameters_table, predicted_ns
from weft.sim.measured import calibrated_from
from weft.sim.platforms import check_kind, check_nodes, named_of, protocols_of
from weft.studies.held_out import held_out_table, patterns_held_out
from weft.tables import Table
from weft.topics.scaling.rate import rate_of, usual_rate
from weft.units import parse_flops
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.reference.library import Platform
    from weft.sim.platforms import Calibrated
    from weft.sim.protocols import Protocols


class PlatformCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """A platform at one crossbar, the tables of its parameters and errors, and what a rank computes
    in words.
    """

    platform: SimulatedPlatform
    tables: tuple[Table, ...]
    computes: str


def calibrated_platform(
    sources: Sequence[str], kind: str, nodes: int, rate: str = "", transport: str = ""
) -> PlatformCalibration:
    """Of the tables of one published platform, or of records: of them `transport`.

    A rank computes `rate`; where it is empty as a record says. Raises WeftError.
    """
    chosen = check_kind(kind)
    check_nodes(nodes)
    typed = parse_flops(rate) if rate else None
    published = platform_or_none(sources[0])
    if published is not None:
        named, protocols, tables, computes = _from_tables(published, sources, chosen, nodes)
    else:
        paths = [Path(one) for one in sources]
        named, protocols, tables, computes = _from_records(paths, transport, chosen, nodes)
    speed, words = (typed, f"a rank computes {rate} (--rate)") if typed else computes
    title = f"{counted(nodes, 'node')} at one crossbar"
    made = at_crossbar(named, protocols, title, flops_per_s=speed, is_coarse=True)
    return PlatformCalibration(
        platform=made, tables=(parameters_table(made.name, protocols), *tables), computes=words
    )


# A platform without its file, its numbers, the tables of its errors, and what a rank computes with
# words for it.
_Made = tuple[SimulatedPlatform, "Protocols", list[Table], tuple[float, str]]


def _from_tables(
    published: Platform, sources: Sequence[str], kind: Calibrated, nodes: int
) -> _Made:
    if len(sources) > 1:
        raise WeftError(
            f"{published.title} is calibrated from what was published alone",
            f"type weft calibrate {published.name}",
        )
    protocols = protocols_of(published, kind)
    errors = errors_of(published, predicted_ns(protocols))
    tables = [errors_table(published.name, errors)] if errors else []
    return named_of(published, kind, nodes), protocols, tables, usual_rate()


def _from_records(paths: Sequence[Path], transport: str, kind: Calibrated, nodes: int) -> _Made:
    found = calibrated_from(paths[0], transport, kind, nodes, paths[1:])
    lack = ""
    try:
        patterns = patterns_held_out(found)
    except WeftError as error:
        patterns, lack = (), f"no pattern was predicted: {error.what}; {error.fix}"
    table = held_out_table(found, patterns, lack)
    return found.platform, found.protocols, [table], rate_of(found.runs)
