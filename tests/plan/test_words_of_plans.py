"""What is typed for a plan: each amount that is not the usual one, and the rounds of a map."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.builders import make_header, pattern
from weft.plan.allocation import Allocation
from weft.plan.case import Case
from weft.plan.cases import Experiment
from weft.plan.command import map_in_rounds, words_of
from weft.plan.plan import Plan
from weft.plan.request import request_again, simulation
from weft.plan.simulated import SimulatedPlatform

PING = Case(test="ping_pong", transport="tcp", bytes=8)


def plan(**asked: Any) -> Plan:
    """As usual, but for what is asked."""
    usual = {
        "precision": 0.01, "budget_s": 60.0, "launches": 5, "samples": 0, "seed": 1,
        "case_deadline_s": 20.0, "keep_all": False, "options": {}, "allocation": Allocation(),
        "launcher": "", "mpi": "",
    }  # fmt: skip
    return msgspec.structs.replace(make_header((PING,)).plan, **{**usual, **asked})


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, ()),
        ({"precision": 0.015}, ("--precision", "1.5%")),
        ({"budget_s": 90.5}, ("--budget", "90.5s")),
        ({"launches": 7}, ("--launches", "7")),
        ({"samples": 300}, ("--samples", "300")),
        ({"seed": 4}, ("--seed", "4")),
        ({"case_deadline_s": 2.5}, ("--deadline", "2.5s")),
        ({"keep_all": True}, ("--keep-all",)),
        (
            {"precision": 0.02, "launches": 3, "keep_all": True},
            ("--precision", "2%", "--launches", "3", "--keep-all"),
        ),
        ({"allocation": Allocation(hosts=("n1", "n2"))}, ("--hosts", "n1,n2")),
        ({"allocation": Allocation(nodes=2)}, ("--nodes", "2")),
        ({"allocation": Allocation(nodes=2, ranks_per_node=1)},
         ("--nodes", "2", "--ranks-per-node", "1")),
        ({"launcher": "slurm"}, ("--launcher", "slurm")),
        ({"mpi": "mpich"}, ("--mpi", "mpich")),
        ({"options": {"tcp.port": "7000", "ucx.device": "a"}}, ("--option", "tcp.port=7000")),
    ],
)  # fmt: skip
def test_what_is_not_usual_is_typed_and_nothing_else(
    asked: dict[str, Any], words: tuple[str, ...]
) -> None:
    shortest = ("ping_pong", "--sizes", "8")
    found = words_of(PING, pattern("ping_pong"), plan(**asked))
    assert found[: len(shortest)] == shortest
    rest = [word for word in found if word not in (*shortest, "--transport", "tcp")]
    assert rest == list(words)


@pytest.mark.parametrize(
    ("rounds", "round_s", "budget"),
    [
        (0, 10.0, "60s"),
        # Three rounds are in the plan, and it has as long for as many.
        (2, 10.0, "60s"),
        (3, 10.0, "60s"),
        (4, 10.0, "70s"),
        (9, 10.0, "120s"),
        (9, 0.0, "60s"),
    ],
)
def test_each_further_round_of_a_map_has_its_time(rounds: int, round_s: float, budget: str) -> None:
    case = Case(test="pair_rounds", transport="tcp", bytes=8, ranks=4, point=0, at_once=2)
    cases = tuple(msgspec.structs.replace(case, point=point) for point in range(3))
    of = plan(cases=cases, seed=3, launches=2)
    told = f" --rounds {rounds}" if rounds else ""
    assert map_in_rounds(case, of, 4, rounds, round_s=round_s) == (
        f"weft map --sizes 8 --ranks 4{told} --at-once 2 --launches 2 --budget {budget} --seed 3"
        " --transport tcp"
    )
    simulated = SimulatedPlatform(name="escher", kind="table", nodes=128)
    assert map_in_rounds(case, plan(simulated=simulated), 4, rounds) == ""


def test_a_map_is_typed_with_its_wait_and_its_topology() -> None:
    case = Case(test="pair_rounds", transport="tcp", bytes=8, ranks=4, point=0, wait="block")
    typed = map_in_rounds(case, plan(cases=(case,)), 4, 5, ("a.conf", "b c.txt"))
    assert typed == (
        "weft map --sizes 8 --ranks 4 --rounds 5 --wait block --launches 5 --budget 60s"
        " --transport tcp --topology a.conf --topology 'b c.txt'"
    )


def test_what_was_measured_is_asked_for_again_on_the_most_ranks_of_its_cases() -> None:
    cases = tuple(
        Case(test="ping_pong", transport=name, bytes=8, ranks=ranks)
        for name, ranks in (("tcp", 2), ("ucx:rendezvous=1", 8), ("tcp", 4))
    )
    options = {"tcp.port": "7000", "ucx.device": "a", "ofi.domain": "b"}
    of = plan(cases=cases, options=options, samples=30, keep_all=True, seed=7, mpi="mpich")
    found = request_again(of, output=None, command=("weft",), begun_s=0.0, report=False)
    assert (found.cases, found.ranks) == (cases, 8)
    assert found.transports == ("tcp", "ucx:rendezvous=1")
    assert found.options == {"tcp.port": "7000", "ucx.device": "a"}
    assert (found.samples, found.keep_all, found.seed, found.mpi) == (30, True, 7, "mpich")
    assert (found.file, found.platform) == ("", None)
    more = request_again(of, output=None, command=(), begun_s=0.0, report=False, ranks=3)
    assert more.ranks == 3


@pytest.mark.parametrize(("own", "asked", "ranks"), [((2, 6, 4), {}, 6), ((2, 6), {"ranks": 3}, 3)])
def test_a_simulation_is_on_the_most_ranks_of_its_experiments(
    own: tuple[int, ...], asked: dict[str, Any], ranks: int
) -> None:
    experiments = tuple(Experiment(tests=("ping_pong",), sizes="8", ranks=one) for one in own)
    platform = SimulatedPlatform(name="escher", kind="table", nodes=128)
    found = simulation(
        platform,
        experiments,
        Path("r.jsonl"),
        budget_s=9.0,
        command=(),
        case_deadline_s=9.0,
        **asked,
    )
    assert (found.ranks, found.launches, found.samples) == (ranks, 1, 3)
    assert (found.platform, found.report, found.precision) == (platform, False, 0.01)
