"""Text of files that somebody else wrote reaches the terminal without its control characters."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from support.builders import make_cases, synthetic_record
from support.in_process import weft_here
from support.price_lists import FULL, HEAD, price_list
from support.printed import result_of

# A colour, a terminal's title and bell, C1 and bidirectional controls, markup and an emoji of rich.
EVIL = "\x1b[31m\x1b]0;PWN\x07\x9b2J\u202e[red]:bomb:"
FOR_JSON = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in EVIL)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record whose transport, host, processor and failure have control characters."""
    path = tmp_path_factory.mktemp("evil") / "r.jsonl"
    synthetic_record(path, make_cases(tests=("ping_pong",), transports=("tcp",)), host="alpha")
    text = path.read_text()
    for word in ("tcp", "alpha"):
        text = text.replace(word, word + FOR_JSON)
    path.write_text(text)
    return path


COMMANDS = (
    "show RECORD",
    "show RECORD --table results",
    "show RECORD --like osu",
    "compare RECORD RECORD",
    "check RECORD --against LIMITS",
    "trend RECORD RECORD --against LIMITS",
    "layers RECORD",
    "memory RECORD",
    "fit RECORD",
    "signature RECORD",
    "calibrate RECORD -o PLATFORM",
    "price --prices PRICES",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_prints_a_control_character_of_a_file(
    record: Path, tmp_path: Path, command: str
) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nlatency_at_most = "2 us"\n')
    title = HEAD.replace("Voltaire", FOR_JSON)
    paths = {
        "RECORD": record,
        "LIMITS": limits,
        "PRICES": price_list(tmp_path / "prices.toml", head=title, fabrics=FULL),
        "PLATFORM": tmp_path / "a.xml",
    }
    ended = weft_here([paths.get(word, word) for word in command.split()], dict(os.environ))
    printed = ended.stdout + ended.stderr
    assert "internal error" not in printed
    assert {char for char in printed if not char.isprintable()} <= {"\n", "\t"}


def test_markup_in_a_name_is_text(record: Path) -> None:
    ended = weft_here(["compare", record, record], dict(os.environ))
    assert "[red]" in ended.stdout


def test_json_keeps_the_name_and_prints_only_escapes(record: Path) -> None:
    ended = weft_here(["show", record, "--json"], dict(os.environ))
    assert all(char.isprintable() or char == "\n" for char in ended.stdout)
    assert EVIL in json.dumps(result_of(ended.stdout, "show")).encode().decode("unicode_escape")


@pytest.mark.parametrize("kind", ["csv", "markdown", "latex"])
def test_a_table_on_a_terminal_has_no_control_characters(record: Path, kind: str) -> None:
    main, terminal = pty.openpty()
    program = "from weft.cli.main import main; main()"
    command = [sys.executable, "-c", program, "export", str(record), f"--{kind}", "-"]
    command += ["--table", "summary"] if kind == "csv" else []
    with subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL) as started:
        os.close(terminal)
        printed = b""
        while piece := _read(main):
            printed += piece
        assert started.wait() == 0
    os.close(main)
    assert b"PWN" in printed
    assert all(char.isprintable() or char in "\r\n" for char in printed.decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # so a terminal ends whose other side is closed
        return b""
