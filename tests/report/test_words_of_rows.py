"""Cells that stand in few records: LogGP's, those of a side without a figure, of a narrow page."""

import io
import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from weft.analysis.compare.compared_rows import outcome_in_words
from weft.analysis.fits.loggp import Gap, LogGP, Overhead
from weft.estimate import Estimate
from weft.report import terminal
from weft.report.comparison import _cells
from weft.report.fits import loggp_rows
from weft.report.table import FittedTable
from weft.tables import Table
from weft.wording import over


def estimate(value: float) -> Estimate:
    return Estimate(
        value=value, low=0.9 * value, high=1.1 * value, coverage=0.95, method="m", launches=5
    )


def loggp(**more: Any) -> LogGP:
    return LogGP(
        name="tcp", transfer_ns=estimate(2000.0), gap_ns=estimate(700.0),
        gap_ns_per_byte=estimate(3.0), plogp_latency_ns=estimate(1300.0),
        gaps=(Gap(bytes=8, gap_ns=estimate(710.0)),), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("", "mpi"),
        ("q16/spin", "mpi q16/spin"),
        ("4ranks", "mpi, 4 ranks"),
        ("1ranks/spin/at3", "mpi, 1 rank, spin, point 3"),
    ],
)
def test_ranks_are_counted_in_words_behind_their_transport(variant: str, words: str) -> None:
    assert over("mpi", variant) == words


def test_each_parameter_of_loggp_is_its_own() -> None:
    whole = [
        ("L + o_s + o_r", "2.00 µs [1.80 µs, 2.20 µs]"),
        ("g", "700.0 ns [630.0 ns, 770.0 ns]"),
        ("G per byte", "3.00 ns [2.70 ns, 3.30 ns]"),
        ("L of PLogP", "1.30 µs [1.17 µs, 1.43 µs]"),
    ]
    assert [(name, _plain(words)) for name, words in loggp_rows(loggp())] == [
        (name, _plain(words)) for name, words in whole
    ]
    overheads = (
        Overhead(bytes=8, send_ns=estimate(300.0), receive_ns=estimate(250.0)),
        Overhead(bytes=1024, send_ns=estimate(400.0), receive_ns=None),
    )
    rows = loggp_rows(loggp(latency_ns=estimate(1450.0), overheads=overheads))
    assert [name for name, _ in rows] == [
        "L + o_s + o_r", "L", "g", "G per byte", "L of PLogP", "o_s(8 B)", "o_r(8 B)",
        "o_s(1 KiB)", "o_r(1 KiB)",
    ]  # fmt: skip
    found = dict(rows)
    assert found["L"].startswith("1.4")
    assert found["o_s(8 B)"].startswith("300")
    assert found["o_r(8 B)"].startswith("250")
    assert found["o_s(1 KiB)"].startswith("400")
    assert found["o_r(1 KiB)"] == "-"


def _plain(words: str) -> list[float]:
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", words)]


NOT_EQUAL = " Not significant does not mean equal: such figures may differ within their intervals."


@pytest.mark.parametrize(
    ("counts", "word", "mood", "words"),
    [
        (
            {"better": 3, "worse": 0, "same": 1},
            "Better.", "good", "4 figures: better 3, same within 2 % 1.",
        ),
        ({"better": 0, "worse": 1}, "Worse.", "bad", "1 figure: worse 1."),
        (
            {"better": 2, "worse": 3, "cannot tell": 4},
            "Mixed.", "open",
            f"9 figures: not significant 4, worse 3, better 2, same within 2 % 0.{NOT_EQUAL}",
        ),
        (
            {"same": 1, "cannot tell": 2}, "In part the same.", "open",
            f"3 figures: not significant 2, same within 2 % 1.{NOT_EQUAL}",
        ),
        (
            {"same": 0, "cannot tell": 28}, "Cannot tell.", "open",
            f"28 figures: not significant 28, same within 2 % 0.{NOT_EQUAL}",
        ),
        ({"same": 3}, "The same.", "open", "3 figures: same within 2 % 3."),
        ({"same": 0}, "Nothing in common.", "open", "0 figures: none in common."),
    ],
)  # fmt: skip
def test_the_word_of_a_side_is_no_stronger_than_its_verdicts(
    counts: Any, word: str, mood: str, words: str
) -> None:
    found = outcome_in_words("b against a", counts, 0.02)
    assert (found.word, found.mood) == (word, mood)
    assert found.sentence == f"b against a, of {words}"


@pytest.mark.parametrize(
    ("counts", "untested", "words"),
    [
        ({"cannot tell": 24}, 24, "24 figures: no interval 24, same within 2 % 0."),
        (
            {"cannot tell": 24, "same": 2},
            20,
            f"26 figures: not significant 4, no interval 20, same within 2 % 2.{NOT_EQUAL}",
        ),
        (
            {"better": 3, "cannot tell": 2, "same": 1},
            2,
            "6 figures: better 3, no interval 2, same within 2 % 1.",
        ),
    ],
)
def test_what_has_no_interval_is_neither_significant_nor_not(
    counts: Any, untested: int, words: str
) -> None:
    assert outcome_in_words("b", counts, 0.02, untested).sentence == f"b, of {words}"


def figure(value: float, kind: str = "launches", published: str = "") -> Any:
    return SimpleNamespace(estimate=estimate(value), kind=kind, published=published)


def ratio(
    speed: float, *, is_of_both: bool, basis: str = "as published", has_interval: bool = True
) -> Any:
    return SimpleNamespace(
        speed=speed, is_of_both=is_of_both, basis=basis, has_interval=has_interval
    )


def test_a_verdict_that_rests_on_less_has_a_star_where_some_do() -> None:
    figures = [figure(4290.0, "published", "4.29 us"), None, figure(8580.0, "published", "8.6 us")]
    ratios = [None, ratio(0.5, is_of_both=False)]
    verdicts = cast("Any", [None, "worse"])
    plain = _cells(figures, ratios, verdicts, verdicts, "latency", marks=False)
    assert plain == ["4.29 4.29 µs", "", "", "", "8.6 8.58 µs", "0.500", "worse"]
    marked = _cells(figures, ratios, verdicts, verdicts, "latency", marks=True)
    assert marked == [*plain[:-1], "worse*"]
    both = [None, ratio(0.5, is_of_both=True)]
    whole = _cells(figures, both, verdicts, verdicts, "latency", marks=True)
    assert whole == plain
    unknown = cast("Any", [None, "cannot tell"])
    open_ = _cells(figures, ratios, unknown, unknown, "latency", marks=True)
    assert open_[-1] == "not significant*"
    here = _cells(figures, ratios, unknown, verdicts, "latency", marks=True)
    assert here[-1] == "slower here*"
    bare = [None, ratio(0.5, is_of_both=False, has_interval=False)]
    untested = _cells(figures, bare, unknown, unknown, "latency", marks=True)
    assert untested[-1] == "no interval*"
    assert _cells(figures, ratios, [None, None], [None, None], "latency", marks=True)[-1] == ""
    rate = _cells(
        [figure(855.44e6, "published", "855.44 MB/s")], [], [], [], "bandwidth", marks=True
    )
    assert rate == ["855.44 855.4 MB/s"]


def shown(table: Table, width: int) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False)
    out.print(FittedTable(table))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


class Rows:
    """A topic that has as many rows and findings as it is given room for, a line each."""

    title = "Rows"
    findings_there = 5

    def brief(self, _: Any, room: int) -> list[Table]:
        rows = tuple((f"row {at}",) for at in range(min(room, 30)))
        return [Table(name="t", caption="caption", head=("a",), rows=rows)]


def test_a_topic_has_the_most_rows_that_so_many_lines_hold() -> None:
    """A caption, a head, a line for each of 30 rows and 5 findings, and one for more of these."""
    findings = [f"finding {at}" for at in range(Rows.findings_there)]
    results = cast("Any", SimpleNamespace(
        of=lambda _: None, labelled=lambda tables: tables, findings=lambda _: findings,
    ))  # fmt: skip
    screen = Console(file=io.StringIO(), width=80, highlight=False)
    lines = {48: 37, 24: 31, 12: 19, 6: 13, 3: 9, 1: 5}
    for room, needed in lines.items():
        shown = terminal._fitting(cast("Any", Rows()), results, screen, needed)
        assert terminal.height_of(screen, shown) == needed
        fewer = terminal._fitting(cast("Any", Rows()), results, screen, needed - 1)
        assert terminal.height_of(screen, fewer) == max(
            (one for one in lines.values() if one < needed), default=0
        ), room
    out = Console(file=io.StringIO(), width=80, highlight=False)
    out.print(*terminal._fitting(cast("Any", Rows()), results, screen, lines[3]), sep="\n")
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue().split("\n")[-5:] == [
        "finding 0", "finding 1", "finding 2", "2 more of rows", "",
    ]  # fmt: skip


def test_a_column_without_room_loses_its_intervals_and_is_named() -> None:
    latency = "1.00 µs [0.90 µs, 1.10 µs]"
    table = Table(
        name="t", caption="c", head=("test", "size", "latency", "rate", "count"),
        rows=(("ping_pong", "8 B", latency, "5.00 MB/s ±1%", "41"),),
    )  # fmt: skip
    wide = shown(table, 100)
    assert ["ping_pong", "8", "B", *latency.split(), "5.00", "MB/s", "±1%", "41"] in [
        line.split() for line in wide.splitlines()
    ]
    assert "No room" not in wide
    narrow = shown(table, 30)
    assert "ping_pong   8 B  1.00 µs\n" in narrow
    assert "[0.90" not in narrow
    assert "ping_pong   8 B  5.00 MB/s ±1%\n" in narrow
    assert "ping_pong   8 B     41\n" in narrow
    said = " ".join(narrow.split())
    assert "No room for the intervals of latency: the report has them." in said
    assert said.count("No room") == 1
