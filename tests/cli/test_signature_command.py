"""`weft signature`: pictures, figures and refusals."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.drawn import page_tables
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError


def signature(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["signature", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_record_and_a_platform_in_one_picture(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), tuple(1 << e for e in range(20)))
    path = synthetic_record(tmp_path / "r.jsonl", cases)
    page = tmp_path / "s.html"
    found = result_of(signature(path, "escher", "-o", page, "--json"))
    assert [one["name"] for one in found] == ["tcp/ping_pong", "Escher, ping_pong"]
    assert found[0]["zero_length_ns"]["value"] == pytest.approx(1000, rel=1e-3)
    assert found[0]["saturation_bytes_per_s"]["value"] == pytest.approx(2e10, rel=1e-3)
    text = page.read_text()
    assert "Network signature" in text
    rows = {row[0]: row[1:] for table in page_tables(text) for row in table}
    assert rows["Escher, ping_pong"] == ["4.29 µs, 1 launch", "962 MB/s [953, 971]"]


def test_records_with_commas_are_told_apart(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp", "mpi"), tuple(1 << e for e in range(20)))
    one, other = (synthetic_record(tmp_path / f"{name}.jsonl", cases) for name in "ab")
    wanted = ["a.jsonl: tcp/ping_pong", "b.jsonl: tcp/ping_pong"]
    for words in ([f"{one},{other}@tcp"], [f"{one}@tcp", f"{other}@tcp"]):
        assert [row["name"] for row in result_of(signature(*words, "--json"))] == wanted
    [alone] = result_of(signature(f"{one}@tcp", "--json"))
    assert alone["name"] == "tcp/ping_pong"
    with pytest.raises(WeftError, match="no transport called ucx"):
        signature(f"{one},{other}@ucx")


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_for_paper(tmp_path: Path, kind: str, begins: bytes) -> None:
    picture = tmp_path / f"s.{kind}"
    said = " ".join(signature("escher", "-o", picture).split())
    assert "Escher, ping_pong 4.29 µs, 1 launch 962 MB/s [953, 971]" in said
    assert picture.read_bytes().startswith(begins)


def test_a_stream_has_no_signature(record: Path) -> None:
    with pytest.raises(WeftError, match="has no latency") as refused:
        signature(record, "--test", "stream")
    assert f"weft show {record} " in refused.value.fix
