"""The text of another program's output: lines with their numbers, free of what starters add."""

from __future__ import annotations

import codecs
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is piped in.
PIPED = Path("-")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Open MPI's --tag-output: [1,0]<stdout>: of version 4, [job,rank]<stdout>: of 5; --timestamp-output
# has the time before it. MPICH's -prepend-rank: [0].
_OF_MPIRUN = re.compile(
    r"^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})?"
    r"\[[^\]\s]*,\d+\]<std(?:out|err)>: ?"
)
_OF_HYDRA = re.compile(r"^\[\d+\](?: |$)")
# srun --label, and what srun says of itself between labelled lines.
_OF_SRUN = re.compile(r"^ *(?:P\d+ )?\d+: ?")
_SRUNS_OWN = re.compile(r"^(?:srun|slurmstepd): ")
# The times before each line of a log: of CI ("00:55:22  ", "[2026-01-01T00:55:22.123Z] "), of ts.
_OF_CI = re.compile(r"^\d\d:\d\d:\d\d(?: {1,2}|$)")
_OF_A_LOG = re.compile(
    r"^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[-+]\d\d:?\d\d)?\]?(?: |$)"
)
_FAILURES = re.compile(
    r"MPI_ABORT was invoked|(?:mpirun|mpiexec|prterun)\S* (?:noticed|detected) that"
    r"|(?:mpirun|mpiexec|prterun) has exited due to process rank|^\[error\] fabtests:"
    r"|Primary job +terminated normally, but|BAD TERMINATION OF ONE|^(?:srun|slurmstepd): error"
    r"|^Fatal error in |Segmentation fault|CANCELLED AT"
    r"|\*\*\* (?:An error occurred in MPI_|Process received signal)"
)
# What processes write on stderr beside the figures: [host:pid] of Open MPI, logs of UCX, libfabric
# and NCCL, drivers.
_ASIDE = re.compile(
    r"^\[[\w.-]+:\d+\] |^\[\d+\.\d+\] \[[\w.-]+:\d+:\d+\] "
    r"|^libibverbs: Warning: |^hwloc/linux: Ignoring |^libfabric:\d+:\d+:"
    r"|^\S+:\d+:\d+ \[\d+\] NCCL (?:INFO|WARN|TRACE) "
)
# Open MPI frames what it warns of with lines of so many dashes (opal/util/show_help.c).
_FRAME = "-" * 74
_LONGEST_BOX = 60
# How no sentence begins, and most rows of figures do.
_FIGURES = re.compile(r"^ *[#\d+|]|^\[ *\d+\]")
# "$ osu_latency", "root@n1:~# osu_latency", "[me@n1 run]$ osu_latency", "+ osu_latency" of set -x.
_PROMPT = re.compile(r"^(?:\[\S+@[^\]]+\][$#%]|\S*[$>%#]|\++) +(?P<command>\S.*)$")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?")
_WITH_A_COMMA = re.compile(r"[-+]?\d+,\d+")
_POINTS = "write decimals with a point, as the program does"
_PREFIXES = ("", "k", "m", "g", "t")
_REMOVE = "remove it if the program did not print it, or import the whole output"


class OutputLine:
    """One line of a file, with its number from 1 and, where known, what command printed it.

    `failures` is how often the file said before it that a run failed.
    """

    def __init__(self, path: Path, number: int, text: str, failures: int = 0) -> None:
        self.path = path
        self.number = number
        self.text = text
        self.failures = failures
        self.command = ""

    @property
    def place(self) -> str:
        """The file and the line, as an editor takes them."""
        return f"{self.path}:{self.number}"

    @property
    def words(self) -> list[str]:
        """Its words."""
        return self.text.split()

    def refuse(self, why: str = "", fix: str = _REMOVE) -> NoReturn:
        """Raises WeftError that names the line."""
        shown = self.text.strip()
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        raise WeftError(f"{self.place}: {why or 'this line is not understood'}: {shown!r}", fix)

    def number_of(self, word: str) -> Decimal:
        """A word that has to be a number. Raises WeftError."""
        if _WITH_A_COMMA.fullmatch(word):
            self.refuse(f"{word!r} has a comma", _POINTS)
        if not _NUMBER.fullmatch(word):
            self.refuse(f"{word!r} is no number")
        return Decimal(word)

    def whole(self, word: str) -> int:
        """A word that has to be a whole number of at most 18 digits. Raises WeftError."""
        if not re.fullmatch(r"\d{1,18}", word):
            self.refuse(f"{word!r} is no whole number")
        return int(word)


class OutputText:
    """An output's lines, without those from where its starter says that it failed to the next one.

    `failed` is the first line that says so.
    """

    def __init__(self, path: Path, content: str) -> None:
        self.path = path
        self.content = _COLOURS.sub("", content).replace("\r\n", "\n")
        lines = _without_prefixes(self.content.split("\n"))
        self.failed = ""
        self.lines: list[OutputLine] = []
        failures, is_over = 0, False
        for number, text in _without_warnings(lines):
            if _FAILURES.search(text):
                self.failed = self.failed or text.strip()
                failures, is_over = failures + 1, True
                # The box around the words of the starter.
                while self.lines and re.fullmatch(r"-*", self.lines[-1].text):
                    self.lines.pop()
            # Another command, or the title of another output.
            is_over = is_over and not _PROMPT.match(text)
            if not is_over:
                self.lines.append(OutputLine(path, number, text.rstrip(), failures))
        if self.lines and self.lines[-1].text and not is_over:
            self.lines[-1].refuse(
                "the last line is incomplete",
                "remove it, or if it is whole end it with a newline",
            )

    def commands(self, program: re.Pattern[str]) -> str:
        """The commands that started the program, at a shell's prompt in the file, each once.

        They are no longer among the lines, and each line has the one before it as its `command`.
        """
        found: list[str] = []
        kept = []
        for line in self.lines:
            match = _PROMPT.match(line.text)
            # "# osu_bw" is a root's prompt, or behind a command a remark of its program.
            is_remark = bool(found) and line.text.startswith("# ")
            if match and not is_remark and program.search(match["command"]):
                found.append(match["command"])
            else:
                line.command = found[-1] if found else ""
                kept.append(line)
        self.lines = kept
        return "; ".join(dict.fromkeys(found))

    def begin(self, mark: re.Pattern[str]) -> list[OutputLine]:
        """The lines from the first on that has the mark. What stands before is another's."""
        for at, line in enumerate(self.lines):
            if mark.search(line.text):
                return self.lines[at:]
        return []


def scale_of(prefix: str, base: int) -> int:
    """What a prefix of a number stands for, "" to "t" in either case, by 1000 or 1024."""
    return int(base ** _PREFIXES.index(prefix.lower()))


def content_of(path: Path) -> bytes:
    """The bytes of a file, or of what is piped in where the path is "-". Raises WeftError."""
    if path == PIPED:
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise WeftError(f"cannot read {path}: {error.strerror}", "check the path") from None


def text_of(path: Path, content: bytes) -> OutputText:
    """Raises WeftError where a file is no text."""
    try:
        return OutputText(path, _decoded(content))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise WeftError(
            f"{path}:{line}: this is no text", "type the file with what the program printed"
        ) from None


def _decoded(content: bytes) -> str:
    """Text, with the mark that Windows puts first, or as PowerShell writes what it redirects."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if wide else "utf-8-sig")


def _without_warnings(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without boxes of warnings and what processes write aside.

    What says that a run failed stays.
    """
    end = 0
    for at, text in enumerate(lines):
        if at < end or (_ASIDE.match(text) and not _FAILURES.search(text)):
            continue
        length = _box_length(lines[at : at + _LONGEST_BOX])
        end = at + length
        if not length:
            yield at + 1, text


def _box_length(lines: list[str]) -> int:
    """How many of these lines are a box of a warning; 0 where none begins here."""
    if lines[0] != _FRAME or _FRAME not in lines[1:]:
        return 0
    inside = lines[1 : 1 + lines[1:].index(_FRAME)]
    is_warning = inside and not any(_FIGURES.match(x) or _FAILURES.search(x) for x in inside)
    return len(inside) + 2 if is_warning else 0


def _without_prefixes(lines: list[str]) -> list[str]:
    """Lines as the program printed them, without the times of a log and labels of a starter."""
    lines = _without(_OF_CI, lines)
    lines = _without(_OF_A_LOG, lines)
    lines = [_OF_MPIRUN.sub("", line) for line in lines]
    lines = _without(_OF_HYDRA, lines)
    return _without(_OF_SRUN, lines)


def _without(prefix: re.Pattern[str], lines: list[str]) -> list[str]:
    """The lines without a prefix that each of them has, but for srun's own."""
    filled = [line for line in lines if line and not _SRUNS_OWN.match(line)]
    if filled and all(prefix.match(line) for line in filled):
        return [prefix.sub("", line) for line in lines]
    return lines
