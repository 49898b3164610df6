"""The shares of drawn mutants that were noticed, their intervals, and the page that shows them."""

from pathlib import Path

import pytest

from mutants.drawn import Drawn
from mutants.shares import (
    PAGE,
    Share,
    keep,
    kept,
    missed,
    page_with,
    seeds_of,
    share_of,
    shares_of,
    table_of,
)


def share(folder: str, noticed: int, lived: int, seed: int = 7, equivalent: int = 0) -> Share:
    return Share(folder=folder, seed=seed, noticed=noticed, lived=lived, equivalent=equivalent)


def test_shares_have_wilsons_interval() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), 857-872, table I.
    assert share_of(81, 263) == "31% [26%, 37%]"
    assert share_of(15, 148) == "10% [6%, 16%]"
    assert share_of(0, 20) == "0% [0%, 16%]"
    assert share_of(29, 29) == "100% [88%, 100%]"
    assert share_of(0, 0) == "-"


def test_each_folder_is_counted_by_itself() -> None:
    mutants = [
        Drawn(path=f"src/weft/{name}", line=at, old="", new="")
        for at, name in enumerate(("sim/a.py", "sim/b.py", "cli/a.py", "units.py", "sim/a.py"))
    ]
    fates = dict(
        zip(mutants, ("lived", "noticed", "noticed", "equivalent", "noticed"), strict=True)
    )
    assert shares_of(fates, 3) == [  # type: ignore[arg-type]
        share("cli", 1, 0, 3), share("sim", 2, 1, 3), share("weft", 0, 0, 3, 1),
    ]  # fmt: skip


def test_draws_are_added_up_and_one_of_the_same_seed_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "shares.toml"
    path.touch()
    keep([share("sim", 9, 1), share("cli", 5, 5)], path)
    keep([share("sim", 30, 0, seed=8), share("cli", 8, 2, equivalent=3)], path)
    assert kept(path) == [
        share("cli", 8, 2, equivalent=3), share("sim", 9, 1), share("sim", 30, 0, seed=8),
    ]  # fmt: skip
    assert table_of(kept(path))[2:] == [
        "| cli | 13 | 8 | 2 | 3 | 80% [49%, 94%] | 80% | 7 |",
        "| sim | 40 | 39 | 1 | 0 | 98% [87%, 100%] | 90% | 7, 8 |",
        "| all | 53 | 47 | 3 | 3 | 94% [84%, 98%] |  | 7, 8 |",
    ]


@pytest.mark.parametrize(
    ("noticed", "lived", "folder", "is_missed"),
    [(70, 30, "sim", True), (85, 15, "sim", False), (70, 30, "cli", True), (73, 27, "cli", False),
     (0, 0, "sim", False)],
)  # fmt: skip
def test_a_folder_misses_its_aim_where_its_interval_is_below(
    noticed: int, lived: int, folder: str, *, is_missed: bool
) -> None:
    assert missed([share(folder, noticed, lived)]) == [folder] * is_missed


def test_the_page_has_the_table_of_what_was_drawn() -> None:
    text = PAGE.read_text()
    assert text == page_with(text, kept())
    assert page_with("a\n<!-- seeds -->\nold\n<!-- end of seeds -->\nb\n", []).startswith(
        "a\n<!-- seeds -->\n| seed |"
    )


def test_a_seed_names_its_folders_unless_it_drew_of_all() -> None:
    many = [share(f"folder{at}", 2, 1, seed=8) for at in range(10)]
    assert seeds_of([*many, share("sim", 9, 1), share("cli", 5, 0, equivalent=2)])[2:] == [
        "| 7 | cli, sim | 17 | 14 | 1 | 2 | 93% [70%, 99%] |",
        "| 8 | 10 folders | 30 | 20 | 10 | 0 | 67% [49%, 81%] |",
    ]
