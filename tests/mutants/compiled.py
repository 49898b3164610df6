"""Drawn mutants of the engine: compiled into the tests on the fabric of memory, and tried there.

Of a mutant only the objects are compiled that have its code: the engine's that include its file,
and the fabric's, which holds all benchmarks. They stand first where the tests are linked anew.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mutants.tree import CopyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutants.drawn import Drawn
    from mutants.tree import Copy

PROGRAM = "engine-tests"
# Of a mutant tests run that take so long in all, s of processor time.
MOST_S = 30.0
# What computes for longer than its tests usually do, or waits for so long, is noticed.
SLOWER, BEGIN_CPU_S, BEGIN_S = 4.0, 10.0, 60.0
# What a suite is taken to compute that nobody ran yet, s.
USUAL_S = 5.0
COMPILE_S = 600.0
_FAILED = re.compile(r"^\[  FAILED  \] ([\w./]+)", re.M)
_BEGUN = re.compile(r"^\[ RUN      \] ([\w./]+)", re.M)


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
            words = one["command"].split()
            self._compile[words[words.index("-o") + 1]] = words
        self._link = self._link_words()
        self._tests = self._listed()
        # What a suite takes where nothing fails, learned as mutants live through it.
        self._cost_s: dict[str, float] = {}
        self._sound: dict[str, bool] = {}

    def _link_words(self) -> list[str]:
        words = ["ninja", "-C", str(self._build), "-t", "commands", PROGRAM]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        # The last one is the linker's; behind it CMake lists the tests.
        return said.splitlines()[-1].removeprefix(": && ").partition(" && ")[0].split()

    def _listed(self) -> dict[str, list[str]]:
        """By suite its tests."""
        words = [str(self._program), "--gtest_list_tests"]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        found: dict[str, list[str]] = {}
        suite = ""
        for line in said.splitlines():
            name = line.partition("#")[0].strip()
            if line.startswith(" ") and not name.startswith("DISABLED_"):
                found.setdefault(suite, []).append(f"{suite}{name}")
            elif name.endswith("."):
                suite = name
        return found

    def _suites(self, path: str) -> list[str]:
        """Those called like the file, or by a part of its name, first, then cheap ones, then those
        that nobody ran yet.
        """
        own = Path(path).stem.replace("_", "")

        def place(suite: str) -> tuple[bool, float]:
            # "Milc." is of milc_ranks.hpp, and "PutNotifyPingPong." of put_notify_ping_pong.hpp.
            name = suite.lower().rpartition("/")[2].rstrip(".")
            is_own = own in name or name in own
            return not is_own, self._cost_s.get(suite, MOST_S)

        return sorted(self._tests, key=place)

    def noticed_by(self, mutant: Drawn) -> tuple[str, int]:
        """The test that notices it, if any, and how many there are. Raises NoMutantError."""
        path = self._copy.tree / mutant.path
        written_ns = path.stat().st_mtime_ns
        self._copy.plant(mutant)
        try:
            program = self._compiled(mutant.path)
        finally:
            self._copy.restore(mutant)
            # Nothing else was compiled of it: the next build has nothing to do.
            os.utime(path, ns=(written_ns, written_ns))
        return self._first_failing(program, mutant.path), sum(map(len, self._tests.values()))

    def close(self) -> None:
        """Nothing of it runs on."""

    def _compiled(self, path: str) -> Path:
        """The tests with what is planted now."""
        made: list[tuple[str, Path]] = []
        is_changed = False
        for name in self._objects_of(path):
            words = self._compile[name]
            target = self._own / f"{len(made)}.o"
            own = [str(target) if word == name else word for word in words]
            if subprocess.run(
                own, cwd=self._build, capture_output=True, check=False, timeout=COMPILE_S
            ).returncode:
                raise NoMutantError("the compiler refuses it")
            is_changed = is_changed or target.read_bytes() != (self._build / name).read_bytes()
            made.append((name, target))
        if not made:
            raise NoMutantError("no test has its code")
        if not is_changed:
            raise NoMutantError("the machine's code is the same")
        return self._linked(made)

    def _linked(self, made: Sequence[tuple[str, Path]]) -> Path:
        program = self._own / PROGRAM
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

    def _objects_of(self, path: str) -> list[str]:
        """The objects that have a file's code: of the tests those that include it themselves."""
        source = str(self._copy.tree / path)
        own = path.removeprefix("engine/")
        words = ["ninja", "-C", str(self._build), "-t", "deps"]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        found = []
        for block in said.split("\n\n"):
            name, *others = block.splitlines() or [""]
            name = name.partition(":")[0]
            # ccache writes them as seen from the build.
            known = {os.path.normpath(self._build / one.strip()) for one in others}
            if source not in known or name not in self._compile:
                continue
            of_tests = f"{PROGRAM}.dir" in name
            is_linked = name in self._link or "weft_engine.dir" in name
            text = Path(self._compile[name][-1]).read_text() if of_tests else ""
            if is_linked and (not of_tests or f'#include "{own}"' in text):
                found.append(name)
        return found

    def _first_failing(self, program: Path, path: str) -> str:
        """Of the tests that fail with the mutant and pass without it the first."""
        left_s = MOST_S
        for suite in self._suites(path):
            chosen = [one for one in self._tests[suite] if self._sound.get(one, True)]
            while chosen and left_s > 0:
                ended = self._ran(program, chosen, self._cost_s.get(suite, USUAL_S))
                left_s -= ended.cpu_s
                if not ended.by:
                    self._cost_s[suite] = ended.cpu_s
                    break
                if ended.is_late:
                    if not self._is_late_anyway(suite, chosen):
                        return ended.by
                    break
                if self._is_sound(ended.by):
                    return ended.by
                chosen.remove(ended.by)
        return ""

    def _is_late_anyway(self, suite: str, chosen: Sequence[str]) -> bool:
        """Whether tests of a suite take as long without any mutant: then they are left."""
        ended = self._ran(self._program, chosen, self._cost_s.get(suite, USUAL_S))
        if ended.by:
            self._sound.update(dict.fromkeys(chosen, False))
        else:
            self._cost_s[suite] = ended.cpu_s
        return ended.by != ""

    def _is_sound(self, test: str) -> bool:
        """Whether it passes without any mutant."""
        if test not in self._sound:
            self._sound[test] = not self._ran(self._program, [test], USUAL_S).by
        return self._sound[test]

    def _ran(self, program: Path, tests: Sequence[str], usual_s: float) -> Ended:
        most_s = BEGIN_CPU_S + SLOWER * usual_s
        words = ["prlimit", f"--cpu={int(most_s)}", "--core=0", str(program)]
        words += ["--gtest_fail_fast", f"--gtest_filter={':'.join(tests)}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            cwd=self._own, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=BEGIN_S + 2 * most_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if process.returncode == 0:
            return Ended(by="", cpu_s=cpu_s)
        failed, begun = _FAILED.findall(said), _BEGUN.findall(said)
        is_late = process.returncode in (-signal.SIGKILL, -signal.SIGXCPU)
        return Ended(
            by=(failed or begun[-1:] or [tests[0]])[0], cpu_s=cpu_s, is_late=is_late and not failed
        )
