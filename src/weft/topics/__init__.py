"""The topics: what a user asks of a record. This is their only list.

In the order in which they are shown; the first ones are the first to have room on a screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.summary import summarise
from weft.colours import of_transports
from weft.errors import WeftError
from weft.names import choose
from weft.topics.availability import CpuAvailability
from weft.topics.base import Results, Topic
from weft.topics.bus import HostBus
from weft.topics.completion import CompletionModes
from weft.topics.compute_loop import ComputeLoop
from weft.topics.connecting import ConnectingRanks
from weft.topics.drift import Drift
from weft.topics.exchange import Exchange
from weft.topics.hot_spots import HotSpots
from weft.topics.message_rate import MessageRate
from weft.topics.network_counters import NetworkCounters
from weft.topics.offered_load import OfferedLoad
from weft.topics.osu_paper import OsuPaper
from weft.topics.overhead import HostOverheads
from weft.topics.overlap import OverlapOfWork
from weft.topics.pages import Pages
from weft.topics.pair_map import PairMap
from weft.topics.queue_depth import QueueDepths
from weft.topics.rails import Rails
from weft.topics.registration import RegisteringMemory
from weft.topics.reuse import BufferReuse
from weft.topics.scaling import Scaling
from weft.topics.settings import SettingsBeside
from weft.topics.sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.analysis.diagnosis.measured import FabricOf
    from weft.analysis.summary import CaseSummary
    from weft.charts import Chart
    from weft.fabric.peaks import Link
    from weft.record.run import Run

TOPICS: tuple[Topic[Any], ...] = (
    OsuPaper(),
    SettingsBeside(),
    Sizes(),
    QueueDepths(),
    HostOverheads(),
    OverlapOfWork(),
    CpuAvailability(),
    ComputeLoop(),
    CompletionModes(),
    HotSpots(),
    MessageRate(),
    OfferedLoad(),
    Scaling(),
    PairMap(),
    Exchange(),
    BufferReuse(),
    RegisteringMemory(),
    ConnectingRanks(),
    HostBus(),
    Pages(),
    Rails(),
    Drift(),
    NetworkCounters(),
)


def results_of(
    run: Run,
    summaries: Sequence[CaseSummary],
    link: Link | None = None,
    name: str = "",
    fabric_of: FabricOf | None = None,
) -> Results:
    """A record's results, for every output; `link` is what a user says the traffic went over, and
    `name` tells it from others where its file's does not. `fabric_of` has a map's topology."""
    return Results(run, summaries, TOPICS, link, name, fabric_of)


def results_among(
    run: Run,
    tests: str = "",
    transports: str = "",
    link: Link | None = None,
    fabric_of: FabricOf | None = None,
) -> Results:
    """The results of the cases of these tests and transports, names with commas; empty: of all.

    Raises WeftError for one that the record does not have.
    """
    rows = summarise(run, link)
    wanted = (
        chosen("test", tests, [row.test for row in rows]),
        chosen("transport", transports, [row.transport for row in rows]),
    )
    kept = [row for row in rows if row.test in wanted[0] and row.transport in wanted[1]]
    shown = run.only({row.case for row in kept}) if tests or transports else run
    return results_of(shown, kept, link, fabric_of=fabric_of)


def chosen(kind: str, asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of a text with commas between, or all there are. Raises WeftError for others."""
    there = tuple(dict.fromkeys(names))
    return choose(kind, [name for name in asked.split(",") if name], there) or there


def topic_called(name: str) -> Topic[Any]:
    """The topic of a name. Raises WeftError where there is none."""
    for topic in TOPICS:
        if topic.name == name:
            return topic
    names = ", ".join(topic.name for topic in TOPICS)
    raise WeftError(f"there is no table {name}", f"choose one of {names}")


def charts_of(records: Sequence[Results]) -> list[Chart]:
    """All charts of one record or several."""
    return [chart for topic in TOPICS for chart in charts_of_topic(topic, records)]


def charts_of_topic(topic: Topic[Any], records: Sequence[Results]) -> list[Chart]:
    """A topic's charts of one record or several, but for records that another topic lays out."""
    drawn = [(one.name, one.of(topic)) for one in records if one.draws(topic)]
    labels = dict.fromkeys(
        platform.label for one in records if (platform := one.run.header.plan.simulated)
    )
    words = f" ({'; '.join(labels)})" if labels else ""
    names = tuple(dict.fromkeys(case.transport for one in records for case in one.summaries))
    return [
        msgspec.structs.replace(of_transports(chart, names), title=chart.title + words)
        for chart in (topic.overlaid(drawn) if drawn else [])
    ]
