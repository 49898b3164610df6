"""Times against sizes from a command's argument: a record, a plain table or a platform."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.names import as_typed, choose
from weft.plan.cases import BANDWIDTH, LATENCY
from weft.plan.other_suites import choose_tests
from weft.record.plain import is_plain, read_plain
from weft.record.run import Run
from weft.sources.named import split_source
from weft.sources.platforms import platform_named
from weft.sources.records import record_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.modelled import Modelled
    from weft.analysis.fits.sweeps import Series
    from weft.reference.library import Platform

Pairs = list[tuple["Series", "Series | None"]]


def series_of(source: str | Run, tests: str = "", transports: str = "", columns: str = "") -> Pairs:
    """The requested series, each latency with the stream of its transport if there is one.

    `tests` and `transports` are names with commas; without tests it is ping_pong, or the first
    that has a latency. `columns` are "SIZE,TIME" of a plain table. Raises WeftError as the readers
    do, and for names that the source does not have.
    """
    if isinstance(source, Run):
        return series_of_record(source, tests, transports)
    platform = platform_named(source)
    if platform is not None:
        return _of_platform(platform, tests, transports)
    path = Path(source)
    if is_table(source):
        name, part = split_source(source)
        if part:
            raise WeftError(f"{name} is a CSV, which names no transport", f"use {as_typed(name)}")
        return [(_of_table(path, columns), None)]
    return series_of_record(record_named(source), tests, transports)


def pairs_of_each(
    sources: Sequence[str | Run], tests: str = "", transports: str = "", columns: str = ""
) -> list[tuple[str, tuple[Series, Series | None]]]:
    """What series_of gives of several sources, each with its source; records by their files too.

    Raises WeftError as series_of.
    """
    found = {one: series_of(one, tests, transports, columns) for one in dict.fromkeys(sources)}
    records = {one: path for one in found if (path := _path_of_record(one)) is not None}
    if len(records) > 1:
        for one, path in records.items():
            found[one] = _named_after(path, found[one])
    return [
        (str(source.path) if isinstance(source, Run) else source, pair)
        for source, pairs in found.items()
        for pair in pairs
    ]


def _path_of_record(source: str | Run) -> Path | None:
    if isinstance(source, Run):
        return source.path
    is_other = platform_named(source) is not None or is_table(source)
    return None if is_other else Path(split_source(source)[0])


def _named_after(path: Path, pairs: Pairs) -> Pairs:
    """The same series, distinguished from those of another record."""
    return [(replace(one, name=f"{path.name}: {one.name}"), stream) for one, stream in pairs]


def is_table(source: str) -> bool:
    """Whether a source is a plain table of times, and no platform or record."""
    if platform_named(source) is not None:
        return False
    return is_plain(Path(split_source(source)[0]))


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _of_table(path: Path, columns: str) -> Series:
    from weft.analysis.fits.sweeps import series_of_times

    pair = tuple(name.strip() for name in columns.split(",")) if columns else ()
    if columns and len(pair) != 2:
        raise WeftError(f"'{columns}' is not two columns", "use --columns SIZE,TIME")
    table = read_plain(path, (pair[0], pair[1]) if pair else None)
    return series_of_times(path.name, table.sizes_bytes, table.times_ns, table.notes)


def models_of(runs: Sequence[Run]) -> Modelled:
    """The models of all latencies of records, named after their files where there are several.

    A record without a model is a line in `refused`.
    """
    from weft.analysis.fits.modelled import modelled

    pairs: Pairs = []
    refused = []
    for run in runs:
        try:
            found = series_of_record(run)
        except WeftError as error:
            refused.append(f"no model: {error.what}")
            continue
        pairs += _named_after(run.path, found) if len(runs) > 1 else found
    whole = modelled(pairs)
    return msgspec.structs.replace(whole, refused=(*refused, *whole.refused))


def series_of_record(run: Run, tests: str = "", transports: str = "") -> Pairs:
    """The series of a record that is loaded, as series_of. Raises WeftError."""
    from weft.analysis.fits.sweeps import series_of_run

    cases = [run.cases[batch.case] for batch in run.measured]
    measured = tuple(dict.fromkeys((case.test, case.transport) for case in cases))
    if not measured:
        raise WeftError(
            f"{run.path} has no measured case", f"run weft show {as_typed(run.path)} to see why"
        )
    known = tuple(dict.fromkeys(test for test, _ in measured))
    usual = (LATENCY,) if LATENCY in known else known[:1]
    chosen = choose_tests(_names(tests), known) or usual
    every = tuple(dict.fromkeys(transport for _, transport in measured))
    over = choose("transport", _names(transports), every) or every
    return [
        (
            series_of_run(run, test, transport),
            series_of_run(run, BANDWIDTH, transport)
            if test == LATENCY and (BANDWIDTH, transport) in measured
            else None,
        )
        for test, transport in measured
        if test in chosen and transport in over
    ]


def _of_platform(platform: Platform, tests: str, transports: str) -> Pairs:
    """A platform's tables of latency and of bandwidth, laid end to end; latency where both are."""
    import numpy as np

    from weft.analysis.fits.sweeps import series_of_times

    every = tuple(dict.fromkeys(series.transport for series in platform.series))
    over = choose("transport", _names(transports), every) or every
    chosen = [series for series in platform.series if series.transport in over]
    known = tuple(dict.fromkeys(series.test for series in chosen))
    if not known:
        raise WeftError(
            f"{platform.title} is published without a table",
            "run weft list platforms to choose another",
        )
    found: Pairs = []
    for test in choose_tests(_names(tests), known) or known[:1]:
        times: dict[int, float] = {}
        directions = 1
        tables = [series for series in chosen if series.test == test]
        for series in sorted(tables, key=lambda series: series.quantity != "latency"):
            directions = max(directions, series.directions)
            for point in series.points:
                moved = 1e9 * series.directions * point.bytes
                time = point.si if series.quantity == "latency" else moved / point.si
                times.setdefault(point.bytes, time)
        sizes = np.array(sorted(times), dtype=np.int64)
        column = np.array([times[int(size)] for size in sizes], dtype=np.float64)
        name = f"{platform.title}, {test}"
        notes = ("published figures, one per size",)
        found.append((series_of_times(name, sizes, column, notes, directions), None))
    return found
