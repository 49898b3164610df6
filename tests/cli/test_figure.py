"""`weft figure` and the paper tables of `weft export`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
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
    with pytest.raises(WeftError, match="exists"):
        weft("export", path, "--latex", latex)
    with pytest.raises(WeftError, match="no table samples"):
        weft("export", path, "--latex", path.with_name("u.tex"), "--table", "samples")
