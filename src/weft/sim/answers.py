"""Variants of a fabric side by side: what a buyer asks of predictions. Pure."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.stats.error_bound import SHARE, bounds_further
from weft.sim.assumptions import AssumedPart
from weft.sim.fidelity import point_errors, predicted_ns
from weft.sim.platforms import check_kind, protocols_of
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_change, format_time
from weft.wording import between, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.simulated import SimulatedPlatform
    from weft.reference.library import Platform

# The columns of a table of predictions; one without any cell is left out.
OVER_RANKS = "ranks"
ASSUMED = "assumed"
_HEAD = ("case", "fabric", "figure", OVER_RANKS, "by the calibration", ASSUMED, "slower")
# A table shows an assumption that makes more than this share of a value.
SHOWN_SHARE = 0.1
# A published table is of two nodes at one switch.
PUBLISHED_NODES = 2


class PredictedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """What a case takes, ns, or moves, bytes/s (`is_rate`), in messages up to a size.

    `bytes` is the size that was asked for. A mean of several places or draws has the range in which
    90 % of them are, `low` to `high`, and how often was drawn. `mean_ns` and `slowest_ns` are over
    the ranks, if the test keeps every rank's times: the value of a collective operation is the
    mean, and that of an exchange or an iteration `is_of_slowest`. `shares` are the parts of the
    time that assumptions make; with them at the ends of their ranges the value is `least` to
    `most`.
    """

    case: str
    value: float
    is_rate: bool = False
    bytes: int = 0
    largest_bytes: int = 0
    low: float | None = None
    high: float | None = None
    draws: int = 0
    mean_ns: float | None = None
    slowest_ns: float | None = None
    is_of_slowest: bool = False
    shares: dict[AssumedPart, float] = {}
    least: float | None = None
    most: float | None = None


class AssumedFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a fabric with other assumed times, ns."""

    assumed_ns: dict[AssumedPart, float]
    figures: tuple[PredictedFigure, ...]


class PredictedFabric(msgspec.Struct, frozen=True, kw_only=True):
    """A variant with its figures, and the record that they are in.

    `moved` are the same figures with the platform moved within the calibration's errors, in the
    same order of moves for every variant; empty if they were not simulated. `assumed` has the
    figures with assumed times at the ends of their ranges.
    """

    variant: str
    nodes: int
    switches: int
    figures: tuple[PredictedFigure, ...]
    moved: tuple[tuple[PredictedFigure, ...], ...] = ()
    assumed: tuple[AssumedFigures, ...] = ()
    algorithm: str = ""
    record: str = ""


class Certainty(msgspec.Struct, frozen=True, kw_only=True):
    """How far a calibrated platform is from what it was held to, as fractions, and up to where.

    That is `of` published figures, or those of a record that were held out. `fixed` and `byte` are
    the errors where most of a time is of no byte, and of the bytes: of published figures the worst
    ones, of the model over the figure. Of held-out ones it is the factor, less one, within which a
    further one is either way, and so is `further` of all; 0 in a file that does not have it.
    """

    mean: float
    worst: float
    fixed: float = 0.0
    byte: float = 0.0
    further: float = 0.0
    points: int
    largest_bytes: int
    of: Literal["published", "held-out"] = "published"

    def ends(self, error: float) -> tuple[float, float]:
        """How many times a predicted time the true one is, at least and at most, by an error."""
        if self.further:
            return 1 / (1 + error), 1 + error
        return 1 / (1 + error), 1 / (1 - min(error, 0.99))

    @property
    def outer(self) -> tuple[float, float]:
        """The same of any figure, whatever most of its time is."""
        return self.ends(self.further or self.worst)


# A certainty as the file of a platform carries it, of those that weft wrote.
CERTAINTY = "weft-certainty"


def certainty_in(platform: SimulatedPlatform) -> Certainty | None:
    """What the file of a platform says of its errors; None where it says nothing."""
    for prop in ET.fromstring(platform.xml).iter("prop"):  # noqa: S314 - the user's own file
        if prop.get("id") == CERTAINTY:
            try:
                return msgspec.json.decode(prop.get("value", ""), type=Certainty)
            except msgspec.DecodeError:
                return None
    return None


class Slower(msgspec.Struct, frozen=True, kw_only=True):
    """By which fraction a fabric is slower than the first, and from where to where that may be.

    The ends are those over all moves of the platform; None where none was simulated.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether it has an interval."""
        return self.low is not None and self.high is not None


def certainty_of(published: Platform, kind: str) -> Certainty | None:
    """Over all its published tables; None where it has none."""
    protocols = protocols_of(published, check_kind(kind))
    time_of, fixed_of = predicted_ns(protocols), predicted_ns(protocols.without_bytes())
    errors = point_errors(published, time_of)
    if not errors:
        return None

    def worst(*, of_bytes: bool) -> float:
        return max(
            (
                one.fraction
                for one in errors
                if (2 * (fixed_of(one.test, one.bytes) or 0.0) < one.time_ns) == of_bytes
            ),
            default=max(one.fraction for one in errors),
        )

    return Certainty(
        mean=sum(one.fraction for one in errors) / len(errors),
        worst=max(one.fraction for one in errors),
        fixed=worst(of_bytes=False),
        byte=worst(of_bytes=True),
        points=len(errors),
        largest_bytes=max(point.bytes for one in published.series for point in one.points),
    )


def slower(first: PredictedFigure, other: PredictedFigure) -> float:
    """By which fraction the other is slower than the first: below 0 it is faster."""
    if first.is_rate:
        return first.value / other.value - 1
    return other.value / first.value - 1


def slower_within(first: PredictedFabric, other: PredictedFabric, at: int) -> Slower:
    """Of the figure at a place, with both fabrics moved alike: the calibration's error is common.

    The interval is the envelope over the moves and the unmoved platform: a bound for parameters
    that are off by their worst errors, and no interval of confidence. Assumptions widen it by the
    factors of their own envelope.
    """
    value = slower(first.figures[at], other.figures[at])
    if not (first.moved and other.moved):
        return Slower(value=value)
    pairs = zip(first.moved, other.moved, strict=True)
    found = [value, *(slower(one[at], two[at]) for one, two in pairs)]
    of_assumed = zip(first.assumed, other.assumed, strict=True)
    ends = [value, *(slower(one.figures[at], two.figures[at]) for one, two in of_assumed)]
    low, high = (
        (1 + calibrated) * (1 + assumed) / (1 + value) - 1
        for calibrated, assumed in ((min(found), min(ends)), (max(found), max(ends)))
    )
    return Slower(value=value, low=low, high=high)


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """The variants that are slower than the first by at most a limit, by more, and it is not known.

    A variant is within where all its figures surely are, and not where one surely is not; of one
    without intervals nothing is known, but the first is itself.
    """

    within: tuple[str, ...]
    beyond: tuple[str, ...]
    unknown: tuple[str, ...]
    has_intervals: bool


def within(answers: Sequence[PredictedFabric], limit: float) -> Within:
    """Each variant against the limit, as a fraction."""
    first, *others = answers
    kinds: dict[str, list[str]] = {"within": [first.variant], "beyond": [], "unknown": []}
    for one in others:
        found = [slower_within(first, one, at) for at in range(len(first.figures))]
        if any(each.low is not None and each.low > limit for each in found):
            kinds["beyond"].append(one.variant)
        elif all(each.high is not None and each.high <= limit for each in found):
            kinds["within"].append(one.variant)
        else:
            kinds["unknown"].append(one.variant)
    return Within(
        within=tuple(kinds["within"]),
        beyond=tuple(kinds["beyond"]),
        unknown=tuple(kinds["unknown"]),
        has_intervals=all(one.moved for one in answers),
    )


def _end(end: float | None, otherwise: float) -> float:
    return otherwise if end is None else end


def answers_table(
    base: SimulatedPlatform,
    answers: Sequence[PredictedFabric],
    certainty: Certainty | None,
    limit: float | None = None,
    memory: Certainty | None = None,
) -> Table:
    """Each case with each variant: its figure, the interval of the calibration, the difference.

    `memory` is how far the platform is known whose memory the ranks of a node share.
    """
    columns: dict[str, list[str]] = {head: [] for head in _HEAD}
    for at in range(len(answers[0].figures)):
        for one in answers:
            figure = one.figures[at]
            more = "" if one is answers[0] else in_percent(slower_within(answers[0], one, at))
            interval = _interval(figure, certainty, memory)
            assumed = shares_in_words(figure)
            row = (
                figure.case, one.variant, _shown(figure), _over_ranks(figure), interval, assumed,
                more,
            )  # fmt: skip
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
    head = [name for name, cells in columns.items() if any(cells)]
    notes = [*notes_of(base, answers, certainty)]
    if limit is not None:
        notes.insert(0, limits_in_words(answers, limit))
    return Table(
        name="predicted",
        caption=f"Predicted on {counted(answers[0].nodes, 'node')} with links and hosts of"
        f" {base.name}:"
        " simulated, not measured",
        head=tuple(head),
        rows=tuple(zip(*(columns[name] for name in head), strict=True)),
        notes=tuple(notes),
        left=(0, 1),
    )


def shares_in_words(figure: PredictedFigure) -> str:
    """Assumptions that make much of a figure: "adder 91 %"."""
    return ", ".join(
        f"{part} {100 * share:.0f} %"
        for part, share in figure.shares.items()
        if share > SHOWN_SHARE
    )


def _over_ranks(figure: PredictedFigure) -> str:
    """The mean over the ranks if the value is the slowest, and the slowest otherwise."""
    if figure.mean_ns is None or figure.slowest_ns is None:
        return ""
    if figure.is_of_slowest:
        return f"mean {format_time(figure.mean_ns)}"
    return f"slowest {format_time(figure.slowest_ns)}"


def in_percent(one: Slower) -> str:
    """With its interval: "+14.4 % [+11.0, +18.2]"."""
    if one.low is None or one.high is None:
        return format_change(100 * one.value)
    return between(format_change(100 * one.value), 100 * one.low, 100 * one.high, format_change)


def limits_in_words(answers: Sequence[PredictedFabric], limit: float) -> str:
    """Which variants are within a limit of the first, which are not, and of which it is unknown."""
    found, first = within(answers, limit), answers[0].variant
    kinds = (
        (f"within {100 * limit:g} % of {first}", found.within),
        ("not within", found.beyond),
        ("not known", found.unknown),
    )
    words = "; ".join(f"{what}: {', '.join(names)}" for what, names in kinds if names)
    return words if found.has_intervals else f"{words} (no difference has an interval)"


def _shown(figure: PredictedFigure) -> str:
    shape = format_bandwidth if figure.is_rate else format_time
    return shape(figure.value)


def _interval(
    figure: PredictedFigure, certainty: Certainty | None, memory: Certainty | None
) -> str:
    """What a figure may be where the links, and what ranks of a node share, are as far off as they
    may be: a time is a sum of parts of both, so it is off by no more than the worse of them. The
    ends of assumptions change both ends of a range of places by their factors."""
    ends = [
        _end(figure.low, figure.value) * _end(figure.least, figure.value) / figure.value,
        _end(figure.high, figure.value) * _end(figure.most, figure.value) / figure.value,
    ]
    if certainty is None:
        return "not known" if figure.low is None else _range(figure, ends)
    lows, highs = zip(*(one.outer for one in (certainty, memory) if one is not None), strict=True)
    return _range(figure, [ends[0] * min(lows), ends[1] * max(highs)])


def _range(figure: PredictedFigure, ends: Sequence[float]) -> str:
    low, high = (_shown(msgspec.structs.replace(figure, value=end)) for end in ends)
    return f"{low} to {high}"


def _of_ranges(answers: Sequence[PredictedFabric]) -> str:
    """What is in the interval beside the calibration's error; empty where nothing is."""
    figures = [figure for one in answers for figure in one.figures if figure.low is not None]
    if not figures:
        return ""
    drawn = sorted({figure.draws for figure in figures if figure.draws})
    draws = f"; pairs were drawn {drawn[0]} times" if drawn else ""
    return f"means over where ranks are: 90 % of these places are in the interval{draws}"


def notes_of(
    base: SimulatedPlatform,
    answers: Sequence[PredictedFabric],
    certainty: Certainty | None,
    of_figures: str = "the interval is of the most",
) -> list[str]:
    """How far to believe the figures, and what is extrapolated; `of_figures` is on a table's."""
    if certainty is None:
        known = f"how far {base.name} is from a real platform is not known: nothing is published"
        known += " of it point by point, and no record held anything out"
    else:
        known = (
            f"the model misses {counted(certainty.points, f'{certainty.of} figure')} by"
            f" {100 * certainty.mean:.1f} % on average and {100 * certainty.worst:.1f} % at most;"
            f" {_of_further(certainty) or of_figures}"
        )
        known += _of_differences(answers, certainty)
    # Behind its source stand what was assumed of a platform, cautions, and what somebody typed.
    _, _, aside = base.origin.partition("; ")
    nodes = max(one.nodes for one in answers)
    switches = max(one.switches for one in answers)
    beyond = []
    if nodes > PUBLISHED_NODES:
        beyond.append(f"{counted(nodes, 'node')} ({PUBLISHED_NODES} were calibrated)")
    if switches > 1:
        beyond.append(f"{counted(switches, 'switch')} on a way (1 was)")
    largest = max((one.largest_bytes for each in answers for one in each.figures), default=0)
    if certainty and largest > certainty.largest_bytes:
        beyond.append(
            f"messages of {format_bytes(largest)} ({format_bytes(certainty.largest_bytes)} were)"
        )
    extrapolated = f"extrapolated: {', '.join(beyond)}" if beyond else ""
    return [line for line in (known, _of_ranges(answers), aside, extrapolated) if line]


def _of_further(certainty: Certainty) -> str:
    """What the interval is of, where the figures were held out; else empty."""
    if not certainty.further:
        return ""
    who = "all" if not bounds_further(certainty.points) else f"{100 * SHARE:.0f} % of further ones"
    return f"{who} are within a factor of {1 + certainty.further:.2f}, and the interval is of that"


def _of_differences(answers: Sequence[PredictedFabric], certainty: Certainty) -> str:
    if len(answers) == 1:
        return ""
    if not all(one.moved for one in answers):
        return ", and differences share that error: they have no interval here"
    return (
        "; that of a difference is how far it goes when all fabrics' latencies are moved by"
        f" {100 * certainty.fixed:.1f} % and their times of a byte by {100 * certainty.byte:.1f} %,"
        f" what the model misses {'so often' if certainty.further else 'most'} where either counts"
        " most"
    )
