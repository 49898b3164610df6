"""Each cell of the table of `weft predict` is its fabric's figure, in the column of its head."""

import msgspec
import pytest

from support.cells import UNITS, Shown, shows
from support.simulations import platform
from weft.sim.answers import Certainty, PredictedFabric, PredictedFigure, answers_table
from weft.tables import Table

HEAD = ("case", "fabric", "figure", "by the calibration", "slower")
# No two figures are alike: two cases of each of three fabrics, the last a mean over places.
FABRICS = tuple(
    PredictedFabric(
        variant=f"fabric{at}", nodes=48, switches=3,
        figures=(
            PredictedFigure(
                case="halo", value=137.0 * (1 + at / 3), low=111.0 - 7 * at, high=171.0 + 51 * at,
                draws=9,
            ),
            PredictedFigure(case="stream", value=1.93e9 / (1 + at / 7), is_rate=True),
        ),
    )
    for at in range(3)
)  # fmt: skip
KNOWN = Certainty(mean=0.0813, worst=0.37, points=41, largest_bytes=1 << 22)


def cell_of(figure: PredictedFigure, value: float) -> Shown:
    return Shown(value=value, units=UNITS["_bytes_per_s" if figure.is_rate else "_ns"])


def is_range(cell: str, figure: PredictedFigure, factors: tuple[float, float]) -> bool:
    """Whether a cell says "LOW to HIGH" of the figure, or of the range of its places."""
    ends = (figure.low or figure.value, figure.high or figure.value)
    words = cell.split(" to ")
    return len(words) == 2 and all(
        shows(word, cell_of(figure, end * factor))
        for word, end, factor in zip(words, ends, factors, strict=True)
    )


def is_held(table: Table, factors: tuple[float, float]) -> bool:
    """Whether each row has its own case, fabric, figure, range and difference to the first."""
    places = [(one, at) for at in range(2) for one in FABRICS]
    assert table.head == HEAD
    for (one, at), row in zip(places, table.rows, strict=True):
        figure, first = one.figures[at], FABRICS[0].figures[at]
        if row[:2] != (figure.case, one.variant) or not shows(
            row[2], cell_of(figure, figure.value)
        ):
            return False
        if not is_range(row[3], figure, factors):
            return False
        ratio = first.value / figure.value if figure.is_rate else figure.value / first.value
        more = Shown(value=100 * (ratio - 1), units=UNITS["_percent"])
        if not (row[4] == "" if one is FABRICS[0] else shows(row[4].removeprefix("+"), more)):
            return False
    return True


@pytest.mark.parametrize("left", [None, 0, 1, 2, 3])
def test_each_cell_is_its_fabrics_figure_and_another_column_is_noticed(left: int | None) -> None:
    table = answers_table(platform(), FABRICS, KNOWN)
    if left is not None:
        rows = tuple((*r[:left], r[left + 1], r[left], *r[left + 2 :]) for r in table.rows)
        table = msgspec.structs.replace(table, rows=rows)
    # A true time is 1/1.37 of a predicted one at least, and 1/0.63 of it at most.
    assert is_held(table, (1 / 1.37, 1 / 0.63)) is (left is None)


def test_rows_of_another_fabric_are_noticed() -> None:
    table = answers_table(platform(), FABRICS, KNOWN)
    first, second, *others = table.rows
    wrong = msgspec.structs.replace(table, rows=(second, first, *others))
    assert not is_held(wrong, (1 / 1.37, 1 / 0.63))


def test_a_fabric_alone_has_no_difference() -> None:
    table = answers_table(platform(), FABRICS[1:2], KNOWN)
    assert table.head == HEAD[:-1]
    whole = answers_table(platform(), FABRICS, KNOWN).rows
    assert [row[0] for row in table.rows] == ["halo", "stream"]
    assert table.rows == (whole[1][:-1], whole[4][:-1])
