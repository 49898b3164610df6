"""From the outputs of another program to a record: an ordinary one, whose batches say `stated`."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft.errors import WeftError
from weft.plan.plan import Plan
from weft.record.model import (
    SCHEMA_VERSION,
    Batch,
    Clock,
    Footer,
    Header,
    Imported,
    Launch,
    RankFacts,
)
from weft.record.writer import RecordWriter, check_new
from weft.sources.given_values import check_given
from weft.sources.peers import read_output, without_values
from weft.sources.peers.text import PIPED, content_of
from weft.stages import counted_off
from weft.wording import MOST_NAMED, counted, few_of, verb_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.model import Line
    from weft.sources.peers.stated import Given, StatedOutput, StatedRow

# A tick of a figure that was printed: no digit of any is lost, and hours fit into 63 bits.
TICK_NS = 1e-6
NO_DATE = "the output has no date: the time at which its file was last written is taken"
COPY = "{} {} the same as {}, byte for byte: a copy is no launch of its own"
FAILED = "the program did not end well: {}"


def import_outputs(
    paths: Sequence[Path], given: Given, target: Path | None = None, *, strict: bool = False
) -> Path:
    """Write the record of some outputs of one program, and give its path.

    Each file is a launch, and so is every further time that a file has a case. Raises WeftError:
    an output without a value; outputs of unlike programs; a record that exists; a value that was
    given and does nothing; if `strict`, a line that is not understood.
    """
    contents = _contents(paths, target)
    read = [
        (path, *read_output(path, given, content, strict=strict))
        for path, content in counted_off(list(contents.items()), "reading outputs")
    ]
    for path, peer, output in read:
        if not output.values:
            raise without_values(path, peer.name, output)
    names = dict.fromkeys(peer.name for _, peer, _ in read)
    if len(names) > 1:
        firsts = (next(path for path, peer, _ in read if peer.name == name) for name in names)
        named = " and ".join(
            f"{path} is of {name}" for path, name in zip(firsts, names, strict=True)
        )
        raise WeftError(f"{named}: they define their figures differently", "import them apart")
    check_given(contents, given)
    outputs = [(path, output) for path, _, output in read]
    record = target or Path(next(iter(contents)).name).with_suffix(".jsonl.zst")
    check_new(record)
    plain = record.with_suffix("") if record.suffix == ".zst" else record
    command = (*("weft", "import"), *map(str, contents))
    with RecordWriter.create(plain) as writer:
        for line in lines_of(next(iter(names)), outputs, command, _copies(contents)):
            writer.write(line)
        return writer.compress() if record.suffix == ".zst" else plain


def _not_read(outputs: Sequence[StatedOutput]) -> str:
    """How many values were read, and which were not; empty if every line was understood."""
    values = sum(output.values for output in outputs)
    missing = Counter(row.reason for output in outputs for row in output.rows if row.reason)
    ignored = [line for output in outputs for line in output.ignored]
    words = [f"{counted(values, 'value')} read"]
    if missing:
        often = missing.most_common(1)[0][0]
        words.append(f"{counted(missing.total(), 'value')} missing, most often: {often}")
    if ignored:
        first = ignored[0]
        where = f"line {first.number}" if len(outputs) == 1 else first.place
        words.append(f"{counted(len(ignored), 'line')} ignored, first: {where} {first.shown!r}")
    return "; ".join(words) if missing or ignored else ""


def _contents(paths: Sequence[Path], target: Path | None) -> dict[Path, bytes]:
    """What stands in each of the files, those of a folder by their names.

    Raises WeftError for one that cannot be read, or that is named twice: it is one launch.
    """
    contents: dict[Path, bytes] = {}
    found: dict[Path, Path] = {}
    for path in itertools.chain.from_iterable(map(_files_of, paths)):
        first = found.setdefault(path.resolve(), path)
        if path in contents or first is not path:
            as_well = "" if first == path else f" and {path}"
            raise WeftError(f"{first}{as_well} is named twice", "omit one: a file is one launch")
        if path == PIPED and target is None:
            raise WeftError("piped input has no name", "use -o with the record's")
        contents[path] = content_of(path)
    return contents


def _files_of(path: Path) -> list[Path]:
    """A file, or those in a folder, without hidden ones. Raises WeftError for an empty folder."""
    if not path.is_dir():
        return [path]
    files = sorted(one for one in path.iterdir() if one.is_file() and one.name[0] != ".")
    if not files:
        raise WeftError(f"{path} has no files", "use the outputs, or their folder")
    return files


def _copies(contents: Mapping[Path, bytes]) -> tuple[str, ...]:
    """What to say of files that are copies of each other."""
    alike: dict[bytes, list[Path]] = {}
    for path, content in contents.items():
        alike.setdefault(content, []).append(path)
    return tuple(
        COPY.format(few_of([*map(str, copies)], MOST_NAMED), verb_of(len(copies), "say"), one)
        for one, *copies in alike.values()
        if copies
    )


def lines_of(
    tool: str,
    outputs: Sequence[tuple[Path, StatedOutput]],
    command: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> Iterator[Line]:
    """The record's lines: one launch a file and repetition of a transport, one batch a row."""
    rows = [row for _, output in outputs for row in output.rows]
    dates = [_date_of(path, output) for path, output in outputs]
    launched = list(_launched(outputs))
    yield _header(tool, outputs, command, dates, notes)
    for number, (at, transport, _) in enumerate(launched):
        yield _launch(number, tool, transport, outputs[at][1], dates[at][0])
    order = 0
    for number, (_, _, own) in enumerate(counted_off(launched, "writing launches")):
        for row in own:
            yield _batch(row, number, order)
            order += 1
    failed = any(output.failed for _, output in outputs)
    yield Footer(
        finished_utc=max(date for date, _ in dates),
        outcome="failed" if failed else "precise",
        batches=len(rows),
        notes=tuple(
            dict.fromkeys(FAILED.format(output.failed) for _, output in outputs if output.failed)
        ),
    )


def _launched(
    outputs: Sequence[tuple[Path, StatedOutput]],
) -> Iterator[tuple[int, str, list[StatedRow]]]:
    """The rows of each launch, with the number of their file and their transport."""
    for at, (_, output) in enumerate(outputs):
        seen: Counter[Case] = Counter()
        launches: dict[tuple[int, str], list[StatedRow]] = {}
        for row in output.rows:
            launches.setdefault((seen[row.case], row.case.transport), []).append(row)
            seen[row.case] += 1
        for (_, transport), rows in launches.items():
            yield at, transport, rows


def _header(
    tool: str,
    outputs: Sequence[tuple[Path, StatedOutput]],
    command: tuple[str, ...],
    dates: Sequence[tuple[str, bool]],
    copies: tuple[str, ...],
) -> Header:
    rows = [row for _, output in outputs for row in output.rows]
    cases = tuple(dict.fromkeys(row.case for row in rows))
    patterns: dict[str, Pattern] = {row.test.name: row.test for row in rows}
    launches = max(Counter(row.case for row in rows).values())
    hosts = [output.host for _, output in outputs if output.host]
    read = _not_read([output for _, output in outputs])
    notes = [
        *([read] if read else []),
        *copies,
        *(note for _, output in outputs for note in output.notes),
    ]
    notes += [NO_DATE] if any(is_of_file for _, is_of_file in dates) else []
    return Header(
        schema_version=SCHEMA_VERSION,
        weft_version=weft.__version__,
        created_utc=min(date for date, _ in dates),
        command=command,
        plan=Plan(
            cases=cases,
            precision=0.0,
            budget_s=0.0,
            launches=launches,
            seed=0,
            mpi="",
            launcher="",
        ),
        patterns=tuple(patterns.values()),
        hosts={host: {"host": host} for host in hosts},
        notes=tuple(dict.fromkeys(notes)),
        imported=Imported(
            tool=tool,
            version=", ".join(dict.fromkeys(o.version for _, o in outputs if o.version)),
            files=tuple(str(path) for path, _ in outputs),
            command="; ".join(dict.fromkeys(o.command for _, o in outputs if o.command)),
            failed="; ".join(dict.fromkeys(o.failed for _, o in outputs if o.failed)),
        ),
    )


def _launch(number: int, tool: str, transport: str, output: StatedOutput, date: str) -> Launch:
    known = (RankFacts(rank=0, host=output.host, pid=0, cpu=-1, numa=-1),) if output.host else ()
    version = f"{tool} {output.version}".strip()
    return Launch(
        launch=number,
        transport=transport,
        started_utc=date,
        mpi="",
        ranks=known,
        clock=Clock(name="as printed", tick_ns=TICK_NS, overhead_ticks=0, baseline_ns=0),
        details={"program": version},
        load_average=0.0,
        round=number,
    )


def _batch(row: StatedRow, launch: int, order: int) -> Batch:
    return Batch(
        case=row.case.key,
        launch=launch,
        order=order,
        role="measure",
        status="failed" if row.reason else "ok",
        reason=row.reason,
        ticks=() if row.reason else (max(1, round(row.time_ns / TICK_NS)),),
        stated=row.stated,
    )


def _date_of(path: Path, output: StatedOutput) -> tuple[str, bool]:
    """When the output was made, UTC, and whether only its file says so."""
    if output.created_utc:
        return output.created_utc, False
    if path == PIPED:
        return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), True
    written = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
    return written.isoformat(timespec="seconds"), True
