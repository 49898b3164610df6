"""Which patterns of a record are held out, what is simulated of them, and what stands beside it."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import weft
from support.builders import synthetic_record
from support.collectives import collective_record
from support.simulations import KNOWN
from support.studies import parts, series
from weft.analysis.summary import summarise
from weft.applications.lattice import Lattice
from weft.plan.case import Case
from weft.plan.simulated import SimulatedPlatform
from weft.sim.measured import HeldOut, Measured
from weft.studies import held_out
from weft.studies.held_out import (
    _by_settings,
    _few_sizes,
    held_out_table,
    patterns_held_out,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.plan.cases import Experiment

KIB = 1024
SUM_BYTES_PER_S = 3e9


def halo(extent: int, ranks: int, transport: str = "tcp") -> Case:
    options = Lattice(extents=(extent, 6, 10, 12)).options
    return Case(test="halo", transport=transport, bytes=36, ranks=ranks, application=options)


def receiver(size: int, peers: int, ranks: int, transport: str = "tcp") -> Case:
    return Case(
        test="hot_spot_receive", transport=transport, bytes=size, ranks=ranks, point=peers,
        queue_depth=17,
    )  # fmt: skip


CASES = (
    *(Case(test="ping_pong", transport="tcp", bytes=size) for size in (8, KIB)),
    *(Case(test="stream", transport="tcp", bytes=size) for size in (8, KIB)),
    # Of few and of more peers, of which the most are simulated, of three sizes at most.
    *(receiver(size, 2, 4) for size in (8, KIB)),
    *(receiver(size, 3, 4) for size in (0, 8, 64, KIB, 8 * KIB, 64 * KIB)),
    Case(test="random_pairs", transport="tcp", bytes=KIB, ranks=6),
    Case(test="random_pairs", transport="mpi", bytes=KIB, ranks=8),
    halo(4, 4),
    halo(8, 2),
    # It computes.
    Case(test="milc", transport="tcp", bytes=36, ranks=2, application=halo(4, 2).application),
)
CHOSEN = (
    receiver(8, 3, 4), receiver(KIB, 3, 4), receiver(64 * KIB, 3, 4),
    Case(test="random_pairs", transport="tcp", bytes=KIB, ranks=6), halo(4, 4), halo(8, 2),
)  # fmt: skip
# As much longer is what was simulated, by the case's place.
LONGER = (1.1, 1.25, 0.8, 1.5, 1.07, 0.93)


def times_ns(case: Case, round_: int) -> list[float]:
    return series(case, round_) if case.application else [1000.0 + case.bytes] * 11


def parts_ns(case: Case, round_: int) -> dict[str, list[float]]:
    return dict(parts(case, round_)) if case.application else {}


def measured(folder: Path, cases: tuple[Case, ...] = CASES) -> Measured:
    path = synthetic_record(folder / "r.jsonl", cases, times_ns=times_ns, parts_ns=parts_ns)
    return Measured(
        runs=(weft.load(path),),
        transport="tcp",
        platform=SimulatedPlatform(name="known", kind="model", nodes=64),
        protocols=KNOWN,
        held_out=(),
        sum_bytes_per_s=SUM_BYTES_PER_S,
    )


class Simulator:
    """Takes as much longer as it is told, and knows what was asked of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.platform: Any = None
        self.experiments: Sequence[Experiment] = ()

    def run(self, platform: SimulatedPlatform, experiments: Sequence[Experiment]) -> weft.Run:
        self.platform, self.experiments = platform, experiments
        cases = tuple(msgspec.structs.replace(case, transport="sim") for case in CHOSEN)
        longer = {case.key: LONGER[at] for at, case in enumerate(cases)}

        def drawn_out(case: Case, round_: int) -> list[float]:
            return [longer[case.key] * time for time in times_ns(case, round_)]

        def parts_drawn_out(case: Case, round_: int) -> dict[str, list[float]]:
            own = parts_ns(case, round_).items()
            return {name: [longer[case.key] * time for time in times] for name, times in own}

        path = self._folder / "sim.jsonl"
        return weft.load(
            synthetic_record(path, cases, times_ns=drawn_out, parts_ns=parts_drawn_out)
        )


@pytest.fixture
def simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulator:
    made = Simulator(tmp_path)
    monkeypatch.setattr(held_out, "simulated_run", made.run)
    return made


def test_each_pattern_is_simulated_as_it_was_measured(simulator: Simulator, tmp_path: Path) -> None:
    patterns_held_out(measured(tmp_path))
    asked = [
        (*one.tests, one.sizes, one.ranks, one.variants.points, one.variants.queue_depths)
        for one in simulator.experiments
    ]
    assert asked == [
        ("hot_spot_receive", "8", 4, (3,), (17,)),
        ("hot_spot_receive", "1024", 4, (3,), (17,)),
        ("hot_spot_receive", "65536", 4, (3,), (17,)),
        ("random_pairs", "1024", 6, (), (64,)),
        ("halo", "36", 4, (), (64,)),
        ("halo", "36", 2, (), (64,)),
    ]
    lattices = [one.variants.application.extents for one in simulator.experiments]
    assert lattices[-2:] == ["4x6x10x12", "8x6x10x12"]
    # As many nodes as the largest has ranks: what was measured over mpi is none of it.
    assert simulator.platform.nodes == 6
    assert f'"{SUM_BYTES_PER_S:.0f}"' in simulator.platform.xml


def test_each_prediction_stands_beside_its_own_measurement(
    simulator: Simulator, tmp_path: Path
) -> None:
    found = patterns_held_out(measured(tmp_path))
    assert simulator.experiments
    assert [(one.what, one.bytes, one.is_rate, one.by) for one in found] == [
        ("hot_spot_receive of 3 on 4 ranks", 8, True, "the platform"),
        ("hot_spot_receive of 3 on 4 ranks", KIB, True, "the platform"),
        ("hot_spot_receive of 3 on 4 ranks", 64 * KIB, True, "the platform"),
        ("random_pairs on 6 ranks", KIB, True, "the platform"),
        ("halo 4x6x10x12 on 4 ranks", 36 * 6 * 10 * 12, False, "the platform"),
        ("halo 8x6x10x12", 36 * 8 * 10 * 12, False, "the platform"),
    ]
    for one, longer in zip(found, LONGER, strict=True):
        ratio = one.measured / one.predicted if one.is_rate else one.predicted / one.measured
        assert ratio == pytest.approx(longer, rel=2e-3), one.what
    assert not any(one.shares_cores for one in found)


def sums(size: int, ranks: int = 2) -> Case:
    return Case(test="allreduce", transport="mpi", bytes=size, ranks=ranks)


RING = {"smpi/allreduce": "lr", "smpi/reduce": "binomial", "smpi/bcast": "binomial_tree"}


def test_sums_are_simulated_as_their_library_made_them() -> None:
    """Open MPI 4.1 has a ring for two ranks at some sizes, and others have rules of their own."""
    cases = [*map(sums, (8, 4096, 8192, 65_536, 262_144)), sums(4096, 4), halo(4, 2)]

    def settings(*libraries: str) -> list[tuple[dict[str, str], list[Case]]]:
        launches = [SimpleNamespace(mpi=library) for library in libraries]
        run: Any = SimpleNamespace(lines=SimpleNamespace(launches=launches))
        return list(_by_settings(cases, dict.fromkeys(cases, (1.0, run))))

    known = settings("Open MPI v4.1.4", "Open MPI v4.1.4")
    assert [own for own, _ in known] == [
        {}, RING, {"smpi/allreduce": "rab_rdb"},
    ]  # fmt: skip
    assert [own for _, own in known] == [
        [cases[0], cases[2], *cases[5:]], [cases[1], cases[3]], [cases[4]],
    ]  # fmt: skip
    for unknown in (("MPICH 4.0.2",), ("Open MPI v4.1.4", "Open MPI v5.0.1"), ()):
        assert settings(*unknown) == [({}, cases)]


def test_operations_of_all_ranks_are_held_out_by_their_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no rate, and an empty message is none of a size."""
    run = collective_record(tmp_path / "all.jsonl")
    text = re.sub('"transport": ?"mpi"', '"transport":"sim"', run.path.read_text())
    path = tmp_path / "sim.jsonl"
    path.write_text(text.replace('"mpi/', '"sim/'))
    monkeypatch.setattr(held_out, "simulated_run", lambda *_: weft.load(path))
    of_mpi = msgspec.structs.replace(measured(tmp_path), runs=(run,), transport="mpi")
    found = patterns_held_out(of_mpi)
    times = {
        one.bytes: one.latency_ns.value
        for one in summarise(run)
        if (one.transport, one.test) == ("mpi", "allreduce") and one.latency_ns
    }
    assert len(times) == 3
    assert [(one.what, one.is_rate, one.by) for one in found] == [
        ("allreduce on 4 ranks", False, "the platform")
    ] * len(times)
    assert {one.bytes: one.measured for one in found} == times
    assert {one.bytes: one.predicted for one in found} == times


def test_a_record_of_two_ranks_alone_holds_no_pattern_out(
    simulator: Simulator, tmp_path: Path
) -> None:
    assert patterns_held_out(measured(tmp_path, CASES[:4])) == ()
    assert simulator.platform is None


def test_of_many_sizes_three_are_simulated_and_of_three_all() -> None:
    def sizes(*of: int) -> list[int]:
        return [case.bytes for case in _few_sizes([receiver(size, 1, 3) for size in of])]

    assert sizes(64, 8, 1) == [1, 8, 64]
    assert sizes(1, 2, 3, 4) == [1, 3, 4]
    assert sizes(9, 7, 5, 3, 1) == [1, 5, 9]
    assert sizes(0) == []
    # Other options are another variant, also where their points are fewer.
    deep = msgspec.structs.replace(receiver(8, 1, 3), queue_depth=2)
    cases = [receiver(8, 2, 3), receiver(8, 1, 3), deep]
    assert _few_sizes(cases) == [cases[0], deep]


def held(what: str, error: float, **more: Any) -> HeldOut:
    """With this error in per cent."""
    usual = {"by": "the platform", "bytes": 8, "measured": 2000.0}
    known = {**usual, **more}
    return HeldOut(what=what, predicted=known["measured"] * (1 + error / 100), **known)


def test_each_cell_of_what_was_held_out_is_its_own(tmp_path: Path) -> None:
    found = msgspec.structs.replace(
        measured(tmp_path, CASES[:1]), held_out=(held("ping_pong", -4.0, by="other sizes"),)
    )
    patterns = (
        held("halo 4^4 on 4 ranks", 12.5, bytes=2304, measured=3000.0),
        held("halo 8^4 on 4 ranks", 25.0, shares_cores=True),
        held("stream", -50.0, bytes=KIB, measured=4e9, is_rate=True),
        held("stream", 2.0, bytes=8, measured=1e6, is_rate=True),
        held("ping_pong", 6.0, by="other sizes"),
    )
    table = held_out_table(found, patterns, "no more")
    assert table.head == ("", "size", "measured", "predicted", "error", "by")
    assert table.rows == (
        ("ping_pong", "8 B", "2.00 µs", "1.92 µs", "-4.0 %", "other sizes"),
        ("halo 4^4 on 4 ranks", "2304 B", "3.00 µs", "3.38 µs", "+12.5 %", "the platform"),
        ("halo 8^4 on 4 ranks*", "8 B", "2.00 µs", "2.50 µs", "+25.0 %", "the platform"),
        ("stream", "1 KiB", "4.00 GB/s", "2.00 GB/s", "-50.0 %", "the platform"),
        ("stream", "8 B", "1.00 MB/s", "1.02 MB/s", "+2.0 %", "the platform"),
        ("ping_pong", "8 B", "2.00 µs", "2.12 µs", "+6.0 %", "other sizes"),
    )
    # What shared cores is in no mean; errors below 0 and above it do not cancel.
    assert table.notes[0] == (
        "mean of the errors: halo 12.5 %, ping_pong by other sizes 5.0 %, stream 26.0 %"
    )
    assert table.notes[-1] == "no more"
    assert table.left == (0, 5)
    assert held_out_table(found, ()).notes[-1] != ""
