"""The list of planted bugs: what to change where, and which tests must fail then."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

HERE = Path(__file__).parent


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One bug: the old text stands once in the file. Its `tests` are instead of the file's.

    Where `cpu` names a flag of /proc/cpuinfo, only a machine with it executes the changed line.
    """

    name: str
    old: str
    new: str
    tests: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    cpu: str = ""


class Target(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file with its bugs and the narrowest tests that notice them.

    `tests` are pytest's words. `engine` are tests of the engine as "FILE: FILTER": those that
    GoogleTest's filter names, of the source in engine/tests that begins with FILE.
    `builds` are programs that the tests in Python need: virtual-rank, or rank-tcp-openmpi and its
    like. Where `patterns` names some of the engine's benchmarks, only these are compiled, which
    takes a fraction of the time.
    """

    path: str
    bug: tuple[Change, ...]
    tests: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


class _List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file: tuple[Target, ...]


class Bug(msgspec.Struct, frozen=True, kw_only=True):
    """A bug by itself, ready to be planted."""

    path: str
    name: str
    old: str
    new: str
    tests: tuple[str, ...]
    engine: tuple[str, ...]
    builds: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    cpu: str = ""

    @property
    def title(self) -> str:
        """How it is called in reports."""
        return f"{self.path}: {self.name}"

    @property
    def is_quick(self) -> bool:
        """Whether nothing has to be compiled for it."""
        return not self.engine and not self.builds

    def planted(self, text: str) -> str:
        """The file's text with the bug. Raises ValueError where it does not apply."""
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"{self.title}: its old text stands {found} times in the file, not 1")
        return text.replace(self.old, self.new)


def all_bugs(folder: Path = HERE) -> tuple[Bug, ...]:
    """Every planted bug of the lists beside this file, those that need no compiler first."""
    bugs = [
        Bug(
            path=target.path,
            name=change.name,
            old=change.old,
            new=change.new,
            tests=change.tests or (() if change.engine else target.tests),
            engine=change.engine or (() if change.tests else target.engine),
            builds=() if change.engine and not change.tests else target.builds,
            patterns=change.patterns or target.patterns,
            cpu=change.cpu,
        )
        for path in sorted(folder.glob("*.toml"))
        for target in msgspec.convert(tomllib.loads(path.read_text()), _List).file
        for change in target.bug
    ]
    return tuple(sorted(bugs, key=lambda bug: not bug.is_quick))
