"""`weft layers` as a user meets it."""

import os
import subprocess
from pathlib import Path

import pytest

from support.builders import make_cases, synthetic_record
from support.in_process import weft_here
from support.printed import result_of


def layers(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return weft_here(("layers", *words), os.environ)


def test_rows_pictures_and_words(record: Path, tmp_path: Path) -> None:
    words = (record, "--order", "tcp,mpi")
    done = layers(*words, "--json", "-o", tmp_path / "l.html")
    assert done.returncode == 0, done.stderr
    found = result_of(done.stdout)
    rows = found["rows"]
    assert found["notes"][0].startswith("ping_ping: mpi saves")
    stacked = [row for row in rows if row["verdict"] != "apart"]
    assert {(row["test"], row["below"], row["above"]) for row in stacked} == {
        ("ping_ping", "tcp", "mpi")
    }
    assert all(row["added_ns"]["value"] < 0 for row in stacked)
    # MPI_Send and MPI_Recv against receives that are posted ahead.
    assert {row["test"] for row in rows if row not in stacked} == {"ping_pong"}
    assert "layers-ping_ping" in (tmp_path / "l.html").read_text()
    shown = " ".join(layers(*words).stdout.split())
    assert "ping_ping: mpi saves" in shown
    assert "ping_pong: tcp and mpi stand apart: mpi was measured by MPI_Send and MPI_Recv" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--order", "tcp,verbs"), "verbs has no latency in this record"),
        (("-o", "l.png"), "no kind of picture"),
        (("-o", "l.html"), "use --order with transports over one medium"),
    ],
)
def test_bad_words_are_one_line(record: Path, words: tuple[str, ...], told: str) -> None:
    done = layers(record, *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_is_typed_already_is_not_advised(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp", "mpi"), (8, 1024))
    only = synthetic_record(tmp_path / "only.jsonl", cases)
    done = layers(only, "--order", "tcp,mpi", "-o", tmp_path / "l.html")
    assert "; measure them over one device with --wait spin, or name others" in done.stderr
    assert "use --order" not in done.stderr
