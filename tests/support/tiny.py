"""A second application, on no lattice: so many cells in a ring, each handed on in an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.applications.asked import ApplicationsAsked
from weft.applications.info import ApplicationInfo
from weft.applications.interface import KIND
from weft.plan.pattern import Footprint, Pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.files import ApplicationFile

NAME = "ring"
USUAL = (64, 256)


class Ring(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case of it: the cells of all ranks together."""

    kind: str
    cells: int

    @property
    def options(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    @property
    def words(self) -> str:
        return f"cells{self.cells}"

    older_words = words

    @property
    def shape(self) -> str:
        return str(self.cells)

    is_global = True
    lanes = 2
    size_option = "--cells"
    smaller = "fewer --cells"

    @property
    def of_any_shape(self) -> dict[str, Any]:
        return {KIND: self.kind}

    def words_beyond(self, info: ApplicationInfo) -> str:
        del info
        return ""

    def message_bytes(self, site_bytes: int) -> int:
        return site_bytes

    def sites_of_rank(self, ranks: int) -> float:
        return self.cells / ranks

    def moved_bytes_per_site(self, info: ApplicationInfo, site_bytes: int) -> float:
        return float(info.moved_bytes_per_site * site_bytes)

    def set_bytes_per_site(self, info: ApplicationInfo, site_bytes: int) -> float:
        return float(info.set_bytes_per_site * site_bytes)

    def line(self, file: ApplicationFile | None) -> dict[str, Any]:
        del file
        return {"application": {"cells": self.cells}}


class Rings:
    """Its entry."""

    name = NAME

    def case_of(self, options: Mapping[str, Any]) -> Ring:
        return msgspec.convert(options, Ring)

    def options_of(
        self, asked: ApplicationsAsked, info: ApplicationInfo
    ) -> tuple[dict[str, Any], ...]:
        del info
        named = map(int, filter(None, asked.whole.split(",")))
        return tuple({KIND: NAME, "cells": cells} for cells in tuple(named) or USUAL)

    def asked_of(self, options: Mapping[str, Any]) -> ApplicationsAsked:
        return ApplicationsAsked(whole=str(options["cells"]))

    def words_of(
        self, asked: ApplicationsAsked, info: ApplicationInfo, file: ApplicationFile | None
    ) -> tuple[str, ...]:
        del info, file
        return ("--lattice", asked.whole)


RING = Pattern(
    name="ring",
    title="Ring",
    summary="cells handed on",
    ranks=1,
    latency_divisor=1,
    bandwidth_factor=0,
    figure="iteration",
    footprint=Footprint(bytes_per_site=100),
    parts=("hand_on",),
    application=ApplicationInfo(kind=NAME, bytes="8", flops_per_site=2, moved_bytes_per_site=3),
)
