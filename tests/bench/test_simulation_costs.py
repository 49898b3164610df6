"""The bench of what predictions cost reads the line that they say before they simulate."""

from types import ModuleType

import pytest

from support.copies import ROOT
from weft.sim.effort import Forecast, Pilot
from weft.studies import simulations

PILOT = Pilot(nodes=4, seconds=0.5, peak_bytes=50_000_000)


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import simulation_costs

    return simulation_costs


@pytest.mark.parametrize(
    ("seconds", "megabytes", "said"),
    [
        (9.0, 100, ("less than 10 s", "-", "less than 300 MB")),
        (30.0, 500, ("about 30 s", "20 s", "about 500 MB")),
    ],
)
def test_a_forecast_is_read_as_it_is_said(
    costs: ModuleType, seconds: float, megabytes: int, said: tuple[str, str, str]
) -> None:
    found = Forecast(
        nodes=512, seconds=seconds, processor_s=20.0, peak_bytes=1e6 * megabytes, power=1.5,
        pilots=(PILOT,),
    )  # fmt: skip
    assert costs.told(simulations._in_words(found, 1)) == said
    assert costs.told("simulated: escher") is None
