"""What a simulation that does not fit its budget is refused with: every figure of the sentence."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from weft.errors import WeftError
from weft.sim.effort import Pilot, forecast
from weft.studies import simulations
from weft.studies.simulations import Effort
from weft.units import format_duration


def begun(monkeypatch: pytest.MonkeyPatch, folder: Path, budget_s: float, past_s: float) -> Effort:
    """An effort that has had so much of its budget."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(simulations, "time", SimpleNamespace(monotonic=lambda: clock.now))
    effort = Effort(budget_s, 1, folder, lambda _: None)
    clock.now += past_s
    return effort


@pytest.mark.parametrize(
    ("nodes", "past_s", "seconds", "what", "budget"),
    [
        # 1.5 times what it takes, and the 30 s that are gone.
        (512, 30.0, 71.0, "512 nodes need about 80s of simulation here, and 70s", "3min"),
        (1, 30.0, 9_000.0, "1 node needs about 2h30min of simulation here, and 70s", "3h50min"),
        (2, 103.0, 1.0, "2 nodes need about 1s of simulation here, and 0s", "110s"),
    ],
)
def test_more_than_is_left_names_a_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nodes: int, past_s: float, seconds: float,
    what: str, budget: str,
) -> None:  # fmt: skip
    effort = begun(monkeypatch, tmp_path, 100.0, past_s)
    with pytest.raises(WeftError) as caught:
        effort._refuse_beyond_budget(nodes, seconds)
    assert caught.value.what == f"{what} of the budget are left"
    assert caught.value.fix == f"use --budget {budget}, or fewer --nodes, sizes or fabrics"


def test_as_much_as_is_left_is_simulated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    effort = begun(monkeypatch, tmp_path, 100.0, 30.0)
    effort._refuse_beyond_budget(512, 70.0)


def test_a_small_run_that_was_cut_names_five_times_the_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    effort = begun(monkeypatch, tmp_path, 20.0, 20.0)
    with pytest.raises(WeftError) as caught:
        effort._refuse_as_cut(Pilot(nodes=64, seconds=4.94, peak_bytes=1), 1024)
    assert (caught.value.what, caught.value.fix) == (
        "64 nodes of the 1,024 alone took the 4.9 s that were left of the budget",
        "use --budget 100s, or fewer --nodes, sizes or fabrics",
    )


def small_runs(*nodes: int) -> list[Pilot]:
    """A start of 2 s, and 0.05 s a node: nine tenths of the least are taken for the start."""
    return [Pilot(nodes=n, seconds=1.98 + 0.2 * n / 4, peak_bytes=1) for n in nodes]


@pytest.mark.parametrize(
    ("left_s", "done", "refused"),
    [
        # 128 nodes take 8.4 s, all 512 some 28 s, and three fabrics three times as much: 91 s.
        (93.0, small_runs(4, 64), False),
        (89.0, small_runs(4, 64), True),
        # Of one small run nothing is foreseen.
        (0.1, small_runs(4), False),
    ],
)
def test_a_small_run_begins_where_it_has_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, left_s: float, done: list[Pilot], *,
    refused: bool,
) -> None:  # fmt: skip
    effort = begun(monkeypatch, tmp_path, 100.0, 100.0 - left_s)
    small, whole = (forecast(done, nodes) for nodes in (128, 512))
    if not refused:
        effort._check_left(done, 128, 512, 3)
        return
    assert small is not None
    assert whole is not None
    assert small.seconds == pytest.approx(8.38, rel=0.01)
    needed = format_duration(small.seconds + 3 * whole.seconds)
    with pytest.raises(WeftError, match=f"512 nodes need at least about {needed} of simulation"):
        effort._check_left(done, 128, 512, 3)
