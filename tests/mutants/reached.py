"""Which tests reach which line: a plugin of pytest under coverage, and what it wrote.

A test's context is its name. What a fixture does once for a file, or for all, is done in the name
of the file whose test came first: all of that file's tests reach it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pytest

    from mutants.tree import Copy

DATA = "reached.sqlite"
MOST_S = 3600.0


@contextlib.contextmanager
def _in_the_name_of(context: str) -> Iterator[None]:
    import coverage

    current = coverage.Coverage.current()
    if current is None:
        yield
        return
    current.switch_context(context)
    yield
    current.switch_context("")


@contextlib.contextmanager
def _setting_up(item: pytest.Item) -> Iterator[None]:
    with _in_the_name_of(item.nodeid.partition("::")[0]):
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Register the wrappers, where pytest is there to give them their mark."""
    import pytest

    class Wrappers:
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
            with _setting_up(item):
                return (yield)

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
            with _in_the_name_of(item.nodeid):
                return (yield)

    config.pluginmanager.register(Wrappers(), "reached")


def look(copy: Copy, folder: Path, tests: Sequence[str]) -> str:
    """Run these quick tests of a copy under coverage; what they said where one fails."""
    data = folder / DATA
    data.unlink(missing_ok=True)
    words = [sys.executable, "-m", "coverage", "run", f"--data-file={data}"]
    words += ["--source=src/weft", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    words += ["-p", "mutants.reached", "-m", "not engine and not browser", *tests]
    environment = copy.environment()
    environment["PYTHONPATH"] += f":{copy.tree / 'tests'}"
    done = subprocess.run(
        words, cwd=copy.tree, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=MOST_S,
    )  # fmt: skip
    return done.stdout[-2000:] + done.stderr[-2000:] if done.returncode else ""


class Reached:
    """The tests that reach a line of a file, as coverage recorded them."""

    def __init__(self, folder: Path) -> None:
        import coverage

        self._data = coverage.CoverageData(str(folder / DATA))
        with contextlib.suppress(sqlite3.DatabaseError):
            self._data.read()

    def by(self, path: Path, line: int) -> tuple[str, ...]:
        """Names of tests, of whole files last.

        A statement of several lines counts with its first: the nearest line above that was run. One
        that is run only where its file is imported is reached by all that reach anything of it.
        """
        lines = self._data.contexts_by_lineno(str(path))
        run = next((at for at in range(line, 0, -1) if at in lines), 0)
        own = {one for one in lines.get(run, ()) if one}
        own = own or {one for contexts in lines.values() for one in contexts if one}
        files = {one for one in own if "::" not in one}
        found = sorted(own, key=lambda one: ("::" not in one, one))
        return tuple(one for one in found if one in files or one.partition("::")[0] not in files)
