"""What a held-out prediction says of a machine that was busy: from which load on, and of what."""

from types import SimpleNamespace
from typing import Any

import pytest

from weft.studies.held_out import _causes, _load


def measured(load: float, *cores: int, simulated: object = None) -> Any:
    hosts = {
        f"n{at}": {"cpu": {"allowed_cpus": list(range(count))}} for at, count in enumerate(cores)
    }
    launches = [SimpleNamespace(load_average=one) for one in (0.1, load, 0.2)]
    header = SimpleNamespace(hosts=hosts, plan=SimpleNamespace(simulated=simulated))
    run = SimpleNamespace(header=header, cases={}, lines=SimpleNamespace(launches=launches))
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


def held(what: str, by: str, *, shares_cores: bool = False) -> Any:
    return SimpleNamespace(what=what, by=by, shares_cores=shares_cores)


ALL = [
    held("ping_pong 8 B", "other sizes"), held("sendrecv 8 B", "the platform"),
    held("stream 1 MiB", "the platform"), held("hot_spot 4 peers", "the platform"),
    held("allreduce 8 B", "the platform"), held("halo 4^4", "the platform"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "every", "words"),
    [
        (measured(0.5, 4, 4), ALL, []),
        (measured(99.0, 4, 4), ALL, ["the load average was up to 99.0 on 4 cores"]),
        (measured(0.5, 4), ALL, ["all ranks were on one host"]),
        (measured(0.5, 4, simulated=object()), ALL, []),
        (measured(0.5, 4, 4), ALL[1:], ["too few sizes of ping_pong to hold any out"]),
        (measured(0.5, 4, 4), ALL[::2],
         ["not in the record, so not predicted: sendrecv, hot_spot, halo"]),
        (measured(0.5, 4, 4), [*ALL, held("halo 6^4", "", shares_cores=True)],
         ["* ranks shared cores"]),
    ],
)  # fmt: skip
def test_each_cause_is_said_where_it_is_there_and_nowhere_else(
    found: Any, every: list[Any], words: list[str]
) -> None:
    said = _causes(found, every)
    assert len(said) == len(words)
    assert [each[: len(one)] for each, one in zip(said, words, strict=True)] == words
