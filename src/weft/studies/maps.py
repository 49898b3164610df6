"""Two maps beside each other, where the names that a user gives are those of maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.diagnosis.measured import FabricOf, is_map
from weft.analysis.summary import summarise
from weft.charts import Chart
from weft.errors import WeftError, without_effect
from weft.large import LargeFigure
from weft.names import is_there
from weft.plan.cases import Experiment, Variants
from weft.record.reader import header_of
from weft.sources.records import record_named
from weft.studies.links import with_link
from weft.studies.map_changes import (
    change_as_plain,
    change_charts,
    change_figures,
    change_table,
    changed_maps,
    sentences_of,
)
from weft.studies.shown import ShownTables
from weft.tables import Table
from weft.topics.pair_map import PAIR_ROUNDS, PairMap, maps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run

# How many of the slowest ways of all sizes fit one screen, and how many a size has at least.
SCREEN_WAYS, FEWEST_WAYS = 16, 3


def maps_among(names: Sequence[str]) -> tuple[Run, Run] | None:
    """The two records where these names are two maps; None where none of them is a map.

    Raises WeftError for a map beside anything else.
    """
    # Platforms, and a transport of a record, are for whoever compares anything else.
    headers = [(path, header_of(path)) for path in map(Path, filter(is_there, names))]
    maps = [path for path, header in headers if header and is_map(header)]
    if not maps:
        return None
    if len(maps) != len(names) or len(maps) != 2:
        raise WeftError(
            f"{maps[0]} is a map, and a map is compared with one other map",
            "use two records of weft map",
        )
    return record_named(maps[0]), record_named(maps[1])


def check_are_maps(runs: Sequence[Run], fabric_of: FabricOf | None) -> None:
    """Raises WeftError for a topology where no record is a map."""
    if fabric_of and not any(is_map(run.header) for run in runs):
        raise without_effect("--topology", "it is for maps, and there is none")


def map_experiment(
    ranks: int,
    rounds: Sequence[int],
    sizes: str,
    waits: tuple[str, ...],
    platform: SimulatedPlatform | None,
    at_once: int,
) -> Experiment:
    """What a map measures: the rounds, of messages of these sizes. Simulated ones need no mean.

    So many pairs run at once; 0: all.
    """
    return Experiment(
        tests=(PAIR_ROUNDS,),
        sizes=sizes,
        ranks=ranks,
        variants=Variants(
            points=tuple(rounds),
            at_once=at_once,
            single=platform is not None,
            waits=waits or ("",),
        ),
    )


def map_shown(
    path: Path, fabric_of: FabricOf | None, link: str = ""
) -> tuple[Run, tuple[CaseSummary, ...], ShownTables]:
    """A map's record, its cases, and what it says: who is slow, and the slowest ways.

    `fabric_of` gives its topology where it is known, and `link` names what its traffic went over.
    Raises WeftError for a record of anything else.
    """
    run = record_named(path)
    if not is_map(run.header):
        raise WeftError(f"{path} has no map", "measure one with weft map")
    topic = PairMap()
    rows = with_link(link, lambda known: maps_of(run, fabric_of, known), topic.plain)
    return (
        run,
        tuple(summarise(run)),
        ShownTables(
            tables=tuple(topic.brief(rows, max(FEWEST_WAYS, SCREEN_WAYS // max(1, len(rows))))),
            findings=tuple(topic.findings(rows)),
            plain=topic.plain(rows),
        ),
    )


def cases_read(path: Path) -> tuple[Run, tuple[CaseSummary, ...]]:
    """A record and its cases, where nothing of them is shown. Raises WeftError."""
    run = record_named(path)
    return run, tuple(summarise(run))


class ComparedMaps(msgspec.Struct, frozen=True, kw_only=True):
    """What two maps say: sentences, the same as plain data, and what a page shows."""

    lines: tuple[str, ...]
    plain: list[dict[str, Any]]
    charts: tuple[Chart, ...]
    table: Table
    large: tuple[LargeFigure, ...] = ()


def compared_maps(names: Sequence[str], fabric_of: FabricOf | None = None) -> ComparedMaps | None:
    """Who got slower from the first map to the second; None where none of these is a map.

    `fabric_of` gives the topology where it is known. Raises WeftError.
    """
    maps = maps_among(names)
    if maps is None:
        return None
    found = changed_maps(maps[:1], maps[1:], fabric_of)
    of = (maps[0].path.name, maps[1].path.name)
    return ComparedMaps(
        lines=tuple(line for one in found for line in sentences_of(one)),
        plain=change_as_plain(found),
        charts=tuple(change_charts(found, of)),
        table=change_table(found, of),
        large=tuple(change_figures(found)),
    )
