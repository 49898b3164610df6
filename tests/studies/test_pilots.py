"""Small runs before a large one count into its budget, and say early what cannot be."""

from pathlib import Path

import pytest

from support.simulations import platform
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment
from weft.sim.effort import Forecast, Pilot
from weft.sim.predicted import Variant
from weft.studies import simulations
from weft.studies.prediction import predicted_on
from weft.studies.simulated_parts import Part
from weft.studies.simulations import Effort

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
    monkeypatch: pytest.MonkeyPatch, folder: Path, budget_s: float
) -> tuple[Effort, Clock]:
    """Runs that take the nodes' number of seconds to the power of 1.5, over 64."""
    clock = Clock()
    monkeypatch.setattr(simulations, "time", clock)

    def start(_effort: Effort, _part: object, path: Path) -> Path:
        nodes = int(path.name.partition("-")[0])
        clock.begun.append(nodes)
        clock.now += float(nodes**1.5) / 64
        return path

    monkeypatch.setattr(Effort, "_start", start)
    monkeypatch.setattr("weft.record.run.load", lambda path: path)
    return Effort(budget_s, 1, folder, lambda _: None), clock


def test_small_runs_never_take_more_than_the_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = Experiment(tests=("alltoall",), sizes="8", ranks=NODES)
    for budget_s in (10.0, 30.0, 60.0, 100.0):
        effort, clock = with_small_runs(monkeypatch, tmp_path, budget_s)
        with pytest.raises(WeftError, match="of the budget are left"):
            effort.foresee(platform(), VARIANT, asked, 1, lambda _: None)
        assert clock.now <= budget_s
    # 4, 64, 128 and 256 nodes take 95 s, and all of them 512 s more.
    effort, clock = with_small_runs(monkeypatch, tmp_path, 700.0)
    effort.foresee(platform(), VARIANT, asked, 1, lambda _: None)
    assert clock.begun == [4, 64, 128, 256]


def test_what_no_run_could_do_is_said_before_the_small_ones(tmp_path: Path) -> None:
    effort = Effort(60.0, 1, tmp_path, lambda _: None)
    asked = Experiment(tests=("no_such_test",), sizes="8", ranks=NODES)
    with pytest.raises(WeftError, match="there is no test called no_such_test"):
        effort.parts(platform(), [VARIANT], asked)


def test_what_no_model_has_is_said_after_the_least_run_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun = []
    start = Effort._start

    def counted(effort: Effort, part: Part, path: Path, say: None = None) -> Path:
        begun.append(part.experiment.ranks)
        return start(effort, part, path, say)

    monkeypatch.setattr(Effort, "_start", counted)
    effort = Effort(1e5, 1, tmp_path, lambda _: None)
    asked = Experiment(tests=("message_rate",), sizes="8", ranks=NODES)
    with pytest.raises(WeftError, match="no limit of messages per second"):
        predicted_on(platform(), [VARIANT], asked, effort)
    assert begun == [4]


@pytest.mark.parametrize(
    ("seconds", "megabytes", "words"),
    [
        (9.9, 149, "takes less than 10 s and less than 300 MB ("),
        (10.4, 150, "takes about 10 s and about 150 MB ("),
        (1200, 4000, "takes about 1200 s and about 4000 MB ("),
    ],
)
def test_no_forecast_is_nearer_than_it_can_be(seconds: float, megabytes: float, words: str) -> None:
    found = Forecast(
        nodes=512, seconds=seconds, peak_bytes=1e6 * megabytes, power=1.5,
        pilots=(Pilot(nodes=4, seconds=0.5, peak_bytes=50_000_000),),
    )  # fmt: skip
    assert words in simulations._in_words(found, 1)
