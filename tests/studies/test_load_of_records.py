"""What a held-out prediction says of a machine that was busy: from which load on, and of what."""

from types import SimpleNamespace
from typing import Any

import pytest

from weft.studies.held_out import _load


def measured(load: float, *cores: int, simulated: object = None) -> Any:
    hosts = {
        f"n{at}": {"cpu": {"allowed_cpus": list(range(count))}} for at, count in enumerate(cores)
    }
    launches = [SimpleNamespace(load_average=one) for one in (0.1, load, 0.2)]
    header = SimpleNamespace(hosts=hosts, plan=SimpleNamespace(simulated=simulated))
    run = SimpleNamespace(header=header, lines=SimpleNamespace(launches=launches))
    return SimpleNamespace(runs=[run])


@pytest.mark.parametrize(
    ("load", "cores", "is_busy"),
    [(6.0, (4,), False), (6.01, (4,), True), (6.1, (8, 4), True), (6.1, (8, 5), False)],
)
def test_a_load_above_one_and_a_half_a_core_is_said(
    load: float, cores: tuple[int, ...], *, is_busy: bool
) -> None:
    said = _load(measured(load, *cores))
    assert said.startswith(f"the load average was up to {load:.1f} on") is is_busy
    assert is_busy or said == ""


def test_a_simulation_and_a_host_of_unknown_cores_are_never_busy() -> None:
    assert _load(measured(99.0, 2, simulated=object())) == ""
    assert _load(measured(99.0, 0)) == ""
    assert _load(measured(99.0)) == ""
