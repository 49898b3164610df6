"""Rows of topics: what a row has of its case, in one place for all."""

from weft.plan.case import Case
from weft.topics import rows
from weft.topics.completion import Increase
from weft.topics.compute_loop import LoopDrift
from weft.topics.connecting import Connecting

CASE = Case(test="stream", transport="tcp", bytes=8, ranks=4, queue_depth=16, point=50)


class _Figure(rows.CaseRow, frozen=True, kw_only=True):
    queue_depth: int
    ranks: int
    value: float = 0.0


class _Other(rows.VariantRow, frozen=True, kw_only=True):
    ranks: int
    note: str = ""


def test_a_row_has_of_its_case_all_that_it_has_a_field_for() -> None:
    assert _Figure.of(CASE) == {
        "transport": "tcp", "variant": "4ranks/q16/at50", "bytes": 8,
        "case": "tcp/stream/8/4ranks/q16/at50", "test": "stream", "queue_depth": 16, "ranks": 4,
    }  # fmt: skip
    assert _Other.of(CASE) == {"transport": "tcp", "variant": "4ranks/q16/at50", "ranks": 4}


def test_the_variant_is_without_the_axes_along_which_rows_lie_and_nothing_else_is() -> None:
    along = _Figure.of(CASE, "point", "ranks")
    assert along["variant"] == "q16"
    assert (along["case"], along["ranks"]) == (CASE.key, 4)


def test_what_a_case_has_otherwise_is_said_for_fields_that_the_row_has() -> None:
    assert _Figure.of(CASE, "point", ranks=3, note="x")["ranks"] == 3
    assert "note" not in _Figure.of(CASE, note="x")


def test_a_row_like_another_has_its_shared_fields() -> None:
    row = _Figure(**_Figure.of(CASE), launches=5)
    assert _Other.like(row) == {"transport": "tcp", "variant": row.variant, "ranks": 4}


def test_rows_without_a_size_have_the_base_too() -> None:
    assert all(issubclass(kind, rows.TransportRow) for kind in (Increase, LoopDrift, Connecting))
