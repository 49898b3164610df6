"""Words that are advised are taken, and mean the case that they were made of."""

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from support.builders import (
    PATTERNS,
    make_batch,
    make_footer,
    make_header,
    make_launch,
    pattern,
    synthetic_record,
    write_lines,
)
from support.plans import named
from support.typed import request_of, request_of_command
from weft.analysis.stats.launches import command_for_launches, next_session_of
from weft.analysis.stats.trend import not_looked_for
from weft.applications.asked import ApplicationsAsked
from weft.applications.lattice import MASS, U0
from weft.errors import WeftError
from weft.plan.allocation import PLACEMENTS, Allocation, layout_of
from weft.plan.case import Case, Schedule
from weft.plan.cases import LAUNCHES, Experiment, Variants, make_cases
from weft.plan.command import NextSession, alone, words_of
from weft.plan.pattern import Pattern
from weft.plan.plan import Plan
from weft.plan.planning import planned
from weft.plan.request import Request
from weft.plan.simulated import SimulatedPlatform
from weft.plan.site import Site, Transport
from weft.plan.variations import Variation
from weft.record.run import load

if TYPE_CHECKING:
    from weft.record.model import Line

KNOWN = {one.name: one for one in PATTERNS}
SITE = Site(
    launcher="local",
    mpi="openmpi",
    transports=(
        Transport(name="tcp", settings=named("port", "interface"), patterns=PATTERNS),
        Transport(name="ofi", settings=named("domain"), patterns=PATTERNS),
        Transport(name="ofi:udp", usual=False, patterns=PATTERNS),
    ),
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


allocations = st.builds(
    Allocation,
    hosts=st.sampled_from([(), ("n1", "n2"), ("n1", "n2", "n3")]),
    nodes=st.integers(0, 2),
    ranks_per_node=st.sampled_from([0, 2, 32]),
    placement=st.sampled_from(PLACEMENTS),
)
conditions = st.fixed_dictionaries(
    {
        "mpi": st.sampled_from(["openmpi", "mpich"]),
        "launcher": st.sampled_from(["local", "mpirun", "slurm"]),
        "allocation": allocations,
        "options": st.dictionaries(
            st.sampled_from(["tcp.port", "tcp.interface", "ofi.domain"]),
            st.sampled_from(["7000", "ib 0", "a=b"]),
        ),
        "precision": st.sampled_from([0.01, 0.005, 0.07, 1.0]),
        "budget_s": st.sampled_from([60.0, 7.5, 7200.0]),
        "launches": st.integers(1, 30),
        "fixed_launches": st.booleans(),
        "samples": st.sampled_from([0, 1, 200]),
        "seed": st.integers(0, 9),
        "case_deadline_s": st.sampled_from([20.0, 2.5]),
    }
)


def hosts_of(of: Allocation) -> int:
    """How many measured: those that were named, or a job's."""
    return of.nodes or len(of.hosts) or 4


def plan_of(request: Request) -> Plan:
    """The plan of a request at a site that has all that it names."""
    hosts = hosts_of(request.allocation)
    site = replace(SITE, mpi=request.mpi, launcher=request.launcher, hosts=hosts)
    return planned(request, site, lambda _: None).plan


def _fits(case: Case, allocation: Allocation) -> bool:
    """Whether the ranks of a case have room there: what is measured has."""
    try:
        layout_of(case.ranks, hosts_of(allocation), allocation)
    except WeftError:
        return False
    return True


@given(drawn=cases(), transport=st.sampled_from(["tcp", "ofi:udp"]), asked=conditions)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_advised_command_measures_its_case_as_the_record_did(
    drawn: tuple[Case, Pattern],
    transport: str,
    asked: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case, of = replace(drawn[0], transport=transport), drawn[1]
    assume(_fits(case, asked["allocation"]))
    other = Case(test="ping_pong", transport="tcp", bytes=9)
    plan = make_header((case, other), **asked).plan
    found = plan_of(
        request_of_command(alone(case, of, plan, hosts_of(plan.allocation)), monkeypatch)
    )
    family = transport.partition(":")[0]
    own = {name: value for name, value in plan.options.items() if name.startswith(f"{family}.")}
    # A placement that puts the ranks of this case nowhere else would be refused.
    hosts = hosts_of(plan.allocation)
    layouts = [layout_of(case.ranks, hosts, one.allocation) for one in (found, plan)]
    assert layouts[0] == layouts[1]
    there = replace(plan.allocation, placement=found.allocation.placement)
    # Launches that are typed are fixed.
    fixed = plan.fixed_launches or plan.launches != LAUNCHES
    assert found == replace(
        plan, cases=(case,), options=own, allocation=there, fixed_launches=fixed
    )
    assert found.cases[0].key == case.key


@given(
    drawn=st.lists(cases(), min_size=1, max_size=4, unique_by=lambda one: one[0].key),
    asked=conditions,
    launches=st.integers(0, 99),
)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_record_measured_again_has_its_plan_but_for_what_is_advised(
    drawn: list[tuple[Case, Pattern]],
    asked: dict[str, Any],
    launches: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assume(all(_fits(case, asked["allocation"]) for case, _ in drawn))
    header = make_header(tuple(case for case, _ in drawn), **asked)
    with tempfile.TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "a record.jsonl", [header])
        again = next_session_of(load(path))
        found = plan_of(request_of_command(again.command(launches), monkeypatch))
        longer = plan_of(request_of_command(again.longer(3.0), monkeypatch))
    tcp = {name: value for name, value in header.plan.options.items() if name.startswith("tcp.")}
    plan = as_asked = replace(header.plan, options=tcp)
    if launches:
        plan = replace(
            plan, launches=launches, fixed_launches=True, budget_s=again.seconds(launches)
        )
    assert found == plan
    assert longer == replace(as_asked, budget_s=longer.budget_s)
    assert longer.budget_s >= 3 * header.plan.budget_s


def test_hosts_are_of_the_words_and_a_simulation_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=8, ranks=4)
    allocation = Allocation(hosts=("n1", "n2"), placement="pack")
    plan = make_header((case,), allocation=allocation).plan
    words = words_of(case, pattern("ping_pong"), plan, hosts=2)
    assert request_of(words, monkeypatch).allocation == allocation
    simulated = SimulatedPlatform(name="escher", kind="table", nodes=128)
    case = Case(test="ping_pong", transport="sim", bytes=8)
    words = words_of(case, pattern("ping_pong"), make_header((case,), simulated=simulated).plan)
    assert shlex.join(words[:5]) == "ping_pong --sizes 8 --platform escher:table"
    request = request_of(words, monkeypatch)
    assert (request.platform or simulated).name == "escher"
    given_by = SimulatedPlatform(name="mine", kind="given", nodes=2)
    assert not words_of(case, pattern("ping_pong"), make_header((case,), simulated=given_by).plan)


@pytest.mark.parametrize(
    ("launches", "made", "wanted", "told"),
    # They took 59 s, whatever was asked: 5 launches of 12 s and 8 s beside, in the budget's steps.
    [(5, 5, 5, "--launches 5 --budget 80s"), (5, 5, 10, "--launches 10 --budget 3min"),
     (5, 3, 5, "--launches 5 --budget 120s"), (5, 1, 5, "--launches 5 --budget 6min"),
     (7, 4, 5, "--launches 7 --budget 120s"), (3, 3, 5, "--launches 5 --budget 120s")],
)  # fmt: skip
def test_more_launches_have_the_budget_that_they_take(
    tmp_path: Path, launches: int, made: int, wanted: int, told: str
) -> None:
    cases = (Case(test="ping_pong", transport="tcp", bytes=8),)
    times = [[1000.0] * 9 if at < made else [] for at in range(launches)]
    path = synthetic_record(
        tmp_path / "r.jsonl", cases, launches=launches, times_ns=lambda _, at: times[at]
    )
    run = load(path)
    assert command_for_launches(run, wanted) == f"weft run --again {path} {told}"
    if 1 < made < 5:
        assert not_looked_for(run).endswith(f"run weft run --again {path} {told}")


@pytest.mark.parametrize(
    ("budget_s", "planned_s", "lacking_s", "told"),
    [
        (60.0, 60.0, 0.0, ""), (61.0, 60.0, 0.0, "--budget 70s"), (30.0, 60.0, 0.0, ""),
        (30.0, 60.0, 1.0, ""), (30.0, 60.0, 100.0, "--budget 110s"),
        (600.0, 60.0, 100.0, "--budget 10min"),
    ],
)  # fmt: skip
def test_what_a_record_lacks_has_a_budget_where_the_usual_one_is_too_short(
    budget_s: float, planned_s: float, lacking_s: float, told: str
) -> None:
    again = NextSession(
        record="r.jsonl", launches=5, made=2, launch_s=1.0,
        budget_s=budget_s, planned_s=planned_s, lacking_s=lacking_s,
    )  # fmt: skip
    assert again.finished == f"weft run --resume r.jsonl {told}".rstrip()


@pytest.mark.parametrize(
    ("started", "finished", "launch_s"),
    [(["00:00:00", "00:00:10"], "00:00:30", 15.0), (["00:00:00", "00:00:10"], None, 10.0),
     (["00:00:00"], None, 60.0), (["00:00:00"], "23:00:00", 60.0),
     (["tea time"], "00:00:30", 60.0), (["00:00:00"], "00:00:01", 1.0)],
)  # fmt: skip
def test_what_a_launch_took_is_read_from_the_record(
    tmp_path: Path, started: list[str], finished: str | None, launch_s: float
) -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    lines: list[Line] = [make_header((case,), launches=len(started))]
    for number, time in enumerate(started):
        lines.append(replace(make_launch(number, "tcp"), started_utc=f"2026-01-02T{time}+00:00"))
        lines.append(make_batch(case, number, number, [1000.0] * 9))
    if finished:
        end = make_footer(len(started))
        lines.append(replace(end, finished_utc=f"2026-01-02T{finished}+00:00"))
    found = next_session_of(load(write_lines(tmp_path / "r.jsonl", lines)))
    assert (found.launch_s, found.made) == (launch_s, len(started))


def test_the_experiment_of_a_case_has_all_of_it() -> None:
    case = Case(test="stream", transport="tcp", bytes=8, ranks=3, queue_depth=9, wait="spin")
    alone = Experiment.of(case)
    asked = (alone.tests, ("tcp",), alone.sizes)
    [again] = make_cases(*asked, ranks=alone.ranks, variants=alone.variants, patterns=KNOWN)
    assert again == case


@pytest.mark.parametrize(
    "varied",
    [
        Variation(of="ofi", options={"ofi.provider": "tcp"}),
        Variation(of="tcp", mpi="mpich"),
        Variation(of="mpi", environment={"OMPI_MCA_btl": "vader,self"}),
    ],
)
def test_the_command_for_a_case_with_a_setting_of_its_own_has_the_setting(
    varied: Variation, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(test="ping_pong", transport=varied.label, bytes=8)
    options = {"ofi.provider": "shm", "ofi.domain": "lo"}
    plan = make_header((case,), variations={varied.label: varied}, options=options).plan
    request = request_of_command(alone(case, pattern("ping_pong"), plan), monkeypatch)
    assert request.variations == {varied.label: varied}
    assert request.transports == (varied.label,)
    assert request.options == ({"ofi.domain": "lo"} if varied.of == "ofi" else {})


@pytest.mark.parametrize(
    ("launches", "command"),
    [
        (0, "weft import another-run.txt"),
        (7, "weft import a.txt 'b 2.txt' another-run.txt"),
    ],
)
def test_an_import_is_further_outputs_beside_those_that_have_a_name(
    launches: int, command: str
) -> None:
    again = NextSession(
        record="r.jsonl", launches=5, made=2, launch_s=1.0, budget_s=60.0,
        imported=("a.txt", "-", "b 2.txt"),
    )  # fmt: skip
    assert again.command(launches) == command
    assert again.resumed == "weft import another-run.txt"
    assert again.longer(3.0) == "weft import a.txt 'b 2.txt' another-run.txt"


def test_as_many_launches_were_made_as_the_ranks_with_the_fewest_have(tmp_path: Path) -> None:
    """A budget ended before the last launches of mpi: what a launch takes is of whole rounds."""
    cases = make_cases(("ping_pong",), ("tcp", "mpi"), "8", patterns=KNOWN)
    path = synthetic_record(
        tmp_path / "r.jsonl", cases, launches=5,
        times_ns=lambda case, at: [1e3 + at] * 9 if case.transport == "tcp" or at < 3 else [],
    )  # fmt: skip
    assert next_session_of(load(path)).made == 3
