"""Sentences say what was seen: possible shares, the part that grew, a host that nobody left."""

import math
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import make_cases, synthetic_record, usual_times_ns
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.sides import side_of_run, side_of_runs
from weft.analysis.stats.ratios import Ratio
from weft.analysis.summary import summarise
from weft.estimate import Estimate
from weft.plan.case import Case
from weft.record.run import Run
from weft.sources.sides import load_sides
from weft.studies.checks import checked
from weft.topics.completion import Completion, CompletionModes
from weft.topics.overhead import MPI_TESTS, HostOverhead, HostOverheads
from weft.topics.scaling import BESIDE, FACES, _more_in_words
from weft.topics.scaling.rows import Cost
from weft.wording import share_or_unknown


def share(value: float, low: float, high: float, launches: int = 5) -> Estimate:
    return Estimate(value=value, low=low, high=high, coverage=0.95, method="m", launches=launches)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (share(464, -4228, 5156), "not known"),
        (share(50, -10, 100), "not known"),
        (share(50, 0, 100), "50 % ±50 %"),
        (share(102.1, 101, 103), "not known"),
        (share(100.4, 99.4, 101.4), "100 % ±1.0 %"),
        (share(-40, -45, -35), "none"),
        (share(-2, -4, 0), "none"),
        (share(-2, -7, 3.14), "0 to 3.1 %"),
        (share(-2, -7, 94), "not known"),
        (share(2, -3, 7), "2.0 % ±5.0 %"),
        (share(0, -3, 3), "0.0 % ±3.0 %"),
        (share(-40, -math.inf, math.inf), "not known"),
        (share(-2, -7, 12, launches=3), "0 to 12 % n=3"),
        (share(2, -7, 12, launches=3), "2.0 % [0.0, 12.0] n=3"),
        (None, "-"),
    ],
)
def test_a_share_that_cannot_be_is_not_known(found: Estimate | None, said: str) -> None:
    assert share_or_unknown(found) == said


def test_threads_take_more_than_the_time_of_one_processor() -> None:
    said = [share_or_unknown(share(*one), may_exceed=True) for one in
            ((180, 170, 190), (48, -221, 316))]  # fmt: skip
    assert said == ["180 % ±10 %", "not known"]
    row = Completion(
        transport="mpi", variant="", bytes=8, test="ping_pong", kind="ping_pong",
        mode="block", is_cheapest=True, latency_ns=share(100, 90, 110), added_ns=None,
        verdict="adds", needed=None, cpu_percent=(share(180, 170, 190),),
    )  # fmt: skip
    [table] = CompletionModes().tables((row,))
    assert table.rows[0][-1] == "180 % ±10 %"


def test_of_one_launch_a_share_over_the_whole_is_not_known_either() -> None:
    assert share_or_unknown(share(464, -math.inf, math.inf)) == "not known"


@pytest.mark.parametrize(("transport", "is_told"), [("mpi", True), ("tcp", False)])
def test_a_send_over_mpi_says_what_its_test_may_do(transport: str, *, is_told: bool) -> None:
    row = HostOverhead(
        transport=transport, variant="", bytes=8, side="send", calls_ns=share(100, 90, 110)
    )
    [table] = HostOverheads().tables((row,))
    assert (MPI_TESTS in table.notes) == is_told
    received = msgspec.structs.replace(row, side="receive")
    assert HostOverheads().tables((received,))[0].notes == ()


def on_two_hosts(run: Run) -> Run:
    launches = tuple(
        msgspec.structs.replace(
            launch,
            ranks=tuple(
                msgspec.structs.replace(rank, host=f"n{rank.rank}") for rank in launch.ranks
            ),
        )
        for launch in run.lines.launches
    )
    return Run(run.path, msgspec.structs.replace(run.lines, launches=launches))


def test_a_comparison_says_which_side_never_left_its_host(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("mpi",))
    runs = [weft.load(synthetic_record(tmp_path / f"{name}.jsonl", cases)) for name in "ab"]
    near, also = (side_of_run(run, summarise(run), run.path.stem) for run in runs)
    far_run = on_two_hosts(runs[1])
    far = side_of_run(far_run, summarise(far_run), "far")
    [escher] = load_sides(["escher"])
    for sides, told in (
        ((near, far), ["a"]),
        ((far, near), ["a"]),
        ((escher, near), ["a"]),
        ((near, also), []),
        ((far, escher), []),
    ):
        notes = [note for note in compare(sides).notes if "never left its host" in note]
        assert [note.split(maxsplit=1)[0] for note in notes] == told


@pytest.mark.parametrize("first", ["near", "far"])
def test_records_of_a_side_are_within_a_host_only_together(first: str, tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("mpi",))
    near = weft.load(synthetic_record(tmp_path / "a.jsonl", cases))
    also = weft.load(synthetic_record(tmp_path / "b.jsonl", cases, times_ns=longer_times_ns))
    far = on_two_hosts(also)
    runs = [near, far] if first == "near" else [far, near]
    assert side_of_runs([near, also], "near").is_within_a_host
    assert not side_of_runs(runs, "both").is_within_a_host


def longer_times_ns(case: Case, launch: int) -> list[float]:
    return [1.01 * time for time in usual_times_ns(case, launch)]


def test_a_check_says_which_side_never_left_its_host(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("mpi",))
    near = weft.load(synthetic_record(tmp_path / "a.jsonl", cases))
    other = weft.load(synthetic_record(tmp_path / "b.jsonl", cases, times_ns=longer_times_ns))
    far = on_two_hosts(other)
    consequence = " never left its host: no link is in its figures, so a link is not what was"
    for run, reference, told in (
        (near, far, ["what was tested"]),
        (far, near, ["the reference"]),
        (near, other, []),
        (on_two_hosts(near), far, []),
    ):
        notes = [note for note in checked([run], [reference], 0.05).notes if "its host" in note]
        assert notes == [f"{side}{consequence} checked" for side in told]


def test_what_grew_is_named() -> None:
    """Lattices that wait for others, on one host or several, and such that work longer."""
    time = share(100, 99, 101)

    def cost(lattice: str, part: str, *, near: bool = False, waits_ns: float = 0.0) -> Cost:
        return Cost(
            test="milc", transport="tcp", variant="", lattice=lattice, is_global=False,
            base_ranks=1, ranks=4, limit=0.1,
            cost=Ratio(speed=0.3, low=0.2, high=0.4, basis="launches"), verdict="costs more",
            base_ns=time, iteration_ns=time, first_ranks=2, most_in=part, most_ns=10.0,
            waits_ns=waits_ns, within_a_host=near,
        )  # fmt: skip

    own = [cost("4^4", "local"), cost("8^4", "wait"), cost("6^4", "wait", near=True)]
    waits, near, computes, faces = _more_in_words([*own, cost("2^4", "pack", near=True)])
    assert waits.startswith("the fabric costs more than 10% at 8^4 (")
    assert near.startswith("messages within the host cost more than 10% at 6^4 (")
    assert computes.startswith("computing beside each other costs more than 10% (a shared cache,")
    assert faces.startswith(
        "work at the faces costs more than 10% (the ranks' own work, not the fabric) at 2^4 ("
    )
    assert "4^4" in computes
    assert "4^4" not in waits
    # Of 100 ns a wait of 11.1 ns more costs a tenth of the performance, which is the limit.
    [alone] = _more_in_words([cost("4^4", "local", waits_ns=11.1)])
    assert alone.startswith(BESIDE)
    [alone] = _more_in_words([cost("4^4", "pack", waits_ns=-30.0)])
    assert alone.startswith(FACES)
    [both] = _more_in_words([cost("4^4", "local", waits_ns=11.2), cost("6^4", "pack", waits_ns=20)])
    assert both.startswith(
        "the ranks' own work and waiting for messages together cost more than 10% at 4^4 ("
    )
    assert "6^4" in both
    assert "fabric" not in both


def test_what_waits_is_held_against_its_share_of_a_lattice_that_is_divided() -> None:
    time = share(100, 99, 101)
    cost = Cost(
        test="milc", transport="tcp", variant="", lattice="8^4", is_global=True, base_ranks=1,
        ranks=4, limit=0.1, cost=Ratio(speed=0.3, low=0.2, high=0.4, basis="launches"),
        verdict="costs more", base_ns=time, iteration_ns=time, first_ranks=2, most_in="local",
        most_ns=30.0, waits_ns=25.0,
    )  # fmt: skip
    assert cost.waits_cost == pytest.approx(0.5)
    assert msgspec.structs.replace(cost, is_global=False).waits_cost == pytest.approx(0.2)
