"""weft reproduce: what is handed on, what is drawn, and what is refused before anything runs."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError
from weft.studies import published
from weft.studies.published import Reproduction
from weft.tables import Table

TABLES = tuple(
    Table(name=name, caption=f"the {name} one", head=("a", "b"), rows=((name, "7"),))
    for name in ("first", "second")
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is asked of the study, which answers at once."""
    found: list[tuple[Any, ...]] = []

    def reproduced(study: str, kind: str, rate: str, *, is_drawn: bool) -> Reproduction:
        found.append((study, kind, rate, is_drawn))
        return Reproduction(tables=TABLES)

    monkeypatch.setattr(published, "reproduced", reproduced)
    return found


def test_an_unknown_kind_of_picture_is_refused_before_any_work(
    asked: list[tuple[Any, ...]],
) -> None:
    with pytest.raises(WeftError, match="is no kind of picture"):
        app(["reproduce", "fermilab", "-o", "x.doc"], standalone_mode=False)
    assert asked == []


def test_every_table_is_printed(
    asked: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["reproduce", "sandia", "--kind", "table", "--rate", "2GFlop/s"]
    app(words, standalone_mode=False)
    assert asked == [("sandia", "table", "2GFlop/s", False)]
    said = capsys.readouterr()
    assert said.out.index("the first one") < said.out.index("the second one")
    assert said.err == ""


@pytest.mark.usefixtures("asked")
def test_every_table_is_in_its_json() -> None:
    done = CliRunner().invoke(app, ["reproduce", "sandia", "--json"])
    found = result_of(done.stdout, "reproduce")
    assert [(one["name"], one["rows"]) for one in found] == [
        ("first", [["first", "7"]]), ("second", [["second", "7"]])
    ]  # fmt: skip


def test_a_picture_has_the_first_table_and_is_named(
    asked: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    written: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        "weft.report.picture.write_picture", lambda *all_, command: written.append((*all_, command))
    )
    target = tmp_path / "c.svg"
    app(["reproduce", "fermilab", "-o", str(target)], standalone_mode=False)
    assert asked == [("fermilab", "model", "", True)]
    [(path, charts, table, command)] = written
    assert (path, charts, table) == (target, (), TABLES[0])
    assert command.startswith("weft")
    assert capsys.readouterr().err == f"picture: {target}\n"
