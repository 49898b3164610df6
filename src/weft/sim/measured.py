"""A simulated platform from a record: what was measured on a few nodes, and how well it predicts.

Every other size makes a model that predicts those between them; `ping_pong` alone predicts
`sendrecv`, and the link that it found the streams and hot spots of the largest size. Then all sizes
make the platform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.plan.simulated import SimulatedPlatform
from weft.record.run import load
from weft.sim.calibrate import Times, model_of, table_of
from weft.sim.crossbar import at_crossbar
from weft.sim.protocols import Protocols
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weft.analysis.summary import CaseSummary
    from weft.sim.platforms import Calibrated

# So many sizes leave enough for two lines when every other one is held out.
_FEWEST_TO_HOLD_OUT = 8
# Tests whose bandwidth of a large message is that of one link.
_OF_ONE_LINK = ("stream", "hot_spot_receive", "hot_spot_send")


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that was measured and did not take part in what predicts it.

    Both are ns, or bytes/s with `is_rate`.
    """

    what: str
    by: str
    bytes: int
    measured: float
    predicted: float
    is_rate: bool = False

    @property
    def error_percent(self) -> float:
        """Above 0 the predicted one is larger."""
        return 100 * (self.predicted / self.measured - 1)


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A platform from a record, its protocols, and what they predicted."""

    platform: SimulatedPlatform
    protocols: Protocols
    held_out: tuple[HeldOut, ...]


def calibrated_from(path: Path, transport: str, kind: Calibrated, nodes: int) -> Measured:
    """A platform of so many nodes at one crossbar. Raises WeftError for a record without sizes."""
    run = load(path)
    summaries = [one for one in summarise(run) if one.status == "ok"]
    over = tuple(dict.fromkeys(one.transport for one in summaries if one.test == "ping_pong"))
    if not over or (transport and transport not in over):
        what = f" over {transport}" if transport else ""
        raise WeftError(
            f"{path} has no ping_pong{what}", "measure it: weft run ping_pong sendrecv stream"
        )
    if len(over) > 1 and not transport:
        raise WeftError(
            f"{path} has ping_pong over {', '.join(over)}", f"type --transport {over[0]}"
        )
    chosen = transport or over[0]
    own = [one for one in summaries if one.transport == chosen]
    times = Times(ping_pong=_times(own, "ping_pong"), sendrecv=_times(own, "sendrecv"))
    protocols = model_of(times) if kind == "model" else table_of(times)
    stem = path.name.removesuffix(".zst").removesuffix(".jsonl")
    measured_on = run.header.plan.simulated.label if run.header.plan.simulated else "measured"
    named = SimulatedPlatform(
        name=stem, kind=kind, nodes=nodes, origin=f"{path.name} over {chosen}, {measured_on}"
    )
    return Measured(
        platform=at_crossbar(named, protocols, f"calibrated from {path.name} over {chosen}"),
        protocols=protocols,
        held_out=(*_other_sizes(times), *_other_tests(times, own)),
    )


def held_out_table(found: Measured) -> Table:
    """What was held out beside what was predicted, and the mean of the errors."""
    rows = []
    for one in found.held_out:
        shape = format_bandwidth if one.is_rate else format_time
        rows.append(
            (
                one.what,
                format_bytes(one.bytes),
                shape(one.measured),
                shape(one.predicted),
                f"{one.error_percent:+.1f} %",
                one.by,
            )
        )
    errors = [abs(one.error_percent) for one in found.held_out]
    mean = f"mean of the errors {sum(errors) / len(errors):.1f} %" if errors else ""
    few = f"fewer than {_FEWEST_TO_HOLD_OUT} sizes of ping_pong: none was held out"
    sizes = any(one.by == "other sizes" for one in found.held_out)
    return Table(
        name="held_out",
        caption=f"{found.platform.name}: what was held out, measured and predicted",
        head=("", "size", "measured", "predicted", "error", "by"),
        rows=tuple(rows),
        notes=tuple(note for note in (mean, "" if sizes else few) if note),
        left=(0, 5),
    )


def _times(summaries: Sequence[CaseSummary], test: str) -> dict[int, float]:
    """The latencies of two ranks by size, ns; of several variants of a size the first."""
    found: dict[int, float] = {}
    for one in summaries:
        if one.test == test and one.latency_ns is not None and one.ranks == 2:
            found.setdefault(one.bytes, one.latency_ns.value)
    return found


def _other_sizes(times: Times) -> list[HeldOut]:
    """Every other size, by a model of those that are left; the smallest and largest stay in it."""
    sizes = sorted(times.ping_pong)
    if len(sizes) < _FEWEST_TO_HOLD_OUT:
        return []
    out = set(sizes[1:-1:2])
    try:
        model = model_of(
            Times(ping_pong=_without(times.ping_pong, out), sendrecv=_without(times.sendrecv, out))
        )
    except WeftError:
        return []
    tests = (
        ("ping_pong", times.ping_pong, model.ping_pong_ns),
        ("sendrecv", times.sendrecv, model.sendrecv_ns),
    )
    return [
        HeldOut(
            what=test, by="other sizes", bytes=size, measured=own[size], predicted=predict(size)
        )
        for test, own, predict in tests
        for size in sorted(out & set(own))
    ]


def _other_tests(times: Times, summaries: Sequence[CaseSummary]) -> list[HeldOut]:
    """Other tests by a model of ping_pong alone."""
    model = model_of(Times(ping_pong=times.ping_pong))
    found = [
        HeldOut(
            what="sendrecv",
            by="ping_pong",
            bytes=size,
            measured=time,
            predicted=model.ping_pong_ns(size),
        )
        for size, time in sorted(times.sendrecv.items())
    ]
    for test in _OF_ONE_LINK:
        own = [one for one in summaries if one.test == test and one.bandwidth_bytes_per_s]
        if not own:
            continue
        largest = max(own, key=lambda one: one.bytes)
        rate = largest.bandwidth_bytes_per_s
        if rate is not None and largest.bytes >= max(model.eager_below_bytes, 1 << 16):
            found.append(
                HeldOut(
                    what=test,
                    by="ping_pong",
                    bytes=largest.bytes,
                    measured=rate.value,
                    predicted=model.bandwidth_bytes_per_s,
                    is_rate=True,
                )
            )
    return found


def _without(times: Mapping[int, float], out: set[int]) -> dict[int, float]:
    return {size: time for size, time in times.items() if size not in out}
