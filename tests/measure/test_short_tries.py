"""A batch whose samples turn out too short is tried again, and the last try counts."""

import itertools

import pytest

from support.builders import make_cases
from support.virtual_ranks import Machine, launches_of, measure
from weft.record.model import Batch


class Coarse(Machine):
    """Ranks by whose clock a sample has to take 160 microseconds."""

    tick_ns = 40.0


CASES = make_cases(("ping_pong",), ("tcp",), (8,))


@pytest.mark.parametrize(
    ("took", "tries"),
    [
        ((5000.0,), 1),
        # Of so long ones a sample has one, and of ten times as quick ones too few.
        ((1e5, 100.0), 2),
        ((1e5, 100.0, 1.0), 3),
        ((1e5, 100.0, 1.0, 0.01), 3),
    ],
)
def test_the_last_of_three_tries_counts_however_short_its_samples_are(
    monkeypatch: pytest.MonkeyPatch, took: tuple[float, ...], tries: int
) -> None:
    """Operations take so many microseconds, batch by batch, and then as in the last of these."""
    batches = itertools.chain(took, itertools.repeat(took[-1]))
    lines, _ = measure(monkeypatch, CASES, 60.0, 0.001, lambda _, __: next(batches), ranks=Coarse)
    roles = [one.role for one in lines if isinstance(one, Batch) and one.launch == 0]
    # A probe comes first, for nobody knows how long an operation takes.
    assert roles == [*["calibrate"] * tries, "measure"]
    assert launches_of(lines)[CASES[0].key] >= 5
