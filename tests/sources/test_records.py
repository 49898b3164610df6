"""Commas and @ mean the same in every command that reads records."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.nights import night
from support.printed import result_of
from weft.analysis.compare.pool import is_same_run
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.errors import WeftError
from weft.record.run import load
from weft.sources.named import split_records
from weft.sources.records import over, record_named, records_named


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a.jsonl", ["a.jsonl"]),
        ("a.jsonl,b.jsonl", ["a.jsonl", "b.jsonl"]),
        ("a.jsonl,b.jsonl@tcp", ["a.jsonl@tcp", "b.jsonl@tcp"]),
        ("a.jsonl@mpi,b.jsonl@tcp", ["a.jsonl@mpi", "b.jsonl@tcp"]),
        ("a.jsonl@tcp,mpi", ["a.jsonl@tcp,mpi"]),
        ("a.jsonl,", ["a.jsonl"]),
        ("a.jsonl@ucx:x=1,ucx:x=2", ["a.jsonl@ucx:x=1,ucx:x=2"]),
        ("a.jsonl@ucx:x=1,b.jsonl", ["a.jsonl@ucx:x=1", "b.jsonl"]),
    ],
)
def test_commas_part_records(text: str, words: list[str]) -> None:
    assert split_records(text) == words


def test_a_file_with_a_comma_is_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a,b").touch()
    assert split_records("a,b") == ["a,b"]


def test_a_part_has_the_figures_of_its_transport_and_no_others(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "r.jsonl")
    whole, part = load(path), record_named(f"{path}@tcp")
    own = {key for key, case in whole.cases.items() if case.transport == "tcp"}
    assert set(part.cases) == own < set(whole.cases)
    assert {launch.transport for launch in part.launches.values()} == {"tcp"}
    figures = {one.case: one for one in summarise(whole) if one.case in own}
    assert {one.case: one for one in summarise(part)} == figures
    # A part is never held against the record that it is of.
    assert is_same_run(part, whole)
    assert over(whole, list({case.transport for case in whole.cases.values()})) is whole


def test_what_is_no_record_says_what_to_type(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "r.jsonl")
    with pytest.raises(WeftError, match="escher is a published platform"):
        records_named(["escher"])
    with pytest.raises(WeftError, match="names 2 records"):
        record_named(f"{path},{path}")
    with pytest.raises(WeftError, match="no transport called ucxx"):
        record_named(f"{path}@ucxx")


def test_every_command_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases = make_cases(("ping_pong",), ("tcp", "mpi"), (8, 1024, 65536, 1048576))
    for number, name in enumerate(("a", "b", "c")):
        path = night(tmp_path, number, cases=cases).path
        path.rename(f"{name}.jsonl")
    for words, status in (
        (["check", "a.jsonl,b.jsonl@tcp", "--against", "c.jsonl@tcp", "--json"], 0),
        (["trend", "a.jsonl,b.jsonl@tcp", "--json"], 0),
        (["show", "a.jsonl@tcp", "--json"], 0),
        (["compare", "a.jsonl,b.jsonl@tcp", "c.jsonl@tcp", "--json"], 0),
        (["fit", "a.jsonl@tcp", "--json"], 0),
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == status, done.output
        assert "tcp" in str(result_of(done.stdout))
        assert "mpi/" not in str(result_of(done.stdout))
    done = CliRunner().invoke(app, ["report", "a.jsonl,b.jsonl", "-o", "b.jsonl"])
    assert isinstance(done.exception, WeftError)
    assert "b.jsonl is a record, which is never replaced" in done.exception.what
