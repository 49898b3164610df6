"""Two maps beside each other, where the names that a user gives are those of maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.diagnosis.measured import is_map
from weft.charts import Chart
from weft.errors import WeftError
from weft.record.run import load
from weft.reference.library import platform_or_none
from weft.studies.map_changes import (
    change_as_plain,
    change_charts,
    change_table,
    changed_maps,
    sentences_of,
)
from weft.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run


def maps_among(names: Sequence[str]) -> tuple[Run, Run] | None:
    """The two records where these names are two maps; None where none of them is a map.

    Raises WeftError for a map beside anything else.
    """
    paths = [Path(name) for name in names]
    runs = [load(path) for path in paths if platform_or_none(str(path)) is None and path.exists()]
    maps = [run for run in runs if is_map(run)]
    if not maps:
        return None
    if len(maps) != len(names) or len(maps) != 2:
        raise WeftError(
            f"{maps[0].path} is a map, and a map is compared with one other map",
            "type two records of weft map",
        )
    return maps[0], maps[1]


class ComparedMaps(msgspec.Struct, frozen=True, kw_only=True):
    """What two maps say: sentences, the same as plain data, and what a page shows."""

    lines: tuple[str, ...]
    plain: list[dict[str, Any]]
    charts: tuple[Chart, ...]
    table: Table


def compared_maps(names: Sequence[str]) -> ComparedMaps | None:
    """Who got slower from the first map to the second; None where none of these is a map.

    Raises WeftError.
    """
    maps = maps_among(names)
    if maps is None:
        return None
    found = changed_maps(*maps)
    of = (maps[0].path.name, maps[1].path.name)
    return ComparedMaps(
        lines=tuple(line for one in found for line in sentences_of(one)),
        plain=change_as_plain(found),
        charts=tuple(change_charts(found, of)),
        table=change_table(found, of),
    )
