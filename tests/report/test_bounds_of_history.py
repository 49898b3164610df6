"""Both sides of each bound of the page over time: dates, sizes, names, sentences."""

import datetime

import pytest

from weft.analysis.compare.history import CaseHistory, Course, History, Session, SessionStep
from weft.analysis.stats.ratios import Ratio
from weft.report.history import _longer, _summary, _without_step
from weft.report.history_charts import _time_axis, session_names, spread

FIRST = datetime.datetime(2026, 11, 1, 2, 3, 4, tzinfo=datetime.UTC)


def history_at(*minutes: float) -> History:
    """Sessions so many minutes after the first."""
    return History(
        sessions=tuple(
            Session(
                record=f"{at}.jsonl", machine="n1", days=after / 1440,
                measured_utc=(FIRST + datetime.timedelta(minutes=after)).isoformat(),
            )
            for at, after in enumerate(minutes)
        ),
        series=(), courses=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("last", "labels"),
    [
        (2880, ["11-01", "11-03"]),
        (2879, ["02:03", "02:02"]),
        (6, ["02:03", "02:09"]),
        (5.5, ["02:03:04", "02:08:34"]),
    ],
)
def test_a_tick_is_as_fine_as_its_sessions_are_near(last: float, labels: list[str]) -> None:
    axis = _time_axis(history_at(0, last))
    assert [text for _, text in axis.ticks or ()] == labels
    assert [at for at, _ in axis.ticks or ()] == [0, last / 1440]


def test_ticks_are_a_sixth_of_all_apart() -> None:
    minutes = (0, 1439, 1440, 1500, 2880, 8640)
    axis = _time_axis(history_at(*minutes))
    assert [round(at * 1440) for at, _ in axis.ticks or ()] == [0, 1440, 2880, 8640]
    assert axis.label == "session, UTC"


def test_sessions_of_one_minute_are_told_by_their_seconds() -> None:
    assert session_names(history_at(0, 1))[1] == "2026-11-01 02:04"
    assert session_names(history_at(0, 0.9, 3)) == [
        "2026-11-01 02:03:04", "2026-11-01 02:03:58", "2026-11-01 02:06:04",
    ]  # fmt: skip


def series_of(count: int) -> list[CaseHistory]:
    return [
        CaseHistory(
            case="c", test="t", transport="tcp", bytes=1 << at, variant="", machine="n1",
            quantity="latency", points=(),
        )
        for at in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "most", "shown"),
    [(6, 6, [0, 1, 2, 3, 4, 5]), (7, 6, [0, 1, 2, 4, 5, 6]), (11, 6, [0, 2, 4, 6, 8, 10]),
     (12, 2, [0, 11]), (1, 6, [0])],
)  # fmt: skip
def test_shown_sizes_have_both_ends(count: int, most: int, shown: list[int]) -> None:
    found = spread(series_of(count), most)
    assert [one.bytes for one in found] == [1 << at for at in shown]


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0285, "1.028 times"), (0.9994, "1.999 times"), (1.0, "2 times"), (4.678, "5.68 times")],
)
def test_how_much_longer_has_digits_that_say_something(share: float, words: str) -> None:
    assert _longer(share) == words


COURSE = Course(
    name="tcp/stream/*", machine="n1", sessions=(0, 1, 2, 3), speeds=(1.0, 1.1, 0.9, 1.0),
    scatter=0.0123, smallest=0.21,
)  # fmt: skip


def with_drift(drift: float) -> Course:
    return Course(
        name=COURSE.name, machine="n1", sessions=COURSE.sessions, speeds=COURSE.speeds,
        scatter=0.0123, smallest=0.21, drift=drift, drift_chance=0.034,
    )  # fmt: skip


def test_a_drift_rises_or_falls_by_what_it_is() -> None:
    plain = _without_step(COURSE)
    assert plain == (
        "no significant step over 4 sessions, which scatter by 1.2 %; two sessions more would be"
        " one if they took 1.210 times as long"
    )
    for drift, verb in ((0.08, "rises"), (-0.08, "falls")):
        words = f"but the time {verb} by 8.0 % from the first to the last (p = 3.4%)"
        assert _without_step(with_drift(drift)) == f"{plain}; {words}"


@pytest.mark.parametrize(
    ("steps", "words"),
    [(0, "0 of 2 curves have"), (1, "1 of 2 curves has"), (2, "2 of 2 curves have")],
)
def test_the_summary_counts_curves_with_a_step(steps: int, words: str) -> None:
    ratio = Ratio(speed=0.8, low=0.7, high=0.9, basis="sessions")
    step = SessionStep(session=1, speed=ratio, chance=0.01)
    two = SessionStep(session=2, speed=ratio, chance=0.01)
    courses = [
        Course(
            name=name, machine="n1", sessions=(0, 1), speeds=(1.0, 1.0), scatter=0.01,
            steps=(step, two) if at < steps else (),
        )
        for at, name in enumerate(("a/b/*", "a/c/*"))
    ]  # fmt: skip
    found = History(sessions=history_at(0, 5, 9).sessions, series=(), courses=tuple(courses))
    assert _summary(found) == (
        f"3 sessions, 2026-11-01 02:03 to 2026-11-01 02:12 UTC: {words} a step."
    )
