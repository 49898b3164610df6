"""What stands on top of a prediction's page, and what is said of tests without an answer."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import weft
from support.builders import make_cases, synthetic_record
from support.simulations import platform
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.launch.protocol import Answer
from weft.plan.case import Case
from weft.plan.cases import Experiment
from weft.reference.library import find_platform
from weft.report.page import render_page
from weft.sim.answers import Certainty, PredictedFabric, PredictedFigure
from weft.sim.draws import queue_of
from weft.sim.platforms import calibrated
from weft.sim.predicted import Variant, parameters_of
from weft.studies.placed_tests import placed_tests_of
from weft.studies.prediction import (
    _cards,
    _check_refused,
    _front,
    _lacking,
    _published,
    _results_of,
    known_certainty,
)
from weft.tables import Table
from weft.topics import charts_of

CERTAINTY = Certainty(mean=0.03, worst=0.2, fixed=0.25, byte=0.1, points=40, largest_bytes=4096)
TITLE = "{} on 9 nodes with links and hosts of known, predicted"


def fabric(name: str, *times_ns: float, algorithm: str = "") -> PredictedFabric:
    """Its figures are of 8 B, 64 B, 512 B and so on."""
    own = tuple(
        PredictedFigure(
            case=f"allreduce {8 << 3 * at} B", value=time, bytes=8 << 3 * at,
            largest_bytes=8 << 3 * at,
        )
        for at, time in enumerate(times_ns)
    )  # fmt: skip
    return PredictedFabric(
        variant=name, nodes=9, switches=1, figures=own, algorithm=algorithm, moved=(own, own)
    )


def test_fabrics_within_a_limit_are_said_on_top() -> None:
    answers = (fabric("full", 100.0, 200.0), fabric("half", 103.0, 220.0))
    front, table = _front(platform(), answers, (CERTAINTY, None), 0.05, ("barrier has no answer",))
    assert front.title == TITLE.format("allreduce")
    assert front.summary == "Within 5 % of full: full; not within: half. "
    assert front.warnings[0] == "simulated, not measured"
    assert front.warnings[1].startswith("the model misses 40 published figures by 3.0 %")
    assert front.warnings[-1] == table.notes[-1] == "barrier has no answer"
    within, *others = table.notes
    assert f"{within[0].upper()}{within[1:]}. " == front.summary
    assert tuple(others) == front.warnings[1:]
    assert (front.section.name, front.section.title) == ("predicted", "Predicted")
    [bare] = front.section.tables
    assert (bare.notes, bare.rows, bare.name) == ((), table.rows, table.name)
    [chart] = front.section.charts
    assert [mark.at for mark in chart.marks] == pytest.approx([0, 5])


def test_each_fabric_has_its_figures_on_a_card_as_far_as_there_is_room() -> None:
    answers = (fabric("full", 100.0, 200.0), fabric("half", 103.0, 220.0))
    front, table = _front(platform(), answers, (CERTAINTY, None), 0.05, ())
    assert [card.title for card in front.cards] == ["full", "half"]
    assert [card.figures[1][:2] for card in front.cards] == [
        ("allreduce 64 B", "200 ns"),
        ("allreduce 64 B", "220 ns"),
    ]
    first, second = (card.figures[1][2] for card in front.cards)
    assert first == table.rows[2][3]
    assert second == f"{table.rows[3][3]}; {table.rows[3][4]} slower"
    [alone], _ = (_front(platform(), answers[:1], (CERTAINTY, None), None, ())[0].cards, table)
    assert alone.figures[0][2] == table.rows[0][3]
    many = (fabric("full", *[100.0] * 5),)
    assert _front(platform(), many, (CERTAINTY, None), None, ())[0].cards == ()
    wide = tuple(fabric(f"f{at}", 100.0) for at in range(7))
    assert _front(platform(), wide, (CERTAINTY, None), None, ())[0].cards == ()


def test_without_a_limit_there_are_no_words_and_of_one_fabric_no_chart() -> None:
    answers = (fabric("full", 100.0, 200.0), fabric("half", 103.0, 220.0))
    front, _ = _front(platform(), answers, (CERTAINTY, None), None, ())
    [chart] = front.section.charts
    assert front.summary == ""
    assert [mark.at for mark in chart.marks] == [0]
    # One difference stands in the table.
    one = (fabric("full", 100.0), fabric("half", 103.0))
    front, _ = _front(platform(), one, (CERTAINTY, None), None, ())
    assert front.section.charts == ()
    front, _ = _front(platform(), answers[:1], (CERTAINTY, None), 0.05, ())
    assert (front.summary, front.section.charts) == ("Within 5 % of full: full. ", ())


def test_a_page_names_fabrics_and_not_the_files_of_their_records(tmp_path: Path) -> None:
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", make_cases(("ping_pong",))))
    found = (*_results_of("full", [run]), *_results_of("half", [run, run]))
    names = ["full", "half (1 of 2)", "half (2 of 2)"]
    assert [one.name for one in found] == names
    labels = {track.label for chart in charts_of(found) for track in chart.tracks}
    assert labels
    assert all(any(name in label for name in names) for label in labels if label)
    assert not any("r.jsonl" in label for label in labels)
    page = render_page(found)
    assert "half (2 of 2): " in page
    # Nothing else tells records of a report from each other.
    assert [one.name for one in _results_of("", [run])] == ["r.jsonl"]


def test_algorithms_stand_beside_each_other_by_size() -> None:
    answers = (
        fabric("ring", 100.0, 200.0, algorithm="ring"),
        fabric("bruck", 120.0, 150.0, algorithm="bruck"),
        fabric("openmpi", 100.0, 200.0, algorithm="openmpi"),
    )
    front, table = _front(platform(), answers, (CERTAINTY, None), None, ())
    assert table.head == ("size", "ring", "bruck", "openmpi")
    first, second = front.summary.split(". ")[:2]
    assert first == (
        "The fastest of these: ring from 8 B, bruck from 64 B, whatever the calibration's error"
    )
    assert second == (
        "openmpi's rules take ring from 8 B: slower than the best of these by up to 33 %, at 64 B"
    )
    assert "a time above may be off by as much" in front.warnings[1]
    [chart] = front.section.charts
    assert [track.label for track in chart.tracks] == ["ring", "bruck", "openmpi"]


def results(*cases: tuple[str, str, str], figures: dict[str, str] | None = None) -> Any:
    """Of cases: their test, their status, and why."""
    patterns = {test: SimpleNamespace(figure=(figures or {}).get(test, "")) for test, *_ in cases}
    summaries = [
        SimpleNamespace(case=f"{test} {at}", test=test, status=status, reason=reason)
        for at, (test, status, reason) in enumerate(cases)
    ]
    return SimpleNamespace(summaries=summaries, run=SimpleNamespace(patterns=patterns))


def test_a_test_without_an_answer_has_its_own_reason_and_another_to_ask() -> None:
    some = results(
        ("ping_pong", "ok", ""),
        ("message_rate", "unsupported", "no limit of rates."),
        ("host_overhead", "ok", ""),
        figures={"host_overhead": "overhead"},
    )
    other = results(("ping_pong", "ok", ""), ("put_stream", "unsupported", "no memory"))
    found = _lacking([[some], [other]], "escher")
    assert found == {
        "message_rate 1": (
            "message_rate is unsupported on a simulated platform: no limit of rates; ask stream"
            " instead"
        ),
        "host_overhead 2": (
            "host_overhead is not predicted: it is of the hosts, and no fabric changes it; ask"
            " weft run host_overhead --platform escher instead"
        ),
        "put_stream 1": (
            "put_stream is unsupported on a simulated platform: no memory; ask stream instead"
        ),
    }


def test_where_no_test_has_an_answer_it_is_refused() -> None:
    none = results(
        ("message_rate", "unsupported", "no limit."), ("message_rate", "unsupported", "no limit."),
        ("busy_stream", "unsupported", "all at once"),
    )  # fmt: skip
    with pytest.raises(WeftError) as refused:
        _lacking([[none]], "")
    assert refused.value.what == (
        "message_rate is unsupported on a simulated platform: no limit; busy_stream is"
        " unsupported on a simulated platform: all at once"
    )
    assert refused.value.fix == "ask stream or halo with --compute instead"


@pytest.mark.parametrize(
    ("reason", "what", "fix"),
    [
        ("needs 9 GB; use fewer --nodes", "needs 9 GB", "use fewer --nodes"),
        ("needs 9 GB", "needs 9 GB", "use another test"),
    ],
)
def test_a_case_that_does_not_fit_is_refused_before_all_others(
    reason: str, what: str, fix: str
) -> None:
    cases = [Case(test=test, transport="sim", bytes=8) for test in ("ping_pong", "stream")]
    said = [Answer(id=0, status="unsupported", reason="no"), Answer(
        id=1, status="failed", reason=reason)]  # fmt: skip
    with pytest.raises(WeftError) as refused:
        _check_refused(list(zip(cases, said, strict=True)), "")
    assert (refused.value.what, refused.value.fix) == (f"{cases[1].key} {what}", fix)
    _check_refused([(cases[0], said[0]), (cases[1], Answer(id=1, status="ok"))], "")


def test_of_cases_that_all_cannot_be_simulated_each_has_its_reason() -> None:
    cases = [Case(test=test, transport="sim", bytes=8) for test in ("message_rate", "busy_stream")]

    def refused(*reasons: str) -> tuple[str, str]:
        said = [Answer(id=0, status="unsupported", reason=one) for one in reasons]
        with pytest.raises(WeftError) as found:
            _check_refused(list(zip(cases, said, strict=True)), "escher")
        return found.value.what, found.value.fix

    on = "is unsupported on a simulated platform"
    assert refused("no limit.", "all at once") == (
        f"message_rate {on}: no limit; busy_stream {on}: all at once",
        "ask stream or halo with --compute instead",
    )
    more = "it needs 4 ranks; choose more with --ranks"
    assert refused(more, more) == (
        "message_rate: it needs 4 ranks; busy_stream: it needs 4 ranks",
        "use more --nodes, or smaller --points",
    )


@pytest.mark.parametrize("nodes", [16, 64, 65])
def test_a_fabric_is_simulated_as_coarsely_as_one_of_its_own_nodes(nodes: int) -> None:
    """Of many nodes times are rounded, and those of small runs for them alike."""
    asked = Experiment(tests=("alltoall",), sizes="8", ranks=nodes)

    def xml(nodes: int, **more: Any) -> str:
        variant = Variant(fabric=FabricAsked(nodes=nodes, switch="64"))
        [one] = placed_tests_of(platform(), variant, asked, **more)
        return one.platform.xml

    assert xml(nodes) == xml(nodes, as_of_nodes=nodes)
    assert ("precision" in xml(nodes)) == (nodes > 64)
    assert "precision" in xml(16, as_of_nodes=65)
    assert "precision" not in xml(nodes, as_of_nodes=16)


def test_what_is_known_of_a_platform_is_of_the_published_one_of_its_name() -> None:
    escher = find_platform("escher")
    for kind in ("model", "table"):
        assert _published(calibrated(escher, kind)) == escher
    assert _published(platform()) is None
    assert known_certainty(platform()) is None
    known = known_certainty(calibrated(escher, "model"))
    assert known is not None
    assert known.of == "published"


@pytest.mark.parametrize(("speed", "rails"), [(1.0, 1), (2.0, 1), (1.0, 4)])
def test_drawn_pairs_have_as_long_a_queue_as_their_shortest_messages_need(
    speed: float, rails: int
) -> None:
    variant = Variant(fabric=FabricAsked(nodes=8, switch="24", rails=rails), speed=speed)
    parameters = parameters_of(platform())
    for sizes, shortest in (("1MiB,64MiB", 1 << 20), ("64MiB,16MiB", 16 << 20), ("8", 8)):
        asked = Experiment(tests=("random_pairs", "ping_pong"), sizes=sizes, ranks=8)
        placed = placed_tests_of(platform(), variant, asked)
        drawn, pairs = [
            [one for one in placed if test in one.experiment.tests] for test in asked.tests
        ]
        shortest_ns = 1e9 * shortest / (parameters.bandwidth_bytes_per_s * speed * rails)
        depths = (queue_of(parameters.latency_ns, shortest_ns),)
        assert {one.experiment.variants.queue_depths for one in drawn} == {depths}
        assert {one.experiment.variants for one in pairs} == {asked.variants}
    usual = Experiment(tests=("random_pairs",), ranks=8)
    [of_usual] = placed_tests_of(platform(), variant, usual)
    assert of_usual.experiment.variants == usual.variants
    assert of_usual.launches == 100


@pytest.mark.parametrize(
    ("fabrics", "cases", "more", "fits"),
    [(6, 4, 0, True), (7, 4, 0, False), (6, 4, 1, False), (1, 4, 0, True), (1, 4, 1, False)],
)
def test_cards_are_made_where_all_of_them_have_room(
    fabrics: int, cases: int, more: int, fits: bool
) -> None:
    """`more` are further cases of the first fabric alone."""
    rows = [
        (f"case {case}", f"fabric {fabric}", "1 µs", "[1, 2]")
        for fabric in range(fabrics)
        for case in range(cases + (more if not fabric else 0))
    ]
    head = ("case", "fabric", "figure", "by the calibration")
    found = _cards(Table(name="a", caption="A", head=head, rows=tuple(rows)))
    assert [one.title for one in found] == [f"fabric {at}" for at in range(fabrics)] * fits
    assert all(len(one.figures) == cases for one in found)
