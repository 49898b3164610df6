"""The engine's lines and the record's: a case to its line, an answer to its batch."""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING, Any

import msgspec

from weft.plan.memory import MOST_CHECKED
from weft.record.model import Batch, Launch, Sampled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.files import ApplicationFile
    from weft.launch.protocol import Answer, Hello
    from weft.measure.stopping import Amount
    from weft.plan.case import Case
    from weft.record.model import Role


def utc_now(timespec: str = "milliseconds") -> str:
    """The time for the record, UTC, ISO 8601: fine enough to tell what passed between two."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec=timespec)


def case_line(
    case: Case,
    number: int,
    chosen: Amount,
    seed: int,
    *,
    verify: bool,
    most_checked: int = MOST_CHECKED,
    file: ApplicationFile | None = None,
    keep_all: bool = False,
) -> dict[str, Any]:
    """What rank 0 reads of a case (docs/engine-protocol.md)."""
    of = case.of_application
    return {
        "id": number,
        "test": case.test,
        "bytes": case.bytes,
        "samples": chosen.samples,
        "warmup": chosen.warmup,
        "ops_per_sample": chosen.ops_per_sample,
        "queue_depth": chosen.queue_depth or case.queue_depth,
        "schedule": msgspec.to_builtins(case.schedule),
        "wait": case.wait,
        "pages": case.pages,
        "point": case.point or 0,
        "at_once": case.at_once,
        "direction": case.direction,
        "seed": seed,
        "verify": verify,
        "most_checked": most_checked,
        "keep_all": keep_all,
        **(of.line(file) if of else {}),
    }


def launch_line(number: int, transport: str, hello: Hello, boots: Mapping[str, str]) -> Launch:
    """A launch whose ranks are up; `boots` are the boot ids of hosts, of which it takes its own."""
    hosts = {rank.host for rank in hello.ranks}
    return Launch(
        launch=number,
        transport=transport,
        started_utc=utc_now(),
        mpi=hello.mpi,
        ranks=hello.ranks,
        clock=hello.clock,
        details=hello.details,
        load_average=os.getloadavg()[0],
        boots={host: boot for host, boot in boots.items() if host in hosts},
        counters=hello.counters,
    )


def batch_line(case: Case, launch: int, order: int, role: Role, answer: Answer) -> Batch:
    """What came of a case in a launch."""
    return Batch(
        case=case.key,
        launch=launch,
        order=order,
        role=role,
        **{name: getattr(answer, name) for name in Sampled.__struct_fields__},
    )
