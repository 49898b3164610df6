"""The page and the tables of sessions over time: what a reader finds there."""

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from support.builders import lost_batch, make_cases
from support.drawn import page_plots, page_tables
from support.nights import EVEN, NIGHT_CASES, night, nights
from weft.analysis.compare.history import History, history
from weft.colours import TRANSPORTS
from weft.record.run import Run
from weft.report.history import _cards, history_tables, write_history
from weft.report.history_charts import MOST_CHARTS, history_charts
from weft.sources.limits import read_limits
from weft.units import format_bytes


def printed(found: History) -> str:
    output = io.StringIO()
    Console(file=output, width=100).print(history_tables(found))
    return output.getvalue()


def a_slow_week(folder: Path) -> History:
    """Six even nights, then four at 0.8 of the speed and with another kernel; one fails."""
    limits = folder / "limits.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "1.1 us"\n')
    lost = [lost_batch(NIGHT_CASES[0], 4, 90, "failed", "byte 3 differs")]
    runs = [
        night(
            folder, day, even * (1.25 if day >= 6 else 1.0),
            kernel="6.1.9" if day >= 6 else "6.1.0", more=lost if day == 2 else (),
        )
        for day, even in enumerate(EVEN)
    ]  # fmt: skip
    return history(runs, read_limits(limits))


def test_the_sentence_of_a_step_has_date_interval_and_what_else_changed(tmp_path: Path) -> None:
    text = " ".join(printed(a_slow_week(tmp_path)).split())
    assert "tcp/ping_pong/*: 0.80" in text
    assert (
        "times as fast from 2026-11-07 02:00 on; what else changed then: kernel 6.1.0 then, 6.1.9"
        " now tcp/stream/*: 0.80"
    ) in text
    assert text.endswith(
        "10 sessions, 2026-11-01 02:00 to 2026-11-10 02:00 UTC: 2 of 2 curves have a step."
    )


def test_without_a_step_it_says_so_and_what_would_be_one(tmp_path: Path) -> None:
    text = " ".join(printed(history(nights(tmp_path, EVEN))).split())
    assert (
        "tcp/ping_pong/*; tcp/stream/*: no significant step over 10 sessions, which scatter by"
        " 0.5 %; a step to 1.032 times as long in the middle is found in 80 % of cases, and two"
        " sessions more would be one if they took 1.030 times as long"
    ) in text
    assert text.endswith("0 of 2 curves have a step.")
    few = printed(history(nights(tmp_path / "few", EVEN[:2])))
    assert "2 sessions; steps are looked for from 4 sessions on" in few
    assert few.endswith("2026-11-02 02:00 UTC: steps are looked for from 4 sessions on.\n")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("count", "word"), [(10, "No step."), (2, "Too few sessions.")])
def test_where_nobody_could_look_for_a_step_the_page_does_not_say_that_there_is_none(
    tmp_path: Path, count: int, word: str
) -> None:
    write_history(history(nights(tmp_path, EVEN[:count])), tmp_path / "t.html")
    mood = "good" if count > 2 else "open"
    text = " ".join((tmp_path / "t.html").read_text().split())
    assert f'<div class="verdict {mood}"> <p><strong>{word}</strong>' in text


def test_a_transport_has_one_colour_in_all_charts_whatever_was_measured(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), (8, 65536))
    found = history_charts(history([night(tmp_path, day, cases=cases) for day in (0, 1)]))
    assert (len(found.speeds), len(found.noticed), len(found.others)) == (1, 0, len(cases))
    for chart in (*found.speeds, *found.others):
        for track in chart.tracks:
            assert track.group == TRANSPORTS.index(track.label.partition("/")[0])
    shades = {track.label: track.shade for track in found.speeds[0].tracks}
    assert shades["tcp/ping_pong/*"] != shades["tcp/stream/*"]


def test_every_session_has_its_row_with_answer_speed_and_figures(tmp_path: Path) -> None:
    lines = printed(a_slow_week(tmp_path)).splitlines()
    assert lines[0] == "tcp/ping_pong/*: latency"
    assert lines[1].split() == ["session", "answer", "speed", "8", "B", "64", "KiB"]
    rows = {line[:10]: line.split()[2:] for line in lines[2:12]}
    assert rows["2026-11-01"][0] == "pass"
    assert rows["2026-11-01"][2:6] == ["1.00", "µs", "±0.4%", "4.29"]
    # The night whose bytes were wrong has a row, and no figure at that size.
    assert rows["2026-11-03"][0] == "fail"
    assert rows["2026-11-03"][2] == "failed"
    assert rows["2026-11-09"][0] == "fail"
    assert rows["2026-11-09"][2:4] == ["1.24", "µs"]


def test_a_session_fails_only_on_the_curves_whose_limits_it_misses(tmp_path: Path) -> None:
    """A limit for ping_pong at 8 B alone stood as "fail" on the stream's table too."""
    lines = printed(a_slow_week(tmp_path)).splitlines()
    at = lines.index("tcp/stream/*: bandwidth")
    assert lines[at + 1].split()[:2] == ["session", "speed"]
    assert not any("fail" in line.split() for line in lines[at + 1 : at + 12])


def test_a_curve_whose_first_size_has_no_figure_keeps_its_unit(tmp_path: Path) -> None:
    """ "8 KiB 3.38 kB/s": a latency was printed as a bandwidth."""
    cases = make_cases(("ping_pong",), ("tcp",), (8, 65536))
    lost = [lost_batch(cases[0], 4, 90, "timeout", "hung")]

    def without_8(day: int) -> Run:
        run = night(tmp_path, day, cases=cases, more=lost)
        lines = (line for line in run.lines.batches if line.case != cases[0].key or line in lost)
        return Run(run.path, msgspec.structs.replace(run.lines, batches=tuple(lines)))

    found = history([without_8(day) for day in range(2)])
    assert [series.quantity for series in found.series] == ["latency", "latency"]
    lines = printed(found).splitlines()
    assert lines[0] == "tcp/ping_pong/*: latency"
    assert "timeout 4.28 µs" in " ".join(lines[2].split())
    assert "B/s" not in "".join(lines)


def test_a_record_that_was_resumed_keeps_the_launches_of_its_later_day(tmp_path: Path) -> None:
    """Nothing went well on the first day: all of its figures are of the second."""
    run = night(tmp_path, 0)
    launches = [
        msgspec.structs.replace(launch, session=int(launch.launch >= 2))
        for launch in run.lines.launches
    ]
    later = tuple(batch for batch in run.lines.batches if batch.launch >= 2)
    lines = msgspec.structs.replace(run.lines, launches=tuple(launches), batches=later)
    found = history([Run(run.path, lines), night(tmp_path, 1)])
    assert all(point.estimate for series in found.series for point in series.points)
    assert [course.sessions for course in found.courses] == [(0, 1), (0, 1)]


@pytest.mark.usefixtures("undrawn")
def test_the_first_screen_has_the_latest_session_beside_the_median_one(tmp_path: Path) -> None:
    found = a_slow_week(tmp_path)
    [card] = _cards(found)
    assert (card.title, card.group) == ("tcp", TRANSPORTS.index("tcp"))
    assert [what for what, _, _ in card.figures] == [
        "ping_pong, latest session",
        "stream, latest session",
    ]
    for (_, value, words), course in zip(card.figures, found.courses, strict=True):
        assert value == f"{course.speeds[-1]:.3f}"
        assert words.startswith("times the median session; scatter 0.")
    [only, second] = nights(tmp_path / "two", (1.0, 1.0))
    [few] = _cards(history([only, second]))
    assert few.figures[0][2] == "times the median session; scatter not known"
    assert _cards(history([only])) == ()


def test_many_sizes_fit_a_terminal_and_the_page_has_all(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), tuple(2**n for n in range(12)))
    found = history(nights(tmp_path, EVEN[:3], cases=cases))
    assert "on the page (-o) and in --json: 6 more sizes" in printed(found)
    write_history(found, tmp_path / "t.html")
    text = (tmp_path / "t.html").read_text()
    [table] = page_tables(text)
    # A row per size: so many columns have no room.
    assert [row[0] for row in table[2:]] == [format_bytes(2**n) for n in range(12)]
    assert "6 of 12 cases have a chart; the tables have all" in text


@pytest.mark.usefixtures("undrawn")
def test_charts_have_figures_intervals_limits_steps_and_failed_nights(tmp_path: Path) -> None:
    found = a_slow_week(tmp_path)
    write_history(found, tmp_path / "t.html")
    plots = page_plots((tmp_path / "t.html").read_text())
    assert list(plots) == ["speeds0", "case1", "case2", "case3", "case4"]
    [trace] = plots["case1"]["tracks"]
    # Nine nights have a figure: days since the first night, in microseconds.
    assert trace["x"] == [0, 1, 3, 4, 5, 6, 7, 8, 9]
    assert 1.24 < trace["y"][-1] < 1.26
    assert all(above > 0 for above in trace["up"])
    words = {mark["text"]: mark for mark in plots["case1"]["marks"]}
    assert words["limit: latency at most 1.1 us"]["at"] == 1.1
    assert words["no figure"]["at"] == 2
    [step] = [text for text in words if "times as fast" in text]
    assert words[step]["at"] == 6
    assert step.endswith("conditions changed")
    marks = [mark["text"] for mark in plots["speeds0"]["marks"]]
    fails = "fail: tcp/ping_pong/*"
    assert marks == [
        f"{fails}; no figure: tcp/ping_pong/*", f"{fails}; conditions changed",
        fails, "", "",
    ]  # fmt: skip
    # A limit, a failed night, a step and changed conditions have each a colour of their own.
    drawn = history_charts(found)
    charts = {chart.name: chart for chart in (*drawn.speeds, *drawn.noticed)}
    groups = {mark.text: mark.group for mark in charts["case1"].marks}
    kinds = [groups["limit: latency at most 1.1 us"], groups["no figure"], groups[step]]
    of_speeds = [mark.group for mark in charts["speeds0"].marks]
    assert (kinds, of_speeds) == ([4, 3, 1], [3] * 5)
    [bandwidth] = plots["case4"]["tracks"]
    # 65,536 bytes in 2,000 ns and 0.1 ns a byte.
    assert 7600 < bandwidth["y"][0] < 7800


def test_the_same_sessions_give_the_same_page(tmp_path: Path) -> None:
    found = history(nights(tmp_path, EVEN[:3]))
    for name in ("a.html", "b.html"):
        write_history(found, tmp_path / name)
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


@pytest.mark.usefixtures("undrawn")
def test_where_something_happened_is_drawn_in_sight_and_all_else_is_folded(tmp_path: Path) -> None:
    """A page of two sessions was 12,681 pixels high at 420, of 24 large charts of which none said
    anything; and one whose step came after 24 other cases did not draw it."""
    sizes = tuple(2**n for n in range(6))
    tests = ("ping_ping", "ping_pong", "sendrecv", "stream")
    cases = make_cases(tests, ("tcp",), sizes)

    def nights_of(slower: str) -> History:
        folder = tmp_path / f"slower{slower}"
        folder.mkdir()
        return history(
            [
                night(folder, day, even, cases=cases, slower=slower if day > 5 else "")
                for day, even in enumerate(EVEN)
            ]
        )

    stepped = nights_of("stream")
    drawn = history_charts(stepped)
    assert [chart.title.split()[0] for chart in drawn.noticed] == ["stream"] * len(sizes)
    assert len(drawn.others) == MOST_CHARTS - 1 - len(sizes)
    write_history(stepped, tmp_path / "t.html")
    page = " ".join((tmp_path / "t.html").read_text().split())
    assert '<a href="#noticed">Cases with a step or a failing limit</a></h2> <div' in page
    assert "<summary>17 cases without a step, a chart each</summary>" in page
    even = history_charts(nights_of(""))
    assert (len(even.noticed), len(even.others)) == (0, MOST_CHARTS - 1)


@pytest.mark.usefixtures("undrawn")
def test_a_machine_of_few_nights_does_not_hide_that_another_was_looked_at(tmp_path: Path) -> None:
    runs = [
        *(night(tmp_path, day, even, host="n0") for day, even in enumerate(EVEN)),
        *(night(tmp_path, 20 + day, host="n1") for day in range(2)),
    ]
    write_history(history(runs), tmp_path / "t.html")
    assert "<strong>No step.</strong>" in (tmp_path / "t.html").read_text()
