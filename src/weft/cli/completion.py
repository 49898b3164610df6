"""What a shell offers for a word that goes on: tests, transports, platforms, records, choices."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weft.launch.programs import Program

    Offered = Callable[[str], list[str]]


def offer(command: str, params: Sequence[Any]) -> None:
    """Let the parameters of a command offer what their names stand for."""
    for param in params:
        known = _OF_COMMANDS.get((command, param.name)) or _OF_ALL.get(param.name)
        if known is not None:
            # What typer makes of its `autocompletion`, once for all commands.
            vars(param)["_custom_shell_complete"] = partial(_offered, known)


def _offered(known: Offered, _context: Any, _param: Any, incomplete: str) -> list[str]:
    return known(incomplete)


def _begun(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _behind_commas(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that go on behind what is typed before a comma, without those."""
    before, comma, begun = incomplete.rpartition(",")
    taken = before.split(",")
    free = [name for name in dict.fromkeys(names) if name not in taken]
    return [f"{before}{comma}{name}" for name in _begun(begun, free)]


def _programs() -> tuple[Program, ...]:
    """What the engine says of itself; nothing where there is none."""
    from weft.launch.programs import choose_mpi, programs

    try:
        return programs(choose_mpi())
    except WeftError:
        return ()


def _tests(incomplete: str) -> list[str]:
    return _behind_commas(incomplete, (one.name for each in _programs() for one in each.patterns))


def _transports(incomplete: str) -> list[str]:
    return _behind_commas(incomplete, (one.transport for one in _programs() if not one.reason))


def _settings(incomplete: str) -> list[str]:
    """Options of transports, "tcp.port="; behind that the values that one may have."""
    known = {
        f"{one.transport.partition(':')[0]}.{own.name}=": own.choices
        for one in _programs()
        for own in one.settings
    }
    name, is_named, _ = incomplete.partition("=")
    if is_named:
        values = filter(None, known.get(f"{name}=", "").split(","))
        return _begun(incomplete, (f"{name}={value}" for value in values))
    return _begun(incomplete, known)


def _varied(incomplete: str) -> list[str]:
    """The same, and what else can be varied."""
    from weft.launch.programs import MPIS

    name, is_named, values = incomplete.partition("=")
    if (name, is_named) == ("mpi", "="):
        return [f"mpi={one}" for one in _behind_commas(values, MPIS)]
    return _begun(incomplete, ("mpi=", "env:")) + _settings(incomplete)


def _mpis(incomplete: str) -> list[str]:
    from weft.launch.programs import MPIS

    return _begun(incomplete, MPIS)


def _waits(incomplete: str) -> list[str]:
    from weft.plan.cases import WAITS

    return _begun(incomplete, WAITS)


def _suites(incomplete: str) -> list[str]:
    from weft.plan.suites import SUITES

    return _begun(incomplete, (suite.name for suite in SUITES))


def _lists(incomplete: str) -> list[str]:
    from weft.cli.lists import LISTS

    return _begun(incomplete, LISTS)


def _layouts(incomplete: str) -> list[str]:
    from weft.report.paper import LAYOUTS

    return _begun(incomplete, (layout.name for layout in LAYOUTS))


def _kinds(incomplete: str) -> list[str]:
    from weft.sim.platforms import KINDS

    return _begun(incomplete, KINDS)


def _studies(incomplete: str) -> list[str]:
    from weft.studies.published import STUDIES

    return _begun(incomplete, STUDIES)


def _tables(incomplete: str) -> list[str]:
    from weft.studies.shown import tables_of_records

    return _begun(incomplete, tables_of_records())


def _peers(incomplete: str) -> list[str]:
    from weft.studies.peer_tables import LAYOUTS

    return _begun(incomplete, (layout.name for layout in LAYOUTS))


def _platforms(incomplete: str) -> list[str]:
    from weft.reference.library import platforms

    return _begun(incomplete, (platform.name for platform in platforms()))


def _records_or_platforms(incomplete: str) -> list[str]:
    """Nothing where no platform begins so: the shell offers its files then."""
    named = _platforms(incomplete) if incomplete else []
    files = sorted(map(str, Path().glob(f"{incomplete}*"))) if named else []
    return [*named, *files]


# By the name of a parameter; where a command means another thing by it, by both.
_OF_ALL: dict[str, Offered] = {
    "tests": _tests,
    "test": _tests,
    "transport": _transports,
    "platform": _platforms,
    "suite": _suites,
    "mpi": _mpis,
    "wait": _waits,
    "option": _settings,
    "vary": _varied,
    "layout": _layouts,
    "kind": _kinds,
    "study": _studies,
    "like": _peers,
    "sources": _records_or_platforms,
    "sides": _records_or_platforms,
}
_OF_COMMANDS: dict[tuple[str, str], Offered] = {
    ("list", "what"): _lists,
    ("show", "record"): _records_or_platforms,
    ("show", "table"): _tables,
}
