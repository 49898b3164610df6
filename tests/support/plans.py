"""What is asked of a run, and a site without any machine, for tests of plans."""

from typing import Any

import msgspec

from support.builders import PATTERNS, pattern
from weft.plan.case import Case
from weft.plan.cases import Experiment
from weft.plan.pattern import Axis, Pattern
from weft.plan.plan import Plan
from weft.plan.request import Request
from weft.plan.site import Setting, Site, Transport

MIB = 1 << 20


def named(*names: str) -> tuple[Setting, ...]:
    """Options of a transport that take any value."""
    return tuple(Setting(name=name, summary="") for name in names)


def plan_of(cases: tuple[Case, ...], **fields: Any) -> Plan:
    """A plan of five launches in a minute; other fields by name."""
    usual: dict[str, Any] = {"precision": 0.01, "budget_s": 60.0, "launches": 5, "seed": 1}
    return Plan(cases=cases, mpi="openmpi", **(usual | fields))


PORT = (
    Setting(name="port", summary="", least=0, most=65535),
    Setting(name="busy", summary="", choices="yes,no,later"),
    Setting(name="whole", summary="", least=0, most=4096, choices="auto,inf"),
)
SITE = Site(
    launcher="local",
    mpi="openmpi",
    transports=(
        Transport(name="mpi", patterns=PATTERNS, settings=named("interface")),
        Transport(name="tcp", patterns=PATTERNS, settings=(*PORT, *named("interface"))),
        Transport(name="tcp:busy", usual=False, patterns=PATTERNS),
        Transport(name="verbs", reason="no device", patterns=PATTERNS),
    ),
    cores=4,
    available_bytes=64 * MIB,
)
REQUEST = Request(
    experiments=(Experiment(tests=("ping_pong",), sizes="8"),),
    transports=(),
    ranks=2,
    precision=0.01,
    budget_s=10.0,
    launches=5,
    seed=1,
    output=None,
    mpi="",
    options={},
    command=("weft", "run"),
    case_deadline_s=20.0,
    begun_s=0.0,
    report=False,
)

# Each of these tests knows something that the others do not.
RICH_TESTS: tuple[Pattern, ...] = (
    pattern("ping_pong"),
    pattern("pair_rounds"),
    pattern("stream"),
    msgspec.structs.replace(pattern("send_overlap"), axis=Axis(name="work", points="0,50")),
    pattern("offered_load"),
    pattern("copy"),
    msgspec.structs.replace(pattern("ping_ping"), name="barrier", figure="collective",
                            has_size=False),
    pattern("halo"),
    pattern("milc"),
)  # fmt: skip
RICH_SITE = msgspec.structs.replace(
    SITE,
    transports=tuple(
        msgspec.structs.replace(one, patterns=RICH_TESTS)
        for one in (*SITE.transports, Transport(name="ucx", settings=named("device")))
    ),
    available_bytes=None,
)
