"""Tables that are too wide for a page keep every cell under its own head."""

from collections.abc import Sequence

import msgspec

from weft.report.table import split
from weft.report.turned import for_page
from weft.tables import PAGE_CHARACTERS, PAGE_GAP, Table

MANY = tuple(f"column {at}" for at in range(20))


def wide(rows: int) -> Table:
    return Table(
        name="wide",
        caption="Wide",
        head=("size", *MANY),
        rows=tuple(
            (f"row {row}", *(f"{row} x {at} is long enough" for at in range(20)))
            for row in range(rows)
        ),
        notes=("said once",),
    )


def cells(tables: Sequence[Table]) -> dict[tuple[str, str], str]:
    return {
        (row[0], head): cell
        for table in tables
        for row in table.rows
        for head, cell in zip(table.head[1:], row[1:], strict=True)
    }


def test_what_has_room_stays() -> None:
    table = Table(name="a", caption="A", head=("size", "tcp"), rows=(("8 B", "1 µs"),))
    assert for_page(table) == [table]


def test_few_rows_of_many_columns_are_turned() -> None:
    [turned] = for_page(wide(3))
    assert turned.head == ("size", "row 0", "row 1", "row 2")
    # The names stand to the left, the figures to the right.
    assert turned.left == (0,)
    assert cells([turned]) == {(head, row): cell for (row, head), cell in cells([wide(3)]).items()}


def test_many_of_both_are_split_and_no_cell_is_lost() -> None:
    parts = for_page(wide(12))
    assert len(parts) > 1
    assert cells(parts) == cells([wide(12)])
    assert [part.notes for part in parts][:-1] == [()] * (len(parts) - 1)
    assert parts[-1].notes == ("said once",)
    for part in parts:
        longest = sum(3 + max(map(len, own)) for own in zip(*part.rows, strict=True))
        assert longest <= PAGE_CHARACTERS


def test_columns_that_belong_together_stay_in_one_part_beside_those_of_each() -> None:
    table = msgspec.structs.replace(wide(12), in_each=2, together=3)
    parts = for_page(table)
    assert len(parts) > 1
    assert cells(parts) == cells([table])
    shown = [part.head[2:] for part in parts]
    assert all(part.head[:2] == ("size", MANY[0]) for part in parts)
    for first in (MANY[1], MANY[4], MANY[16]):
        assert [head.index(first) % 3 for head in shown if first in head] == [0]
    # On a terminal as long as there is room for them together.
    assert [len(part.head) for part in split(table, 130)] == [5] * 5 + [6]
    narrow = split(table, 75)
    assert [part.head for part in narrow[:2]] == [("size", *MANY[:2]), ("size", *MANY[2:4])]
    assert cells(narrow) == cells([table])


def test_columns_of_words_begin_at_their_left_in_each_part() -> None:
    table = msgspec.structs.replace(wide(12), left=(0, 3, 16))
    words = {table.head[at] for at in table.left}
    parts = for_page(table)
    assert {head for part in parts for head in (part.head[at] for at in part.left)} == words
    assert all(part.left[0] == 0 for part in parts)


def test_a_column_is_as_wide_on_a_page_as_its_longest_word_or_line() -> None:
    """A head breaks at blanks; a cell where it says so."""
    table = Table(
        name="a", caption="A", head=("a longer head", "b", "of nothing"),
        rows=(("x", "one\na longer line", ""), ("y", "two", "")),
    )  # fmt: skip
    longest = ("longer", "a longer line", "nothing")
    assert table.page_widths == [PAGE_GAP + len(one) for one in longest]
