"""Checks as OpenMetrics text, as Prometheus and others read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.analysis.compare.acceptance import Checked

_OUTCOMES = ("pass", "fail", "cannot tell")
# Metric, unit, help, and what turns ns or bytes/s into the unit.
_FIGURES = (
    ("latency", "weft_latency_seconds", "seconds", "Latency of a case.", 1e-9),
    (
        "bandwidth",
        "weft_bandwidth_bytes_per_second",
        "bytes_per_second",
        "Bandwidth of a case.",
        1.0,
    ),
)


def openmetrics_text(checks: Sequence[Checked]) -> str:
    """Gauges of median, interval and bound a case, its launches, and the outcome as a state set."""
    lines: list[str] = []
    for quantity, metric, unit, words, factor in _FIGURES:
        own = [check for check in checks if check.quantity == quantity]
        lines += [f"# TYPE {metric} gauge", f"# UNIT {metric} {unit}"]
        lines.append(f"# HELP {metric} {words} value: median, low and high of 95 %, or the bound.")
        for check in own:
            for value, figure in _values(check):
                lines.append(f"{metric}{_labels(check, value=value)} {figure * factor!r}")
    lines += [
        "# TYPE weft_speed_ratio gauge",
        "# HELP weft_speed_ratio Speed over the reference's.",
    ]
    for check in (check for check in checks if check.speed is not None):
        for part in ("speed", "low", "high"):
            labels = _labels(check, value=part)
            lines.append(f"weft_speed_ratio{labels} {getattr(check.speed, part)!r}")
    lines += ["# TYPE weft_launches gauge", "# HELP weft_launches Launches behind a figure."]
    lines += [f"weft_launches{_labels(check)} {check.launches}" for check in checks]
    lines += ["# TYPE weft_check stateset", "# HELP weft_check What weft check answered."]
    for check in checks:
        for state in _OUTCOMES:
            labels = _labels(check, weft_check=state)
            lines.append(f"weft_check{labels} {int(state == check.outcome)}")
    return "\n".join([*lines, "# EOF", ""])


def _values(check: Checked) -> Iterator[tuple[str, float]]:
    if check.estimate is not None:
        yield "median", check.estimate.value
        if check.estimate.is_bounded:  # One launch has a figure and no ends.
            yield "low", check.estimate.low
            yield "high", check.estimate.high
    if check.bound is not None:
        yield "bound", check.bound


def _labels(check: Checked, **more: str) -> str:
    labels = {
        "case": check.case,
        "test": check.test,
        "transport": check.transport,
        "bytes": "" if check.bytes is None else str(check.bytes),
        "asked": check.asked,
        **more,
    }
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
