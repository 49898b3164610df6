"""A plan from what is asked and what a site has, without any machine."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.builders import PATTERNS
from support.lattices import lattice_of
from support.plans import MIB, REQUEST, SITE
from weft.applications.files import ApplicationFile
from weft.errors import WeftError
from weft.plan.allocation import Allocation, Placement
from weft.plan.case import Case
from weft.plan.cases import Experiment, Variants
from weft.plan.devices import device_nowhere
from weft.plan.pattern import Pattern
from weft.plan.planning import Planned, planned
from weft.plan.request import simulation
from weft.plan.simulated import SimulatedPlatform
from weft.plan.site import Site, Transport
from weft.plan.variations import parse_vary, variations_of


def not_empty(one: Transport) -> Transport:
    """The transport, whose streams have no message of zero bytes, as the engine's have none."""
    least = {"stream": 1}
    patterns = tuple(
        msgspec.structs.replace(p, least_bytes=least.get(p.name, 0)) for p in one.patterns
    )
    return msgspec.structs.replace(one, patterns=patterns)


STREAMS_SITE = msgspec.structs.replace(
    SITE, transports=tuple(not_empty(one) for one in SITE.transports)
)


def plan_of(site: Site = SITE, **asked: Any) -> tuple[Planned, list[str]]:
    said: list[str] = []
    return planned(msgspec.structs.replace(REQUEST, **asked), site, said.append), said


def experiment(test: str, sizes: str = "8", **more: Any) -> tuple[Experiment, ...]:
    return (Experiment(tests=(test,), sizes=sizes, **more),)


# An empty message there is of the first alone.
BOTH_OF_NOTHING = (Experiment(tests=("ping_pong", "stream"), sizes="0"),)


def test_a_plan_has_every_usual_transport_that_works_and_says_which_does_not() -> None:
    found, said = plan_of()
    assert found.transports == ("mpi", "tcp")
    assert [case.transport for case in found.plan.cases] == ["mpi", "tcp"]
    assert (found.plan.launcher, found.plan.mpi) == ("local", "openmpi")
    assert [one.name for one in found.patterns] == ["ping_pong"]
    assert said == ["measuring over mpi, tcp", "skipped: verbs (no device)"]


@pytest.mark.parametrize("typed", [("TCP", "mpi"), ("tcp", "MPI", "tcp")])
def test_transports_have_the_engines_names_in_the_order_that_was_typed(
    typed: tuple[str, ...],
) -> None:
    found, said = plan_of(transports=typed)
    assert [case.transport for case in found.plan.cases] == ["tcp", "mpi"]
    assert said == ["measuring over tcp, mpi", "skipped: verbs (no device)"]


def test_a_test_has_the_engines_name() -> None:
    found, _ = plan_of(experiments=experiment("Ping-Pong"))
    assert {case.test for case in found.plan.cases} == {"ping_pong"}


def test_what_is_asked_of_a_device_is_an_option_of_each_transport() -> None:
    found, _ = plan_of(interface="eth1", options={"tcp.port": "7000"})
    assert found.plan.options == {
        "mpi.interface": "eth1",
        "tcp.interface": "eth1",
        "tcp.port": "7000",
    }


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"experiments": experiment("ping_pon")},
            "there is no test called ping_pon; did you mean ping_pong?",
        ),
        ({"transports": ("verbs",)}, "verbs is not usable here: no device"),
        ({"transports": ("tpc",)}, "there is no transport called tpc; did you mean tcp?"),
        ({"options": {"tcp.prt": "1"}}, "there is no option tcp.prt; did you mean tcp.port?"),
        (
            {"options": {"tcp.port": "65536"}},
            "tcp.port does not take 65536; use a number from 0 to 65535: --option tcp.port=VALUE",
        ),
        (
            {"options": {"tcp.port": "-1"}},
            "tcp.port does not take -1; use a number from 0 to 65535: --option tcp.port=VALUE",
        ),
        (
            {"options": {"tcp.port": "70,x"}},
            "tcp.port does not take 70,x; use a number from 0 to 65535: --option tcp.port=VALUE",
        ),
        (
            {"options": {"tcp.busy": "maybe"}},
            "tcp.busy does not take maybe; use yes, no or later: --option tcp.busy=VALUE",
        ),
        (
            {"variations": variations_of(parse_vary(["tcp.whole=8,inf,abc"]), ())},
            "does not take abc; use a number from 0 to 4096, auto or inf: --vary tcp.whole=VALUE",
        ),
        ({"experiments": experiment("ping_pong", "64MiB")}, "ping_pong/67108864 needs"),
        ({"launches": 0}, "--launches 0 is out of range"),
    ],
)
def test_what_a_site_does_not_have_is_refused(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WeftError) as caught:
        plan_of(**asked)
    assert sentence in f"{caught.value.what}; {caught.value.fix}"


@pytest.mark.parametrize("value", ["0", "65535", "65535,0"])
def test_both_ends_of_the_range_that_a_refusal_names_are_taken(value: str) -> None:
    found, _ = plan_of(options={"tcp.port": value})
    assert found.plan.options == {"tcp.port": value}


ON_DEVICES = msgspec.structs.replace(SITE, devices=("lo", "eth0", "mlx5_0"))


@pytest.mark.parametrize(
    ("asked", "nowhere", "typed"),
    [
        ({"interface": "eth9"}, "eth9", "--interface NAME"),
        ({"device": "mlx5_9"}, "mlx5_9", "--device NAME"),
        ({"options": {"tcp.interface": "lo,eth9"}}, "eth9", "--option tcp.interface=NAME"),
        (
            {"variations": variations_of(parse_vary(["tcp.interface=lo|eth9,lo"]), ())},
            "eth9",
            "--vary tcp.interface=NAME",
        ),
    ],
)
def test_a_device_that_no_host_has_is_refused_before_the_launch(
    asked: dict[str, Any], nowhere: str, typed: str
) -> None:
    with pytest.raises(WeftError) as caught:
        plan_of(ON_DEVICES, **asked)
    assert caught.value.what == f"no host has an interface or a device {nowhere}"
    assert caught.value.fix == f"use one of lo, eth0, mlx5_0: {typed}"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("tcp.interface", "lo,eth0"),
        ("ucx.device", "mlx5_0:1,eth0"),
        ("ucx.device", "all"),
        ("ucx.device", "^mlx5_0:1"),
        ("mpi.interface", "10.0.0.0/24"),
        ("ofi.domain", "shm"),
        ("ucx.tls", "eth9"),
        ("verbs.port", "2"),
        ("tcp.interface", ""),
    ],
)
def test_what_may_be_a_device_here_is_taken(option: str, value: str) -> None:
    assert device_nowhere(option, value, ON_DEVICES.devices) == ""


@pytest.mark.parametrize(
    ("experiments", "fix"),
    [
        (experiment("stream", "0"), "use --sizes of 1 B or more"),
        (BOTH_OF_NOTHING, "use --sizes of 1 B or more, or omit stream"),
    ],
)
def test_a_test_that_was_typed_has_a_message_of_some_size(
    experiments: tuple[Experiment, ...], fix: str
) -> None:
    with pytest.raises(WeftError, match="stream has no message of less than 1 B") as refused:
        plan_of(STREAMS_SITE, experiments=experiments, typed=frozenset({"tests", "sizes"}))
    assert refused.value.fix == fix


def test_of_tests_that_nobody_typed_those_with_such_a_message_are_planned() -> None:
    found, _ = plan_of(STREAMS_SITE, experiments=BOTH_OF_NOTHING, typed=frozenset({"sizes"}))
    assert {case.test for case in found.plan.cases} == {"ping_pong"}


def test_a_site_without_a_working_transport_is_refused() -> None:
    bare = msgspec.structs.replace(SITE, transports=SITE.transports[3:])
    with pytest.raises(WeftError, match="no transport is usable"):
        plan_of(bare)


def test_a_socket_that_is_not_there_is_refused() -> None:
    single = msgspec.structs.replace(SITE, sockets={"n1": 1})
    with pytest.raises(WeftError, match="n1 has one socket"):
        plan_of(single, allocation=Allocation(placement="other-socket"))


def test_memory_is_checked_where_a_host_was_asked() -> None:
    unasked = msgspec.structs.replace(SITE, available_bytes=None)
    found, _ = plan_of(unasked, experiments=experiment("ping_pong", "64MiB"))
    assert {case.bytes for case in found.plan.cases} == {64 * MIB}


def test_more_ranks_than_the_host_holds_are_refused_before_any_case_is_looked_at() -> None:
    asked: dict[str, Any] = {"experiments": experiment("sendrecv", "8", ranks=17), "ranks": 17}
    with pytest.raises(WeftError, match="17 ranks on a host take"):
        plan_of(**asked)
    plan_of(msgspec.structs.replace(SITE, hosts=2), **asked)


def test_memory_is_held_against_the_ranks_of_a_host() -> None:
    """64 hosts with 512 MiB each have room for what one of them has not."""
    many = msgspec.structs.replace(SITE, hosts=64, cores=1024, available_bytes=512 * MIB)
    asked: dict[str, Any] = {"experiments": experiment("sendrecv", "512KiB", ranks=64), "ranks": 64}
    found, _ = plan_of(many, **asked)
    assert {case.ranks for case in found.plan.cases} == {64}
    with pytest.raises(WeftError, match="GiB of memory where"):
        plan_of(msgspec.structs.replace(many, hosts=1), **asked)
    with pytest.raises(WeftError, match="on a host with 32 of its ranks where"):
        plan_of(msgspec.structs.replace(many, hosts=2), **asked)


def test_where_what_fits_is_wanted_the_rest_is_skipped() -> None:
    found, said = plan_of(experiments=experiment("ping_pong", "8,64MiB"), fits_memory=True)
    assert {case.bytes for case in found.plan.cases} == {8}
    assert re.fullmatch(
        r"skipped: 2 cases for which there is no memory \(\w+/ping_pong/67108864 needs [\d.]+ GiB"
        r" of memory where [\d.]+ GiB are free\)",
        said[-1],
    )


def test_of_the_usual_cases_those_that_do_not_fit_are_skipped_and_typed_ones_refused() -> None:
    asked: dict[str, Any] = {"experiments": experiment("ping_pong", "8,64MiB")}
    found, said = plan_of(**asked, typed=frozenset({"tests"}))
    assert {case.bytes for case in found.plan.cases} == {8}
    assert "for which there is no memory" in said[-1]
    for option in ("sizes", "samples"):
        with pytest.raises(WeftError, match="GiB of memory where"):
            plan_of(**asked, typed=frozenset({"tests", option}))


@pytest.mark.parametrize(
    ("site", "asked", "counts"),
    [
        ({}, {}, [1, 2, 4]),
        ({"hosts": 2}, {}, [1, 2]),
        ({"hosts": 2}, {"allocation": Allocation(nodes=8)}, [1, 2, 4, 8]),
        ({}, {"ranks": 3}, [3]),
    ],
)
def test_a_study_is_on_as_many_ranks_as_have_room(
    site: dict[str, Any], asked: dict[str, Any], counts: list[int]
) -> None:
    roomy = msgspec.structs.replace(SITE, available_bytes=None, **site)
    experiments = (
        experiment("milc", "36", ranks=3) if asked.get("ranks") else experiment("milc", "36")
    )
    found, said = plan_of(roomy, **{"ranks": 0, "experiments": experiments, **asked})
    assert list(dict.fromkeys(case.ranks for case in found.plan.cases)) == counts
    assert found.transports == ("mpi",)
    assert found.most_ranks == counts[-1]
    assert any(line.startswith("on 1, 2") for line in said) == ("ranks" not in asked)


@pytest.mark.parametrize(("cores", "is_skipped"), [(2, True), (4, False)])
def test_a_suite_skips_what_needs_more_cores(cores: int, is_skipped: bool) -> None:
    site = msgspec.structs.replace(SITE, available_bytes=None, cores=cores)
    _, said = plan_of(site, experiments=(), ranks=0, suite="paper")
    skipped = [line for line in said if line.startswith("skipped: figures 14 and 15")]
    assert bool(skipped) == is_skipped


def test_a_gauge_file_gives_the_lattice() -> None:
    gauge = ApplicationFile(
        path="/g", format="nersc", extents=(4, 4, 4, 8), precision="single", checksums=(1, 2)
    )
    site = msgspec.structs.replace(SITE, application_file=gauge, available_bytes=None)
    found, _ = plan_of(site, experiments=experiment("milc", "36", ranks=2))
    assert found.plan.application_file == gauge
    assert {lattice_of(case).shape for case in found.plan.cases} == {"4x4x4x8"}


def test_a_simulation_is_on_the_platforms_nodes() -> None:
    platform = SimulatedPlatform(name="p", kind="model", nodes=16)
    request = simulation(
        platform,
        experiment("milc", "36"),
        Path("r.jsonl"),
        budget_s=5.0,
        command=("weft",),
        case_deadline_s=1.0,
    )
    bare = msgspec.structs.replace(SITE, transports=(Transport(name="sim", patterns=PATTERNS),))
    asked = msgspec.structs.replace(request, ranks=0)
    found = planned(asked, msgspec.structs.replace(bare, available_bytes=None), lambda _: None)
    assert list(dict.fromkeys(case.ranks for case in found.plan.cases)) == [1, 2, 4, 8, 16]
    assert found.plan.simulated == platform


def with_directions(hosts: int) -> Site:
    """So many hosts, whose engine sends streams in both directions."""

    def both(pattern: Pattern) -> Pattern:
        return msgspec.structs.replace(pattern, has_directions=pattern.name == "stream")

    transports = tuple(
        msgspec.structs.replace(one, patterns=tuple(map(both, one.patterns)))
        for one in SITE.transports
    )
    return msgspec.structs.replace(SITE, transports=transports, hosts=hosts)


@pytest.mark.parametrize(
    ("hosts", "ranks", "placement", "has_back"),
    [
        (2, 2, "spread", True),
        (2, 4, "spread", True),
        (2, 2, "pack", True),
        # Both ranks of a stream are on the first host.
        (2, 4, "pack", False),
        (1, 2, "spread", False),
    ],
)
def test_a_stream_between_hosts_has_a_way_back(
    hosts: int, ranks: int, placement: Placement, has_back: bool
) -> None:
    streams = (Experiment(tests=("ping_pong", "stream"), sizes="8", ranks=ranks),)
    found, _ = plan_of(
        with_directions(hosts),
        experiments=streams,
        transports=("tcp",),
        ranks=ranks,
        allocation=Allocation(placement=placement),
    )
    tests = [(case.test, case.direction) for case in found.plan.cases]
    back = [("stream", "back")] if has_back else []
    assert tests == [("ping_pong", ""), ("stream", ""), *back]


def test_of_several_queues_the_first_has_a_way_back() -> None:
    variants = Variants(queue_depths=(4, 64))
    found, _ = plan_of(
        with_directions(2),
        experiments=experiment("stream", variants=variants),
        transports=("tcp",),
        allocation=Allocation(nodes=2),
    )
    assert [case.key for case in found.plan.cases] == [
        "tcp/stream/8/q4",
        "tcp/stream/8/q4/back",
        "tcp/stream/8",
    ]


def test_what_a_record_measured_has_no_new_cases() -> None:
    found, _ = plan_of(
        with_directions(2), cases=(Case(test="stream", transport="tcp", bytes=8),), experiments=()
    )
    assert [case.key for case in found.plan.cases] == ["tcp/stream/8"]
