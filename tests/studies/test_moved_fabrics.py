"""A whole prediction over a simulator that is told what to say: whose figure stands where."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.builders import make_cases, synthetic_record
from support.simulations import platform
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment
from weft.sim.answers import Certainty, slower_within
from weft.sim.predicted import Variant, parameters_of
from weft.studies import prediction, simulations
from weft.studies.placed_tests import placed_tests_of
from weft.studies.prediction import predicted_on
from weft.studies.simulations import Effort

if TYPE_CHECKING:
    from pathlib import Path

    from weft.studies.placed_tests import PlacedTests

CERTAINTY = Certainty(mean=0.03, worst=0.2, fixed=0.25, byte=0.1, points=40, largest_bytes=1 << 30)
HOP_NS = 1000.0
# Two leaves of two nodes, and one switch for all.
HALF = Variant(fabric=FabricAsked(nodes=4, switch="3", blocking="2:1"), hop_ns=HOP_NS)
WHOLE = Variant(fabric=FabricAsked(nodes=4, switch="4"), hop_ns=HOP_NS)
ASKED = Experiment(tests=("sendrecv",), sizes="8,64KiB,1MiB", ranks=4)
SIZES = (8, 1 << 16, 1 << 20)
TAKES_S = 3.0


class Told:
    """Writes the record of a simulation: a time of its platform's latency and bandwidth."""

    def __init__(self) -> None:
        self.now = 100.0
        self.said: list[str] = []
        self.begun: list[tuple[str, bool]] = []

    def start(self, one: PlacedTests, path: Path, say: Any = None) -> Path:
        self.now += TAKES_S
        self.begun.append((path.name, say is not None))
        if say:
            say("measuring over sim")
        latency_ns, bytes_per_s = link_of(one.platform.xml)
        memory = re.search(r'loopback_lat="([\d.]+)ns"', one.platform.xml)
        latency_ns += float(memory[1]) if memory else 0.0
        switches = 3 if "leaf-1" in one.platform.xml else 1
        # Where a fabric has several placements, each takes as much longer as its place.
        place = re.search(r"-\d{6}-\d-(\d)\.", path.name)
        latency_ns += HOP_NS * int(place[1]) if place else 0.0

        def of_case(case: Any, round_: int) -> list[float]:
            del round_
            of_bytes = 1e9 * case.bytes / bytes_per_s
            return [latency_ns + HOP_NS * (switches - 1) + of_bytes] * 11

        cases = make_cases(one.experiment.tests, ("sim",), SIZES)
        return synthetic_record(path, cases, launches=one.launches, times_ns=of_case)


def link_of(xml: str) -> tuple[float, float]:
    """What a node's link takes, ns, and carries, bytes/s."""
    found = re.search(r'<cluster [^>]*bw="([\d.]+)Bps" lat="([\d.]+)ns"', xml)
    assert found
    return float(found[2]), float(found[1])


def times_ns(switches: int, fixed: float = 1.0, byte: float = 1.0) -> list[float]:
    """What the sizes take, with the platform's own times so much longer."""
    own_ns = [fixed * 1000.0 + byte * size / 1.25 for size in SIZES]
    return [HOP_NS * (switches - 1) + each for each in own_ns]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    made = Told()
    monkeypatch.setattr(Effort, "_start", made.start)
    monkeypatch.setattr(simulations, "time", SimpleNamespace(monotonic=lambda: made.now))
    monkeypatch.setattr(prediction, "known_certainty", lambda _: CERTAINTY)
    return made


def effort(folder: Path, told: Told, budget_s: float = 60.0) -> Effort:
    return Effort(budget_s, 1, folder, told.said.append)


def test_each_fabric_has_its_own_figures_record_and_moves(told: Told, tmp_path: Path) -> None:
    found = predicted_on(platform(), [HALF, WHOLE], ASKED, effort(tmp_path, told))
    assert [one.variant for one in found.answers] == [HALF.label, WHOLE.label]
    names = [path.name for path in sorted(tmp_path.glob("*.zst"))]
    assert [one.record for one in found.answers] == [str(tmp_path / name) for name in names]
    assert [name[-12:] for name in names] == ["-1.jsonl.zst", "-2.jsonl.zst"]
    ends = [CERTAINTY.ends(CERTAINTY.fixed), CERTAINTY.ends(CERTAINTY.byte)]
    (fixed_low, fixed_high), (byte_low, byte_high) = ends
    corners = [(fixed_low, byte_high), (fixed_high, byte_low), (fixed_low, byte_low),
               (fixed_high, byte_high)]  # fmt: skip
    for one, switches in zip(found.answers, (3, 1), strict=True):
        assert (one.switches, one.nodes) == (switches, 4)
        values = [figure.value for figure in one.figures]
        assert values == pytest.approx(times_ns(switches), rel=1e-3)
        assert [figure.case for figure in one.figures] == [
            "sendrecv 8 B", "sendrecv 64 KiB", "sendrecv 1 MiB",
        ]  # fmt: skip
        for figures, (fixed, byte) in zip(one.moved, corners, strict=True):
            values = [figure.value for figure in figures]
            assert values == pytest.approx(times_ns(switches, fixed, byte), rel=1e-3)
    assert [one.run.path.name for one in found.results] == names
    # What all say alike is said once, and moved ones leave nothing and say nothing.
    assert told.said == [
        "measuring over sim", "simulating 4 moved platforms for the interval of the differences",
    ]  # fmt: skip
    assert told.begun == [
        *((name, True) for name in names), *[("moved.jsonl.zst", False)] * 8,
    ]  # fmt: skip
    assert found.page.parent == tmp_path


def two_ranks_a_node() -> list[Variant]:
    """One fabric has two further switches."""
    memory = parameters_of(platform())
    return [msgspec.structs.replace(one, ranks_per_node=2, shared=memory) for one in (HALF, WHOLE)]


def test_memory_of_a_nodes_ranks_is_moved_by_its_own_error(told: Told, tmp_path: Path) -> None:
    """A time of a node's memory is added on both fabrics alike, as far off as it may be."""
    two = two_ranks_a_node()
    memory_ns = parameters_of(platform()).latency_ns
    asked = msgspec.structs.replace(ASKED, ranks=8)
    own = effort(tmp_path, told)
    found = predicted_on(platform(), two[::-1], asked, own, None, "escher").answers
    [[low_end, high_end], links] = [CERTAINTY.outer, CERTAINTY.ends(CERTAINTY.fixed)]
    assert [len(one.moved) for one in found] == [8, 8]
    for one, switches in zip(found, (1, 3), strict=True):
        assert one.figures[0].value == pytest.approx(times_ns(switches)[0] + memory_ns)
        for figures, (link, end) in zip(
            one.moved,
            [(link, end) for link in (0, 1, 0, 1) for end in (low_end, high_end)],
            strict=True,
        ):
            wanted = times_ns(switches, links[link])[0] + end * memory_ns
            assert figures[0].value == pytest.approx(wanted, rel=1e-2)
    assert told.said[-1] == "simulating 8 moved platforms for the interval of the differences"
    whole = times_ns(1)[0] + memory_ns
    difference = slower_within(found[0], found[1], 0)
    assert difference.value == pytest.approx(2 * HOP_NS / whole)
    least, most = (
        2 * HOP_NS / (link * 1000.0 + end * memory_ns)
        for link, end in ((links[1], high_end), (links[0], low_end))
    )
    assert (difference.low, difference.high) == pytest.approx((least, most), rel=1e-2)


def test_nothing_is_decided_where_the_error_of_memory_is_not_known(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fabrics differ by far more than the limit, unless the memory takes far longer still."""
    monkeypatch.setattr(
        prediction, "known_certainty", lambda one: None if one.name == "escher" else CERTAINTY
    )
    asked = msgspec.structs.replace(ASKED, ranks=8)
    [whole, half] = two_ranks_a_node()[::-1]
    own = effort(tmp_path, told)
    found = predicted_on(platform(), [whole, half], asked, own, 0.05, "escher")
    assert [one.moved for one in found.answers] == [(), ()]
    assert found.table.notes[0] == (
        f"within 5 % of {whole.label}: {whole.label}; not known: {half.label} (no difference has an"
        " interval)"
    )


def test_a_fabric_alone_and_an_unknown_error_need_no_move(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [alone] = predicted_on(platform(), [HALF], ASKED, effort(tmp_path, told)).answers
    assert alone.moved == ()
    monkeypatch.setattr(prediction, "known_certainty", lambda _: None)
    found = predicted_on(platform(), [HALF, WHOLE], ASKED, effort(tmp_path, told)).answers
    assert [one.moved for one in found] == [(), ()]
    assert len(told.begun) == 3


@pytest.mark.parametrize(("budget_s", "moves"), [(30.0, 4), (29.9, 0)])
def test_moves_are_simulated_where_the_budget_suffices(
    told: Told, tmp_path: Path, budget_s: float, moves: int
) -> None:
    """Both fabrics took 6 s, so four moves of both take 24 s."""
    found = predicted_on(platform(), [HALF, WHOLE], ASKED, effort(tmp_path, told, budget_s))
    assert [len(one.moved) for one in found.answers] == [moves, moves]
    if not moves:
        assert told.said[-1] == (
            "no interval of the differences: the budget is too short; use --budget 40s"
        )


def test_several_placements_of_a_fabric_have_a_record_each(told: Told, tmp_path: Path) -> None:
    pairs = msgspec.structs.replace(ASKED, tests=("ping_ping",))
    found = predicted_on(platform(), [HALF], pairs, effort(tmp_path, told))
    # Of random pairs the near and the far ones.
    names = [path.name for path in sorted(tmp_path.glob("*.zst"))]
    assert len(names) > 1
    assert [name[-14:] for name in names] == [f"-1-{at + 1}.jsonl.zst" for at in range(len(names))]
    assert [one.run.path.name for one in found.results] == names
    shares = [one.share for one in placed_tests_of(platform(), HALF, pairs)]
    longer_ns = [HOP_NS * (at + 1) for at in range(len(names))]
    mean_ns = sum(share * each for share, each in zip(shares, longer_ns, strict=True))
    [answer] = found.answers
    wanted = [own + mean_ns for own in times_ns(3)]
    assert [one.value for one in answer.figures] == pytest.approx(wanted, rel=1e-3)
    assert [one.low for one in answer.figures] == pytest.approx(
        [own + longer_ns[0] for own in times_ns(3)], rel=1e-3
    )
