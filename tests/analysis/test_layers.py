"""What each layer adds: known differences, media and loops that differ, launches of one round."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from rich.console import Console

import weft
from support.builders import (
    LAUNCH_EFFECTS,
    lost_batch,
    make_cases,
    synthetic_record,
    usual_time_ns,
    usual_times_ns,
)
from support.records_of_any_kind import Planned, planned, record_of
from weft.analysis.layers import Layers, Step, layers_of, step_between
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.rounds import difference
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.fabric.medium import medium_of
from weft.plan.case import Case
from weft.record.run import Run
from weft.report.table import render_bare
from weft.topics.layers import layer_charts, layer_notes, layer_table, pair_in_words, to_json

LO = {"interface": "lo", "address": "127.0.0.1:5"}
OFI_TCP = {"provider": "tcp;ofi_rxm", "domain": "lo"}
OFI_SHM = {"provider": "shm", "domain": "shm"}
UCX_SHM = {"lanes": "posix/memory (am am_bw#0), cma/memory (rma_bw#0)"}
MPI = {"standard": "3.1", "registration cache": "usual"}


def with_notes(run: Run, notes: dict[str, dict[str, str]]) -> Run:
    """The record, its launches with these details by transport."""
    launches = tuple(
        msgspec.structs.replace(launch, details=notes[launch.transport])
        for launch in run.lines.launches
    )
    return Run(run.path, msgspec.structs.replace(run.lines, launches=launches))


def measured(
    path: Path,
    notes: dict[str, dict[str, str]],
    wait: str = "",
    times_ns: Callable[[Case, int], Sequence[float]] = usual_times_ns,
    launches: int = 5,
) -> Run:
    cases = tuple(
        msgspec.structs.replace(case, wait=wait)
        for case in make_cases(["ping_pong", "stream"], list(notes), [0, 1000])
    )
    path.unlink(missing_ok=True)
    record = synthetic_record(path, cases, times_ns=times_ns, launches=launches)
    return with_notes(weft.load(record), notes)


def found(run: Run, order: Sequence[str] = ()) -> Layers:
    return layers_of(run, summarise(run), order)


def stacked(run: Run, order: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    return [(pair.test, pair.below, pair.above) for pair in found(run, order).pairs]


def test_a_layer_adds_what_it_is_known_to_add(tmp_path: Path) -> None:
    notes = {"mpi": MPI, "ofi": OFI_TCP, "tcp": LO}
    run = measured(tmp_path / "r.jsonl", notes, wait="spin")
    layers = found(run, ("tcp", "ofi", "mpi"))
    assert [(pair.below, pair.above) for pair in layers.pairs] == [("tcp", "ofi"), ("ofi", "mpi")]
    mpi, ofi = map(usual_time_ns, make_cases(["ping_pong"], ["mpi", "ofi"], [1000]))
    step = layers.pairs[1].steps[1]
    assert step.bytes == 1000
    assert step.added_ns.value == pytest.approx((mpi - ofi) / 2, rel=1e-3)
    assert step.added_ns.low <= (mpi - ofi) / 2 <= step.added_ns.high
    assert step.verdict == "saves"
    assert "mpi saves" in pair_in_words(layers.pairs[1])
    long = msgspec.structs.replace(step, bytes=32768)
    assert "at 32 KiB over ofi" in pair_in_words(
        msgspec.structs.replace(layers.pairs[1], steps=(long,))
    )
    # The same times on both layers.
    assert {step.verdict for step in layers.pairs[0].steps} == {"cannot tell"}
    assert "do not differ significantly" in pair_in_words(layers.pairs[0])
    assert not layers.apart


def test_of_one_launch_nothing_is_said_to_be_significant_or_not(tmp_path: Path) -> None:
    notes = {"ofi": OFI_TCP, "tcp": LO}
    layers = found(measured(tmp_path / "r.jsonl", notes, launches=1))
    [pair] = layers.pairs
    assert pair_in_words(pair) == "what ofi adds to tcp has no interval at any size"
    assert {row[5] for row in layer_table(layers).rows} == {"no interval"}


def test_only_layers_over_one_medium_are_stacked(tmp_path: Path) -> None:
    notes = {"tcp": LO, "ofi": OFI_SHM, "ucx": UCX_SHM, "verbs": {"device": "rxe0", "port": "1"}}
    layers = found(measured(tmp_path / "r.jsonl", notes))
    assert not layers.pairs
    beside = (
        "ofi and ucx use shared memory side by side, and none lies on another;"
        " compare them: weft compare RECORD@ofi RECORD@ucx"
    )
    assert {one.transport: one.why for one in layers.apart} == {
        "ofi": beside,
        "ucx": beside,
        "tcp": "its messages went over sockets on lo, those of no other transport did",
        "verbs": "its messages went over RDMA on rxe0, those of no other transport did",
    }
    rows = to_json(layers)
    assert {row["above"] for row in rows} == {"ofi", "ucx", "tcp", "verbs"}
    assert {row["verdict"] for row in rows} == {"apart"}
    # Not even where the user names them: their own notes say otherwise.
    assert stacked(measured(tmp_path / "r.jsonl", notes), ("tcp", "ofi")) == []


@pytest.mark.parametrize("order", [(), ("tcp", "ofi", "ucx"), ("tcp", "ucx", "ofi")])
def test_ucx_and_libfabric_each_lie_on_sockets_and_not_on_each_other(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    notes = {"ucx": {"lanes": "tcp/lo (am)"}, "tcp": LO, "ofi": OFI_TCP}
    layers = found(measured(tmp_path / "r.jsonl", notes), order)
    assert {(p.below, p.above) for p in layers.pairs} == {("tcp", "ofi"), ("tcp", "ucx")}
    assert not layers.apart


def test_mpi_lies_on_the_nearest_library_that_the_user_names(tmp_path: Path) -> None:
    notes = {"tcp": LO, "ofi": OFI_TCP, "ucx": {"lanes": "tcp/lo (am)"}, "mpi": MPI}
    run = measured(tmp_path / "r.jsonl", notes, wait="spin")
    pairs = {(below, above) for _, below, above in stacked(run, ("tcp", "ofi", "ucx", "mpi"))}
    assert pairs == {("tcp", "ofi"), ("tcp", "ucx"), ("ucx", "mpi")}


def test_two_variants_of_one_transport_are_no_layers(tmp_path: Path) -> None:
    run = measured(tmp_path / "r.jsonl", {"ofi:one": OFI_SHM, "ofi:two": OFI_SHM})
    assert not found(run, ("ofi:one", "ofi:two")).pairs


def test_a_transport_that_does_not_say_its_medium_is_stacked_where_the_user_vouches_for_it(
    tmp_path: Path,
) -> None:
    run = measured(tmp_path / "r.jsonl", {"ucx": UCX_SHM, "mpi": MPI}, wait="spin")
    assert stacked(run) == []
    [why] = [one.why for one in found(run).apart if one.transport == "mpi"]
    assert why.startswith("it does not say over which device and medium its messages went")
    assert why.endswith("--order ucx,mpi")
    assert stacked(run, ("ucx", "mpi")) == [("ping_pong", "ucx", "mpi")]
    three = measured(
        tmp_path / "s.jsonl", {"ucx": UCX_SHM, "ofi": OFI_SHM, "mpi": MPI}, wait="spin"
    )
    [why] = [one.why for one in found(three).apart if one.transport == "mpi"]
    # From the lowest of the others on.
    assert why.endswith("--order ofi,mpi")


@pytest.mark.parametrize(("wait", "blocks"), [("", True), ("library", True), ("spin", False)])
def test_a_blocking_loop_is_not_laid_on_one_with_receives_ahead(
    tmp_path: Path, wait: str, blocks: bool
) -> None:
    run = measured(tmp_path / "r.jsonl", {"ucx": UCX_SHM, "mpi": MPI}, wait=wait)
    layers = found(run, ("ucx", "mpi"))
    assert bool(layers.pairs) != blocks
    told = [one.why for one in layers.apart]
    assert all("mpi was measured by MPI_Send and MPI_Recv" in why for why in told)
    assert all(why.endswith("measure all of them with --wait spin") for why in told)
    assert len(told) == 2 * blocks
    said = [line for line in layer_notes(layers) if "apart" in line]
    # The same of both transports, said once.
    assert [line.partition(":")[2][:25] for line in said] == [" ucx and mpi stand apart:"] * blocks


def test_other_variants_are_stacks_of_their_own(tmp_path: Path) -> None:
    cases = tuple(
        Case(test="ping_pong", transport=name, bytes=8, wait=wait)
        for name in ("tcp", "ofi")
        for wait in ("", "block")
    )

    def times(case: Case, launch: int) -> list[float]:
        slow = 9.0 if case.wait else 1.0
        return [slow * time for time in usual_times_ns(case, launch)]

    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times)
    layers = found(with_notes(weft.load(path), {"tcp": LO, "ofi": OFI_TCP}))
    assert [pair.variant for pair in layers.pairs] == ["", "block"]
    usual, block = (pair.steps[0].above_ns.value for pair in layers.pairs)
    assert block == pytest.approx(9 * usual, rel=1e-3)
    assert len({chart.name for chart in layer_charts(layers)}) == 2


@settings(max_examples=25, deadline=None)
@given(found_cases=planned(("ping_pong", "put_ping_pong"), "transport"))
def test_every_good_latency_is_in_a_stack_or_apart(
    tmp_path_factory: pytest.TempPathFactory, found_cases: Planned
) -> None:
    run = record_of(tmp_path_factory.mktemp("r") / "r.jsonl", found_cases)
    summaries = summarise(run)
    try:
        layers = layers_of(run, summaries)
    except WeftError:
        return
    apart = {(one.test, one.variant, one.transport) for one in layers.apart}
    assert len(apart) == len(layers.apart)
    stacks = {
        (pair.test, pair.variant, name)
        for pair in layers.pairs
        for name in (pair.below, pair.above)
    }
    good = {(s.test, s.variant, s.transport) for s in summaries if s.status == "ok"}
    assert not apart & stacks
    assert apart | stacks <= good
    for pair in layers.pairs:
        assert len({step.bytes for step in pair.steps}) == len(pair.steps)


@pytest.mark.parametrize(
    ("notes", "medium"),
    [
        (LO, "sockets on lo"),
        (OFI_TCP, "sockets on lo"),
        *(
            ({"provider": provider, "domain": "eth0"}, "sockets on eth0")
            for provider in ("net", "tcp", "udp", "sockets", "udp;ofi_rxd", "tcp;ofi_rxm")
        ),
        (OFI_SHM, "shared memory"),
        (UCX_SHM, "shared memory"),
        ({"lanes": "tcp/lo (am)"}, "sockets on lo"),
        ({"lanes": "rc_verbs/rxe0:1 (am), ud_verbs/rxe0:1 (wireup)"}, "RDMA on rxe0"),
        ({"lanes": "posix/memory (am), tcp/eth0 (rma)"}, "shared memory and sockets on eth0"),
        ({"provider": "verbs;ofi_rxm", "domain": "rxe0"}, "RDMA on rxe0"),
        ({"provider": "cxi", "domain": "cxi0"}, "cxi on cxi0"),
        ({"device": "rxe0", "port": "1"}, "RDMA on rxe0"),
        (
            {"rails": "2", "rail 0 interface": "eth0", "rail 1 interface": "eth1"},
            "sockets on eth0 and sockets on eth1",
        ),
        ({"rails": "2", "rail 0 interface": "eth0", "rail 1 port": "1"}, ""),
        (MPI, ""),
        ({}, ""),
    ],
)
def test_the_medium_is_what_a_launch_says(notes: dict[str, str], medium: str, record: Path) -> None:
    launch = msgspec.structs.replace(weft.load(record).lines.launches[0], details=notes)
    assert medium_of([launch, launch]) == medium
    other = msgspec.structs.replace(launch, details={"interface": "eth7"})
    assert medium_of([launch, other]) == ""


def estimate(median: float, half: float) -> Estimate:
    return Estimate(
        value=median, low=median - half, high=median + half, coverage=0.95, method="given"
    )


@pytest.mark.parametrize(
    ("below", "above", "verdict"),
    [
        (estimate(100, 5), estimate(120, 5), "adds"),
        (estimate(120, 5), estimate(100, 5), "saves"),
        (estimate(100, 5), estimate(109, 5), "cannot tell"),
        (estimate(100, 5), estimate(110, 5), "cannot tell"),
    ],
)
def test_overlap_tells_nothing(below: Estimate, above: Estimate, verdict: str) -> None:
    step = step_between(8, below, above)
    assert step.verdict == verdict
    assert step.added_ns.low == above.low - below.high
    assert step.added_ns.high == above.high - below.low


def test_the_order_can_be_given_and_is_checked(tmp_path: Path) -> None:
    run = measured(tmp_path / "r.jsonl", {"tcp": LO, "ofi": OFI_TCP})
    assert stacked(run) == [("ping_pong", "tcp", "ofi")]
    assert stacked(run, ("ofi", "tcp")) == [("ping_pong", "ofi", "tcp")]
    with pytest.raises(WeftError, match="ucx has no latency in this record; it has"):
        found(run, ("ucx", "tcp"))
    with pytest.raises(WeftError, match="layers need two transports"):
        layers_of(run, [s for s in summarise(run) if s.transport == "tcp"])
    with pytest.raises(WeftError, match="share no test and size"):
        layers_of(run, [s for s in summarise(run) if (s.transport == "tcp") == (s.bytes == 0)])


def test_the_terminal_says_over_what_and_what_stands_apart(tmp_path: Path) -> None:
    notes = {"tcp": LO, "ofi": OFI_TCP, "ucx": UCX_SHM}
    out = io.StringIO()
    Console(file=out, width=200).print(
        *render_bare(layer_table(found(measured(tmp_path / "r", notes)))), sep="\n"
    )
    assert "ping_pong: ofi and tcp do not differ significantly at any size, over sockets on lo" in (
        out.getvalue()
    )
    assert "ping_pong: ucx stands apart: its messages went over shared memory" in out.getvalue()


def test_what_moves_a_whole_round_is_not_in_the_difference(tmp_path: Path) -> None:
    """Rounds scatter by 5 %, a layer adds 3 %: only launches of one round show it."""
    effects = (0.95, 1.04, 1.0, 1.05, 0.96, 1.01)

    def times(case: Case, round_: int) -> list[float]:
        own = 1000.0 * effects[round_] + (30.0 if case.transport == "ofi" else 0.0)
        own += (0.7, -0.4, 0.1, -0.8, 0.5, 0.2)[round_] * (1 if case.transport == "ofi" else -1)
        return [2 * own] * 21

    run = measured(tmp_path / "r.jsonl", {"tcp": LO, "ofi": OFI_TCP}, times_ns=times, launches=6)
    summaries = summarise(run)
    [pair] = layers_of(run, summaries).pairs
    for step in pair.steps:
        assert step.verdict == "adds"
        assert step.added_ns.value == pytest.approx(30, abs=1)
        assert 28 < step.added_ns.low < 30 < step.added_ns.high < 32
        apart = step_between(step.bytes, step.below_ns, step.above_ns)
        assert apart.verdict == "cannot tell"


@pytest.mark.parametrize("count", [3, 5, 8])
def test_intervals_of_paired_launches_are_narrower_and_hold_the_truth(count: int) -> None:
    """1,000 trials: rounds scatter by 2 %, launches within a round by 0.5 %; a layer adds 3 %."""
    draw = np.random.default_rng(count)
    trials, held = 1000, 0
    paired_ns, unpaired_ns = [], []
    for _ in range(trials):
        shared = 20 * draw.standard_normal(count)
        below = 1000 + shared + 5 * draw.standard_normal(count)
        above = 1030 + shared + 5 * draw.standard_normal(count)
        paired = difference(dict(enumerate(below.tolist())), dict(enumerate(above.tolist())))
        assert paired is not None
        figures = [median_of_launches(values.tolist()) for values in (below, above)]
        step = step_between(8, *figures)
        held += paired.low <= 30 <= paired.high
        paired_ns.append(paired.high - paired.low)
        unpaired_ns.append(step.added_ns.high - step.added_ns.low)
    assert 0.93 <= held / trials <= 0.97
    assert np.median(paired_ns) < 0.25 * np.median(unpaired_ns)


def test_rounds_that_only_one_layer_has_are_left_out(tmp_path: Path) -> None:
    assert difference({0: 10.0, 1: 11.0, 2: 99.0}, {0: 15.0, 1: 16.0, 3: 1.0}) == difference(
        {0: 10.0, 1: 11.0}, {0: 15.0, 1: 16.0}
    )
    assert difference({0: 10.0}, {0: 15.0}) is None
    cases = make_cases(["ping_pong"], ["tcp", "ofi"], [8])
    bad = lost_batch(cases[1], 1, 99, "failed", "wrong byte")
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, more=[bad]))
    with pytest.raises(WeftError, match="layers need two"):
        found(run)


def test_rounds_of_several_days_are_judged_by_the_days() -> None:
    """What a layer adds changes by the day: three rounds of each know their own day only."""
    below = dict.fromkeys(range(9), 1000.0)
    above = {number: 1100.0 + 40.0 * (number // 3 - 1) + number % 3 for number in range(9)}
    days = {number: number // 3 for number in range(9)}
    alone, found = difference(below, above), difference(below, above, days)
    assert alone is not None
    assert found is not None
    assert (alone.unit, found.unit, found.launches) == ("launch", "session", 3)
    assert found.value == pytest.approx(1101.0 - 1000.0)
    assert found.high - found.low > 1.5 * (alone.high - alone.low)


def test_a_resumed_record_has_layers_over_its_sessions(tmp_path: Path) -> None:
    def times_ns(case: Case, launch: int) -> list[float]:
        slower = 1.1 + 0.01 * launch if case.transport == "ofi" else 1.0
        return [slower * time for time in usual_times_ns(case, launch)]

    notes = {"tcp": LO, "ofi": OFI_TCP}
    run = measured(tmp_path / "a.jsonl", notes, times_ns=times_ns, launches=6)
    launches = tuple(
        msgspec.structs.replace(one, session=int(at >= len(run.lines.launches) // 2))
        for at, one in enumerate(run.lines.launches)
    )
    both = (run, Run(run.path, msgspec.structs.replace(run.lines, launches=launches)))
    one_day, two_days = (found(one).pairs[0].steps[0].added_ns for one in both)
    assert two_days.value == pytest.approx(one_day.value, rel=0.1)
    assert two_days.high - two_days.low > one_day.high - one_day.low  # two days know little


def test_a_wide_interval_does_not_press_the_chart_of_layers_to_a_line(tmp_path: Path) -> None:
    layers = found(measured(tmp_path / "r.jsonl", {"ofi": OFI_TCP, "tcp": LO}))

    def step(one: Step, verdict: Any, value: float, low: float, high: float) -> Step:
        added = msgspec.structs.replace(one.added_ns, value=value, low=low, high=high)
        return msgspec.structs.replace(one, added_ns=added, verdict=verdict)

    [pair] = layers.pairs
    steps = [step(one, "cannot tell", 500.0, -2e7, 1e6) for one in pair.steps]
    steps[-1] = step(steps[-1], "adds", 3e3, 2e3, 8e3)
    drawn = (msgspec.structs.replace(pair, steps=tuple(steps)),)
    [chart] = layer_charts(msgspec.structs.replace(layers, pairs=drawn))
    assert chart.y.ends == (0.0, 10.0)  # µs, with a quarter of room beside what is clear


def test_a_pair_has_its_answer_where_any_size_has_an_interval(tmp_path: Path) -> None:
    """One launch of the one size, five of the other."""

    def times_ns(case: Case, launch: int) -> list[float]:
        if launch and case.bytes:
            return []
        return [(1000.0 if case.transport == "tcp" else 1500.0) * LAUNCH_EFFECTS[launch]] * 9

    run = measured(tmp_path / "r.jsonl", {"tcp": LO, "ofi": OFI_TCP}, times_ns=times_ns)
    [pair] = [one for one in found(run).pairs if one.test == "ping_pong"]
    assert {step.bytes: step.has_interval for step in pair.steps} == {0: True, 1000: False}
    assert pair_in_words(pair).startswith("ofi adds 250 ns at 0 B over tcp")


VERBS = {"device": "mlx5_0", "traffic class": "0", "service level": "0"}
UCX_RC = {"lanes": "rc_mlx5/mlx5_0:1 (am)", "traffic class": "106", "service level": "unknown"}


def test_layers_of_unlike_traffic_classes_are_not_subtracted(tmp_path: Path) -> None:
    """Between verbs and UCX's usual class over RoCE v2 the switch may make the difference."""
    run = measured(tmp_path / "r.jsonl", {"verbs": VERBS, "ucx": UCX_RC})
    assert not found(run).pairs
    why = {one.transport: one.why for one in found(run).apart if one.test == "ping_pong"}
    assert why["ucx"].startswith("its packets had DSCP 26, those of verbs DSCP 0; choose one class")
    alike = {"verbs": {**VERBS, "traffic class": "106"}, "ucx": UCX_RC}
    assert stacked(with_notes(run, alike)) == [("ping_pong", "verbs", "ucx")]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"service level": "3"}, "its packets had service level 3, those of verbs service level 0"),
        ({"traffic class": "1"}, ""),  # the same DSCP
        ({"traffic class": "unknown"}, ""),
    ],
)
def test_classes_are_unlike_by_the_service_level_and_the_dscp(
    changes: dict[str, str], why: str, tmp_path: Path
) -> None:
    ucx = {"lanes": "rc_mlx5/mlx5_0:1 (am)", "traffic class": "0", **changes}
    run = measured(tmp_path / "r.jsonl", {"verbs": VERBS, "ucx": ucx})
    apart = [one.why for one in found(run).apart if one.transport == "ucx"]
    assert apart[0].startswith(why) if why else not apart


def test_records_before_the_classes_are_stacked_as_before(tmp_path: Path) -> None:
    """verbs had class 0 then; which UCX had is not known."""
    older = {"verbs": {"device": "mlx5_0"}, "ucx": {"lanes": "rc_mlx5/mlx5_0:1 (am)"}}
    run = measured(tmp_path / "r.jsonl", older)
    assert stacked(run) == [("ping_pong", "verbs", "ucx")]
    newer = with_notes(run, {"verbs": older["verbs"], "ucx": UCX_RC})
    assert not found(newer).pairs
