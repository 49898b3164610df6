"""What stays in one line of a table's cell on a page."""

import pytest

from weft.report.html import in_pieces

KEPT = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("cell", "pieces"),
    [
        ("0.816 [0.574, 1.161] times as fast", ["0.816", "[0.574,_1.161]", "times", "as", "fast"]),
        ("521 ns ±0.9%", ["521_ns", "±0.9%"]),
        ("7.88 GB/s [7.77, 7.94] n=4", ["7.88_GB/s", "[7.77,_7.94]", "n=4"]),
        ("4 KiB", ["4_KiB"]),
        ("1.3 µs, 1 launch", ["1.3_µs,", "1_launch"]),
        ("50.0 % [49.8, 50.2]", ["50.0_%", "[49.8,_50.2]"]),
        ("at 2 sizes", ["at", "2", "sizes"]),
        # A range of many words may be broken: a column has no room for it.
        ("[from 2026-11-01 to 2026-11-30]", ["[from", "2026-11-01", "to", "2026-11-30]"]),
    ],
)
def test_a_figure_is_not_parted_from_its_unit_nor_an_interval_from_its_end(
    cell: str, pieces: list[str]
) -> None:
    """At 420 pixels "0.816 [0.574, 1.161] times as fast" stood in five lines."""
    assert in_pieces(cell).split(" ") == [piece.replace("_", KEPT) for piece in pieces]
