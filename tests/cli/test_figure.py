"""`weft figure` and the paper tables of `weft export`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.drawn import svg_curves
from weft.cli.main import app
from weft.errors import WeftError


def weft(*arguments: object) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), tuple(1 << e for e in range(10)))
    return synthetic_record(tmp_path / "r.jsonl", cases)


def test_curves_fits_and_signatures_become_drawings(path: Path) -> None:
    drawing = path.with_name("f.pdf")
    assert "Bandwidth, 3.5 x 2.6 in, 8 pt" in weft(
        "figure", path, "-o", drawing, "--show", "stream"
    )
    assert drawing.read_bytes().startswith(b"%PDF")
    assert "Transfer time" in weft("figure", path, "-o", drawing, "--show", "fit")
    told = weft(
        *("figure", path, "escher", "-o", path.with_name("f.svg"), "--show", "signature"),
        *("--layout", "acm", "--wide", "--height", "3", "--points", "9"),
    )
    assert "7 x 3 in, 9 pt" in told


def test_only_the_named_transports_and_tests_are_drawn(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), sizes=(1, 1 << 10, 1 << 20))
    path = synthetic_record(tmp_path / "r.jsonl", cases)
    drawing = tmp_path / "f.svg"

    def curves(*words: str) -> list[int]:
        weft("figure", path, "-o", drawing, *words)
        return [len(curve) for curve in svg_curves(drawing.read_text())]

    assert curves() == [3, 3]
    assert curves("--transport", "mpi") == curves("--transport", "tcp") == [3]
    assert curves("--transport", "mpi,tcp") == [3, 3]
    assert "Bandwidth" in weft("figure", path, "-o", drawing, "--test", "stream")
    for words, says in (
        (("--transport", "tpc"), "did you mean tcp"),
        (("--show", "ping_pong", "--test", "stream"), "no chart called ping_pong"),
    ):
        with pytest.raises(WeftError, match=says):
            curves(*words)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-o", "f.png"), "neither a .pdf nor a .svg"),
        (("-o", "f.pdf", "--layout", "nature"), "no layout"),
        (("-o", "f.pdf", "--font", "Nowhere Sans"), "no font"),
        (("-o", "f.pdf", "--show", "speed"), "no chart called speed"),
        (("-o", "nowhere/f.pdf"), "cannot write"),
    ],
)
def test_a_bad_request_is_one_line(path: Path, arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(WeftError, match=says):
        weft("figure", path, *arguments)


def test_paper_tables_are_exported(path: Path) -> None:
    latex, markdown = path.with_name("t.tex"), path.with_name("t.md")
    assert "10 rows of figures" in weft("export", path, "--latex", latex)
    assert r"\toprule" in latex.read_text()
    weft("export", path, "--markdown", markdown, "--table", "models")
    assert "| asymptotic bandwidth |" in markdown.read_text()
    with pytest.raises(WeftError, match="no table samples"):
        weft("export", path, "--latex", path.with_name("u.tex"), "--table", "samples")
