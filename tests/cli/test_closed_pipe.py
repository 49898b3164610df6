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


# What a program ends with whose output stream takes nothing; no answer of a command is this.
CANNOT_WRITE = 74


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(
    "words",
    [
        ("show", MONDAY),
        ("show", MONDAY, "--json"),
        ("check", TUESDAY, "--against", MONDAY),
        ("export", MONDAY, "--csv", "-"),
        ("list", "suites"),
        ("--help",),
        ("--version",),
        ("check", "no-such-record", "--against", MONDAY),
    ],
    ids=" ".join,
)
def test_a_full_stream_never_changes_the_answer_of_a_command(
    words: tuple[str, ...], stream: str
) -> None:
    usual = subprocess.run([WEFT, *words], capture_output=True, timeout=600, check=False)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [WEFT, *words], text=True, timeout=600, check=False,
            stdout=full if stream == "stdout" else subprocess.PIPE,
            stderr=full if stream == "stderr" else subprocess.PIPE,
        )  # fmt: skip
    if usual.stdout if stream == "stdout" else usual.stderr:
        assert done.returncode == CANNOT_WRITE
        assert stream == "stderr" or "disk is full" in done.stderr
    else:
        assert done.returncode == usual.returncode


@pytest.mark.parametrize("words", [("show", MONDAY), ("check", TUESDAY, "--against", MONDAY)])
def test_a_closed_standard_output_is_one_line(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@" >&-', WEFT, *words], stderr=subprocess.PIPE, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == CANNOT_WRITE
    assert done.stderr.splitlines() == [
        "weft: standard output is closed; add >/dev/null if you need no output"
    ]
