"""Words that are advised are taken, and mean the case that they were made of."""

import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from support.builders import PATTERNS, make_header, pattern, synthetic_record
from weft.analysis.stats.launches import words_for_launches
from weft.analysis.stats.trend import not_looked_for
from weft.applications.asked import ApplicationsAsked
from weft.applications.lattice import MASS, U0
from weft.cli.main import app
from weft.plan.allocation import Allocation
from weft.plan.case import Case, Schedule
from weft.plan.cases import Experiment, Variants, make_cases
from weft.plan.command import words_of
from weft.plan.pattern import Pattern
from weft.plan.planning import planned
from weft.plan.request import Request
from weft.plan.simulated import SimulatedPlatform
from weft.plan.site import Site, Transport
from weft.record.run import load

KNOWN = {one.name: one for one in PATTERNS}
SITE = Site(
    launcher="local",
    mpi="openmpi",
    transports=(Transport(name="tcp", settings=("port",), patterns=PATTERNS),),
)
schedules = st.one_of(
    st.sampled_from([Schedule(), Schedule(kind="shared")]),
    st.builds(Schedule, kind=st.just("turn"), count=st.integers(1, 1024)),
    st.builds(
        Schedule, kind=st.just("reuse"), count=st.integers(1, 99), reuse_percent=st.integers(0, 100)
    ),
)
lattices = st.builds(
    ApplicationsAsked,
    extents=st.sampled_from(["4", "4x6x8x10", "8"]),
    depth=st.integers(1, 3),
    compute_ps_per_site=st.sampled_from([0, 1, 60_000, 1_234_567]),
    overlaps=st.booleans(),
    sums=st.one_of(st.none(), st.integers(0, 2)),
    long_link_reals=st.sampled_from([12, 18]),
    threads=st.sampled_from([1, 4]),
    mass=st.sampled_from([0.1, 0.0375]),
    u0=st.sampled_from([1.0, 0.8677]),
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Case, Pattern]:
    """A case as a plan may have it."""
    of = draw(st.sampled_from(PATTERNS))
    is_app = of.application.is_there
    asked = draw(lattices) if is_app else ApplicationsAsked()
    if not of.application.takes("mass"):
        asked = replace(asked, mass=MASS, u0=U0)
    if is_app and draw(st.booleans()):
        asked = replace(asked, whole="16^4", extents="")
    variants = Variants(
        queue_depths=(draw(st.integers(1, 999)),),
        schedules=(draw(schedules),),
        waits=(draw(st.sampled_from(["", "spin", "block"])),),
        pages=(draw(st.sampled_from(["", "huge"])),),
        application=asked,
        single=draw(st.booleans()),
    )
    size = str(draw(st.integers(1, 2**30)))
    ranks = draw(st.integers(max(of.ranks, 2), 32))
    found = make_cases((of.name,), ("tcp",), size, ranks=ranks, variants=variants, patterns=KNOWN)
    return draw(st.sampled_from(found)), of


def parsed(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Request:
    """What `weft run` makes of the words."""
    asked: list[Request] = []

    class Stop(Exception):  # noqa: N818 - no error
        pass

    def start(request: Request, *_: object) -> None:
        asked.append(request)
        raise Stop

    monkeypatch.setattr("weft.session.start", start)
    monkeypatch.setattr(sys, "argv", ["weft", "run", *words])
    with pytest.raises(Stop):
        app(["run", *words], standalone_mode=False)
    return asked[0]


@given(drawn=cases())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_advised_command_means_its_case(
    drawn: tuple[Case, Pattern], monkeypatch: pytest.MonkeyPatch
) -> None:
    case, of = drawn
    plan = make_header((case,), options={"tcp.port": "7000", "ucx.device": "a"}).plan
    request = parsed(words_of(case, of, plan), monkeypatch)
    found = planned(request, SITE, lambda _: None)
    assert found.plan.cases == (case,)
    assert found.plan.options == {"tcp.port": "7000"}


def test_hosts_are_of_the_words_and_a_simulation_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    allocation = Allocation(hosts=("n1", "n2"), placement="pack")
    plan = make_header((case,), allocation=allocation).plan
    assert parsed(words_of(case, pattern("ping_pong"), plan), monkeypatch).allocation == allocation
    simulated = SimulatedPlatform(name="escher", kind="table", nodes=128)
    case = Case(test="ping_pong", transport="sim", bytes=8)
    words = words_of(case, pattern("ping_pong"), make_header((case,), simulated=simulated).plan)
    assert shlex.join(words) == "ping_pong --sizes 8 --platform escher:table"
    given_by = SimulatedPlatform(name="mine", kind="given", nodes=2)
    assert not words_of(case, pattern("ping_pong"), make_header((case,), simulated=given_by).plan)


@pytest.mark.parametrize(
    ("launches", "made", "advice"),
    [(3, 3, "--launches 5 or more"), (4, 1, "--launches 5 or more"), (5, 3, "--budget 100s"),
     (5, 1, "--budget 5min"), (7, 4, "--budget 80s")],
)  # fmt: skip
def test_launches_that_the_budget_was_short_of_take_a_longer_one(
    tmp_path: Path, launches: int, made: int, advice: str
) -> None:
    cases = (Case(test="ping_pong", transport="tcp", bytes=8),)
    times = [[1000.0] * 9 if at < made else [] for at in range(launches)]
    run = load(
        synthetic_record(
            tmp_path / "r.jsonl", cases, launches=launches, times_ns=lambda _, at: times[at]
        )
    )
    assert words_for_launches(run, 5) == advice
    assert made == 1 or not_looked_for(run).endswith(f"type {advice}")


def test_the_experiment_of_a_case_has_all_of_it() -> None:
    case = Case(test="stream", transport="tcp", bytes=8, ranks=3, queue_depth=9, wait="spin")
    alone = Experiment.of(case)
    asked = (alone.tests, ("tcp",), alone.sizes)
    [again] = make_cases(*asked, ranks=alone.ranks, variants=alone.variants, patterns=KNOWN)
    assert again == case
