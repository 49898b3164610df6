"""The first screen of a page: four figures a transport, the verdict, and what is said once."""

from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, make_cases, synthetic_record
from support.shown import render_page
from weft.analysis.first_figures import first_figures
from weft.analysis.summary import summarise
from weft.fabric.peaks import parse_link
from weft.plan.case import Case
from weft.plan.simulated import SimulatedPlatform
from weft.record.model import Status
from weft.record.run import Run
from weft.report.front import (
    MOST_NAMED,
    cards_of,
    facts_of,
    short_warning,
    verdict_of,
    verdicts_of,
)
from weft.topics import results_of
from weft.topics.base import Results

SIZES = (8, 1024, 65536)


def results(path: Path, depths: tuple[int, ...] = (64,)) -> Results:
    def times_ns(case: Case, launch: int) -> list[float]:
        middle = (1000 + case.bytes / 10) * (64 / case.queue_depth)
        return [middle * LAUNCH_EFFECTS[launch]] * 9

    plain = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), SIZES)
    cases = [msgspec.structs.replace(case, queue_depth=depth) for depth in depths for case in plain]
    run = weft.load(synthetic_record(path, tuple(cases), launches=5, times_ns=times_ns))
    return results_of(run, summarise(run))


def test_a_card_has_the_smallest_latency_and_the_largest_bandwidth(tmp_path: Path) -> None:
    shown = results(tmp_path / "r.jsonl")
    for one in first_figures(shown.run, shown.summaries):
        assert (one.latency_bytes, one.bandwidth_bytes) == (8, 65536)
        assert one.latency_ns is not None
        assert one.latency_ns.value == pytest.approx((1000 + 0.8) / 2, rel=1e-3)
        assert one.bandwidth_bytes_per_s is not None
        assert one.bandwidth_bytes_per_s.value == pytest.approx(65536e9 / 7553.6, rel=1e-3)
    cards = cards_of([shown])
    assert [card.title for card in cards] == ["tcp", "mpi"]
    what = [name for name, _, _ in cards[0].figures]
    assert what == ["latency, 8 B", "bandwidth, 64 KiB", "n½, half of it", "of the peak"]
    assert cards[0].figures[0][1:2] == ("500 ns",)
    assert cards[0].figures[3][1:] == ("not known", "no link is named")


def test_a_card_has_the_best_bandwidth_where_longer_messages_are_slower(tmp_path: Path) -> None:
    def times_ns(case: Case, launch: int) -> list[float]:
        return [case.bytes / (10 if case.bytes <= 4096 else 2) * LAUNCH_EFFECTS[launch]] * 9

    cases = make_cases(("stream",), ("tcp",), (8, 4096, 65536))
    path = synthetic_record(tmp_path / "r.jsonl", cases, launches=5, times_ns=times_ns)
    run = weft.load(path)
    [one] = first_figures(run, summarise(run, parse_link("100GbE")))
    assert one.bandwidth_bytes in (8, 4096)
    assert one.bandwidth_bytes_per_s is not None
    assert one.bandwidth_bytes_per_s.value == pytest.approx(10e9, rel=1e-2)
    assert one.percent_of_peak is not None
    assert one.percent_of_peak.value == pytest.approx(80, rel=1e-2)


def test_a_card_says_why_half_of_the_bandwidth_has_no_size(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), (8, 65536))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    [card] = cards_of([results_of(run, summarise(run))])
    assert card.figures[2] == ("n½, half of it", "not known", "needs 3 sizes")


@pytest.mark.parametrize("test", ["ping_pong", "stream"])
def test_of_what_was_not_measured_there_is_neither_a_figure_nor_a_size(
    tmp_path: Path, test: str
) -> None:
    cases = make_cases((test,), ("tcp",), SIZES)
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    [one] = first_figures(run, summarise(run))
    latency, bandwidth = (one.latency_bytes, one.latency_ns), (
        one.bandwidth_bytes, one.bandwidth_bytes_per_s,
    )  # fmt: skip
    there, absent = (latency, bandwidth) if test == "ping_pong" else (bandwidth, latency)
    assert absent == (0, None)
    assert there[0] == (8 if test == "ping_pong" else 65536)
    assert there[1] is not None


def test_variants_are_not_on_the_cards(tmp_path: Path) -> None:
    shown = results(tmp_path / "r.jsonl", (16, 64))
    assert any(one.variant for one in shown.summaries)
    for one in first_figures(shown.run, shown.summaries):
        assert one.bandwidth_bytes_per_s is not None
        assert one.bandwidth_bytes_per_s.value == pytest.approx(65536e9 / 7553.6, rel=1e-3)


@pytest.mark.parametrize("depths", [(16, 32), (32, 16)])
def test_without_a_plain_case_the_first_variant_is_on_the_cards(
    tmp_path: Path, depths: tuple[int, ...]
) -> None:
    """A message takes as many times longer as its queue is shorter than 64."""
    shown = results(tmp_path / "r.jsonl", depths)
    assert all(one.variant for one in shown.summaries)
    longer = 64 / depths[0]
    for one in first_figures(shown.run, shown.summaries):
        assert one.latency_ns is not None
        assert one.latency_ns.value == pytest.approx(longer * (1000 + 0.8) / 2, rel=1e-3)
        assert one.bandwidth_bytes_per_s is not None
        rate = one.bandwidth_bytes_per_s.value
        assert rate == pytest.approx(65536e9 / (longer * 7553.6), rel=1e-3)


def test_the_verdict_is_one_word_and_the_reason(tmp_path: Path) -> None:
    found = verdict_of(results(tmp_path / "r.jsonl"))
    assert (found.word, found.mood) == ("Settled.", "good")
    assert "Every case is precise" in found.sentence


@pytest.mark.parametrize("missing", [(), ("not_tried",), ("failed",), ("unsupported",)])
def test_a_simulated_run_is_good_only_where_nothing_is_missing(
    tmp_path: Path, missing: tuple[Status, ...]
) -> None:
    """It was green with 14 of 24 cases not tried, and said that the simulation disturbed it."""
    cases = make_cases(("ping_pong", "stream"), ("tcp",), SIZES)
    path = synthetic_record(
        tmp_path / "r.jsonl", cases,
        simulated=SimulatedPlatform(name="known", kind="model", nodes=2),
    )  # fmt: skip
    run = weft.load(path)
    first, *others = summarise(run)
    first = msgspec.structs.replace(first, status=missing[0] if missing else "ok")
    found = verdict_of(results_of(run, [first, *others]))
    is_open = missing in (("not_tried",), ("failed",))
    assert (found.word, found.mood) == ("Simulated.", "open" if is_open else "good")
    assert "Interference" not in found.sentence


def test_of_several_records_each_verdict_and_summary_has_its_name(tmp_path: Path) -> None:
    both = [results(tmp_path / f"{name}.jsonl") for name in ("a", "b")]
    assert [one.word for one in verdicts_of(both)] == [
        f"{name}.jsonl: {verdict_of(one).word}" for name, one in zip("ab", both, strict=True)
    ]
    assert verdicts_of(both[:1]) == (verdict_of(both[0]),)


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        (1, "cause 0"),
        (2, "cause 0 and cause 1"),
        (3, "cause 0, cause 1 and cause 2"),
        (4, "cause 0, cause 1, cause 2 and 1 more"),
        (6, "cause 0, cause 1, cause 2 and 3 more"),
    ],
)
def test_what_disturbed_a_run_is_named_and_counted(tmp_path: Path, causes: int, said: str) -> None:
    shown = results(tmp_path / "r.jsonl")
    assert MOST_NAMED == 3
    notes = tuple(f"warning: cause {at}: it hums. Fix: oil" for at in range(causes))
    header = msgspec.structs.replace(shown.run.header, notes=(*notes, notes[0]))
    lines = msgspec.structs.replace(shown.run.lines, header=header)
    disturbed = Results(Run(shown.run.path, lines), shown.summaries, ())
    sentence = verdict_of(disturbed).sentence
    assert sentence.endswith(f". Interference: {said}.")
    assert "Interference" not in verdict_of(disturbed, with_causes=False).sentence


def test_facts_say_on_what_when_and_how_much(tmp_path: Path) -> None:
    shown = results(tmp_path / "r.jsonl")
    machine, when, ranks, cases, launches = facts_of([shown])
    assert machine.startswith("Test CPU")
    assert (when, ranks) == ("2026-01-02 03:04 UTC", "2 ranks")
    assert (cases, launches) == ("12 cases over tcp, mpi", "10 launches")


def test_a_warning_is_short_on_the_first_screen() -> None:
    line = "warning: runs under KVM: the host may preempt a core: rare. Fix: measure elsewhere"
    assert short_warning(line) == "runs under KVM"


def test_a_page_of_the_default_run_is_small(tmp_path: Path) -> None:
    cases = make_cases(transports=("mpi", "tcp", "ucx", "ofi"))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=5))
    page = render_page([(run, summarise(run))])
    assert len(page.encode()) < 1_200_000
    assert page.count("<svg ") == page.count('<div class="plot"') >= 4


def test_of_a_figure_that_is_a_range_no_middle_stands_before_it(tmp_path: Path) -> None:
    """It was "270 MB/s 85 to 880 MB/s n=2" in the end of a run, and on its page."""
    cases = make_cases(("ping_pong",), ("tcp",), (8,))

    def times_ns(_: Case, launch: int) -> list[float]:
        return [2000.0 * 1.6**launch] * 9

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=2, times_ns=times_ns))
    [card] = cards_of([results_of(run, summarise(run))])
    _, value, interval = card.figures[0]
    assert " to " in value
    assert interval == "n=2"
