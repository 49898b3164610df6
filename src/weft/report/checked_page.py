"""A check as one HTML page: the answer first, then every figure beside what is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.ratios import estimate_of, ratio_in_words
from weft.charts import (
    Chart,
    ChartAxis,
    ChartPoint,
    Mark,
    axis_over_sizes,
    axis_place,
    chart_of,
    track_of,
)
from weft.colours import of_transports
from weft.large import LargeFigure, parted
from weft.outputs import write_output
from weft.report.checked import ORDER, counts_in_words, folded_checks
from weft.report.curve_cards import cards_of_curves
from weft.report.html import Fold, Page, Section, Verdict, render
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_ratio, format_time
from weft.wording import counted, over, said_once, with_ends, with_half

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.compare.acceptance import Checked, Outcome
    from weft.report.html import Card

_WORDS = {"pass": "Pass.", "fail": "Fail.", "cannot tell": "Cannot tell."}
_MOODS = {"pass": "good", "fail": "bad", "cannot tell": "open"}
# What did not pass has a line each, up to so many.
MOST_LINES = 12
_OVER_REFERENCE = "Times as fast as the reference; from the line at {:.3g} on it passes."
_OVER_LIMIT = "How many times as good as its limit; from the line at 1 on it passes."


def write_checks(
    checks: Sequence[Checked],
    outcome: Outcome,
    path: Path,
    *,
    names: tuple[str, str],
    required: float | None,
    unlike: Sequence[str] = (),
    notes: Sequence[str] = (),
    measured: Sequence[str] = (),
    command: str = "",
) -> None:
    """Write the page of a check of the records `names[0]` against `names[1]`.

    `required` is the ratio of speeds that passes, None against limits; `measured` says of each side
    on what, when and how much it was; `command` made the page.
    Raises WeftError where it cannot be written.
    """
    first, *others = notes or ("",)
    page = Page(
        title=f"weft: {outcome}, {names[0]} against {names[1]}",
        heading=f"{names[0]} against {names[1]}",
        kind="weft check",
        facts=tuple(measured),
        cards=_cards(checks),
        commands=(command,) if command else (),
        verdicts=(
            Verdict(
                word=_WORDS[outcome],
                sentence=f"{counts_in_words(checks)}.",
                mood=_MOODS[outcome],
                then=first,
            ),
        ),
        sections=(
            _answers(checks),
            Section(name="curves", title="Beside what is asked", charts=_charts(checks, required)),
            Section(name="figures", title="Every check", tables=(_table(checks),)),
            _noted("notes", "What the answers rest on", "note", others),
            _noted("unlike", "Unlike the reference", "condition", unlike),
        ),
    )
    write_output(path, render(page))


def _cards(checks: Sequence[Checked]) -> tuple[Card, ...]:
    """A card a transport: how each of its curves compares to the reference; none of limits."""
    figures = []
    for one in checks:
        if one.bytes is None and one.speed is not None:
            value, interval = parted(estimate_of(one.speed), format_ratio, with_ends)
            what, below = f"{one.test}, times as fast", f"{interval} {one.outcome}".lstrip()
            figures.append(LargeFigure(one.transport, _variant(one), what, value, below))
    return cards_of_curves(figures, tuple(dict.fromkeys(check.transport for check in checks)))


def _answers(checks: Sequence[Checked]) -> Section:
    """What did not pass in a line each, and what did folded."""
    own, _ = folded_checks(checks)
    bad = [check for check in own if check.outcome != "pass"]
    lines = tuple(f"{one.outcome}: {one.case}: {one.why}" for one in bad)
    more = lines[MOST_LINES:]
    passed = [check for check in checks if check.outcome == "pass"]
    folds = (
        [Fold(line=f"{counted(len(more), 'more check')} that did not pass", sentences=more)]
        if more
        else []
    )
    if passed:
        folds.append(
            Fold(
                line=f"{counted(len(passed), 'check')} passed",
                sentences=tuple(f"{one.case}: {one.why}" for one in passed),
            )
        )
    return Section(name="answers", title="Answers", findings=lines[:MOST_LINES], folds=tuple(folds))


def _noted(name: str, title: str, what: str, lines: Sequence[str]) -> Section:
    said = tuple(said_once(lines))
    folds = (Fold(line=counted(len(said), what), sentences=said),) if said else ()
    return Section(name=name, title=title, folds=folds)


def _charts(checks: Sequence[Checked], required: float | None) -> tuple[Chart, ...]:
    """A chart a test: its sizes beside what passes, a track a transport."""
    charts = []
    for test in dict.fromkeys(check.test for check in checks):
        curves: dict[str, list[tuple[int, ChartPoint]]] = {}
        for check in checks:
            point = _point(check, is_limit=required is None) if check.test == test else None
            if point is not None and check.bytes is not None:
                curves.setdefault(_curve(check), []).append((check.bytes, point))
        if curves:
            charts.append(_chart(test, curves, required))
    transports = tuple(dict.fromkeys(check.transport for check in checks))
    return tuple(of_transports(chart, transports) for chart in charts)


def _curve(check: Checked) -> str:
    """Where a size belongs: its transport, and the options of its case."""
    return over(check.transport, _variant(check))


def _variant(check: Checked) -> str:
    return "/".join(check.case.split("/")[3:])


def _chart(
    test: str, curves: dict[str, list[tuple[int, ChartPoint]]], required: float | None
) -> Chart:
    sizes = [size for own in curves.values() for size, _ in own]
    passes = 1.0 if required is None else required
    return chart_of(
        f"check-{test}",
        test,
        axis_over_sizes(sizes),
        ChartAxis("speed ratio" if required else "times as good as the limit"),
        (
            track_of(name, (point for _, point in sorted(own)), group)
            for group, (name, own) in enumerate(curves.items())
        ),
        marks=(Mark(axis="y", at=passes, text="", group=3),),
        note=_OVER_REFERENCE.format(passes) if required else _OVER_LIMIT,
    )


def _point(check: Checked, *, is_limit: bool) -> ChartPoint | None:
    """A check's figure over what is asked of it, faster being more; None where there is none."""
    x = axis_place(check.bytes or 0)
    text = f"{format_bytes(check.bytes or 0)}: {check.outcome}"
    if not is_limit:
        speed = check.speed
        return ChartPoint(x, speed.speed, speed.low, speed.high, text) if speed else None
    figure, bound = check.estimate, check.bound
    if figure is None or not bound or min(figure.value, figure.low) <= 0:
        return None
    value, low, high = (one / bound for one in (figure.value, figure.low, figure.high))
    if check.quantity == "latency":
        value, low, high = 1 / value, 1 / high, 1 / low
    return ChartPoint(x, value, low, high, text)


def _table(checks: Sequence[Checked]) -> Table:
    """A row a check; what all are asked stands above them once."""
    rows = sorted(checks, key=lambda check: ORDER.index(check.outcome))
    asked = list(dict.fromkeys(check.asked for check in checks))
    own = ["asked"] if len(asked) > 1 else []
    return Table(
        name="checks",
        caption="What did not pass first" if own else f"What did not pass first; asked: {asked[0]}",
        head=("case", "answer", "figure", *own, "launches"),
        rows=tuple(
            (
                one.case,
                one.outcome,
                _figure(one),
                *([one.asked] if own else []),
                str(one.launches or "-"),
            )
            for one in rows
        ),
        left=(0, 1),
    )


def _figure(check: Checked) -> str:
    """The ratio to the reference, or the figure that is held against a limit."""
    if check.speed is not None:
        return f"{ratio_in_words(check.speed)} times as fast"
    shape = format_time if check.quantity == "latency" else format_bandwidth
    return with_half(check.estimate, shape) if check.estimate else "none"
