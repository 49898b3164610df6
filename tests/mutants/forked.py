"""Tests in forks of one process, a fork a mutant: what all need is imported and collected once.

`python -m mutants.forked` answers requests, a line of JSON each. A mutant is already planted in its
file. Where it changes nothing but the code of functions, these get their new code in a fork of the
process that has collected every quick test; what runs while a module is imported needs a fork that
has imported no module of weft yet. A fork has its own session, so that nothing of it is left.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mutants.reached import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OPTIONS = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0")
NOT_HERE = "changes what importing runs"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was without its mutant, and the tests to run until one fails.

    A fork may compute for `most_cpu_s` and take `most_s` in all.
    """

    path: str
    before: str
    tests: tuple[str, ...]
    most_cpu_s: float
    most_s: float


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The test that failed, or did not end; nothing if none. Or why it cannot be told here."""

    by: str = ""
    cannot: str = ""


class NotSwappableError(Exception):
    """A mutant changes more than the code of functions."""


def functions_within(old: types.CodeType, new: types.CodeType) -> list[types.CodeType]:
    """The changed functions of a module, as pairs of old and new code, one after the other.

    Raises NotSwappableError where importing the module runs what changed.
    """
    if _own(old) != _own(new):
        raise NotSwappableError(NOT_HERE)
    found = []
    for one, other in zip(_inner(old), _inner(new), strict=True):
        if one == other:
            continue
        if one.co_flags & 0x0002:  # CO_NEWLOCALS: a function; the body of a class has none
            found += [one, other]
        else:
            found += functions_within(one, other)
    return found


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]


def _own(code: types.CodeType) -> tuple[object, ...]:
    constants = [
        (type(one), one) if not isinstance(one, types.CodeType) else one.co_qualname
        for one in code.co_consts
    ]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars


def swap(asked: Asked, functions: Sequence[types.FunctionType]) -> None:
    """Give this process's functions of a file the code that the file has now."""
    path = Path(asked.path).resolve()
    module = ".".join(path.relative_to(Path("src").resolve()).with_suffix("").parts)
    if module.removesuffix(".__init__") not in sys.modules:
        return
    old = compile(asked.before, str(path), "exec", dont_inherit=True)
    new = compile(path.read_text(), str(path), "exec", dont_inherit=True)
    changed = functions_within(old, new)
    for was, now in zip(changed[::2], changed[1::2], strict=True):
        own = [one for one in functions if _is_of(one, was)]
        if not own:
            raise NotSwappableError("no function has this code")
        for one in own:
            try:
                one.__code__ = now
            except ValueError as fault:
                raise NotSwappableError(str(fault)) from fault


def _is_of(function: types.FunctionType, code: types.CodeType) -> bool:
    own = function.__code__
    return (own.co_filename, own.co_qualname, own.co_firstlineno) == (
        code.co_filename, code.co_qualname, code.co_firstlineno,
    )  # fmt: skip


class Watcher:
    """What pytest tells of the tests in a fork: the first that fails ends it."""

    def __init__(self, answer: int, tests: Sequence[str]) -> None:
        self._answer = answer
        self._tests = tests
        self.last = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Those that were asked for, in their order: a name is no word for every test.

        A failing example is not made smaller: that it fails is enough.
        """
        from hypothesis import Phase, settings

        named = {item.nodeid: item for item in items}
        items[:] = [named[name] for name in self._tests if name in named]
        for item in items:
            test: Any = getattr(item, "obj", None)
            own = getattr(test, "_hypothesis_internal_use_settings", None)
            if own is not None:
                phases = (Phase.explicit, Phase.generate)
                test._hypothesis_internal_use_settings = settings(own, phases=phases, database=None)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Remember what may not end."""
        self.last = nodeid
        os.write(self._answer, f"{nodeid}\n".encode())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End the fork where a test fails."""
        if report.failed:
            end(self._answer, Told(by=report.nodeid))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module of tests that cannot be imported is noticed too."""
        if report.failed:
            end(self._answer, Told(by=report.nodeid))


def end(answer: int, told: Told) -> None:
    """Say it and leave, without anything that the parent's tests have put off to their end."""
    os.write(answer, msgspec.json.encode(told) + b"\n")
    os._exit(0)


def in_fork(work: Callable[[int, Path], None], asked: Asked) -> Told:
    """What a fork told that does this work; it is killed with all that it started."""
    ours, theirs = os.pipe()
    folder = Path(tempfile.mkdtemp(prefix="weft-mutant-"))
    child = os.fork()
    if child == 0:
        os.setsid()
        # A loop without an end is noticed by what it computes: others may have the machine.
        most = int(asked.most_cpu_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        os.close(ours)
        status = 1
        with contextlib.suppress(BaseException):
            work(theirs, folder)
            status = 0
        if status == 0:
            end(theirs, Told())
        os._exit(status)
    os.close(theirs)
    try:
        return _heard(ours, time.monotonic() + asked.most_s)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ours)
        shutil.rmtree(folder, ignore_errors=True)


def _heard(answers: int, until: float) -> Told:
    """The fork's answer; where it has none, it is the test that it was at."""
    said = b""
    while True:
        left_s = until - time.monotonic()
        ready = left_s > 0 and select.select([answers], [], [], left_s)[0]
        more = os.read(answers, 65536) if ready else b""
        said += more
        lines = said.decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines[:-1]) if line), "")
        if last.startswith("{"):
            return msgspec.json.decode(last, type=Told)
        if not more:
            return Told(by=last or "the start of its tests")


class Held:
    """The session that has collected every quick test, and answers in place of running them."""

    def __init__(self, serve: Callable[[Callable[[Asked], Told]], None]) -> None:
        self._serve = serve

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer until nobody asks."""
        here = str(Path("src").resolve())
        functions = [
            one
            for one in gc.get_objects()
            if isinstance(one, types.FunctionType) and one.__code__.co_filename.startswith(here)
        ]
        gc.freeze()

        def answer(asked: Asked) -> Told:
            def work(told: int, folder: Path) -> None:
                try:
                    swap(asked, functions)
                except NotSwappableError as why:
                    end(told, Told(cannot=str(why)))
                session.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
                watcher = Watcher(told, asked.tests)
                session.config.pluginmanager.register(watcher)
                chosen = list(session.items)
                watcher.pytest_collection_modifyitems(chosen)
                for at, item in enumerate(chosen):
                    following = chosen[at + 1] if at + 1 < len(chosen) else None
                    session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

            return in_fork(work, asked)

        self._serve(answer)
        return True


def anew(asked: Asked) -> Told:
    """The same in a fork that imports weft and the tests by itself."""

    def work(told: int, folder: Path) -> None:
        files = dict.fromkeys(test.partition("::")[0] for test in asked.tests)
        words = [*OPTIONS, f"--basetemp={folder}", *files]
        watcher = Watcher(told, asked.tests)
        status = pytest.main(words, plugins=[watcher])
        if status == pytest.ExitCode.USAGE_ERROR:  # what all tests import cannot be imported
            end(told, Told(by="tests/conftest.py"))
        if status == pytest.ExitCode.INTERNAL_ERROR and watcher.last:
            end(told, Told(by=watcher.last))
        if status != pytest.ExitCode.OK:
            end(told, Told(cannot=f"pytest ended with {status!r} on {' '.join(files)}"))

    return in_fork(work, asked)


def imported() -> None:
    """What is slow to import, and not weft's own nor one of pytest's plugins."""
    import jinja2
    import jsonschema
    import matplotlib.pyplot
    import numpy
    import polars
    import rich
    import scipy.optimize
    import scipy.special
    import typer.testing

    assert all((jinja2, jsonschema, matplotlib, numpy, polars, rich, scipy, typer))


def main() -> int:
    """Requests come from standard input; answers go to the descriptor that is the first word.

    The second is `anew`, or `held` with the tests to collect behind it.
    """
    descriptor, way, *tests = sys.argv[1:]
    answers = os.fdopen(int(descriptor), "w")
    requests = os.fdopen(os.dup(0), "r")
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)

    def serve(answer: Callable[[Asked], Told]) -> None:
        answers.write("ready\n")
        answers.flush()
        for line in requests:
            asked = msgspec.json.decode(line, type=Asked)
            answers.write(msgspec.json.encode(answer(asked)).decode() + "\n")
            answers.flush()

    imported()
    if way == "anew":
        serve(anew)
        return 0
    return int(pytest.main([*OPTIONS, "-m", QUICK, *tests], plugins=[Held(serve)]))


if __name__ == "__main__":
    sys.exit(main())
