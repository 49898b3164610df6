"""A record in a notebook: axes as columns, medians with intervals, plots that one can change."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import weft
from support.builders import (
    LAUNCH_EFFECTS,
    lost_batch,
    make_cases,
    make_header,
    make_launch,
    synthetic_record,
    usual_time_ns,
    write_lines,
)
from support.maps import map_record
from weft.errors import WeftError
from weft.notebook.figures import Figures
from weft.notebook.tables import table_of_rows
from weft.plan.case import Case
from weft.record.ranks import rank_and_part

if TYPE_CHECKING:
    from weft.record.model import Line

CASES = (
    *make_cases(("ping_pong", "stream"), ("mpi", "tcp"), (8, 1024)),
    Case(test="stream", transport="tcp", bytes=1024, queue_depth=4),
    Case(test="busy_stream", transport="tcp", bytes=1024, point=25),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> weft.Run:
    folder = tmp_path_factory.mktemp("notebook")
    return weft.load(synthetic_record(folder / "r.jsonl", CASES))


@pytest.mark.parametrize("table", ["samples", "parts", "figures"])
def test_the_axes_of_every_case_are_columns(run: weft.Run, table: str) -> None:
    frame: pl.DataFrame = getattr(run, table)
    axes = ["case", "test", "transport", "bytes", "ranks", "queue_depth", "point", "variant"]
    found = {row[0]: row[1:] for row in frame.select(axes).unique().iter_rows()}
    assert found == {
        case.key: (
            case.test, case.transport, case.bytes, case.ranks, case.queue_depth, case.point,
            case.variant,
        )
        for case in CASES
    }  # fmt: skip


def test_a_figure_is_the_median_of_launches_with_its_ends(run: weft.Run) -> None:
    row = run.figures.filter(test="ping_pong", transport="tcp", bytes=8).row(0, named=True)
    known = usual_time_ns(next(one for one in CASES if one.key == row["case"])) / 2
    assert row["latency_ns"] == pytest.approx(known, rel=1e-3)
    assert row["latency_ns_low"] == pytest.approx(known * min(LAUNCH_EFFECTS), rel=1e-3)
    assert row["latency_ns_high"] == pytest.approx(known * max(LAUNCH_EFFECTS), rel=1e-3)
    assert row["latency_ns_launches"] == 5


def test_figures_are_printed_in_words(run: weft.Run) -> None:
    few = Figures(run.figures.filter(test="ping_pong", transport="tcp"))
    head, first, *others = repr(few).splitlines()
    assert head.split() == ["transport", "test", "size", "latency", "bandwidth"]
    assert first.split()[:4] == ["tcp", "ping_pong", "8", "B"]
    assert "µs [" in first
    assert len(others) == 1
    assert "shape:" in repr(Figures(few.select("case")))
    assert "<pre>transport" in few._repr_html_()


def test_a_case_that_gave_nothing_says_so_in_place_of_figures(tmp_path: Path) -> None:
    case = CASES[0]
    lost = lost_batch(case, 0, 0, "unsupported", "no such device")
    lines: list[Line] = [
        make_header((case,), launches=1), make_launch(0, case.transport), lost,
    ]  # fmt: skip
    found = weft.load(write_lines(tmp_path / "r.jsonl", lines))
    head, only = repr(found.figures).splitlines()
    assert head.split() == ["transport", "test", "size", "latency"]
    assert only.split() == ["mpi", "ping_pong", "8", "B", "unsupported"]
    assert found.plots == ()
    with pytest.raises(WeftError, match=r"has no plot; see run\.figures for why"):
        found.plot()


def test_parts_are_the_ranks_own_series(tmp_path: Path) -> None:
    """Rank 1 took 1.5 as long as rank 0, and its `post` a tenth of that."""

    def parts(case: Case, round_: int) -> dict[str, list[float]]:
        time = usual_time_ns(case) * LAUNCH_EFFECTS[round_]
        return {"rank1": [1.5 * time] * 4, "rank1.post": [0.15 * time] * 4, "post": [time / 5] * 4}

    case = Case(test="sendrecv", transport="tcp", bytes=8)
    path = synthetic_record(
        tmp_path / "p.jsonl",
        (case,),
        times_ns=lambda case, at: [usual_time_ns(case) * LAUNCH_EFFECTS[at]] * 4,
        parts_ns=parts,
    )
    timed = weft.load(path).parts.filter(warmup=False)
    middle = timed.group_by("rank", "part").agg(pl.col("time_ns").median())
    found = {(rank, part): time / usual_time_ns(case) for rank, part, time in middle.rows()}
    wanted = {(0, ""): 1.0, (0, "post"): 0.2, (1, ""): 1.5, (1, "post"): 0.15}
    assert found == pytest.approx(wanted, rel=2e-2)


def test_names_of_series() -> None:
    assert [rank_and_part(name) for name in ("", "post", "rank12", "rank3.post", "ranked")] == [
        (0, ""), (0, "post"), (12, ""), (3, "post"), (0, "ranked"),
    ]  # fmt: skip


def test_a_plot_is_matplotlibs_and_can_be_changed(run: weft.Run) -> None:
    name = "ping_pong"
    plot = run.plot(name)
    [axes] = plot.axes
    lines = axes.get_lines()
    values = {tuple(np.round(np.asarray(line.get_ydata(), dtype=float), 9)) for line in lines}
    wanted = run.figures.filter(test="ping_pong", transport="mpi").sort("bytes")["latency_ns"]
    assert tuple(np.round(wanted.to_numpy() / 1e3, 9)) in values
    axes.set_title("mine")
    assert run.plot(name, wide=True).get_size_inches()[0] == pytest.approx(7.16)
    with pytest.raises(WeftError, match="there is no plot called 'nothing'"):
        run.plot("nothing")


def test_a_topics_table_has_a_column_a_figure(tmp_path: Path) -> None:
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))
    frame = run.table("figures")
    assert frame.height == len(CASES)
    assert {"latency_ns", "latency_ns_low", "latency_ns_high"} <= set(frame.columns)
    with pytest.raises(WeftError, match="there is no table nothing"):
        run.table("nothing")


def test_a_run_says_what_it_is(run: weft.Run) -> None:
    assert repr(run).splitlines()[0].endswith("r.jsonl: 10 cases of ping_pong, stream, busy_stream")
    assert repr(run).endswith("complete")
    part = run.only({CASES[0].key})
    assert type(part) is weft.Run
    assert "r.jsonl with 1 of its 10 cases: 1 case of ping_pong" in repr(part)
    assert run.only(run.cases).part == ""
    tcp = next(case.key for case in CASES if case.transport == "tcp")
    over = weft.load(f"{run.path}@tcp")
    assert over.only({tcp}).part == f"over tcp with 1 of its {len(over.cases)} cases"


def test_a_part_of_a_record_is_that_part_everywhere(run: weft.Run) -> None:
    part = weft.load(f"{run.path}@tcp")
    assert set(part.figures["transport"]) == {"tcp"}
    for source, transport in ((part, "tcp"), (run, "mpi")):
        with pytest.raises(WeftError, match=f"^{transport}/ping_pong has 2 sizes"):
            weft.fit(source)
    beside = weft.compare(part, weft.load(f"{run.path}@mpi"), test="ping_pong")
    assert set(beside.table["speed"].round(3)) == {2.0}
    # A part is never held against the record that it is of.
    with pytest.raises(WeftError, match="is the record under test itself"):
        weft.check(part, against=run)
    with pytest.raises(WeftError, match="there is no transport called ucx"):
        weft.load(f"{run.path}@ucx")


def test_a_column_is_of_the_kind_that_all_its_rows_are() -> None:
    """Also where it begins with many rows that lack it, or have whole numbers."""
    rows = [{"at": at, **({"late": 1.5} if at == 300 else {})} for at in range(301)]
    rows = [{**row, "share": 1 if row["at"] < 200 else 0.25} for row in rows]
    found = table_of_rows(rows)
    assert found["late"].to_list() == [*[None] * 300, 1.5]
    assert found["share"].to_list() == [*[1.0] * 200, *[0.25] * 101]


@pytest.mark.parametrize("word", ["", ".", "/"])
def test_no_record_is_an_error_of_one_line(word: str) -> None:
    for reader in (weft.load, weft.fit, weft.compare):
        with pytest.raises(WeftError, match=r"no record given|cannot read"):
            reader(word)


def test_the_door_has_its_names() -> None:
    for name in dir(weft):
        assert getattr(weft, name) is not None
    with pytest.raises(AttributeError, match="weft has no nothing"):
        weft.nothing  # type: ignore[attr-defined] # noqa: B018


def test_a_map_says_that_it_is_one_and_is_not_compared_by_its_rounds(tmp_path: Path) -> None:
    """A node twice as slow left the rounds' medians alone: "same 28", of two maps."""
    before = map_record(tmp_path / "before.jsonl", {})
    after = map_record(tmp_path / "after.jsonl", {"n3": 2.0})
    run = weft.load(after.path)
    assert repr(run).endswith('.table("map") says who is slow, and the figures are of its rounds')
    assert "n3" in str(run.table("map")["findings"].to_list())
    with pytest.raises(WeftError, match=r"these are maps: .*weft.check\(after, against=before\)"):
        weft.compare(before.path, after.path)


def test_what_has_no_interval_is_no_open_question(tmp_path: Path) -> None:
    """Two records of one launch said "cannot tell 8", as if more of the same would."""
    paths = [
        synthetic_record(tmp_path / f"{name}.jsonl", CASES, launches=1, host=name) for name in "ab"
    ]
    told, *_ = repr(weft.compare(*paths)).splitlines()
    assert re.fullmatch(r"b beside a: no interval \d+", told)
