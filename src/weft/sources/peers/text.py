"""The text of another program's output: lines with their numbers, free of what starters add."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn

from weft.errors import WeftError

if TYPE_CHECKING:
    from pathlib import Path

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Open MPI's --tag-output: [1,0]<stdout>: of version 4, [job,rank]<stdout>: of 5.
_OF_MPIRUN = re.compile(r"^\[[^\]\s]*,\d+\]<std(?:out|err)>: ?")
# srun --label.
_OF_SRUN = re.compile(r"^ *(?:P\d+ )?\d+: ?")
_FAILURES = re.compile(
    r"MPI_ABORT was invoked|(?:mpirun|mpiexec|prterun)\S* (?:noticed|detected) that"
    r"|Primary job +terminated normally, but|BAD TERMINATION OF ONE|^(?:srun|slurmstepd): error"
    r"|^Fatal error in |Segmentation fault|CANCELLED AT"
)
_PROMPT = re.compile(r"^(?:\S*[$>%#]|\+) +(?P<command>\S.*)$")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?")
_REMOVE = "remove it if the program did not print it, or import the whole output"


class OutputLine:
    """One line of a file, with its number from 1."""

    def __init__(self, path: Path, number: int, text: str) -> None:
        self.path = path
        self.number = number
        self.text = text

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
        if not _NUMBER.fullmatch(word):
            self.refuse(f"{word!r} is no number")
        return Decimal(word)

    def whole(self, word: str) -> int:
        """A word that has to be a whole number of at most 18 digits. Raises WeftError."""
        if not re.fullmatch(r"\d{1,18}", word):
            self.refuse(f"{word!r} is no whole number")
        return int(word)


class OutputText:
    """An output's lines up to where its starter says that it failed; `failed` is that line."""

    def __init__(self, path: Path, content: str) -> None:
        self.path = path
        self.content = _COLOURS.sub("", content).replace("\r\n", "\n")
        lines = _without_prefixes(self.content.split("\n"))
        self.failed = ""
        self.lines: list[OutputLine] = []
        for number, text in enumerate(lines, start=1):
            if _FAILURES.search(text):
                self.failed = text.strip()
                break
            self.lines.append(OutputLine(path, number, text.rstrip()))
        if self.failed:
            # The box around the words of the starter.
            while self.lines and re.fullmatch(r"-*", self.lines[-1].text):
                self.lines.pop()
        elif self.lines and self.lines[-1].text:
            self.lines[-1].refuse(
                "the last line is incomplete",
                "remove it, or if it is whole end it with a newline",
            )

    def command(self, program: re.Pattern[str]) -> str:
        """The command that started the program, at a shell's prompt in the file; else empty.

        Its lines are no longer among the lines.
        """
        found = ""
        kept = []
        for line in self.lines:
            match = _PROMPT.match(line.text)
            if match and program.search(match["command"]):
                found = found or match["command"]
            else:
                kept.append(line)
        self.lines = kept
        return found

    def begin(self, mark: re.Pattern[str]) -> list[OutputLine]:
        """The lines from the first on that has the mark. What stands before is another's."""
        for at, line in enumerate(self.lines):
            if mark.search(line.text):
                return self.lines[at:]
        return []


def read_text(path: Path) -> OutputText:
    """Raises WeftError where a file cannot be read or is no text."""
    try:
        content = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise WeftError(f"cannot read {path}: {error.strerror}", "check the path") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise WeftError(
            f"{path}:{line}: this is no text", "type the file with what the program printed"
        ) from None
    return OutputText(path, content)


def _without_prefixes(lines: list[str]) -> list[str]:
    """Lines as the program printed them: srun labels every line or none."""
    lines = [_OF_MPIRUN.sub("", line) for line in lines]
    filled = [line for line in lines if line]
    if filled and all(_OF_SRUN.match(line) for line in filled):
        return [_OF_SRUN.sub("", line) for line in lines]
    return lines
