"""Swap that is used is known where all of it and what is free of it are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weft.host.memory import collect_memory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("lines", "used"),
    [
        ("SwapTotal: 100 kB\nSwapFree: 30 kB\n", 70 << 10),
        ("SwapTotal: 100 kB\n", None),
        ("SwapFree: 30 kB\n", None),
    ],
)
def test_used_swap_is_a_difference_of_two_that_are_told(
    tmp_path: Path, lines: str, used: int | None
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "meminfo").write_text(f"MemTotal: 900 kB\n{lines}")
    assert collect_memory(tmp_path).swap_used_bytes == used
