"""Which tests reach which line, from where, and how long each takes: recorded once, kept outside
the checkout.

A plugin of pytest under coverage, in the processes that tests start too. A test's context is its
name. What a fixture does once for a file is done in the name of the file whose test came first: all
of that file's tests reach it. Only files of tests that changed since are run again; lines that
moved in a source since are found by the text about them.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import lru_cache
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from mutants.statements import function_of, statement_of
from support.copies import WITHOUT_FINDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from mutants.tree import Copy

# From a line to the next, as coverage counts them; negative where a function begins or ends.
Way = tuple[int, int]
# Outside the checkout, for every checkout of this machine.
STORE = Path.home() / ".cache" / "weft" / "mutants" / "recorded.sqlite"
MOST_S = 3600.0
# So many are recorded at a time: starting pytest takes some seconds each time, and what is
# interrupted is lost.
FILES_OF_A_PIECE = 16
TIMES = "WEFT_TIMES_OF_TESTS"
QUICK = "not engine and not browser"
# A module that is each of weft's, for files of tests that go through all sources.
EVERY = "*"
_GOES_THROUGH = ("pkgutil.walk_packages", 'rglob("*.py")')
_TABLES = """
CREATE TABLE IF NOT EXISTS files (file TEXT PRIMARY KEY, sha TEXT);
CREATE TABLE IF NOT EXISTS tests (test TEXT PRIMARY KEY, file TEXT, set_up_s REAL, call_s REAL);
CREATE TABLE IF NOT EXISTS sources (sha TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS reached (path TEXT, sha TEXT, file TEXT, test TEXT, lines BLOB);
CREATE TABLE IF NOT EXISTS ways (
    path TEXT, sha TEXT, file TEXT, ways TEXT, PRIMARY KEY (path, sha, file)
);
CREATE INDEX IF NOT EXISTS by_path ON reached (path);
"""
# A process that a test starts is traced in the test's name; what coverage says of a process that
# ran nothing of weft would be in what the test reads.
_SETTINGS = """[run]
source = {source}
data_file = {data}
branch = true
parallel = true
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected,module-not-imported,module-not-measured,couldnt-parse
"""


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


class Wrappers:
    """What pytest calls about each test: its context, and its time."""

    def __init__(self) -> None:
        self._times: dict[str, dict[str, float]] = {}

    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """In the file's name."""
        with _in_the_name_of(item.nodeid.partition("::")[0]), self._timed(item, "setup"):
            return (yield)

    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """In the test's own."""
        with _in_the_name_of(item.nodeid), self._timed(item, "call"):
            return (yield)

    @contextlib.contextmanager
    def _timed(self, item: pytest.Item, when: str) -> Iterator[None]:
        """Keep its processor time, with that of what it starts: others may have the machine."""
        begun_s = sum(os.times()[:4])
        try:
            yield
        finally:
            own = self._times.setdefault(item.nodeid, {})
            own[when] = sum(os.times()[:4]) - begun_s

    def pytest_sessionfinish(self) -> None:
        """Write the times."""
        folder = Path(os.environ[TIMES])
        (folder / f"{os.getpid()}.json").write_text(json.dumps(self._times))


def pytest_configure(config: pytest.Config) -> None:
    """Register the wrappers, where pytest is there to give them their mark."""
    import pytest

    if TIMES in os.environ:
        for hook in (Wrappers.pytest_runtest_setup, Wrappers.pytest_runtest_call):
            pytest.hookimpl(wrapper=True)(hook)
        config.pluginmanager.register(Wrappers(), "reached")


def look(
    copy: Copy,
    store: Path,
    tests: Sequence[str],
    processes: int = 2,
    say: Callable[[str], None] = lambda _: None,
) -> str:
    """Record what these quick tests reach, as far as it is not known; what fails is told.

    Piece by piece, each of which is kept: a recording that was interrupted goes on.
    """
    with opened(store) as known:
        stale = [
            file
            for file in files_of_tests(copy.tree, tests)
            if _sha_of_test(known, file) != sha_of((copy.tree / file).read_text())
        ]
    told = ""
    for first in range(0, len(stale), FILES_OF_A_PIECE):
        piece = stale[first : first + FILES_OF_A_PIECE]
        say(f"recording which lines tests reach: {first} of {len(stale)} files are done")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            told += _run_traced(copy, folder, piece, processes)
            with opened(store) as known:
                _keep(known, copy.tree, folder, piece)
    return told


def files_of_tests(tree: Path, tests: Sequence[str]) -> list[str]:
    """Files of tests; those of the mutants themselves reach nothing of weft.

    First come those in no folder: they go through all commands and sources, so that a recording
    that was interrupted has most of what it will have.
    """
    found = {
        str(path.relative_to(tree))
        for name in tests
        for path in ([tree / name] if name.endswith(".py") else (tree / name).rglob("test_*.py"))
        if path.parent != tree / "tests" / "mutants"
    }
    return sorted(found, key=lambda name: (name.count("/"), name))


def _run_traced(copy: Copy, folder: Path, files: Sequence[str], processes: int) -> str:
    settings = folder / "settings"
    source = copy.tree / "src" / "weft"
    settings.write_text(_SETTINGS.format(source=source, data=folder / "data"))
    start = f"{WITHOUT_FINDER}\nimport coverage\ncoverage.process_startup()\n"
    (folder / "sitecustomize.py").write_text(start)
    environment = copy.environment() | {
        "COVERAGE_PROCESS_START": str(settings),
        TIMES: str(folder),
        "PYTHONPATH": f"{folder}:{copy.tree / 'src'}:{copy.tree / 'tests'}",
    }
    environment.pop("PYTEST_CURRENT_TEST", None)  # where a test calls this
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    words += ["-p", "mutants.reached", "-m", QUICK, "--hypothesis-seed=0"]
    running = [
        subprocess.Popen(
            [*words, *files[at::processes]], cwd=copy.tree, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        for at in range(min(processes, len(files)))
    ]  # fmt: skip
    said = [(one, one.communicate(timeout=MOST_S)[0]) for one in running]
    return "".join(text[-3000:] for one, text in said if one.returncode not in (0, 5))


def _keep(known: sqlite3.Connection, tree: Path, folder: Path, files: Sequence[str]) -> None:
    """Put what was traced in the place of what was known of these files."""
    for file in files:
        for table in ("files", "tests", "reached", "ways"):
            known.execute(f"DELETE FROM {table} WHERE file = ?", (file,))  # noqa: S608 - our names
        sha = sha_of((tree / file).read_text())
        known.execute("INSERT INTO files VALUES (?, ?)", (file, sha))
    for path in folder.glob("*.json"):
        for test, own in json.loads(path.read_text()).items():
            took = (test, test.partition("::")[0], own.get("setup", 0.0), own.get("call", 0.0))
            known.execute("INSERT OR REPLACE INTO tests VALUES (?, ?, ?, ?)", took)
    _keep_traced(known, tree, folder)


def _keep_traced(known: sqlite3.Connection, tree: Path, folder: Path) -> None:
    shas: dict[str, str] = {}
    every: dict[tuple[str, str], set[Way]] = defaultdict(set)
    for source, context, ways in chain.from_iterable(map(_traced, folder.glob("data.*"))):
        if not Path(source).is_file():  # of a test's own making
            continue
        name = str(Path(source).relative_to(tree))
        if name not in shas:
            text = (tree / name).read_text()
            shas[name] = sha_of(text)
            known.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (shas[name], text))
        test = named_in(context)
        file = test.partition("::")[0]
        every[name, file] |= ways
        if test:  # what importing runs is nobody's
            bits = _bits({at for way in ways for at in way if at > 0})
            row = (name, shas[name], file, test, bits)
            known.execute("INSERT INTO reached VALUES (?, ?, ?, ?, ?)", row)
    for (name, file), ways in every.items():
        _keep_ways(known, (name, shas[name], file), ways)


def _keep_ways(known: sqlite3.Connection, key: tuple[str, str, str], ways: set[Way]) -> None:
    """Beside those that are known of the same source, which other processes went."""
    rows = known.execute("SELECT ways FROM ways WHERE (path, sha, file) = (?, ?, ?)", key)
    before = {(begin, end) for (told,) in rows.fetchall() for begin, end in json.loads(told)}
    text = json.dumps(sorted(ways | before))
    known.execute("INSERT OR REPLACE INTO ways VALUES (?, ?, ?, ?)", (*key, text))


def _traced(path: Path) -> Iterator[tuple[str, str, set[Way]]]:
    """Source, context and ways, as coverage writes them (its page "dbschema")."""
    with contextlib.closing(sqlite3.connect(path)) as data, contextlib.suppress(sqlite3.Error):
        rows = data.execute(
            "SELECT file.path, context.context, fromno, tono FROM arc"
            " JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
            " ORDER BY file_id, context_id"
        )
        for (source, context), own in groupby(rows, itemgetter(0, 1)):
            yield source, context, {(begin, end) for _, _, begin, end in own}


def named_in(context: str) -> str:
    """The test of a context, or the file that a test's set-up counts for; empty where nobody's.

    In processes that a test starts pytest's words for the phase follow: "file::name (call)".
    """
    test, phase = context, ""
    for one in ("setup", "call", "teardown"):
        if context.endswith(f" ({one})"):
            test, phase = context.removesuffix(f" ({one})"), one
    return test.partition("::")[0] if phase == "setup" else test


@contextlib.contextmanager
def opened(store: Path) -> Iterator[sqlite3.Connection]:
    store.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(store)) as known, known:
        known.executescript(_TABLES)
        yield known


def sha_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _sha_of_test(known: sqlite3.Connection, file: str) -> str:
    return next(
        (sha for (sha,) in known.execute("SELECT sha FROM files WHERE file = ?", (file,))), ""
    )


class Reached:
    """The tests that reach a line of a file, cheap ones first."""

    def __init__(self, store: Path, tree: Path) -> None:
        self._store, self._tree = store, tree
        self._tests: dict[str, list[str]] = {}
        self._cost_s: dict[str, float] = {}
        set_up_s: dict[str, float] = {}
        with opened(store) as known:
            rows = known.execute("SELECT test, file, set_up_s, call_s FROM tests").fetchall()
        for test, file, before_s, call_s in rows:
            if not (tree / file).exists():
                continue
            self._tests.setdefault(file, []).append(test)
            self._cost_s[test] = call_s
            set_up_s[file] = max(before_s, set_up_s.get(file, 0.0))
        self._set_up_s = set_up_s
        self._imported = {file: _imported((tree / file).read_text()) for file in self._tests}

    def by(self, path: str, line: int) -> tuple[str, ...]:
        """Names of tests that run the statement of a line.

        What is run where its file is imported is reached by all that reach anything of the file,
        and by the tests of files that import it: who reads a constant runs no line of it.
        """
        text = (self._tree / path).read_text()
        wanted = statement_of(text, line)
        found = set() if wanted else self._of_importers(path)
        with opened(self._store) as known:
            rows = known.execute(
                "SELECT sha, file, test, lines FROM reached WHERE path = ?", (path,)
            )
            own: dict[str, set[int] | None] = {}
            for sha, file, test, numbits in rows.fetchall():
                if sha not in own:
                    own[sha] = wanted and self._moved(known, sha, text, wanted)
                lines = own[sha]
                if file not in self._tests:
                    continue
                if lines is None or any(_has(numbits, at) for at in lines):
                    found.update([test] if "::" in test else self._tests.get(file, ()))
        return self._in_order(found, f"tests/{Path(path).parts[2]}/")

    def _of_importers(self, path: str) -> set[str]:
        module = ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")
        readers = [file for file, names in self._imported.items() if names & {module, EVERY}]
        return {test for file in readers for test in self._tests[file]}

    def _moved(self, known: sqlite3.Connection, sha: str, text: str, lines: set[int]) -> set[int]:
        if sha == sha_of(text):
            return lines
        [(before,)] = known.execute("SELECT text FROM sources WHERE sha = ?", (sha,))
        was = places(before, text)
        # A statement that was written since: who ran anything of its function then runs it now.
        of_function = function_of(text, min(lines))
        return {was[at] for at in lines if at in was} or {
            was[at] for at in of_function if at in was
        }

    def _in_order(self, tests: set[str], own: str) -> tuple[str, ...]:
        """Those that go through all sources first, which hold what is declared; then cheap ones,
        those of a file together, which is set up once, and of the source's folder a tenth counts.
        """

        def decade(test: str) -> int:
            file = test.partition("::")[0]
            if EVERY in self._imported.get(file, ()):
                return 0
            cost_s = self._cost_s.get(test, 1.0) + self._set_up_s.get(file, 0.0)
            cost_s /= 10 if test.startswith(own) else 1
            return 1 + sum(cost_s > bound for bound in (0.003, 0.03, 0.3, 3.0))

        return tuple(sorted(tests, key=lambda one: (decade(one), one)))

    def cost_s(self, tests: Sequence[str]) -> float:
        """About how long these take."""
        files = {test.partition("::")[0] for test in tests}
        own_s = sum(self._cost_s.get(test, 1.0) for test in tests)
        return own_s + sum(self._set_up_s.get(file, 0.0) for file in files)


def _imported(text: str) -> frozenset[str]:
    """The modules that a file of tests imports by their names, and EVERY where it goes through all;
    names that it takes out of a module are among them.
    """
    found: set[str] = {EVERY} if any(words in text for words in _GOES_THROUGH) else set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, *(f"{node.module}.{one.name}" for one in node.names)))
    return frozenset(found)


def _bits(lines: set[int]) -> bytes:
    found = bytearray(max(lines, default=0) // 8 + 1)
    for line in lines:
        found[line // 8] |= 1 << line % 8
    return bytes(found)


def _has(numbits: bytes, line: int) -> bool:
    byte, bit = divmod(line, 8)
    return byte < len(numbits) and bool(numbits[byte] & (1 << bit))


@lru_cache(maxsize=64)
def places(before: str, now: str) -> dict[int, int]:
    """By line of a text, where it stood in an older one."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), now.splitlines(), autojunk=False)
    return {
        block.b + at + 1: block.a + at + 1
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    }
