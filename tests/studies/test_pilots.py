"""Small runs before a large one count into its budget, and say early what cannot be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from support.simulations import platform, simulated
from weft.errors import WeftError
from weft.fabric.network import hops_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.measure.timeouts import overtime_s
from weft.plan.cases import Experiment, Variants
from weft.sim.effort import Forecast, Pilot
from weft.sim.predicted import Variant
from weft.studies import simulations
from weft.studies.placed_tests import on_fewer, placed_tests_of, smaller
from weft.studies.prediction import predicted_on
from weft.studies.simulations import Effort, has_ended

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import weft

NODES = 1024
VARIANT = Variant(fabric=FabricAsked(nodes=NODES, switch="64"))


class Clock:
    """What has passed in it is what small runs were said to take."""

    def __init__(self) -> None:
        self.now = 0.0
        self.begun: list[int] = []

    def monotonic(self) -> float:
        return self.now


def with_small_runs(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    budget_s: float,
    takes_s: Callable[[int], float] = lambda nodes: float(nodes**1.5) / 64,
) -> tuple[Effort, Clock]:
    """Runs that take the nodes' number of seconds to the power of 1.5, over 64, or as is said."""
    clock = Clock()
    monkeypatch.setattr(simulations, "time", clock)
    monkeypatch.setattr(simulations, "processor_s", clock.monotonic)

    def start(effort: Effort, _part: object, path: Path, *, in_time: bool) -> bool:
        nodes = int(path.name.partition("-")[0])
        clock.begun.append(nodes)
        wanted_s = takes_s(nodes)
        given_s = effort._left_s() if in_time else wanted_s
        clock.now += min(wanted_s, given_s)
        return wanted_s <= given_s

    monkeypatch.setattr(Effort, "_start", start)
    monkeypatch.setattr("weft.record.run.load", lambda has_ended: has_ended)
    monkeypatch.setattr(simulations, "has_ended", lambda has_ended: has_ended)
    monkeypatch.setattr(simulations, "peak_bytes_of", lambda _: 20_000_000)
    return Effort(budget_s, 1, folder, lambda _: None), clock


def test_small_runs_never_take_more_than_the_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = Experiment(tests=("alltoall",), sizes="8", ranks=NODES)
    # 64 nodes take 8 s, and are not begun by a guess: nothing is known of them yet.
    for budget_s in (5.0, 10.0, 30.0, 60.0, 100.0):
        effort, clock = with_small_runs(monkeypatch, tmp_path, budget_s)
        why = "64 nodes of the 1,024 alone took the 4.9 s that were left of the budget"
        if budget_s > 5.0:
            why = "1,024 nodes need at least about .* of the budget are left"
        with pytest.raises(WeftError, match=why):
            effort.foresee(platform(), VARIANT, asked, 1)
        assert clock.now <= budget_s
    # 4, 64, 128 and 256 nodes take 95 s, and all of them 512 s more.
    effort, clock = with_small_runs(monkeypatch, tmp_path, 700.0)
    effort.foresee(platform(), VARIANT, asked, 1)
    assert clock.begun == [4, 64, 128, 256]


@pytest.mark.parametrize(("free_bytes", "is_refused"), [(2.5e9, False), (2.4999e9, True)])
def test_what_needs_more_memory_than_is_free_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free_bytes: float, *, is_refused: bool
) -> None:
    """A fifth of what is free stays free."""
    asked = Experiment(tests=("alltoall",), sizes="8", ranks=NODES)
    effort, _ = with_small_runs(monkeypatch, tmp_path, 1e9)
    monkeypatch.setattr(simulations, "peak_bytes_of", lambda _: 2_000_000_000)
    free = SimpleNamespace(available=free_bytes)
    monkeypatch.setattr("psutil.virtual_memory", lambda: free)
    if not is_refused:
        effort.foresee(platform(), VARIANT, asked, 1)
        return
    with pytest.raises(WeftError) as caught:
        effort.foresee(platform(), VARIANT, asked, 1)
    assert caught.value.what == "1,024 nodes need about 2.0 GB, and 2.5 GB are free"
    assert caught.value.fix == "use fewer --nodes, or smaller --sizes or --extents"


def test_what_grows_steeply_at_first_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From 64 to 128 nodes as their third power, and by the nodes from there."""
    asked = Experiment(tests=("alltoall",), sizes="8", ranks=NODES)
    took = {4: 0.1, 64: 0.5, 128: 3.3, 256: 6.6, 512: 13.2}
    effort, clock = with_small_runs(monkeypatch, tmp_path, 120.0, took.__getitem__)
    effort.foresee(platform(), VARIANT, asked, 1)
    assert clock.begun == [4, 64, 128, 256, 512]
    # Even so much more slowly it would not end.
    effort, clock = with_small_runs(monkeypatch, tmp_path, 40.0, took.__getitem__)
    with pytest.raises(WeftError, match="need at least about"):
        effort.foresee(platform(), VARIANT, asked, 1)
    assert clock.begun == [4, 64, 128]


def test_a_small_run_is_ended_with_the_budget(tmp_path: Path) -> None:
    """Its case is none that was begun in time and may take a little longer."""
    [one, *_] = placed_tests_of(
        platform(), VARIANT, Experiment(tests=("halo",), sizes="8", ranks=64)
    )
    effort = Effort(60.0, 1, tmp_path, lambda _: None)
    plain, in_time = (effort._request(one, tmp_path, in_time=each) for each in (False, True))
    assert plain.budget_s == 60.0
    assert in_time.budget_s + overtime_s(in_time.budget_s) == pytest.approx(60.0)


def test_a_case_that_was_given_up_has_not_ended(tmp_path: Path) -> None:
    run = simulated(tmp_path, ("ping_pong",), "8", platform())
    assert has_ended(run)
    batches = [msgspec.structs.replace(one, status="timeout") for one in run.measured]
    late, none = (SimpleNamespace(measured=one, cases=run.cases) for one in (batches, ()))
    assert not has_ended(cast("weft.Run", late))
    assert not has_ended(cast("weft.Run", none))


def test_what_no_run_could_do_is_said_before_the_small_ones(tmp_path: Path) -> None:
    effort = Effort(60.0, 1, tmp_path, lambda _: None)
    asked = Experiment(tests=("no_such_test",), sizes="8", ranks=NODES)
    with pytest.raises(WeftError, match="there is no test called no_such_test"):
        effort.placed(platform(), [VARIANT], asked)


# What only all nodes cannot do: a byte more or a place further than there is of them.
@pytest.mark.parametrize(
    ("experiment", "words", "fix"),
    [
        (Experiment(tests=("message_rate",), sizes="8", ranks=NODES),
         "message_rate is unsupported on a simulated platform: a model has no limit of messages",
         "ask stream instead"),
        (Experiment(tests=("shift",), sizes="8", ranks=NODES, variants=Variants(points=(NODES,))),
         "shift: a shift is by 1 place to one less than there are ranks", "choose other --points"),
        (Experiment(tests=("hot_spot_receive",), sizes="8", ranks=NODES,
                    variants=Variants(points=(NODES,))),
         "hot_spot_receive: 1,024 peers need 1,025 ranks",
         "use more --nodes, or smaller --points"),
        (Experiment(tests=("allgather",), sizes="1GiB", ranks=NODES),
         # 1,025 GiB, 17 pages and one more of each rank.
         "needs 1,074,790,468 MiB of memory where",
         "choose smaller sizes, fewer buffers or samples"),
    ],
    ids=lambda one: one.tests[0] if isinstance(one, Experiment) else "",
)  # fmt: skip
def test_what_all_nodes_cannot_do_is_said_before_any_small_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, experiment: Experiment, words: str, fix: str
) -> None:
    monkeypatch.setattr(Effort, "_start", lambda *_, **__: pytest.fail("something was simulated"))
    effort = Effort(1e5, 1, tmp_path, lambda _: None)
    with pytest.raises(WeftError) as caught:
        predicted_on(platform(), [VARIANT], experiment, effort)
    assert words in caught.value.what
    assert caught.value.fix == fix


def test_places_that_few_nodes_do_not_have_are_nearer_there() -> None:
    points = Variants(points=(1, 100, 512))
    asked = Experiment(tests=("shift",), sizes="8", ranks=NODES, variants=points)
    assert on_fewer(asked, 256, VARIANT).variants.points == (1, 100, 128)
    assert on_fewer(asked, 4, VARIANT).variants.points == (1, 2)
    two_each = msgspec.structs.replace(VARIANT, ranks_per_node=2)
    assert on_fewer(asked, 256, two_each).ranks == 512


@pytest.mark.parametrize(
    ("asked", "diameter"),
    [
        (FabricAsked(nodes=4096, switch="36"), 5),
        (FabricAsked(nodes=4096, switch="36", blocking="2:1"), 5),
        (FabricAsked(nodes=4096, switch="128"), 3),
        (FabricAsked(nodes=128, switch="128"), 1),
    ],
)
def test_small_trees_have_the_levels_of_the_large_one(asked: FabricAsked, diameter: int) -> None:
    for nodes in (4, 64, 128):
        few = smaller(asked, nodes)
        assert few.nodes == nodes
        assert hops_of(build_fabric(few)).diameter == diameter
    torus = FabricAsked(nodes=512, topology="torus", switch="8", shape="8x8x8", per_switch=1)
    assert smaller(torus, 64) == msgspec.structs.replace(torus, nodes=64, shape="")


@pytest.mark.parametrize(
    ("seconds", "megabytes", "words"),
    [
        (9.9, 149, "takes less than 10 s and less than 300 MB ("),
        (10.4, 150, "takes about 10 s (5 s of a processor) and about 150 MB ("),
        (1200, 4000, "takes about 1200 s (600 s of a processor) and about 4000 MB ("),
    ],
)
def test_no_forecast_is_nearer_than_it_can_be(seconds: float, megabytes: float, words: str) -> None:
    found = Forecast(
        nodes=512, seconds=seconds, processor_s=seconds / 2, peak_bytes=1e6 * megabytes, power=1.5,
        pilots=(Pilot(nodes=4, seconds=0.5, peak_bytes=50_000_000),),
    )  # fmt: skip
    assert words in simulations._in_words(found, 1)
