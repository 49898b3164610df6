"""Intervals of a platform made of records: what further figures are within, by those held out."""

import math
from collections.abc import Iterable

import numpy as np
import pytest

from support.simulations import KNOWN, platform
from weft.sim.answers import Certainty, PredictedFabric, PredictedFigure, answers_table
from weft.sim.measured import HeldOut, certainty_of_held_out

ANSWERS = (
    PredictedFabric(
        variant="full", nodes=48, switches=3,
        figures=(PredictedFigure(case="halo", value=100.0, largest_bytes=4096),),
    ),
)  # fmt: skip


def held_out_of(ratios: Iterable[float]) -> tuple[HeldOut, ...]:
    """Figures of short messages, predicted by so many times what was measured."""
    return tuple(
        HeldOut(what="x", by="y", bytes=8, measured=100.0, predicted=100.0 * one) for one in ratios
    )


def test_one_size_that_is_far_off_does_not_make_the_interval_wide() -> None:
    near = [1 + 0.01 * n for n in range(1, 20)]
    far = certainty_of_held_out(held_out_of([*near, 30.0]), KNOWN)
    assert far is not None
    # Of 20 the 19th, whichever the 20th is; the line has the most beside it.
    assert (far.further, far.fixed, far.worst) == pytest.approx((0.19, 0.19, 29.0))
    figure = answers_table(platform(), ANSWERS, far).rows[0]
    assert figure[2:] == ("100 ns", "84.0 ns to 119 ns")
    assert (
        "90 % of further ones are within a factor of 1.19"
        in answers_table(platform(), ANSWERS, far).notes[0]
    )
    # Eight bound no further one so often: the interval is of the most.
    few = certainty_of_held_out(held_out_of([*near[:7], 0.5]), KNOWN)
    assert few is not None
    assert few.further == pytest.approx(1.0)
    assert "all are within a factor of 2.00" in answers_table(platform(), ANSWERS, few).notes[0]


@pytest.mark.parametrize("figures", [9, 19, 40])
def test_intervals_of_held_out_figures_hold_as_many_as_they_say(figures: int) -> None:
    """Calibrations whose errors are drawn with a long tail, and of each a figure that took no part.

    Of n errors the bound holds a further one in ceil(0.9 (n + 1)) / (n + 1) of all.
    """
    draw = np.random.default_rng(figures)
    trials, held = 4000, 0
    for _ in range(trials):
        # A tenth of the sizes is off by up to e^1 and more, either way.
        scale = np.where(draw.random(figures + 1) < 0.1, 0.8, 0.05)
        *seen, further = np.exp(scale * draw.standard_normal(figures + 1))
        known = certainty_of_held_out(held_out_of(seen), KNOWN)
        assert known is not None
        low, high = known.ends(known.further)
        held += low <= 1 / further <= high
    due = math.ceil(0.9 * (figures + 1)) / (figures + 1)
    slack = 4 * math.sqrt(due * (1 - due) / trials)
    assert held / trials == pytest.approx(due, abs=slack)


@pytest.mark.parametrize(
    ("error", "further", "ends"),
    [
        (0.0, 0.0, (1.0, 1.0)), (0.25, 0.0, (0.8, 4 / 3)), (0.99, 0.0, (1 / 1.99, 100.0)),
        # A model that is twice the figure leaves no end of its own.
        (1.0, 0.0, (0.5, 100.0)), (1.5, 0.0, (0.4, 100.0)), (1.5, 0.1, (0.4, 2.5)),
    ],
)  # fmt: skip
def test_a_true_time_is_between_ends_by_the_error(
    error: float, further: float, ends: tuple[float, float]
) -> None:
    known = Certainty(mean=0.1, worst=0.2, further=further, points=3, largest_bytes=8)
    assert known.ends(error) == pytest.approx(ends)
    assert known.outer == pytest.approx(known.ends(further or 0.2))
