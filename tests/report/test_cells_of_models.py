"""Each cell of a record's models, on the page and for a paper, is the field that its head names."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, make_cases, synthetic_record
from support.cells import UNITS, Shown, shown_of, shows, swapped
from support.heads import size_of
from weft.analysis.fits.modelled import Modelled
from weft.analysis.fits.models import Models
from weft.plan.case import Case
from weft.report.models import model_tables
from weft.sources.series import models_of
from weft.tables import Table

PARTS = {"bandwidth": "bandwidth_bytes_per_s", "latency": "latency_ns", "R²": "r_squared"}
LINES = {"least squares, as published": "least_squares", "median line": "median_line"}
OF_PIECES = {"time at 0 B": "latency_ns", "bandwidth": "bandwidth_bytes_per_s"}
OF_SIGNATURES = {
    "zero-length latency": "zero_length_ns", "saturation bandwidth": "saturation_bytes_per_s",
}  # fmt: skip


# The message takes another protocol from here on.
BEND_BYTES = 8192


def times_ns(case: Case, launch: int) -> list[float]:
    """Of two transports that have no figure in common, in two pieces, launches apart."""
    over = 1.0 if case.transport == "tcp" else 0.37
    late = 3100 + 0.21 * (case.bytes - BEND_BYTES) if case.bytes >= BEND_BYTES else 0.0
    middle = over * (2 * (1300 + 0.47 * min(case.bytes, BEND_BYTES)) + 2 * late)
    middle *= 1 + 0.004 * (case.bytes.bit_length() % 3 - 1)  # no line goes through all
    effect = LAUNCH_EFFECTS[launch] + (0.002 if case.transport == "tcp" else 0.0) * launch
    return [middle * effect * (0.99 + 0.0007 * (at % 30)) for at in range(41)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Modelled:
    cases = make_cases(("ping_pong",), ("tcp", "mpi"), tuple(8 << at for at in range(15)))
    path = tmp_path_factory.mktemp("models") / "r.jsonl"
    return models_of([weft.load(synthetic_record(path, cases, times_ns=times_ns))])


def is_figure(cell: str, path: str, figure: Any) -> bool:
    """Whether a cell shows a figure; one that is not determined has words in its place."""
    if cell.startswith("not determined"):
        return True
    return shows(cell, shown_of(path, msgspec.to_builtins(figure)) if figure else None)


def is_percent(cell: str, value: float) -> bool:
    return shows(cell, Shown(value=value, units=UNITS["_percent"]))


def holds_line(table: Table, one: Models) -> bool:
    return all(
        is_figure(cell, PARTS[row[0]], getattr(getattr(one.line, LINES[head]), PARTS[row[0]]))
        for row in table.rows
        for head, cell in zip(table.head[1:], row[1:], strict=True)
    )


def holds_pieces(table: Table, pieces: Sequence[Any]) -> bool:
    return all(
        row[0] == f"{size_of({'bytes': one.first_bytes})} to {size_of({'bytes': one.last_bytes})}"
        and all(
            is_figure(cell, OF_PIECES[head], getattr(one, OF_PIECES[head]))
            for head, cell in zip(table.head[1:], row[1:], strict=True)
        )
        for one, row in zip(pieces, table.rows, strict=True)
    )


def holds_errors(table: Table, one: Models) -> bool:
    assert table.head == ("model", "median error", "largest error", "the model is")
    return all(
        row[0] == found.model
        and is_percent(row[1], found.median_error_percent)
        and is_percent(row[2].partition(" at ")[0], found.largest_error_percent)
        and row[2].endswith(f" at {size_of({'bytes': found.largest_at_bytes})}")
        and row[3] == found.basis
        for found, row in zip(one.predictions, table.rows, strict=True)
    )


def holds(table: Table, one: Models) -> bool:
    """Whether a table of a series' models has each figure in its place."""
    if table.name == "line":
        return holds_line(table, one)
    if table.name == "piecewise":
        assert one.piecewise is not None
        return holds_pieces(table, one.piecewise.segments)
    return holds_errors(table, one)


def test_each_cell_of_a_model_is_its_own_and_another_column_is_noticed(found: Modelled) -> None:
    tables = [one for one in model_tables(found) if one.name in ("line", "piecewise", "errors")]
    starts = [at for at, one in enumerate(tables) if one.name == "line"]
    assert len(starts) == len(found.models) == 2
    assert [one.name for one in tables[: starts[1]]] == ["line", "piecewise", "errors"]
    for first, end, one in zip(starts, [*starts[1:], None], found.models, strict=True):
        for table in tables[first:end]:
            assert holds(table, one), table
            for wrong in swapped(table):
                # Heads that another cell has are noticed by their names.
                assert wrong.rows[0][0] != table.rows[0][0] or not holds(wrong, one), wrong


def test_each_signature_is_its_series(found: Modelled) -> None:
    [table] = [one for one in model_tables(found) if one.name == "signature"]

    def is_held(one: Table) -> bool:
        return all(
            row[0] == own.name
            and all(
                is_figure(cell, OF_SIGNATURES[head], getattr(own, OF_SIGNATURES[head]))
                for head, cell in zip(one.head[1:], row[1:], strict=True)
            )
            for own, row in zip(found.signatures, one.rows, strict=True)
        )

    assert is_held(table)
    assert not any(is_held(wrong) for wrong in swapped(table))
