"""Which pairs are between two groups: all of them, and none that is within one or beside them."""

from itertools import combinations, permutations

import numpy as np
import pytest

from weft.analysis.diagnosis.causes import _of_groups
from weft.fabric.known import Group, KnownFabric

SIZES = (1, 2, 3, 2)


def fabric_of(count: int) -> tuple[list[str], KnownFabric]:
    """Groups of unlike sizes, and two endpoints that are in none."""
    names = [f"g{group}-{at}" for group in range(count) for at in range(SIZES[group])]
    groups = tuple(
        Group(name=f"g{group}", level=1,
              members=frozenset(one for one in names if one.startswith(f"g{group}-")))
        for group in range(count)
    )  # fmt: skip
    return ["free-0", *names, "free-1"], KnownFabric(groups=groups)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_between_two_groups_are_the_pairs_with_one_end_in_each(count: int) -> None:
    names, fabric = fabric_of(count)
    pairs = list(permutations(range(len(names)), 2))
    source, target = np.array(pairs).T
    found = {
        one.name: places.tolist()
        for one, places in _of_groups(names, source, target, fabric)
        if one.kind == "between"
    }
    group_of = [name.partition("-")[0] for name in names]
    expected = {
        f"{one} and {other}": [
            at for at, (i, j) in enumerate(pairs) if {group_of[i], group_of[j]} == {one, other}
        ]
        for one, other in combinations([f"g{number}" for number in range(count)], 2)
    }
    # Of two groups what is between them is what goes out of either.
    assert found == (expected if count > 2 else {})
