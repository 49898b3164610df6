"""Records as a user names them: every command means the same by a comma and by an @.

NAME is a record, NAME@TRANSPORT its part over one transport or several, and A,B are two records.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.host.manifest import typed
from weft.names import as_typed, choose, is_there
from weft.plan.command import weft_run
from weft.record.run import Run, load
from weft.reference.library import platform_or_none
from weft.sources.named import split_records, split_source
from weft.stages import counted_off
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.plan.case import Case
    from weft.record.reader import RecordLines


def records_named(sources: Iterable[str | Path | Run]) -> list[Run]:
    """The records of these words in their order. Raises WeftError as record_named."""
    return [record_named(one) for one in counted_off(each_source(sources), "reading records")]


def each_source(sources: Iterable[str | Path | Run]) -> list[str | Run]:
    """What was read as it is, and one record a word of the others."""
    return [
        one
        for source in sources
        for one in ([source] if isinstance(source, Run) else each_record([source]))
    ]


def each_record(words: Iterable[str | Path]) -> list[str]:
    """A word for each record: "a.jsonl,b.jsonl@tcp" are a.jsonl@tcp and b.jsonl@tcp."""
    return [one for word in words for one in split_records(str(word))]


def record_named(source: str | Path | Run) -> Run:
    """The record of a name, or its part over the transports after an @; one that was read is it.

    Raises WeftError: it cannot be read, it is a platform or several records, a transport that the
    record does not have.
    """
    if isinstance(source, Run):
        return source
    text = str(source)
    if len(several := split_records(text)) > 1:
        raise WeftError(
            f"{text} names {counted(len(several), 'record')}, and one is taken here",
            f"use one of them: {as_typed(several[0])}",
        )
    name, part = split_source(text)
    if not name.strip(" ,"):
        raise WeftError("no record given", "use the path of a record")
    if not is_there(name) and _is_platform(name):
        raise WeftError(
            f"{name} is a published platform, which has figures and no launches",
            f"run weft show {name}, or weft compare {name} with a record",
        )
    run = load(name)
    _check_hosts(run)
    return over(run, part.split(",")) if part else run


def _check_hosts(run: Run) -> None:
    """Raises WeftError for a record with a host of other facts than weft collects."""
    for host, manifest in run.header.hosts.items():
        try:
            typed(manifest)
        except WeftError as error:
            what = f"{run.path} is damaged in line 1: of {host} {error.what}"
            raise WeftError(what, "use another copy of it") from None


def whole_record(word: str | Path, option: str) -> Path:
    """The record of a name, of which an option takes no part.

    Raises WeftError for several records, for a part of one, and for a platform.
    """
    text = str(word)
    name, part = split_source(text)
    several = split_records(name)
    if len(several) > 1:
        what = f"{text} names {counted(len(several), 'record')}, and {option} takes one"
        raise WeftError(what, f"use one of them: {option} {as_typed(several[0])}")
    if part:
        what = f"{text} is a part of a record, and {option} takes a whole one"
        raise WeftError(what, f"use {option} {as_typed(name)}")
    if not is_there(name) and _is_platform(name):
        what = f"{name} is a published platform, and {option} takes a record that weft run wrote"
        raise WeftError(what, f"run {weft_run('--platform', name)} to simulate it")
    return Path(text)


def over(run: Run, transports: Sequence[str]) -> Run:
    """The record's part over these transports. Raises WeftError for one that it does not have."""
    known = tuple(dict.fromkeys(case.transport for case in run.cases.values()))
    chosen = choose("transport", transports, known)
    if set(chosen) == set(known):
        return run
    kept = [case for case in run.cases.values() if case.transport in chosen]
    return run.part_of(_part(run.lines, kept), f"over {','.join(chosen)}")


def _part(lines: RecordLines, cases: Sequence[Case]) -> RecordLines:
    """The lines that these cases left in a record."""
    keys = {case.key for case in cases}
    transports = {case.transport for case in cases}
    launches = tuple(one for one in lines.launches if one.transport in transports)
    # A launch that did not start has an end alone, and nobody knows whose it was.
    others = {one.launch for one in lines.launches} - {one.launch for one in launches}
    plan = msgspec.structs.replace(lines.header.plan, cases=tuple(cases))
    footer = lines.footer and msgspec.structs.replace(
        lines.footer, unsettled=tuple(key for key in lines.footer.unsettled if key in keys)
    )
    return msgspec.structs.replace(
        lines,
        header=msgspec.structs.replace(lines.header, plan=plan),
        launches=launches,
        batches=tuple(batch for batch in lines.batches if batch.case in keys),
        ends=tuple(end for end in lines.ends if end.launch not in others),
        footer=footer,
    )


def _is_platform(name: str) -> bool:
    try:
        return platform_or_none(name) is not None
    except WeftError:
        return False
