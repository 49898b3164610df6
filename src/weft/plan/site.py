"""What a plan must know of the place where it will be measured. Pure."""

from __future__ import annotations

import msgspec

from weft.applications.files import ApplicationFile
from weft.plan.pattern import Pattern


class Transport(msgspec.Struct, frozen=True, kw_only=True):
    """One transport of the engine, or a mode of it, as its program describes it there.

    `reason` says why it is not usable there; empty where it is. `settings` are the names of its
    options.
    """

    name: str
    usual: bool = True
    reason: str = ""
    settings: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The launcher, the transports and the room that a run has; of hosts the fewest of each fact.

    `cores` are those of all hosts that ranks may use, `available_bytes` the free memory of all, as
    if each had as little as the one with least; None where no host was asked. `sockets` of a host
    are None where its kernel does not say. `application_file` is the one that the experiments
    name.
    """

    launcher: str
    mpi: str
    transports: tuple[Transport, ...]
    hosts: int = 1
    cores: int = 1
    available_bytes: int | None = None
    sockets: dict[str, int | None] = {}
    application_file: ApplicationFile | None = None

    @property
    def patterns(self) -> dict[str, Pattern]:
        """All tests of the transports by name, in the engine's order."""
        return {one.name: one for own in reversed(self.transports) for one in own.patterns}
