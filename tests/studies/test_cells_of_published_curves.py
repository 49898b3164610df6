"""The solver's table of a study that published curves: each cell is its own cluster's rate."""

from pathlib import Path

import pytest

from support.lattices import lattice_of
from support.studies import iteration_ns, record_of, rows_of, weak_cases
from weft.errors import WeftError
from weft.studies.published import reproduced, solver_table

EXTENTS = (4, 8, 14)
# A site's arithmetic.
FLOPS = 1187


def test_each_cell_is_the_rate_of_its_lattice_on_so_many_nodes(tmp_path: Path) -> None:
    first, second = weak_cases(), weak_cases(extents=(8,))
    (tmp_path / "second").mkdir()
    clusters = [
        ("Fermilab's 128 Xeon", rows_of(record_of(tmp_path, first))),
        ("Fermilab's 176 Myrinet", rows_of(record_of(tmp_path / "second", second))),
    ]
    table = solver_table(clusters, "900MFlop/s", ("X: assumed that.",))
    assert table.head == ("a node", "Xeon 1", "2", "4", "Myrinet 1", "2", "4")

    def rates(extent: int) -> list[str]:
        own = [one for one in first if lattice_of(one).extents[0] == extent]
        assert [one.ranks for one in own] == [1, 2, 4]
        # A node's sites over the slowest rank's time: flops a nanosecond are a thousand MFlop/s.
        return [f"{1e3 * FLOPS * extent**4 / iteration_ns(one):.0f}" for one in own]

    assert {row[0]: list(row[1:4]) for row in table.rows} == {
        f"{extent}^4": rates(extent) for extent in EXTENTS
    }
    assert len({cell for row in table.rows for cell in row[1:4]}) == 7
    both = {row[0]: row[4:] for row in table.rows}
    assert list(both["8^4"]) == rates(8)
    assert table.notes[0] == (
        "A node computes 900MFlop/s, which the text does not say; flops by 1187 a site."
    )
    assert table.notes[1] == "X: assumed that."


@pytest.mark.parametrize(
    ("study", "kind", "rate", "is_drawn", "what", "fix"),
    [
        ("sandia", "model", "1GFlop/s", True, "--rate has no effect: ", "omit --rate"),
        ("osu", "model", "", True, "--output has no effect: ", "omit --output"),
        (
            "fermilab", "table", "", False,
            "Fermilab published no tables", "run weft reproduce fermilab",
        ),
        (
            "osu", "table", "", False,
            "the OSU study is published without tables", "run weft reproduce osu",
        ),
        ("sandja", "model", "", False, "there is no study called sandja", "did you mean sandia?"),
    ],
)  # fmt: skip
def test_what_a_study_has_not_is_refused(
    study: str, kind: str, rate: str, is_drawn: bool, what: str, fix: str
) -> None:
    with pytest.raises(WeftError) as raised:
        reproduced(study, kind, rate, is_drawn=is_drawn)
    why = "only fermilab has curves of a solver" if what.endswith(": ") else ""
    assert (raised.value.what, raised.value.fix) == (what + why, fix)
