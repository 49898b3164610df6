"""One parser of `@`: every command means the same by NAME@PART."""

from pathlib import Path

import pytest

from support.builders import synthetic_record
from support.lattices import lattice_of
from support.studies import record_of, weak_cases
from weft.errors import WeftError
from weft.sources.fabrics import application_of, delivered_of
from weft.sources.named import split_source
from weft.sources.sides import load_sides
from weft.wording import counted


@pytest.mark.parametrize(
    ("text", "name", "part"),
    [
        ("run.jsonl", "run.jsonl", ""),
        ("run.jsonl@tcp", "run.jsonl", "tcp"),
        ("run.jsonl@verbs:ud", "run.jsonl", "verbs:ud"),
        ("run.jsonl@tcp,mpi", "run.jsonl", "tcp,mpi"),
        ("run.jsonl@8^4", "run.jsonl", "8^4"),
        ("run.jsonl@ucx:rendezvous=8192", "run.jsonl", "ucx:rendezvous=8192"),
        ("run.jsonl@tcp,mpi:mpich+UCX_TLS=a+b.5", "run.jsonl", "tcp,mpi:mpich+UCX_TLS=a+b.5"),
        ("a.jsonl@ucx:x=1,b.jsonl", "a.jsonl@ucx:x=1,b.jsonl", ""),
        ("run.jsonl@4x4x4x8", "run.jsonl", "4x4x4x8"),
        ("a.jsonl,b.jsonl@tcp", "a.jsonl,b.jsonl", "tcp"),
        ("escher@sendrecv", "escher", "sendrecv"),
        ("a@b/run.jsonl", "a@b/run.jsonl", ""),
        ("a@b/run.jsonl@tcp", "a@b/run.jsonl", "tcp"),
        ("run@noon.jsonl", "run@noon.jsonl", ""),
        ("run.jsonl@", "run.jsonl@", ""),
        ("@tcp", "@tcp", ""),
    ],
)
def test_a_part_follows_the_last_sign(text: str, name: str, part: str) -> None:
    assert split_source(text) == (name, part)


def test_a_file_is_what_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run@tcp").touch()
    assert split_source("run@tcp") == ("run@tcp", "")


def test_every_reader_takes_a_record_in_a_folder_with_the_sign(tmp_path: Path) -> None:
    folder = tmp_path / "n1@noon"
    folder.mkdir()
    record = synthetic_record(folder / "r.jsonl")
    assert {place.transport for place in load_sides([f"{record}@tcp"])[0].curves} == {"tcp"}
    with pytest.raises(WeftError, match="was measured within one host"):
        delivered_of(str(record))
    with pytest.raises(WeftError, match="has no flops of an application"):
        application_of(f"{record}@8^4")


def test_records_of_one_side_are_called_with_what_is_meant_of_each(tmp_path: Path) -> None:
    first, second = (synthetic_record(tmp_path / f"{name}.jsonl") for name in "ab")
    # Another session, a day later.
    second.write_text(second.read_text().replace("2026-01-02T", "2026-01-03T"))

    def title_of(*parts: str) -> str:
        words = (f"{path}{part}" for path, part in zip((first, second), parts, strict=True))
        return load_sides([",".join(words)])[0].title

    assert title_of("", "") == "a and b"
    assert title_of("@tcp", "@tcp") == "a and b over tcp"
    assert title_of("@tcp", "@mpi") == "a over tcp and b over mpi"


def test_the_application_of_a_record_is_its_largest_lattice_then_on_most_ranks(
    tmp_path: Path,
) -> None:
    cases = weak_cases(extents=(4, 14))
    ranks = sorted({case.ranks for case in cases})
    # The large one on the fewest ranks alone.
    large = [case for case in cases if lattice_of(case).extents == (14,) * 4]
    some = [case for case in cases if case not in large or case.ranks == ranks[0]]
    run = record_of(tmp_path, tuple(some))
    found = application_of(str(run.path))
    assert found.name == f"milc 14^4 on {counted(ranks[0], 'rank')}, tcp"
    (tmp_path / "all").mkdir()
    every = record_of(tmp_path / "all", cases)
    assert application_of(str(every.path)).name == f"milc 14^4 on {ranks[-1]} ranks, tcp"
    assert application_of(f"{every.path}@4^4").name == f"milc 4^4 on {ranks[-1]} ranks, tcp"
