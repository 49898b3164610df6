"""What commands decide, asked without a command line."""

from pathlib import Path

import pytest

from support.builders import make_cases, synthetic_record
from support.nights import night
from weft.applications.asked import ApplicationsAsked
from weft.errors import WeftError
from weft.record.run import load
from weft.studies.checks import checked
from weft.studies.export import export, in_words, table_called
from weft.studies.figures import chart_called
from weft.studies.fits import fits_of, picture_of
from weft.studies.prediction import check_asked
from weft.studies.pricing import charts_of, priced
from weft.studies.published import reproduced
from weft.studies.shown import platform_shown, results_shown, table_shown
from weft.studies.trend import over_time


@pytest.fixture
def path(tmp_path: Path) -> Path:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), tuple(1 << e for e in range(10)))
    return synthetic_record(tmp_path / "r.jsonl", cases)


# A message of 1 byte takes 1,000 ns one way.
@pytest.mark.parametrize(("bound", "outcome"), [("1.2 us", "pass"), ("0.9 us", "fail")])
def test_limits_answer_for_all_records_together(path: Path, bound: str, outcome: str) -> None:
    limits = path.with_name("limits.toml")
    limits.write_text(f'[[limit]]\ntest = "ping_pong"\nsizes = "1"\nlatency_at_most = "{bound}"\n')
    found = checked([path], [limits], 0.05)
    assert (found.outcome, [one.outcome for one in found.checks]) == (outcome, [outcome])
    assert found.unlike == ()
    with pytest.raises(WeftError, match="one limits file or several records"):
        checked([path], [limits, path], 0.05)


def test_a_record_is_not_checked_against_itself(path: Path) -> None:
    with pytest.raises(WeftError, match="is the record under test itself"):
        checked([path], [path], 0.05)


def test_a_figure_is_the_chart_of_its_name_or_the_first(path: Path) -> None:
    source = str(path)
    assert chart_called([source], "").name == "ping_pong"
    assert chart_called([source], "stream").y.label == "bandwidth in MB/s"
    assert chart_called([source], "fit").title == "Transfer time, tcp/ping_pong"
    signatures = chart_called([source, "escher"], "signature").tracks
    assert signatures[0].label == "tcp/ping_pong"
    assert len(signatures) > 1
    assert [one.label for one in chart_called([source], "signature", "", "tcp").tracks] == [
        "tcp/ping_pong"
    ]
    for show in ("signature", "fit"):
        with pytest.raises(WeftError, match="there is no transport called mpi"):
            chart_called([source], show, "", "mpi")
    with pytest.raises(WeftError, match="there is no chart"):
        chart_called([source], "nothing")
    with pytest.raises(WeftError, match="shows one series, and there are 2"):
        chart_called([source, "escher"], "fit")


def test_a_record_without_a_figure_has_no_chart_and_says_where_to_see_why(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8,))
    empty = synthetic_record(tmp_path / "empty.jsonl", cases, times_ns=lambda *_: [])
    with pytest.raises(WeftError, match="has no measured case") as refused:
        chart_called([str(empty)], "")
    assert refused.value.fix == f"run weft show {empty} to see why"


def test_a_table_of_a_paper_and_one_of_rows_have_their_own_usual_one(path: Path) -> None:
    assert (table_called("", for_paper=True), table_called("", for_paper=False)) == (
        "figures",
        "samples",
    )
    with pytest.raises(WeftError, match="there is no table samples"):
        table_called("samples", for_paper=True)
    text, rows = in_words(load(path), "figures", as_latex=False)
    assert rows == 10
    assert text.count("\n|") >= rows
    with pytest.raises(WeftError, match="has no measured case for the table rails"):
        in_words(load(path), "rails", as_latex=True)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("", 2, 2, ApplicationsAsked()), "links and hosts of a platform"),
        (("escher", 0, 2, ApplicationsAsked()), "the fabric has no nodes"),
        (("escher", 2, 0, ApplicationsAsked()), "--samples 0 is out of range"),
        (("escher", 2, 2, ApplicationsAsked(threads=2)), "a prediction computes nothing"),
        (("escher", 2, 2, ApplicationsAsked(long_link_reals=12)), "a prediction computes nothing"),
    ],
)
def test_a_prediction_needs_a_fabric_and_computes_nothing(
    asked: tuple[str, int, int, ApplicationsAsked], why: str
) -> None:
    with pytest.raises(WeftError, match=why):
        check_asked(*asked)


@pytest.mark.parametrize(
    ("study", "kind", "rate", "why"),
    [
        ("sandia", "model", "1GFlop/s", "--rate has no effect: only fermilab"),
        ("fermilab", "table", "", "Fermilab published no tables"),
        ("osu", "table", "", "published without tables"),
    ],
)
def test_a_study_is_asked_only_for_what_it_published(
    study: str, kind: str, rate: str, why: str
) -> None:
    with pytest.raises(WeftError, match=why):
        reproduced(study, kind, rate)


def test_a_fit_is_of_every_series_and_drawn_of_one(path: Path) -> None:
    both = fits_of([str(path)], test="ping_pong,stream").fits
    assert [series.name for series, _ in both] == ["tcp/ping_pong", "tcp/stream"]
    with pytest.raises(WeftError, match="a picture shows one series, and there are 2"):
        fits_of([str(path)], test="ping_pong,stream", is_drawn=True)
    chart, [table, *others], answer = picture_of(fits_of([str(path)], is_drawn=True).fits[0])
    assert answer.startswith("By the piecewise model: latency 1.00 µs [1.00, 1.00], bandwidth")
    assert chart.title == "Transfer time, tcp/ping_pong"
    assert table.caption == "weft fit: tcp/ping_pong"
    assert [row[0] for row in table.rows] == ["bandwidth", "latency", "R²"]
    assert all(len(row) == len(one.head) for one in others for row in one.rows)
    # What the piecewise model says stands under its own heads.
    assert "errors" in [one.name for one in others]


def test_records_that_cannot_be_read_are_named_and_none_is_an_error(
    path: Path, tmp_path: Path
) -> None:
    bad = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    found = over_time([*bad, path])
    assert [one.record for one in found.history.sessions] == [str(path)]
    assert found.notes == tuple(
        f"skipped: cannot read {one}: No such file or directory" for one in bad
    )
    with pytest.raises(WeftError, match="none of 2 records can be read, first: skipped"):
        over_time(bad)
    with pytest.raises(WeftError, match="cannot read"):
        over_time(bad[:1])


def test_a_price_is_of_one_question() -> None:
    with pytest.raises(WeftError, match=r"nothing says how to use a\.toml"):
        priced(None, lists=[Path("a.toml")])
    with pytest.raises(WeftError, match="no fabric given"):
        priced(None)
    paper = priced(None, is_of_paper=True)
    charts, under = charts_of(paper)
    assert len(charts) == 1
    assert under.rows
    with pytest.raises(WeftError, match="--cables, --draw and --simgrid are for one fabric"):
        priced(None, is_of_paper=True, files=(None, Path("a.xml")))


def test_an_export_is_one_file_of_the_format_it_is_named_for(path: Path, tmp_path: Path) -> None:
    both = {"csv": tmp_path / "a.csv", "latex": tmp_path / "a.tex"}
    for targets in (both, {"csv": None}):
        with pytest.raises(WeftError, match="writes one file"):
            export(path, targets)
    assert not any(one.exists() for one in both.values())
    found = export(path, {"csv": both["csv"], "latex": None}, "summary")
    assert (found.rows, found.table) == (20, "summary")
    assert len(both["csv"].read_text().splitlines()) == 21
    assert export(path, {"latex": both["latex"]}).table == "figures"


def test_a_table_alone_is_the_topics_own_and_has_the_link(path: Path) -> None:
    plain = table_shown(path, "figures", "stream", link="10G Ethernet").plain
    assert {row["test"] for row in plain} == {"stream"}
    assert {row["link"] for row in plain} == {"Ethernet 10G"}
    alone = results_shown(path, "stream")
    assert [row["case"] for row in plain] == [one.case for one in alone.summaries]
    with pytest.raises(WeftError, match="nothing that is shown is a bandwidth of a link"):
        table_shown(path, "overhead", link="10G Ethernet")
    assert platform_shown("escher") is not None
    assert platform_shown(str(path)) is None


def test_lists_without_a_question_are_asked_back_by_the_first() -> None:
    with pytest.raises(WeftError, match=r"nothing says how to use a\.toml; use --compare"):
        priced(None, lists=(Path("a.toml"), Path("b.toml")))


def test_one_of_several_records_under_test_is_no_reference(tmp_path: Path) -> None:
    paths = [night(tmp_path, day).path for day in range(3)]
    for reference in paths[:2]:
        with pytest.raises(WeftError, match="is the record under test itself"):
            checked(paths[:2], [reference], 0.05)
    assert checked(paths[:2], paths[2:], 0.05).checks
