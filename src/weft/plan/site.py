"""What a plan must know of the place where it will be measured. Pure."""

from __future__ import annotations

import re

import msgspec

from weft.applications.files import ApplicationFile
from weft.plan.pattern import Pattern
from weft.wording import in_a_row


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a transport: --option transport.name=value.

    It takes a whole number from `least` to `most` where `most` is not 0, and one of `choices`,
    which have commas between them; where it has neither the transport alone can tell.
    """

    name: str
    summary: str
    least: int = 0
    most: int = 0
    choices: str = ""

    def refusal(self, value: str) -> str:
        """What it takes in place of this value; empty where it may take it.

        Values with commas between them are those of several rails.
        """
        known = self.choices.split(",") if self.choices else []
        others = [item for item in value.split(",") if item not in known]
        if self.most:
            others = [item for item in others if not _is_between(self.least, self.most, item)]
            known = [f"a number from {self.least} to {self.most}", *known]
        return in_a_row(known, "or") if known and others else ""


def _is_between(least: int, most: int, text: str) -> bool:
    """Whether the engine reads a whole number in the range: no sign but a minus, no space."""
    is_number = re.fullmatch(r"-?[0-9]{1,18}", text)
    return bool(is_number) and least <= int(text) <= most


class Transport(msgspec.Struct, frozen=True, kw_only=True):
    """One transport of the engine, or a mode of it, as its program describes it there.

    `reason` says why it is not usable there; empty where it is. `settings` are its options.
    """

    name: str
    usual: bool = True
    reason: str = ""
    settings: tuple[Setting, ...] = ()
    patterns: tuple[Pattern, ...] = ()


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The launcher, the transports and the room that a run has; of hosts the fewest of each fact.

    `cores` are those of all hosts that ranks may use, `available_bytes` the free memory of
    the one with least; None where no host was asked. `sockets` of a host
    are None where its kernel does not say. `devices` are the interfaces and RDMA devices that any
    host has; none where no host was asked. `application_file` is the one that the experiments name.
    """

    launcher: str
    mpi: str
    transports: tuple[Transport, ...]
    hosts: int = 1
    cores: int = 1
    available_bytes: int | None = None
    sockets: dict[str, int | None] = {}
    devices: tuple[str, ...] = ()
    application_file: ApplicationFile | None = None

    @property
    def patterns(self) -> dict[str, Pattern]:
        """All tests of the transports by name, in the engine's order."""
        return {one.name: one for own in reversed(self.transports) for one in own.patterns}
