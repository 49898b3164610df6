"""Several records a side, and records that do not fit: the verdict says what it could use."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import (
    make_cases,
    make_header,
    measured_lines,
    synthetic_record,
    usual_times_ns,
    write_lines,
)
from weft.analysis.compare.acceptance import Checked, against_record, overall
from weft.analysis.compare.comparison import Comparison, compare
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sessions import (
    JUDGED_BY_THE_OTHER,
    ONE_BESIDE,
    ONE_SESSION,
    one_a_side,
    said_with_names,
    sessions_in_words,
)
from weft.analysis.stats.launches import FEW_SESSIONS, launches_of
from weft.errors import WeftError
from weft.plan.case import Case
from weft.plan.command import NextSession
from weft.record.model import Launch
from weft.record.run import Run, load
from weft.sources.sides import load_sides
from weft.studies.checks import checked as checked_machine
from weft.studies.maps import maps_among

CASES = make_cases(tests=("ping_pong", "stream"), transports=("tcp",))


def record(
    folder: Path,
    name: str,
    factor: float = 1.0,
    *,
    launches: int = 5,
    cases: tuple[Case, ...] = CASES,
    lacks: Callable[[Case, int], bool] = lambda *_: False,
) -> Run:
    def times(case: Case, launch: int) -> Sequence[float]:
        times = usual_times_ns(case, launch)
        return [] if lacks(case, launch) else [time * factor for time in times]

    path = folder / f"{name}.jsonl"
    return weft.load(synthetic_record(path, cases, launches=launches, times_ns=times))


def checked(mine: Sequence[Run], theirs: Sequence[Run]) -> dict[str, Checked]:
    return {check.case: check for check in against_record(pool(mine), pool(theirs))}


def test_records_of_one_launch_tell_nothing_and_say_why(tmp_path: Path) -> None:
    found = checked([record(tmp_path, "a", 1.001, launches=1)], [record(tmp_path, "b")])
    assert {check.outcome for check in found.values()} == {"cannot tell"}
    for check in found.values():
        assert "one does not show the variation between launches" in check.why.replace(
            "one launch does", "one does"
        )
    assert "1 launch against 5 launches" in found["tcp/ping_pong/*"].why


def test_unequal_launches_are_compared_with_what_each_side_has(tmp_path: Path) -> None:
    found = checked([record(tmp_path, "a", 1.001, launches=3)], [record(tmp_path, "b", launches=9)])
    assert overall(found.values()) == "pass"
    assert "3 launches against 9 launches" in found["tcp/stream/*"].why


def test_launches_that_lack_sizes_still_count_and_do_not_bend_the_curve(tmp_path: Path) -> None:
    """Two launches have the longest message only, which is fifty times as slow as the shortest."""
    mine = record(tmp_path, "a", 1.001, lacks=lambda c, at: at in (1, 3) and c.bytes < 2**20)
    found = checked([mine], [record(tmp_path, "b")])
    whole = found["tcp/ping_pong/*"]
    assert whole.speed is not None
    assert whole.speed.speed == pytest.approx(1 / 1.001, rel=5e-3)
    assert whole.outcome == "pass"
    assert "5 launches against 5 launches" in whole.why


def test_launches_without_a_size_in_common_with_the_others_are_left_out_and_told(
    tmp_path: Path,
) -> None:
    mine = record(tmp_path, "a", 1.001, lacks=lambda c, at: (at in (1, 3)) == (c.bytes < 2**20))
    whole = checked([mine], [record(tmp_path, "b")])["tcp/ping_pong/*"]
    assert "2 of its launches skipped: no size in common with the others" in whole.why


def test_a_case_that_is_missing_keeps_the_answer_from_pass_and_is_named(tmp_path: Path) -> None:
    few = tuple(case for case in CASES if case.bytes != 1024)
    found = checked([record(tmp_path, "a", 1.001, cases=few)], [record(tmp_path, "b")])
    assert (found["tcp/ping_pong/1024"].outcome, found["tcp/ping_pong/1024"].why) == (
        "cannot tell",
        "was not measured",
    )
    assert "4 of 5 sizes, the others are not on both sides" in found["tcp/ping_pong/*"].why
    assert found["tcp/ping_pong/*"].outcome == "pass"
    assert overall(found.values()) == "cannot tell"


def test_a_size_that_only_one_launch_has_is_not_judged_by_itself(tmp_path: Path) -> None:
    mine = record(tmp_path, "a", 1.001, lacks=lambda c, at: c.bytes == 8 and at > 0)
    found = checked([mine], [record(tmp_path, "b")])
    assert found["tcp/ping_pong/8"].outcome == "cannot tell"
    assert found["tcp/ping_pong/8"].why.startswith("one launch does not show")
    assert found["tcp/ping_pong/*"].outcome == "pass"


def test_sessions_that_differ_are_the_unit(tmp_path: Path) -> None:
    """Launches agree to 0.5 %, sessions do not: 5 launches of one are sure, 3 sessions are not."""
    old = [record(tmp_path, f"old{at}", factor) for at, factor in enumerate((0.97, 1.0, 1.03))]
    slow = record(tmp_path, "slow", 1.12)
    assert checked([slow], [old[1]])["tcp/stream/*"].outcome == "fail"
    together = checked([slow], old)["tcp/stream/*"]
    assert together.outcome == "cannot tell"
    assert "1 session against 3 sessions" in together.why


def test_sides_say_their_sessions_and_limits() -> None:
    assert sessions_in_words({"a": (5,), "b": (1,)}) == (
        f"a: 1 session of 5 launches; b: 1 session of 1 launch; {ONE_SESSION}",
    )

    def basis(mine: Sequence[int], theirs: Sequence[int], one_beside: str = ONE_BESIDE) -> str:
        [line] = sessions_in_words({"a": mine, "b": theirs}, one_beside)
        return line

    assert basis((5, 4), (5, 5)).endswith(f"; {FEW_SESSIONS}")
    assert basis((5,), (5, 5, 5)).endswith(f"; {ONE_BESIDE}")
    assert basis((5,), (5, 5), JUDGED_BY_THE_OTHER).endswith(f"; {JUDGED_BY_THE_OTHER}")
    assert basis((5, 5, 5), (5, 4, 3)) == (
        "a: 3 sessions of 5 and 5 and 5 launches; b: 3 sessions of 5 and 4 and 3 launches"
    )
    assert sessions_in_words({"published": ()}) == ()


def test_another_session_is_a_command_for_each_side_that_has_few() -> None:
    further = {
        name: NextSession(record=f"{name}.jsonl", launches=5, made=5, launch_s=2.0, budget_s=60.0)
        for name in ("a", "b")
    }
    both = sessions_in_words({"a": (5,), "b": (5, 5)}, further=further)
    assert both[-1] == (
        "for another session, run at another time weft run --again a.jsonl and weft run --again"
        " b.jsonl, and give all records of a side"
    )
    one = sessions_in_words({"a": (5,), "b": (5, 5, 5)}, further=further)
    assert "a.jsonl, and give" in one[-1]
    assert "b.jsonl" not in one[-1]
    none = sessions_in_words({"a": (5, 5, 5), "b": (5, 5, 5)}, further=further)
    assert not any("--again" in line for line in none)


def test_what_several_records_share_is_said_once_and_what_to_do_comes_first(
    tmp_path: Path,
) -> None:
    """One line of advice with commands, one of the basis, one of trends, however many records."""
    noise = (0.98, 1.024, 1.0, 0.99, 1.02)

    def noisy(name: str, turn: int) -> Path:
        def times(case: Case, launch: int) -> Sequence[float]:
            more = (1 + 0.06 * turn) * noise[(launch + turn) % 5]
            return [more * time for time in usual_times_ns(case, 2)]

        return synthetic_record(tmp_path / f"{name}.jsonl", CASES, launches=5, times_ns=times)

    paths = [noisy("a", 0), noisy("b", 1)]
    for notes in (
        checked_machine(paths[1:], paths[:1], 0.05).notes,
        compared(*map(str, paths)).notes,
    ):
        assert ["--again" in note for note in notes] == [True, False, False]
        assert "trend over time: none found" in notes[2]
        assert notes[2].count("trend over time") == 1
        assert all(name in notes[2] for name in "ab")


def test_a_verdict_of_one_session_a_side_says_so_in_its_sentence(tmp_path: Path) -> None:
    fast, slow = record(tmp_path, "fast", 0.5), record(tmp_path, "slow", 1.0)
    words = compared(str(slow.path), str(fast.path)).tables[0].words[0]
    assert words.startswith("fast is faster from")
    assert words.endswith("(one session a side).")
    failed = checked([slow], [fast])["tcp/stream/*"]
    assert (failed.outcome, failed.why.endswith("one session a side")) == ("fail", True)
    same = compared(str(slow.path), str(record(tmp_path, "same", 1.0).path))
    assert not any("one session a side" in line for line in same.tables[0].words)


@pytest.mark.parametrize(
    ("sessions", "said"),
    [
        ((1, 1), True),
        ((1, 2), False),
        ((2, 1), False),
        ((3, 3), False),
        ((0, 1), False),
        ((), False),
    ],
)
def test_check_and_compare_ask_one_function_whether_a_verdict_rests_on_one_session(
    sessions: tuple[int, ...], said: bool
) -> None:
    assert bool(one_a_side(sessions, decides=True)) == said
    assert not one_a_side(sessions, decides=False)


def compared(*names: str) -> Comparison:
    return compare(load_sides(names))


def test_several_records_are_one_side_of_a_comparison(tmp_path: Path) -> None:
    paths = {}
    for at, factor in enumerate((0.99, 1.0, 1.01, 0.89, 0.9, 0.91)):
        paths[at] = str(record(tmp_path, f"r{at}", factor).path)
    found = compared(
        ",".join(paths[at] for at in (0, 1, 2)), ",".join(paths[at] for at in (3, 4, 5))
    )
    row = found.tables[0].rows[0]
    assert row.figures[0] is not None
    assert (row.figures[0].estimate.unit, row.figures[0].estimate.launches) == ("session", 3)
    assert row.verdicts == ("better",)
    assert any("3 sessions of 5 and 5 and 5 launches" in note for note in found.notes)
    assert not any(ONE_SESSION in note for note in found.notes)
    assert sum(ONE_SESSION in note for note in compared(paths[0], paths[3]).notes) == 1
    with pytest.raises(WeftError, match="given twice"):
        compared(f"{paths[0]},{paths[0]}", paths[3])


def test_many_records_of_a_side_have_a_longer_name_than_any_file(tmp_path: Path) -> None:
    cases = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=(8,))
    names = [
        str(record(tmp_path, f"{'day' * 30}{day}", 1 + day / 1000, cases=cases).path)
        for day in range(6)
    ]
    sides = load_sides([",".join(names[:3]), ",".join(names[3:])])
    assert [len(side.sessions) for side in sides] == [3, 3]
    assert maps_among([",".join(names[:3]), ",".join(names[3:])]) is None


def test_a_comparison_says_which_figures_only_one_side_has(tmp_path: Path) -> None:
    few = tuple(case for case in CASES if case.bytes != 1024)
    whole, part = record(tmp_path, "whole"), record(tmp_path, "part", 1.001, cases=few)
    lost = "part lacks 3 of the 13 figures of both: they are not compared"
    assert lost in compared(str(whole.path), str(part.path)).notes
    assert lost in compared(str(part.path), str(whole.path)).notes
    assert not any("lacks" in note for note in compared(str(whole.path), str(whole.path)).notes)


def test_sessions_under_unlike_conditions_are_no_side(tmp_path: Path) -> None:
    a, b = record(tmp_path, "a"), record(tmp_path, "b", 1.01)
    plan = msgspec.structs.replace(b.header.plan, mpi="mpich")
    header = msgspec.structs.replace(b.header, plan=plan)
    other = Run(b.path, msgspec.structs.replace(b.lines, header=header))
    with pytest.raises(WeftError, match="not measured alike"):
        pool([a, other])


def test_a_resumed_record_counts_its_sessions(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8,))
    lines = [
        msgspec.structs.replace(line, session=int(line.launch >= 3)) if isinstance(line, Launch)
        else line
        for line in [make_header(cases), *measured_lines(cases, 5)]
    ]  # fmt: skip
    resumed = load(write_lines(tmp_path / "resumed.jsonl", lines))
    once = load(synthetic_record(tmp_path / "once.jsonl", cases))
    assert launches_of([resumed, once]) == (3, 2, 5)
    [found] = pool([resumed]).values()
    assert [list(session) for session in found.paces] == [[0, 1, 2], [3, 4]]
    assert found.unit == "session"
    assert next(iter(pool([once]).values())).unit == "launch"


def test_what_differs_in_its_chance_alone_is_said_once_with_each_chance() -> None:
    drift = "trend over time: neighbours are correlated (p = {}); measure again"
    found = said_with_names(
        [("a", [drift.format("0.8%")]), ("b", [drift.format("1.3%"), "few"]), ("c", ["few"])]
    )
    assert found == (
        "a (p = 0.8%), b (p = 1.3%): trend over time: neighbours are correlated; measure again",
        "b, c: few",
    )
    same = [("a", [drift.format("1%")]), ("b", [drift.format("1%")])]
    assert said_with_names(same) == (f"a, b: {drift.format('1%')}",)
    assert said_with_names([("", [drift.format("1%")])]) == (drift.format("1%"),)
