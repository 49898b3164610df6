"""How coarsely a prediction may be simulated, and how many messages a drawn pair needs."""

from typing import Any

import pytest

from weft.applications.lattice import Lattice
from weft.plan.case import Case
from weft.sim.draws import queue_of
from weft.studies.placed_tests import shortest_face


def case(test: str = "halo", **lattice: Any) -> Case:
    options: dict[str, Any] = {"extents": (8, 4, 2, 8), **lattice}
    return Case(
        test=test, transport="sim", bytes=36, ranks=16, application=Lattice(**options).options
    )


def test_the_shortest_face_is_across_the_longest_side() -> None:
    assert shortest_face([case()]) == 36 * 4 * 2 * 8
    # Three sites deep a smaller lattice's face is the shortest.
    assert shortest_face([case(), case(extents=(2, 4, 6, 2), depth=3)]) == 3 * 36 * 2 * 4 * 2
    assert shortest_face([case(depth=2)]) == 2 * 36 * 64


@pytest.mark.parametrize("other", [case(sums=1), case(is_global=True), case(test="milc")])
def test_other_messages_may_be_shorter_than_any_face(other: Case) -> None:
    assert shortest_face([case(), other]) == 0
    assert shortest_face([]) == 0


def test_a_queue_is_as_long_as_hides_the_latencies() -> None:
    """Four latencies of 4 us are 0.2 % of 8 ms, which are 7.3 messages of 1.09 ms."""
    assert queue_of(4000.0, 1.09e6) == 8
    assert queue_of(4000.0, 8e6) == 1
    assert queue_of(4000.0, 7.9e6) == 2
    assert queue_of(4000.0, 10.0) == 64
