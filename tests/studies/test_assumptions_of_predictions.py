"""The assumptions of a prediction, and their effect on simulated times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.simulations import KNOWN, platform
from weft.applications.asked import ApplicationsAsked
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.sim.algorithms import algorithms_of
from weft.sim.assumptions import assumed_adder, assumed_computing, assumed_switches
from weft.sim.platforms import with_rate
from weft.sim.predicted import Variant
from weft.studies.prediction import assumptions_of, predicted_on
from weft.studies.simulations import Effort

if TYPE_CHECKING:
    from pathlib import Path

    from weft.sim.answers import PredictedFigure
    from weft.sim.assumptions import Assumption

ONE_SWITCH = Variant(fabric=FabricAsked(nodes=8, switch="8"), hop_ns=200)
# Two leaves of two nodes.
TREE = Variant(fabric=FabricAsked(nodes=4, switch="3", blocking="2:1"), hop_ns=200)
MIB = 1 << 20


def parts(test: str, variant: Variant, *typed: str, rate: str = "") -> list[str]:
    base = with_rate(platform(), rate)
    return [one.part for one in assumptions_of(base, [variant], [test], frozenset(typed))]


def test_assumptions_are_of_what_a_fabric_and_a_test_have() -> None:
    assert parts("allreduce", TREE) == ["switches", "adder"]
    assert parts("allreduce", ONE_SWITCH) == ["adder"]
    assert parts("halo", TREE) == ["switches"]
    assert parts("halo", ONE_SWITCH) == []
    assert parts("milc", ONE_SWITCH) == ["computing"]


def test_a_typed_or_measured_time_is_no_assumption() -> None:
    assert parts("allreduce", TREE, "hop") == ["adder"]
    assert parts("allreduce", TREE, "rate") == ["switches"]
    assert parts("allreduce", TREE, rate="40GB/s") == ["switches"]
    assert parts("milc", ONE_SWITCH, "rate") == []
    # As of a file of a record that has the speed.
    assert parts("milc", ONE_SWITCH, rate="3GFlop/s") == []


def predicted(
    folder: Path, variant: Variant, test: str, size: int, assumptions: list[Assumption]
) -> tuple[PredictedFigure, list[str]]:
    said: list[str] = []
    effort = Effort(600.0, 1, folder, said.append)
    asked = Experiment(tests=(test,), sizes=str(size), ranks=variant.fabric.nodes)
    found = predicted_on(platform(), [variant], asked, effort, assumptions=assumptions)
    [figure] = found.answers[0].figures
    return figure, said


@pytest.mark.engine
def test_an_adder_makes_its_share_of_recursive_doubling(tmp_path: Path) -> None:
    """Three rounds, each with an exchange and an addition of each float: 1 ns, or 0.05."""
    [(name, settings)] = algorithms_of("allreduce", "recursive-doubling", 8).items()
    fabric = FabricAsked(nodes=8, switch="8")
    variant = Variant(fabric=fabric, algorithm=name, settings=settings)
    figure, said = predicted(tmp_path, variant, "allreduce", MIB, [assumed_adder(1e9)])
    messages_ns, floats = 3 * KNOWN.sendrecv_ns(MIB), 3 * MIB / 4
    assert figure.value == pytest.approx(messages_ns + floats, rel=1e-3)
    assert figure.shares["adder"] == pytest.approx(floats / (messages_ns + floats), rel=1e-3)
    assert figure.least == pytest.approx(messages_ns + 0.05 * floats, rel=1e-3)
    assert figure.most == figure.value
    assert "simulating 1 end of the assumptions' ranges for the intervals" in said


@pytest.mark.engine
def test_computing_makes_its_share_of_an_application(tmp_path: Path) -> None:
    """256 sites, each of 1187 operations, at 1 or 20 GFlop/s; messages are partly hidden by them.

    The end is the time of a platform with that speed.
    """
    variant = Variant(fabric=FabricAsked(nodes=2, switch="8"), hop_ns=200)
    effort = Effort(600.0, 1, tmp_path, lambda _: None)
    asked = Experiment(
        tests=("milc",), ranks=2,
        variants=Variants(application=ApplicationsAsked(extents="4"), single=True),
    )  # fmt: skip
    assumptions = [assumed_computing(1e9)]
    found = predicted_on(platform(), [variant], asked, effort, assumptions=assumptions)
    [figure] = found.answers[0].figures
    computing = 4**4 * 1187 / figure.value
    assert 0.9 * computing < figure.shares["computing"] <= computing
    fast = with_rate(platform(), "20GFlop/s,4GB/s")
    found = predicted_on(fast, [variant], asked, Effort(600.0, 1, tmp_path, lambda _: None))
    assert figure.least == pytest.approx(found.answers[0].figures[0].value, rel=1e-6)


@pytest.mark.engine
def test_further_switches_make_their_share_of_a_latency(tmp_path: Path) -> None:
    """Two of them are between two of three pairs of nodes."""
    figure, _ = predicted(tmp_path, TREE, "ping_pong", 8, [assumed_switches()])
    near_ns, further = KNOWN.ping_pong_ns(8), 4 / 3
    value = near_ns + further * 200
    assert figure.value == pytest.approx(value, rel=1e-6)
    assert figure.shares == pytest.approx({"switches": further * 200 / value}, rel=1e-6)
    assert figure.least == pytest.approx(near_ns + further * 100, rel=1e-6)
    assert figure.most == pytest.approx(near_ns + further * 400, rel=1e-6)


@pytest.mark.engine
def test_a_short_budget_leaves_the_assumptions_out_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.studies.simulations._MOVES_TAKE", 1e6)
    figure, said = predicted(tmp_path, TREE, "ping_pong", 8, [assumed_switches()])
    assert (figure.shares, figure.least, figure.most) == ({}, None, None)
    assert any(line.startswith("no interval covers the assumptions: ") for line in said)


@pytest.mark.engine
def test_ends_that_the_budget_cut_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.studies.simulations.has_ended", lambda _: False)
    figure, said = predicted(tmp_path, TREE, "ping_pong", 8, [assumed_switches()])
    assert (figure.shares, figure.least, figure.most) == ({}, None, None)
    assert any(line.startswith("no interval covers the assumptions: ") for line in said)
