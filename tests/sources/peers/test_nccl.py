"""What nccl-tests print of a size: its time, and beside it the bandwidths of both ways."""

from pathlib import Path

import pytest

from support.peer_outputs import NCCL, told
from weft.sources.peers import read_output


def test_all_but_the_time_itself_stands_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text(NCCL.format(wrong="0"))
    for row in read_output(path, told("nccl"))[1].rows:
        assert list(row.stated.others) == [
            "algbw out-of-place", "busbw out-of-place",
            "time in-place", "algbw in-place", "busbw in-place",
        ]  # fmt: skip


@pytest.mark.parametrize(("wrong", "reason"), [("0", ""), ("N/A", ""), ("3", "3 wrong values")])
def test_a_size_with_wrong_values_has_no_figure(tmp_path: Path, wrong: str, reason: str) -> None:
    path = tmp_path / "out.txt"
    path.write_text(NCCL.format(wrong=wrong))
    assert reason in {row.reason for row in read_output(path, told("nccl"))[1].rows}
