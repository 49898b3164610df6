"""Drawn mutants of the engine: compiled into the tests on the fabric of memory, and tried there.

Of a mutant only the objects are compiled that have its code: the engine's that include its file,
and the fabric's, which holds all benchmarks. They stand first where the tests are linked anew.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mutants.entered import ENTERED, entered, key_of
from mutants.objects import changed_functions
from mutants.tree import CopyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mutants.drawn import Drawn
    from mutants.tree import Copy

PROGRAM = "engine-tests"
# Which has all benchmarks.
FABRIC = "support/fake_fabric.cpp"
# Of a mutant tests run that take so long in all, s of processor time: more than all of them take.
MOST_S = 600.0
# What computes for longer than its tests usually do is noticed, and what computes nothing for so
# long.
SLOWER, BEGIN_CPU_S, IDLE_S = 4.0, 10.0, 60.0
# Tests that run in one process, by what they usually take, s.
TOGETHER_S = 10.0
# What a suite may take where nothing is planted, s of processor time.
SUITE_S = 600.0
# What computes at all does so much in IDLE_S even on a busy machine, s.
LEAST_S = 0.02
COMPILE_S = 600.0
# How often an object is compiled whose compiler ends without a word about the source.
TRIALS = 3
# Whose functions are not counted as they are entered.
UNCOUNTED = "engine/apps/"
_FAILED = re.compile(r"^\[  FAILED  \] ([\w./]+)", re.M)
_BEGUN = re.compile(r"^\[ RUN      \] ([\w./]+)", re.M)
_PASSED = re.compile(r"^\[       OK \] ([\w./]+)", re.M)
_REFUSED = re.compile(r":\d+: (?:fatal )?error: ")
_DECLARED = re.compile(r"^(?:struct|class) (\w+)|^[a-zA-Z][^(;={\n]*?\b(\w+)\(", re.M)
_SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),", re.M)


class NoMutantError(Exception):
    """A change that the compiler refuses, or that changes nothing of the machine's code."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a run of tests ended: the first that failed or was begun last, and what it computed."""

    by: str
    cpu_s: float
    is_late: bool = False


class EngineBench:
    """A copy with the engine's tests, where a mutant is tried."""

    def __init__(self, copy: Copy, folder: Path) -> None:
        if told := copy.build([PROGRAM]):
            raise CopyError(f"the copy's engine cannot be built: {told[-2000:]}")
        self._copy, self._build = copy, copy.build_folder
        self._program = self._build / "engine" / "tests" / PROGRAM
        self._own = folder
        self._own.mkdir(parents=True, exist_ok=True)
        listed = json.loads((self._build / "compile_commands.json").read_text())
        self._compile: dict[str, list[str]] = {}
        for one in listed:
            # As the build started it, which is not listed: else each path in it would differ.
            words = [*copy.launcher(), *shlex.split(one["command"])]
            at = words.index("-o")
            # What the compiler refuses at its first error is none, whatever comes behind.
            self._compile[words[at + 1]] = [*words[:at], "-Wfatal-errors", *words[at:]]
        self._link = self._link_words()
        self._included = self._includes()
        self._symbols: dict[str, str] = {}
        self._sources = self._sources_of_suites()
        # Of each test that passes where nothing is planted; the others notice nothing.
        self._entered = entered(
            self._own.with_name("entered.json"), self._listed(), self._recorder, self._record
        )
        self._cost_s = self._entered.cpu_s

    def _link_words(self) -> list[str]:
        words = ["ninja", "-C", str(self._build), "-t", "commands", PROGRAM]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        # The last one is the linker's; behind it CMake lists the tests.
        return said.splitlines()[-1].removeprefix(": && ").partition(" && ")[0].split()

    def _listed(self) -> dict[str, str]:
        """By test which sources it is of: the engine's, and those of the object that has it."""
        engine = self._copy.tree / "engine"
        tests = engine / "tests"
        all_ = [path for path in sorted(engine.rglob("*.[ch]pp")) if tests not in path.parents]
        of_all = key_of(*(path.read_bytes() for path in [*all_, *self._needed(FABRIC)]))
        words = [str(self._program), "--gtest_list_tests"]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        found: dict[str, str] = {}
        suite = own = ""
        for line in said.splitlines():
            name = line.partition("#")[0].strip()
            if line.startswith(" ") and not name.startswith("DISABLED_"):
                found[f"{suite}{name}"] = own
            elif name.endswith("."):
                suite = name
                needed = self._needed(self._source_of(suite)) if self._source_of(suite) else []
                own = key_of(of_all.encode(), *(path.read_bytes() for path in needed))
        return found

    def _recorder(self) -> Path:
        """The tests with what writes which functions they enter."""
        words = next(one for name, one in self._compile.items() if f"{PROGRAM}.dir" in name)
        target = self._own / "entered.o"
        own = [word for word in words if not word.startswith("-finstrument")]
        own[own.index("-o") + 1] = str(target)
        own[-1] = str(self._copy.tree / ENTERED)
        subprocess.run(own, cwd=self._build, capture_output=True, check=True, timeout=COMPILE_S)
        return self._linked([(str(target), target)], "recorder")

    def _record(self, program: Path, tests: Sequence[str], told: Path) -> set[str]:
        """Those that did not pass."""
        told.write_text("")
        said = self._said(program, tests, SUITE_S, {"WEFT_ENTERED": str(told)})[0]
        return {*_FAILED.findall(said), *_BEGUN.findall(said)} - {*_PASSED.findall(said)}

    def _needed(self, source: str) -> list[Path]:
        """The files of tests that are compiled with one of theirs, which is among them."""
        tests = str(self._copy.tree / "engine" / "tests")
        return [
            Path(path)
            for name, paths in self._included.items()
            if name.endswith(f"/{source}.o")
            for path in sorted(paths)
            if path.startswith(tests)
        ]

    def _sources_of_suites(self) -> dict[str, str]:
        """By suite the name of the file that has its tests."""
        found = {}
        for path in sorted((self._copy.tree / "engine" / "tests").glob("*_test.cpp")):
            found.update(dict.fromkeys(_SUITE.findall(path.read_text()), path.name))
        return found

    def _source_of(self, test: str) -> str:
        """The name of the file that has a test: a parameter's name stands on either side."""
        words = re.split(r"[./]", test)
        return self._sources.get(next((word for word in words if word in self._sources), ""), "")

    def _in_turn(self, path: str, functions: set[str]) -> list[str]:
        """Of the tests that enter one of these functions those called like the file, or by a part
        of its name, or of a parameter of its name; those of files of tests that name it; then the
        others; cheap ones first of each.
        """
        stem = Path(path).stem.removesuffix("-inl")
        own, named = stem.replace("_", ""), re.compile(rf"\b{re.escape(stem)}\b")
        tests = self._copy.tree / "engine" / "tests"
        texts = {name: (tests / name).read_text() for name in set(self._sources.values())}

        def place(test: str) -> tuple[bool, bool, float]:
            # "Milc." is of milc_ranks.hpp, and "PutNotifyPingPong." of put_notify_ping_pong.hpp.
            words = re.split(r"[./]", test)
            suite = next((word for word in words if word in self._sources), "")
            name = suite.lower()
            # A test of every benchmark has its name behind the suite's.
            is_own = own in (word.replace("_", "") for word in words)
            is_own = is_own or (name != "" and (own in name or name in own))
            is_named = named.search(texts.get(self._source_of(test), "")) is not None
            return not is_own, not is_named, self._cost_s[test]

        of_apps = path.startswith(UNCOUNTED)
        return sorted(self._entered.reaching(() if of_apps else functions), key=place)

    def noticed_by(self, mutant: Drawn) -> tuple[str, int]:
        """The test that notices it, if any, and how many there are. Raises NoMutantError."""
        path = self._copy.tree / mutant.path
        written_ns = path.stat().st_mtime_ns
        self._copy.plant(mutant)
        try:
            program, functions = self._compiled(mutant.path)
        finally:
            self._copy.restore(mutant)
            # Nothing else was compiled of it: the next build has nothing to do.
            os.utime(path, ns=(written_ns, written_ns))
        tests = self._in_turn(mutant.path, functions)
        return self._first_failing(program, tests), len(tests)

    def close(self) -> None:
        """Nothing of it runs on."""

    def _compiled(self, path: str) -> tuple[Path, set[str]]:
        """The tests with what is planted now, and the functions that it changes."""
        made: list[tuple[str, Path]] = []
        is_changed = False
        functions: set[str] = set()
        for names in self._objects_of(path):
            if is_changed:
                break
            for name in names:
                target = self._own / f"{len(made)}.o"
                self._compile_into(target, name)
                whole = self._build / name
                is_changed = is_changed or target.read_bytes() != whole.read_bytes()
                functions |= changed_functions(whole, target)
                made.append((name, target))
        if not made:
            raise NoMutantError("no test has its code")
        if not is_changed:
            raise NoMutantError("the machine's code is the same")
        return self._linked(made, PROGRAM), functions

    def _compile_into(self, target: Path, name: str) -> None:
        words = [str(target) if word == name else word for word in self._compile[name]]
        for _ in range(TRIALS):
            done = subprocess.run(
                words,
                cwd=self._build,
                capture_output=True,
                check=False,
                timeout=COMPILE_S,
                text=True,
            )
            if done.returncode == 0:
                return
            if _REFUSED.search(done.stderr):
                raise NoMutantError("the compiler refuses it")
        # As where the machine has no room for one more process.
        raise CopyError(f"the compiler ended otherwise: {done.stderr[-2000:]}")

    def _linked(self, made: Sequence[tuple[str, Path]], called: str) -> Path:
        program = self._own / called
        known = dict(made)
        words = [str(known.get(word, word)) for word in self._link]
        words[words.index("-o") + 1] = str(program)
        # What is in the engine's library is taken from it only where no object has it.
        beside = [str(target) for name, target in made if name not in self._link]
        first = next(at for at, word in enumerate(words) if word.endswith(".o"))
        words[first:first] = beside
        if subprocess.run(
            words, cwd=self._build, capture_output=True, check=False, timeout=COMPILE_S
        ).returncode:
            raise NoMutantError("the linker refuses it")
        return program

    def _objects_of(self, path: str) -> tuple[list[str], list[str]]:
        """The objects that have a file's code, of the tests those that include it themselves; and
        other tests that have some and name it, as what is only made for a link of their own.
        """
        source = str(self._copy.tree / path)
        own = path.removeprefix("engine/")
        names = _declared_in(Path(source).read_text())
        found: list[str] = []
        others: list[str] = []
        for name in self._linked_objects():
            if source not in self._included[name]:
                continue
            of_tests = f"{PROGRAM}.dir" in name
            text = Path(self._compile[name][-1]).read_text() if of_tests else ""
            if not of_tests or f'#include "{own}"' in text:
                found.append(name)
            elif self._has_one(name, names) and self._speaks_of(name, {*names, Path(path).stem}):
                others.append(name)
        return found, others

    def _linked_objects(self) -> list[str]:
        return [
            name
            for name in self._included
            if name in self._compile and (name in self._link or "weft_engine.dir" in name)
        ]

    def _has_one(self, name: str, names: set[str]) -> bool:
        """Whether one of these names is in an object's symbols."""
        if name not in self._symbols:
            words = ["nm", "--defined-only", str(self._build / name)]
            said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            self._symbols[name] = said
        return any(f"{len(one)}{one}" in self._symbols[name] for one in names)

    def _speaks_of(self, name: str, words: set[str]) -> bool:
        """Whether a test's file, or its name, has one of these words."""
        path = Path(self._compile[name][-1])
        told = {path.stem.removesuffix("_test"), *re.findall(r"\w+", path.read_text())}
        return not told.isdisjoint(words)

    def _includes(self) -> dict[str, set[str]]:
        """By object the files that it is made of."""
        words = ["ninja", "-C", str(self._build), "-t", "deps"]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        found = {}
        for block in said.split("\n\n"):
            name, *others = block.splitlines() or [""]
            # ccache writes them as seen from the build.
            found[name.partition(":")[0]] = {
                os.path.normpath(self._build / one.strip()) for one in others
            }
        return found

    def _first_failing(self, program: Path, tests: Sequence[str]) -> str:
        """Of the tests that fail with the mutant and pass without it the first."""
        left_s = MOST_S
        for batch in _batches(tests, self._cost_s):
            chosen = list(batch)
            while chosen and left_s > 0:
                ended = self._ran(program, chosen)
                left_s -= ended.cpu_s
                if not ended.by:
                    break
                # A busy machine may fail it too.
                if not self._ran(self._program, chosen if ended.is_late else [ended.by]).by:
                    return ended.by
                chosen.remove(ended.by)
        return ""

    def _ran(self, program: Path, tests: Sequence[str]) -> Ended:
        most_s = BEGIN_CPU_S + SLOWER * sum(self._cost_s[one] for one in tests)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said, status = self._said(program, tests, most_s)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if status == 0:
            return Ended(by="", cpu_s=cpu_s)
        failed, begun = _FAILED.findall(said), _BEGUN.findall(said)
        is_late = status in (-signal.SIGKILL, -signal.SIGXCPU)
        return Ended(
            by=(failed or begun[-1:] or [tests[0]])[0], cpu_s=cpu_s, is_late=is_late and not failed
        )

    def _said(
        self,
        program: Path,
        tests: Sequence[str],
        most_s: float,
        more: Mapping[str, str] | None = None,
    ) -> tuple[str, int]:
        """What the tests said until the first failed, and its status; in so much processor time."""
        words = ["prlimit", f"--cpu={int(most_s)}", "--core=0", str(program)]
        words += ["--gtest_fail_fast", f"--gtest_filter={':'.join(tests)}"]
        with (self._own / "said").open("w+", errors="replace") as told:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=told, stderr=subprocess.STDOUT,
                cwd=self._own, env={**os.environ, **(more or {})}, start_new_session=True,
            )  # fmt: skip
            computed_s = -1.0
            while process.poll() is None:
                try:
                    process.wait(timeout=IDLE_S)
                except subprocess.TimeoutExpired:
                    # By the clock alone a busy machine would end what still computes.
                    before_s, computed_s = computed_s, _computed_s(process.pid)
                    if computed_s - before_s < LEAST_S:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.wait()
            told.seek(0)
            return told.read(), process.returncode


def _declared_in(text: str) -> set[str]:
    """The names of structs, classes and functions that a file declares outside of any."""
    return {one or other for one, other in _DECLARED.findall(text)}


def _computed_s(pid: int) -> float:
    """What a process has computed, s of processor time; of one that ended nothing."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _batches(tests: Sequence[str], cost_s: Mapping[str, float]) -> Iterator[list[str]]:
    """In their order, so many together as are expected to take so long."""
    batch: list[str] = []
    for one in tests:
        if batch and sum(cost_s[other] for other in batch) + cost_s[one] > TOGETHER_S:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch
