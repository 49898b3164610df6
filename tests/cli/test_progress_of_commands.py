"""Every command that goes through records, outputs or sizes counts them, for the line of time left.

What a pipe never shows is listened to here: which pieces of work are told to whoever shows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from support.builders import make_cases
from support.nights import night
from support.peer_outputs import OUTPUTS
from support.price_lists import FULL, price_list
from weft.cli.main import app
from weft.stages import Stage, Stages, shown_by

if TYPE_CHECKING:
    from pathlib import Path

CASES = make_cases(("ping_pong", "stream"), ("ucx", "mpi"), (8, 64, 512, 4096, 32768, 262144))
# What each command counts besides the lines of a record.
COUNTED = {
    "compare RECORD OTHER": {"reading records", "pooling launches", "comparing curves"},
    "check RECORD --against OTHER": {"reading records", "pooling launches", "checking cases"},
    "trend RECORD OTHER": {"reading records", "pooling launches", "looking for steps"},
    "layers RECORD": {"summing up cases", "stacking layers"},
    "fit RECORD": {"fitting models"},
    "show RECORD": {"summing up cases"},
    "report RECORD -o PAGE": {"summing up cases", "making tables", "drawing charts"},
    "import OUTPUT -o IMPORTED": {"reading outputs", "writing launches"},
    "price --nodes 48 --switch 24 --prices PRICES -o PICTURE": {"pricing other sizes"},
    "price --nodes 96 --switch 8 --topology torus": {"counting switches on the way"},
}


class Listened(Stages):
    """What was begun."""

    def __init__(self) -> None:
        super().__init__(lambda: pytest.fail("a command of a test takes no second"), lambda: 0.0)
        self.begun: set[str] = set()

    def begin(self, what: str, of: int) -> Stage:
        self.begun.add(what)
        return super().begin(what, of)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("counted")
    return {
        "RECORD": night(folder, 1, cases=CASES).path,
        "OTHER": night(folder, 2, 1.2, cases=CASES).path,
        "OUTPUT": next(path for path in OUTPUTS.iterdir() if path.name.startswith("omb")),
        "IMPORTED": folder / "imported.jsonl",
        "PRICES": price_list(folder / "prices.toml", fabrics=FULL),
        "PAGE": folder / "page.html",
        "PICTURE": folder / "sizes.svg",
    }


@pytest.mark.parametrize("typed", COUNTED)
def test_it_is_counted(typed: str, files: dict[str, Path]) -> None:
    listened = Listened()
    with shown_by(listened):
        done = CliRunner().invoke(app, [str(files.get(word, word)) for word in typed.split()])
    assert done.exit_code in (0, 1, 3), done.output
    assert listened.begun >= COUNTED[typed], listened.begun
