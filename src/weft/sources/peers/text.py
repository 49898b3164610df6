"""The text of another program's output: lines with their numbers, free of everything around them.

Starters label lines, logs date them, Markdown fences them, mail quotes them, terminals colour them.
A line that no reader understands is skipped and counted, or refused if the reading is strict.
"""

from __future__ import annotations

import codecs
import html
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from weft.errors import WeftError
from weft.units import MANY_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# The path of piped input.
PIPED = Path("-")
# No program prints longer lines, and no pattern has to search one.
LONGEST_LINE = 64 << 10
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TAG = re.compile(r"</?(?:br|pre|span|p|tt|code|div|strong|em|b|i)\b[^<>\n]{0,200}>", re.IGNORECASE)
_IS_HTML = re.compile(r"<br ?/?>|</?(?:pre|span|tt)\b", re.IGNORECASE)
_FENCE = re.compile(r"(?:```|~~~)[\w{}. -]{0,40}$")
_QUOTES = re.compile(r"^(?:> ?)+(?=[#\d|+\[ ]|$)")
# These labels are unmistakable: mpirun --tag-output of Open MPI 4 and 5, also with its time before,
# and those of schedulers for training.
_TAGGED = re.compile(
    r"(?:[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})?"
    r"\[(?P<rank>[^\]\s]{1,80},\d+)\]<std(?:out|err)>: ?"
    r"|\([\w.-]{1,80}, ?rank=(?P<of_worker>\d+)\) ?"
    r"|\[rank ?(?P<of_rank>\d+)\]:? ?"
    # iperf3 --timestamps.
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}(?: |$)"
)
# These are prefixes only if nearly all lines have one: the times of a log, the ranks
# of MPICH's -prepend-rank and of srun --label.
_SHARED = (
    re.compile(r"\d\d:\d\d:\d\d(?: {1,2}|$)"),
    re.compile(
        r"\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[-+]\d\d:?\d\d)?\]?"
        r"(?: std(?:out|err) [FP])?(?: |$)"
    ),
    re.compile(r"\[(?P<rank>\d+)\](?: |$)"),
    re.compile(r" {0,6}(?:P\d+ )?(?P<rank>\d+):(?: (?! *\d+ bytes +\d+ times)|$)"),
)
_NEARLY_ALL = 2 / 3
_STARTERS = re.compile(r"(?:srun|slurmstepd|salloc|sbatch): ")
_FAILURES = re.compile(
    r"MPI_ABORT was invoked|(?:mpirun|mpiexec|prterun)\S{0,40} (?:noticed|detected) that"
    r"|(?:mpirun|mpiexec|prterun) has exited due to process rank|^\[error\] fabtests:"
    r"|Primary job +terminated normally, but|BAD TERMINATION OF ONE|^(?:srun|slurmstepd): error"
    r"|^Fatal error in |Segmentation fault|CANCELLED AT|task\(s\) (?:Terminated|Killed)"
    r"|\*\*\* (?:An error occurred in MPI_|Process received signal)"
)
# What processes write on stderr beside the figures: [host:pid] of Open MPI, logs of UCX, libfabric
# and NCCL, drivers.
_ASIDE = re.compile(
    r"^\[[\w.-]{1,80}:\d+\] |^\[\d+\.\d+\] \[[\w.-]{1,80}:\d+:\d+\] "
    r"|^libibverbs: Warning: |^hwloc/linux: Ignoring |^libfabric:\d+:\d+:"
    r"|^[^\s:]{1,80}:\d+:\d+ \[\d+\] NCCL (?:INFO|WARN|TRACE) "
)
# Open MPI frames what it warns of with lines of so many dashes (opal/util/show_help.c).
_FRAME = "-" * 74
_LONGEST_BOX = 60
# How no sentence begins, and most rows of figures do.
_FIGURES = re.compile(r"^[#\d+|]|^\[ *\d+\]")
# "$ osu_latency", "root@n1:~# osu_latency", "[me@n1 run]$ osu_latency", "+ osu_latency" of set -x.
_PROMPT = re.compile(
    r"(?:\[[^\]\s@]{1,80}@[^\]]{1,200}\][$#%]|[^\s$>%#]{0,200}[$>%#]|\++) +(?P<command>\S.*)$"
)
# Lines that a script printed before it ran them.
_STARTED = re.compile(
    r"(?<![\w/.-])(?:\S{0,80}/)?(?:mpirun|mpiexec(?:\.\w+)?|srun|aprun|jsrun|ibrun|flux run) "
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?")
_DECIMALS = re.compile(r"[-+]?\d+\.(\d+)")
_USUAL_DECIMALS = 2
# A program prints these for a value that it did not get.
_NOT_MEASURED = re.compile(
    r"[-+]?(?:nan|inf)(?:ity)?|n/a|-|out-of-mem\S*|time-out\S*|int-overflow\S*", re.IGNORECASE
)
_WITH_A_COMMA = re.compile(r"[-+]?\d+,\d+")
_PREFIXES = ("", "k", "m", "g", "t")
NO_REASON = "this line is not understood"
_REMOVE = "remove it if the program did not print it, or import without --strict"


class LineError(WeftError):
    """One line that a reader does not understand. The others may be read nevertheless."""


class OutputLine:
    """One line of a file, with its number from 1 and, where known, the command that printed it.

    `failures` and `runs` count the failures and the commands that the file has before it.
    """

    def __init__(self, path: Path, number: int, text: str, failures: int = 0) -> None:
        self.path = path
        self.number = number
        self.text = text
        self.failures = failures
        self.command = ""
        self.runs = 0
        # Why a reader refused it.
        self.refused: LineError | None = None

    @property
    def place(self) -> str:
        """The file and the line, as an editor takes them."""
        return f"{self.path}:{self.number}"

    @property
    def words(self) -> list[str]:
        """Its words."""
        return self.text.split()

    @property
    def shown(self) -> str:
        """Its text, shortened for a message."""
        text = self.text.strip()
        return text if len(text) <= 60 else text[:57] + "..."

    def refuse(self, why: str = "", fix: str = _REMOVE) -> NoReturn:
        """Raises LineError that names the line."""
        # A reason that was found first is not lost.
        self.refused = (not why and self.refused) or LineError(
            f"{self.place}: {why or NO_REASON}: {self.shown!r}", fix
        )
        raise self.refused

    def number_of(self, word: str) -> Decimal:
        """A word that has to be a number. Raises LineError."""
        if _WITH_A_COMMA.fullmatch(word):
            self.refuse(f"{word!r} has a comma", "write decimals with a point")
        if not _NUMBER.fullmatch(word):
            self.refuse(f"{word!r} is not a number")
        return Decimal(word)

    def value_of(self, word: str) -> Decimal | None:
        """A number, or None for a value that the program did not get. Raises LineError."""
        return None if _NOT_MEASURED.fullmatch(word) else self.number_of(word)

    def values_of(self, cells: Iterable[tuple[str, str]]) -> dict[str, float]:
        """The cells that are numbers, by their heads."""
        return {head: float(word) for head, word in cells if _NUMBER.fullmatch(word)}

    def whole(self, word: str) -> int:
        """A word that has to be a whole number of at most 18 digits. Raises LineError."""
        if not re.fullmatch(r"\d{1,18}", word):
            self.refuse(f"{word!r} is not a whole number")
        return int(word)


class OutputText:
    """An output's lines, without indentation and what stands around them.

    `failed` is the first line that says that a run failed; `ignored` are the lines that were
    skipped, which a strict reading refuses.
    """

    def __init__(self, path: Path, content: str, *, strict: bool = False) -> None:
        self.path = path
        self.failed = ""
        self.lines: list[OutputLine] = []
        self.ignored: list[OutputLine] = []
        self._is_strict = strict
        failures = 0
        texts = _plain(content).split("\n")
        cut = _cut_line(texts)
        for number, text in _without_warnings(_without_labels(texts)):
            if _FAILURES.search(text):
                self.failed = self.failed or text.strip()
                failures += 1
            line = OutputLine(path, number, text, failures)
            if number == cut:
                self.skip(line, "the file ends inside this line")
            elif len(text) > LONGEST_LINE:
                self.skip(line, f"it is longer than {LONGEST_LINE >> 10} KiB")
            elif MANY_DIGITS.search(text):
                self.skip(line, "it has a number of over 400 digits")
            elif not _FENCE.match(text):
                self.lines.append(line)

    def skip(self, line: OutputLine, why: str = "", fix: str = _REMOVE) -> None:
        """Count a line as ignored. Raises LineError if the reading is strict."""
        try:
            line.refuse(why, fix)
        except LineError:
            if self._is_strict:
                raise
        self.ignored.append(line)

    def each(
        self, take: Callable[[OutputLine], object], lines: Iterable[OutputLine] | None = None
    ) -> None:
        """Read line by line; skip what `take` refuses. Raises LineError if it is strict."""
        for line in self.lines if lines is None else lines:
            try:
                take(line)
            except LineError:
                if self._is_strict:
                    raise
                self.ignored.append(line)

    def commands(self, program: re.Pattern[str]) -> str:
        """The commands that started the program, each once: at a prompt, or as a script shows them.

        They are no longer among the lines, and each line has the one before it as its `command`.
        """
        found: list[str] = []
        kept: list[OutputLine] = []
        continued = ""
        for line in self.lines:
            command = f"{continued} {line.text}" if continued else _command_in(line.text)
            continued = command[:-1].rstrip() if command.endswith("\\") else ""
            if continued:
                continue
            # "# osu_bw" is a root's prompt, or behind a command a remark of its program.
            is_remark = bool(found) and line.text.startswith("# ")
            if command and not is_remark and program.search(command):
                found.append(command)
            else:
                line.command, line.runs = (found[-1] if found else ""), len(found)
                kept.append(line)
        self.lines = kept
        return "; ".join(dict.fromkeys(found))


def _command_in(text: str) -> str:
    """The command that a line shows; empty if it shows none."""
    if prompt := _PROMPT.match(text):
        return prompt["command"]
    started = _STARTED.search(text)
    return text[started.start() :] if started else ""


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


def text_of(path: Path, content: bytes, *, strict: bool = False) -> OutputText:
    """The text of a file, which PowerShell writes in 16 bits and Windows begins with a mark.

    Bytes that are not text become marks that no reader understands.
    """
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = content.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    return OutputText(path, text, strict=strict)


def _plain(content: str) -> str:
    """Without colours, the tags of a page, NULs of a broken disk and overwritten progress."""
    text = _COLOURS.sub("", content).replace("\r\n", "\n").replace("\0", "")
    if _IS_HTML.search(text):
        text = html.unescape(_TAG.sub("", text))
    # A program that overwrites a line prints a carriage return between its versions.
    return "\n".join(one.rstrip("\r").rpartition("\r")[2] for one in text.split("\n"))


def _cut_line(texts: list[str]) -> int:
    """The number of a last line that ends inside its last number; 0 if it is whole.

    Without a line end it is whole if its last number has as many decimals, or ends in the same
    column, as the nearest row that has the same number of words; else as the numbers beside it.
    """
    last = texts[-1].rstrip()
    words = last.split()
    if not words or not _NUMBER.fullmatch(words[-1]):
        return 0
    rows = (text.rstrip() for text in reversed(texts[:-1]) if len(text.split()) == len(words))
    like = next((row for row in rows if _NUMBER.fullmatch(row.split()[-1])), "")
    decimals, others = (_DECIMALS.fullmatch(one) for one in (words[-1], (like.split() or [""])[-1]))
    if like and not (decimals and others):
        return 0 if len(like) == len(last) else len(texts)
    beside = [len(one[1]) for one in map(_DECIMALS.fullmatch, words[:-1]) if one]
    usual = len(others[1]) if others else max(beside, default=_USUAL_DECIMALS)
    return 0 if decimals and len(decimals[1]) == usual else len(texts)


def _without_labels(texts: list[str]) -> list[tuple[int, str]]:
    """The lines with their numbers, without what starters, logs and mails put before them.

    Lines that have a rank as their label are put together by rank.
    """
    found = [_QUOTES.sub("", text.strip(), count=1).strip() for text in texts]
    labels = [""] * len(found)
    for prefix in _SHARED:
        filled = [text for text in found if text and not _STARTERS.match(text)]
        if len(filled) > 1 and sum(map(bool, map(prefix.match, filled))) > _NEARLY_ALL * len(
            filled
        ):
            _take_off(prefix, found, labels)
    _take_off(_TAGGED, found, labels)
    order = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    return sorted(enumerate(found, 1), key=lambda one: order[labels[one[0] - 1]])


def _without_warnings(numbered: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Without boxes of warnings and lines written aside, unless they say that a run failed."""
    end = 0
    for at, (number, text) in enumerate(numbered):
        if at < end or (_ASIDE.match(text) and not _FAILURES.search(text)):
            continue
        length = _box_length([one for _, one in numbered[at : at + _LONGEST_BOX]])
        end = at + length
        if not length:
            yield number, text


def _box_length(lines: list[str]) -> int:
    """How many of these lines are a box of a warning; 0 where none begins here."""
    if lines[0] != _FRAME or _FRAME not in lines[1:]:
        return 0
    inside = lines[1 : 1 + lines[1:].index(_FRAME)]
    is_warning = inside and not any(_FIGURES.match(x) or _FAILURES.search(x) for x in inside)
    return len(inside) + 2 if is_warning else 0


def _take_off(prefix: re.Pattern[str], found: list[str], labels: list[str]) -> None:
    """Remove a prefix, and keep the rank that it names; a line without one has the rank before."""
    for at, text in enumerate(found):
        match = prefix.match(text)
        if match:
            found[at] = text[match.end() :].strip()
        named = next(filter(None, match.groups()), "") if match and prefix.groups else ""
        labels[at] = named or labels[at] or (labels[at - 1] if at else "")
