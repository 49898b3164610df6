"""Scaling from records whose efficiency is known: rows, verdicts, tables, charts, findings."""

import itertools
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import weft
from support.builders import synthetic_record, write_lines
from support.shown import json_rows, tables_of
from support.studies import (
    LOSS,
    SITE_NS,
    efficiency,
    iteration_ns,
    parts,
    record_of,
    rows_of,
    series,
    strong_cases,
    weak_cases,
)
from weft.analysis.compare.comparison import compare
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.simulated import SimulatedPlatform
from weft.record.model import Batch, Launch, Line, RankFacts
from weft.record.run import Run
from weft.report.comparison import comparison_tables
from weft.sources.sides import load_sides
from weft.topics.scaling import Scaling
from weft.topics.scaling.rows import LatticeCurve, rates_alone


def test_the_slowest_rank_and_the_smallest_number_of_ranks_count(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, weak_cases()))
    [group] = rows.groups
    assert [curve.rows[0].lattice for curve in group] == ["4^4", "8^4", "14^4"]
    for row in rows.all:
        extent = int(row.lattice.partition("^")[0])
        [case] = [one for one in weak_cases() if one.key == row.case]
        assert row.iteration_ns.value == pytest.approx(iteration_ns(case), rel=1e-4)
        assert row.base_ranks == 1
        assert row.sites == extent**4
        if row.ranks == 1:
            assert row.efficiency is None
        else:
            assert row.efficiency is not None
            assert row.efficiency.speed == pytest.approx(efficiency(extent, row.ranks), rel=1e-4)
            assert row.efficiency.low < row.efficiency.speed < row.efficiency.high


def test_flops_are_counted_as_the_application_says(tmp_path: Path) -> None:
    for row in rows_of(record_of(tmp_path, weak_cases())).all:
        assert row.flops_per_s is not None
        assert row.moved_bytes_per_s is not None
        time_s = row.iteration_ns.value * 1e-9
        assert row.flops_per_s.value == pytest.approx(1187 * row.sites / time_s)
        assert row.moved_bytes_per_s.value == pytest.approx(1308 * row.sites / time_s)


def test_what_a_rank_computes_alone_is_known_for_each_lattice(tmp_path: Path) -> None:
    cases = weak_cases()
    doubled = tuple(msgspec.structs.replace(case, bytes=72) for case in cases if case.ranks == 1)
    rates = rates_alone(rows_of(record_of(tmp_path, (*reversed(cases), *doubled))))
    assert [row.lattice for row in rates] == ["4^4", "8^4", "14^4"]
    for row in rates:
        assert row.flops_per_s is not None
        assert row.flops_per_s.value == pytest.approx(1187 / (SITE_NS * 1e-9), rel=1e-4)
    for name, without in {"no_flops": strong_cases(), "no_rank_alone": weak_cases()[1:3]}.items():
        (tmp_path / name).mkdir()
        assert rates_alone(rows_of(record_of(tmp_path / name, without))) == ()


def test_one_launch_of_a_simulation_is_a_verdict_and_one_of_a_machine_is_none(
    tmp_path: Path,
) -> None:
    measured = record_of(tmp_path, weak_cases(), launches=1)
    assert {cost.verdict for cost in rows_of(measured).costs} == {"cannot tell"}
    record = measured.lines
    assert record.footer is not None
    platform = SimulatedPlatform(name="known", kind="model", nodes=4)
    plan = msgspec.structs.replace(record.header.plan, simulated=platform)
    header = msgspec.structs.replace(record.header, plan=plan)
    lines: list[Line] = [header, *record.launches, *record.batches, record.footer]
    costs = rows_of(weft.load(write_lines(tmp_path / "s.jsonl", lines))).costs
    assert {cost.lattice: (cost.verdict, cost.first_ranks) for cost in costs} == {
        "4^4": ("costs more", 2), "8^4": ("costs more", 2), "14^4": ("costs less", 0),
    }  # fmt: skip


def test_the_largest_true_residual_is_reported(tmp_path: Path) -> None:
    plain = record_of(tmp_path, weak_cases(extents=(4, 8)))
    record = plain.lines
    worst = weak_cases(extents=(8,))[1]
    batches = [
        msgspec.structs.replace(
            one,
            application={"residual": 3.2e-5 if (one.case, one.launch) == (worst.key, 2) else 1e-6},
        )
        for one in record.batches
    ]
    assert record.footer is not None
    lines: list[Line] = [record.header, *record.launches, *batches, record.footer]
    rows = rows_of(weft.load(write_lines(tmp_path / "s.jsonl", lines)))
    assert {row.case: row.residual for row in rows.all}[worst.key] == 3.2e-5
    [note] = [one for one in Scaling().tables(rows)[0].notes if "residual" in one]
    assert "at most 3.2e-05 (milc 8^4 on 2 ranks)" in note
    assert not any("residual" in one for one in Scaling().tables(rows_of(plain))[0].notes)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (("off", "off"), "Flush to zero is off: numbers too small for all their digits keep what"),
        (("on", "on"), "Flush to zero is on: numbers too small for all their digits are taken for"),
        (("off", "on"), "Flush to zero was on in some launches and off in others"),
        (("", ""), ""),
    ],
)
def test_flush_to_zero_is_said_where_something_was_solved(
    found: tuple[str, str], said: str, tmp_path: Path
) -> None:
    plain = record_of(tmp_path, weak_cases(extents=(4, 8)))
    record = plain.lines
    launches = [
        msgspec.structs.replace(one, details={"flush to zero": found[at % 2]} if found[0] else {})
        for at, one in enumerate(record.launches)
    ]
    batches = [
        msgspec.structs.replace(one, application={"residual": 1e-6}) for one in record.batches
    ]
    assert record.footer is not None
    lines: list[Line] = [record.header, *launches, *batches, record.footer]
    rows = rows_of(weft.load(write_lines(tmp_path / "s.jsonl", lines)))
    notes = [one for one in Scaling().tables(rows)[0].notes if "Flush" in one]
    assert [one.startswith(said) for one in notes] == ([True] if said else [])


def test_parts_are_means_over_the_ranks_and_add_up(tmp_path: Path) -> None:
    for row in rows_of(record_of(tmp_path, weak_cases())).all:
        mean = row.iteration_ns.value * (1.0 + 0.9 * (row.ranks - 1)) / row.ranks
        assert list(row.parts_ns) == ["pack", "local", "wait", "remote", "sum"]
        assert sum(one.value for one in row.parts_ns.values()) == pytest.approx(mean, rel=1e-3)
        assert row.parts_ns["wait"].value == pytest.approx(0.2 * mean, rel=1e-3)


@pytest.mark.parametrize(("test", "name"), [("milc", "fields"), ("halo", "other")])
def test_what_an_iteration_takes_beside_its_parts_is_one_too(
    test: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nine_tenths(case: Case, round_: int) -> dict[str, list[float]]:
        return {
            part: times
            if part.startswith("rank") and "." not in part
            else [0.9 * one for one in times]
            for part, times in parts(case, round_).items()
        }

    monkeypatch.setattr("support.studies.parts", nine_tenths)
    for row in rows_of(record_of(tmp_path, weak_cases(test, extents=(8,)))).all:
        mean = row.iteration_ns.value * (1.0 + 0.9 * (row.ranks - 1)) / row.ranks
        assert list(row.parts_ns)[-1] == name
        assert sum(one.value for one in row.parts_ns.values()) == pytest.approx(mean, rel=1e-3)
        assert row.parts_ns["wait"].value == pytest.approx(0.9 * 0.2 * mean, rel=1e-3)


def test_a_divided_lattice_is_held_to_its_share(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, strong_cases()))
    found = {row.ranks: row.efficiency for row in rows.all}
    assert found[1] is None
    for ranks in (2, 4):
        ratio = found[ranks]
        assert ratio is not None
        # With half the work an iteration takes half as long, but for what is lost.
        assert ratio.speed == pytest.approx(efficiency(8, ranks), rel=1e-4)
    assert [row.sites for row in rows.all] == [8**4, 8**4 / 2, 8**4 / 4]


def test_the_verdict_is_of_the_whole_interval_on_the_most_ranks(tmp_path: Path) -> None:
    costs = {cost.lattice: cost for cost in rows_of(record_of(tmp_path, weak_cases())).costs}
    assert costs["4^4"].verdict == "costs more"
    assert costs["4^4"].first_ranks == 2
    assert costs["14^4"].verdict == "costs less"
    assert costs["14^4"].first_ranks == 0
    assert costs["4^4"].cost.speed == pytest.approx(1 - efficiency(4, 4), rel=1e-3)
    assert (costs["4^4"].base_ranks, costs["4^4"].ranks) == (1, 4)
    for found in costs.values():
        # What is lost has its ends about it, close by as its launches are alike.
        assert found.cost.low <= found.cost.speed <= found.cost.high < found.cost.low + 0.1
    # Half of an iteration are local legs: of the mean over ranks they grow most.
    alone, grown = 10 * 4**4, 0.925 * 20 * 4**4
    assert costs["4^4"].most_in == "local"
    assert costs["4^4"].most_ns == pytest.approx(0.5 * (grown - alone), rel=1e-2)


def test_a_wide_interval_cannot_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 17 % are lost, and launches differ by as much as would hide it.
    monkeypatch.setitem(LOSS, 8, 0.1)
    effects = (0.8, 1.0, 1.2, 1.1, 0.9)
    monkeypatch.setattr("support.studies.LAUNCH_EFFECTS", effects)
    [cost] = rows_of(record_of(tmp_path, weak_cases(extents=(8,)))).costs
    assert cost.cost.speed > 0.1
    assert cost.verdict == "cannot tell"


def test_one_launch_has_no_interval_and_no_verdict(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, weak_cases(), launches=1))
    assert {cost.verdict for cost in rows.costs} == {"cannot tell"}
    assert all(row.efficiency is None or row.efficiency.basis == "one launch" for row in rows.all)


def test_of_few_launches_the_ends_are_given(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(), launches=3)
    table = tables_of(run, summarise(run), "scaling")[0]
    assert all("n=3" in row[3] for row in table.rows)


def test_tables_have_every_figure(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases())
    performance, shares, costs = tables_of(run, summarise(run), "scaling")
    assert performance.rows[0][:3] == ("milc tcp", "4^4", "1")
    assert performance.rows[0][5] == "base"
    assert performance.rows[2][5].startswith("50.0 % [")
    # 1187 flops a site in 10 ns.
    assert performance.rows[0][4] == "119 GFlop/s"
    assert "milc 1187, with 1308 bytes moved." in " ".join(performance.notes)
    assert shares.head[3:] == ("pack", "local", "wait", "remote", "sum")
    assert [row[4] for row in costs.rows] == [
        "more than 10%",
        "more than 10%",
        "less than 10%",
    ]


def test_the_json_of_a_case_has_its_row(tmp_path: Path) -> None:
    run = record_of(tmp_path, strong_cases())
    rows = json_rows(run, summarise(run))
    assert [row["scaling"]["ranks"] for row in rows] == [1, 2, 4]


def test_the_finding_names_lattices_and_times(tmp_path: Path) -> None:
    finding, rests_on = Scaling().findings(rows_of(record_of(tmp_path, weak_cases())))
    assert rests_on.startswith("scaling: 1 session of 5 launches: the intervals do not include")
    # Computing grew most, and waiting, a fifth of an iteration, by as large a share of itself.
    assert finding.startswith(
        "milc over tcp, weak scaling: the ranks' own work and waiting for messages together cost"
        " more than 10% at 4^4"
    )
    assert "the fabric costs more" not in finding
    assert "messages within the host cost less than 10% at 14^4" in finding
    assert "on 4 ranks" in finding
    assert ", an iteration takes 5.12 µs [" in finding
    assert "], most in local)" in finding


def test_charts_have_a_curve_a_lattice_and_stacked_parts(tmp_path: Path) -> None:
    rate, efficiency_chart, stacked = Scaling().charts(rows_of(record_of(tmp_path, weak_cases())))
    assert [track.label for track in rate.tracks] == ["4^4", "8^4", "14^4"]
    assert rate.tracks[0].x == (1.0, 2.0, 4.0)
    assert rate.y.label == "MFlop/s per rank"
    assert rate.tracks[0].y[0] == pytest.approx(118_700, rel=1e-3)
    assert efficiency_chart.tracks[0].y == pytest.approx((100, 100 / 1.5, 50), rel=1e-3)
    tops = stacked.tracks[-1].y
    assert tops == pytest.approx((100.0,) * 3)
    assert [track.label for track in stacked.tracks] == ["pack", "local", "wait", "remote", "sum"]
    for below, above in itertools.pairwise(stacked.tracks):
        assert above.base == below.y


def test_the_chart_of_parts_has_every_lattice_that_has_parts(tmp_path: Path) -> None:
    """Of one the largest number of ranks says nothing of its parts, another has one of its own."""
    found = rows_of(record_of(tmp_path, weak_cases()))
    [group] = found.groups
    small, middle, large = (curve.rows for curve in group)
    own = middle[-1].parts_ns
    changed = [
        (*small[:-1], msgspec.structs.replace(small[-1], parts_ns={})),
        (*middle[:-1], msgspec.structs.replace(middle[-1], parts_ns={**own, "rest": own["sum"]})),
        large,
    ]
    curves = tuple(LatticeCurve(rows=rows) for rows in changed)
    stacked = Scaling().charts(msgspec.structs.replace(found, groups=(curves,)))[-1]
    assert [name for _, name in stacked.x.ticks] == ["4^4\n2", "8^4\n4", "14^4\n4"]
    assert [track.label for track in stacked.tracks][-1] == "rest"
    assert stacked.tracks[-1].y == pytest.approx((100.0,) * 3)


def test_two_records_have_the_same_scale(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    fast = rows_of(record_of(tmp_path / "a", weak_cases(extents=(4,))))
    slow = rows_of(record_of(tmp_path / "b", weak_cases("halo", (4,))))
    charts = Scaling().overlaid([("a", fast), ("b", fast)])
    assert len(charts) == 6
    ends = {chart.y.label: chart.y.ends for chart in charts}
    assert all(chart.y.ends == ends[chart.y.label] for chart in charts)
    assert len(Scaling().overlaid([("a", fast), ("b", slow)])) == 6


@pytest.mark.parametrize(
    ("ranks", "hosts", "level"),
    [
        (1, 1, "L2"),
        (2, 1, "L2"),
        (4, 1, "L2"),
        (8, 1, "L3"),
        (64, 1, "memory"),
        # Of 16 ranks on two hosts 8 share the caches of each.
        (16, 2, "L3"),
        (16, 4, "L2"),
    ],
)
def test_the_level_is_the_smallest_cache_for_all_that_share_it(
    tmp_path: Path, ranks: int, hosts: int, level: str
) -> None:
    """A set of 0.16 MB; four cores have each 0.4 MB, and share 2 MB."""
    case = weak_cases(extents=(4,))[0]
    run = record_of(tmp_path, (case,))
    caches = [
        {"level": 1, "kind": "Data", "size_bytes": 32 << 10, "shared_cpus": [0]},
        {"level": 1, "kind": "Instruction", "size_bytes": 1 << 30, "shared_cpus": [0]},
        {"level": 2, "kind": "Unified", "size_bytes": 400_000, "shared_cpus": [0]},
        {"level": 3, "kind": "Unified", "size_bytes": 2_000_000, "shared_cpus": [0, 1, 2, 3]},
    ]
    if ranks // hosts == 8:
        caches[2]["size_bytes"] = 300_000
    cpu = {"allowed_cpus": [0, 1, 2, 3], "caches": caches}
    header = msgspec.structs.replace(run.header, hosts={"node1": {"host": "node1", "cpu": cpu}})
    there = tuple(
        RankFacts(rank=at, host=f"node{1 + at % hosts}", pid=at, cpu=at // hosts % 4, numa=0)
        for at in range(ranks)
    )

    def on_ranks(line: Launch) -> Launch:
        return msgspec.structs.replace(line, ranks=there)

    launches = tuple(on_ranks(one) for one in run.lines.launches)
    lines = msgspec.structs.replace(run.lines, header=header, launches=launches)
    [row] = rows_of(Run(run.path, lines)).all
    assert row.level == level


def test_a_case_that_failed_is_in_no_curve(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(extents=(4,)))
    bad = run.cases[weak_cases(extents=(4,))[1].key]
    wrong = Batch(
        case=bad.key, launch=0, order=999, role="measure", status="failed", reason="wrong byte"
    )
    lines = msgspec.structs.replace(run.lines, batches=(*run.lines.batches, wrong))
    assert [row.ranks for row in rows_of(Run(run.path, lines)).all] == [1, 4]


def test_ranks_that_share_a_core_have_no_verdict(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(extents=(4,)))
    crowded = tuple(RankFacts(rank=at, host="node1", pid=at, cpu=0, numa=0) for at in range(2))
    launches = tuple(msgspec.structs.replace(one, ranks=crowded) for one in run.lines.launches)
    lines = msgspec.structs.replace(run.lines, launches=launches)
    rows = rows_of(Run(run.path, lines))
    assert all(row.shares_cores for row in rows.all)
    [cost] = rows.costs
    assert (cost.verdict, cost.first_ranks) == ("cannot tell", 0)
    table = tables_of(Run(run.path, lines), summarise(run), "scaling")[0]
    assert table.rows[2][2] == "4*"
    assert "share cores" in " ".join(table.notes)


def test_two_clusters_are_compared_on_each_number_of_ranks(tmp_path: Path) -> None:
    cases = weak_cases(extents=(4, 8))

    def half(case: Case, round_: int) -> list[float]:
        return series(case, round_, 0.5)

    sides = [
        str(synthetic_record(tmp_path / "old.jsonl", cases, times_ns=series)),
        str(synthetic_record(tmp_path / "new.jsonl", cases, times_ns=half)),
    ]
    found = compare(load_sides(sides, ()))
    assert [table.along for table in found.tables] == ["ranks", "ranks"]
    for table in found.tables:
        assert [row.ranks for row in table.rows] == [1, 2, 4]
        for row in table.rows:
            assert row.ratios[0] is not None
            assert row.ratios[0].speed == pytest.approx(2, rel=1e-3)
        assert "is faster from 1 rank to 4 ranks" in table.words[0]
    screen = Console(width=120)
    with screen.capture() as printed:
        screen.print(comparison_tables(found))
    assert "milc over tcp: time of an iteration, 4^4, 4 B a site" in printed.get()


def test_a_resumed_study_has_times_over_its_sessions(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(extents=(4,)))
    half = len(run.lines.launches) // 2
    launches = tuple(
        msgspec.structs.replace(one, session=int(at >= half))
        for at, one in enumerate(run.lines.launches)
    )
    resumed = Run(run.path, msgspec.structs.replace(run.lines, launches=launches))
    found = [rows_of(one).all[0].iteration_ns for one in (run, resumed)]
    assert [one.unit for one in found] == ["launch", "session"]
    assert found[1].launches == 2


def test_the_rate_of_a_lattice_is_that_of_its_fastest_case_whichever_comes_first(
    tmp_path: Path,
) -> None:
    """A rank that sends nothing is as fast over any transport, so the best of them counts."""
    [first] = [case for case in weak_cases(extents=(4,)) if case.ranks == 1]
    cases = tuple(msgspec.structs.replace(first, transport=over) for over in ("tcp", "mpi", "ucx"))
    speeds = {"tcp": 1.0, "mpi": 0.5, "ucx": 0.8}

    def times(case: Case, round_: int) -> list[float]:
        return series(case, round_, speeds[case.transport])

    def own(case: Case, round_: int) -> dict[str, list[float]]:
        return {
            name: [speeds[case.transport] * ns for ns in of]
            for name, of in parts(case, round_).items()
        }

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times, parts_ns=own))
    [row] = rates_alone(rows_of(run))
    assert row.transport == "mpi"


def test_a_cost_is_of_the_most_ranks_that_have_a_core_each(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(extents=(4,)))
    four = {batch.launch for batch in run.measured if run.cases[batch.case].ranks == 4}
    others = {batch.launch for batch in run.measured} - four
    if not others:  # all cases share their launches: a launch of its own for each number of ranks
        batches = tuple(
            msgspec.structs.replace(one, launch=one.launch + 100 * run.cases[one.case].ranks)
            for one in run.lines.batches
        )
    else:
        batches = run.lines.batches
    launches = tuple(
        msgspec.structs.replace(
            one,
            launch=one.launch + 100 * ranks,
            ranks=tuple(
                RankFacts(rank=at, host="node1", pid=at, cpu=at % 2, numa=0) for at in range(ranks)
            ),
        )
        for one in run.lines.launches
        for ranks in (1, 2, 4)
    )
    lines = msgspec.structs.replace(run.lines, launches=launches, batches=batches, ends=())
    [cost] = rows_of(Run(run.path, lines)).costs
    assert (cost.ranks, cost.first_ranks) == (2, 2)
    assert cost.cost.speed == pytest.approx(1 - efficiency(4, 2), rel=1e-3)


def test_waiting_is_what_grew_beside_the_work_of_a_rank_and_of_its_faces(tmp_path: Path) -> None:
    """Of what grows on 4 ranks a fifth is waiting, a twentieth sums; pack and remote are work."""
    found = rows_of(record_of(tmp_path, weak_cases(extents=(4,))))
    [cost], rows = found.costs, found.all
    grown = {
        part: rows[-1].parts_ns[part].value - rows[0].parts_ns[part].value
        for part in rows[0].parts_ns
    }
    assert cost.waits_ns == pytest.approx(
        sum(ns for part, ns in grown.items() if part not in ("pack", "local", "remote"))
    )
    assert cost.waits_ns < 0.5 * sum(grown.values())
