"""What a record says, whole or by some of its tables, and what a published platform does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.published import with_shares
from weft.reference.library import only
from weft.sources.platforms import platform_named
from weft.sources.records import record_named
from weft.studies.links import with_link
from weft.tables import Table
from weft.topics import TOPICS, chosen, results_among, topic_called
from weft.topics.published import published_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.published import Shares
    from weft.topics.base import Results, Topic

MEMORY = "memory"


class ShownTables(msgspec.Struct, frozen=True, kw_only=True):
    """Tables, the sentences below them, and the rows as plain data: of topics by their names."""

    tables: tuple[Table, ...]
    findings: tuple[str, ...]
    plain: Any


def results_shown(record: Path, test: str = "", transport: str = "", link: str = "") -> Results:
    """All of a record, or of tests and transports with commas between. Raises WeftError."""
    return _results(record, TOPICS, test, transport, link)


def table_shown(
    record: Path, name: str, test: str = "", transport: str = "", link: str = ""
) -> ShownTables:
    """The same by the table of one topic. Raises WeftError for one that there is not."""
    own = [topic_called(name)]
    found = _shown(_results(record, own, test, transport, link), own)
    return msgspec.structs.replace(found, plain=found.plain[name])


def tables_of_records() -> tuple[str, ...]:
    """The names that table_shown takes."""
    return tuple(topic.name for topic in TOPICS)


def memory_shown(record: Path, link: str = "") -> ShownTables:
    """What buffers, registration, connections and the host bus cost in a record."""
    own = [topic for topic in TOPICS if topic.group == MEMORY]
    return _shown(_results(record, own, link=link), own)


def platform_shown(
    name: str, test: str = "", transport: str = "", link: str = ""
) -> tuple[Shares, dict[str, Any]] | None:
    """What a published platform says of tests and transports, and the same as plain data.

    None where the name is of none.
    """
    if (platform := platform_named(name)) is None:
        return None
    tests = chosen("test", test, [one.test for one in platform.series])
    transports = chosen("transport", transport, [one.transport for one in platform.series])
    kept = only(platform, tests, transports)
    shares = with_link(link, lambda known: with_shares(kept, known), published_rows)
    return shares, published_rows(shares)


def _results(
    record: Path,
    topics: Sequence[Topic[Any]],
    test: str = "",
    transport: str = "",
    link: str = "",
) -> Results:
    run = record_named(record)
    return with_link(
        link,
        lambda known: results_among(run, test, transport, known),
        lambda results: _plain(results, topics),
    )


def _plain(results: Results, topics: Sequence[Topic[Any]]) -> dict[str, list[dict[str, Any]]]:
    return {topic.name: topic.plain(results.of(topic)) for topic in topics}


def _shown(results: Results, topics: Sequence[Topic[Any]]) -> ShownTables:
    every = [(topic, results.of(topic)) for topic in topics]
    return ShownTables(
        tables=tuple(one for topic, own in every for one in results.labelled(topic.tables(own))),
        findings=tuple(line for topic in topics for line in results.findings(topic)),
        plain=_plain(results, topics),
    )
