"""A reader that has seen enough (head, less) ends a command without a word, as of any program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.copies import ROOT

WEFT = Path(sys.executable).with_name("weft")
MONDAY, TUESDAY = (str(ROOT / "docs/records" / f"{day}.jsonl.zst") for day in ("monday", "tuesday"))
# What a shell has of a program that SIGPIPE ended.
STATUS = 141


def without_reader(*words: str, errors_too: bool = False) -> tuple[int, str]:
    """The status and the errors of a command whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [WEFT, *words], stdout=writer, stderr=writer if errors_too else subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True, timeout=600, check=False,
        )  # fmt: skip
    finally:
        os.close(writer)
    return done.returncode, done.stderr or ""


@pytest.mark.parametrize(
    "words",
    [
        ("export", MONDAY, "--csv", "-"),
        ("export", MONDAY, "--table", "summary", "--parquet", "-"),
        ("export", MONDAY, "--latex", "-"),
        ("show", MONDAY),
        ("show", MONDAY, "--json"),
        ("check", TUESDAY, "--against", MONDAY),
        ("list", "suites"),
        ("--help",),
        ("--version",),
    ],
    ids=" ".join,
)
def test_a_command_without_a_reader_says_nothing(words: tuple[str, ...]) -> None:
    assert without_reader(*words) == (STATUS, "")


def test_an_error_that_nobody_reads_is_none_of_python() -> None:
    assert without_reader("show", "no-such-record", errors_too=True) == (STATUS, "")


def test_a_whole_answer_has_its_own_status() -> None:
    done = subprocess.run(
        [WEFT, "export", MONDAY, "--csv", "-"], capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0
    rows = done.stdout.splitlines()
    assert rows[0].startswith(b"case,test,transport")
    assert f"{len(rows) - 1:,} rows of samples" in done.stderr.decode()
