"""The engine's lines and the record's: a case to its line, an answer to its batch."""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING, Any

import msgspec

from weft.plan.lattice import Lattice
from weft.record.model import Batch, Launch, Sampled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.launch.protocol import Answer, Hello
    from weft.measure.stopping import Amount
    from weft.plan.case import Case
    from weft.plan.gauge import GaugeFile
    from weft.record.model import Role


def utc_now() -> str:
    """The time for the record, UTC, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def case_line(
    case: Case,
    number: int,
    chosen: Amount,
    seed: int,
    *,
    verify: bool,
    gauge: GaugeFile | None = None,
) -> dict[str, Any]:
    """What rank 0 reads of a case (docs/engine-protocol.md)."""
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
        "seed": seed,
        "verify": verify,
        **_on_lattice(case.lattice, gauge),
    }


def _on_lattice(lattice: Lattice | None, gauge: GaugeFile | None) -> dict[str, Any]:
    """What the case of an application has: its lattice, and pairs that only the application knows.

    Without what is usual: a test refuses what it does not know.
    """
    if lattice is None:
        return {}
    of_application = {"long_link_reals", "mass", "u0"}
    fields = {k: v for k, v in msgspec.to_builtins(lattice).items() if k not in of_application}
    usual = Lattice(extents=lattice.extents).application
    pairs: dict[str, float | str] = {
        name: value for name, value in lattice.application.items() if value != usual[name]
    }
    if gauge:
        pairs |= {"gauge": gauge.path, "gauge_checksums": gauge.checksums_in_words}
    return {"lattice": fields, "application": pairs}


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
    )


def batch_line(case: Case, launch: int, order: int, role: Role, answer: Answer) -> Batch:
    """What came of a case in a launch."""
    space, time = (answer.application.get(f"plaquette_{name}") for name in ("space", "time"))
    return Batch(
        case=case.key,
        launch=launch,
        order=order,
        role=role,
        residual=answer.application.get("residual"),
        plaquettes=None if space is None or time is None else (space, time),
        **{name: getattr(answer, name) for name in Sampled.__struct_fields__},
    )
