"""Which colour, marker and dash a track has: a transport's are its own on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart

# Okabe and Ito's colours, which colour-blind readers can tell apart; shape and dash differ too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", "-", "--", "-.")
PAPER = "#ffffff"
# Variants of one transport: its colour, then the colour nearer to the letters, and to the paper.
SHADES = 3
_INK, _PAPER = 0x20, 0xFF
_MIXED = (0.0, 0.45, 0.45)
# The place of each transport among the colours; others take those that are left.
TRANSPORTS = ("mpi", "tcp", "ucx", "ofi", "verbs", "rails")


def shaded(group: int, shade: int) -> str:
    """The colour of a group, or a shade of it for another variant."""
    base = COLOURS[group % len(COLOURS)]
    other = _INK if shade % SHADES == 1 else _PAPER
    share = _MIXED[shade % SHADES]
    parts = (int(base[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + share * (other - one)):02x}" for one in parts)


def places_of(transports: Sequence[str]) -> dict[str, int]:
    """The group of each transport: its own where it has one, else the first that nobody has."""
    found = {name: TRANSPORTS.index(name) for name in transports if name in TRANSPORTS}
    free = [at for at in reversed(range(len(COLOURS))) if at not in found.values()]
    for name in sorted(set(transports) - set(found)):
        found[name] = free.pop() if free else len(found)
    return found


def of_transports(chart: Chart, transports: Sequence[str]) -> Chart:
    """The chart with the colour of its transport for each track that is named after one.

    Variants of one transport are shades of its colour with markers and dashes of their own. What
    is named after none takes the groups that are left; a chart of other things stays as it is.
    """
    places = places_of(transports)
    owners = {
        track.group: name
        for track in chart.tracks
        if (name := _named_after(track.label, transports))
    }
    if not owners:
        return chart
    taken = {places[name] for name in owners.values()}
    free = [at for at in range(len(COLOURS)) if at not in taken]
    groups: dict[int, tuple[int, int]] = {}
    for track in chart.tracks:
        if track.group in groups:
            continue
        if track.group not in owners:
            groups[track.group] = (free.pop(0) if free else track.group, 0)
        else:
            place = places[owners[track.group]]
            groups[track.group] = (place, sum(own == place for own, _ in groups.values()))
    return msgspec.structs.replace(
        chart,
        tracks=tuple(
            msgspec.structs.replace(track, group=groups[track.group][0],
                                    shade=groups[track.group][1])
            for track in chart.tracks
        ),
        marks=tuple(
            msgspec.structs.replace(mark, group=groups.get(mark.group, (mark.group, 0))[0])
            for mark in chart.marks
        ),
    )  # fmt: skip


def _named_after(label: str, transports: Sequence[str]) -> str:
    """The transport that a label begins with: "tcp q16", "tcp/ping_pong", "tcp, 8 B"."""
    first = label.replace("/", " ").replace(",", " ").split(" ")[0]
    return first if first in transports else ""
