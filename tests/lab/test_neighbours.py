"""The lab's table of neighbours holds all hosts, and is never made smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.cluster.layout import MOST_HOSTS
from lab.cluster.neighbours import NAMES, make_room

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("count", "before", "after"),
    [(4, (512, 1024), (512, 1024)), (MOST_HOSTS, (512, 1024), (8580, 8580)),
     (MOST_HOSTS, (100, 9000), (8580, 9000)), (21, (1011, 1012), (1012, 1012))],
)  # fmt: skip
def test_every_host_of_the_lab_has_room_for_all_others(
    tmp_path: Path, count: int, before: tuple[int, int], after: tuple[int, int]
) -> None:
    for name, limit in zip(NAMES, before, strict=True):
        (tmp_path / name).write_text(f"{limit}\n")
    make_room(count, tmp_path)
    assert tuple(int((tmp_path / name).read_text()) for name in NAMES) == after
