"""What the layouts of other programs share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from weft.plan.case import USUAL_RANKS
from weft.studies.peer_tables.figures import CaseFigures, CurveFigures
from weft.units import format_bytes
from weft.wording import counted, over

if TYPE_CHECKING:
    from collections.abc import Sequence


class PeerLayout(msgspec.Struct, frozen=True, kw_only=True):
    """How one program prints its figures.

    `titles` are its tests with weft's of the same definition. `alike` are further ones of weft's
    that it has no other test for, each with the one whose title it takes where a record has none
    of that one: a remark says so. `lacks` says what a curve must
    have and has not; empty where it is whole. `lines` prints a curve, titles and heads with it,
    and `head` stands before all.
    """

    name: str
    program: str
    definition: str
    titles: Mapping[str, str]
    lines: Callable[[str, CurveFigures], list[str]]
    alike: Mapping[str, str] = MappingProxyType({})
    lacks: Callable[[CurveFigures], str]
    head: tuple[str, ...] = ()

    def title_of(self, test: str) -> str:
        """Its name for one of weft's tests."""
        same = self.alike.get(test, test)
        return next(title for title, name in self.titles.items() if name == same)

    def tests_among(self, measured: Collection[str]) -> list[str]:
        """Those of weft's that it prints of a record with these."""
        others = (test for test, same in self.alike.items() if same not in measured)
        return [*self.titles.values(), *others]


def lacks_a_mean(curve: CurveFigures) -> str:
    """Why a program that prints means has no place for what another one states."""
    for one in curve.cases:
        if one.stated_as not in ("", "mean"):
            return f"a {one.stated_as}, and no mean, is what the record has"
    return ""


def lacks_a_count(curve: CurveFigures) -> str:
    """As `lacks_a_mean`, of a program that prints of how many operations its means are."""
    if any(one.stated_as and not one.operations for one in curve.cases):
        return "the record does not say of how many operations its figures are"
    return lacks_a_mean(curve)


def latency_us(curve: CurveFigures, time_ns: float) -> float:
    """The latency that a time of one operation means, in us."""
    return time_ns / max(curve.pattern.latency_divisor, 1) / 1000


def bytes_per_s(curve: CurveFigures, figures: CaseFigures, time_ns: float) -> float:
    """The bandwidth that a time of one operation means."""
    return curve.pattern.bandwidth_factor * figures.case.bytes * 1e9 / time_ns


def of_what(curve: CurveFigures) -> str:
    """Whose figures a curve has, in words."""
    case = curve.first
    sizes = ", ".join(format_bytes(one.case.bytes) for one in curve.cases)
    of_all = f" of {counted(case.ranks, 'rank')}" if case.ranks > USUAL_RANKS else ""
    # Their number is said in words.
    settings = case.but_for("ranks").variant
    what = f"{case.test} over {over(case.transport, settings)}{of_all}"
    return f"{what}: {sizes}" if curve.pattern.has_size else what


def columns(words: Sequence[str], widths: Sequence[int]) -> str:
    """Words at the right of columns so wide."""
    return "".join(word.rjust(width) for word, width in zip(words, widths, strict=True))
