"""The figures that a page shows large, one or a few for each transport with its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weft.wording import is_range, step_of, with_half

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.estimate import Estimate
    from weft.units import Shape


class LargeFigure(NamedTuple):
    """What a card says of one curve: what it is, its value, and what stands below that."""

    transport: str
    variant: str
    what: str
    value: str
    interval: str


def parted(
    figure: Estimate, shape: Shape, written: Callable[[Estimate, Shape], str] = with_half
) -> tuple[str, str]:
    """A figure and its interval, which stand one below the other; of a range how many it is of.

    `written` is how it is said where both stand in a line.
    """
    if is_range(figure):
        ends, _, number = written(figure, shape).partition(" n=")
        return ends, f"n={number}" if number else ""
    value = shape(figure.value, step_of(figure))
    return value, written(figure, shape).removeprefix(value).lstrip(", ")
