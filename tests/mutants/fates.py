"""What becomes of drawn mutants: each runs only the tests that reach its line."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import msgspec

from mutants.compiled import NoMutantError
from mutants.drawn import equivalents, reason_of
from mutants.forked import Asked, Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from mutants.drawn import Drawn
    from mutants.reached import Reached
    from mutants.shares import Fate
    from mutants.tree import Copy

    class Tries(Protocol):
        """Where a mutant is tried."""

        def noticed_by(self, mutant: Drawn) -> tuple[str, int]:
            """The test that notices it, if any, and how many may. Raises NoMutantError."""


# Of the tests that reach a mutant those run, cheap ones first, that take no longer than this in
# all: what only a later one would notice counts as lived.
MOST_TESTS_S = 30.0
# What does not end is noticed: by its computing, or where it waits by the clock.
SLOWER, BEGIN_CPU_S, BEGIN_S = 4.0, 10.0, 300.0


class Server:
    """A process that answers what notices a mutant; it imports the files as they are now."""

    def __init__(self, copy: Copy, way: str, tests: Sequence[str]) -> None:
        self._words = [way, *tests]
        ours, theirs = os.pipe()
        environment = copy.environment()
        environment["PYTHONPATH"] += f":{copy.tree / 'tests'}"
        environment |= {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        words = [sys.executable, "-m", "mutants.forked", str(theirs), *self._words]
        self._process = subprocess.Popen(
            words, cwd=copy.tree, env=environment, pass_fds=[theirs], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        self._answers = os.fdopen(ours)
        assert self._line() == "ready\n"

    def ask(self, asked: Asked) -> Told:
        """The answer. Raises RuntimeError where the process ended."""
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(asked).decode() + "\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._line(), type=Told)

    def _line(self) -> str:
        line = self._answers.readline()
        if not line:
            raise RuntimeError(f"the tests' process ended: mutants.forked {self._words}")
        return line

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._answers.close()


class Bench:
    """A copy with its two servers, where a mutant is tried."""

    def __init__(self, copy: Copy, reached: Reached, tests: Sequence[str]) -> None:
        self._copy, self._reached = copy, reached
        self._held, self._anew = Server(copy, "held", tests), Server(copy, "anew", ())
        self._sound: set[str] = set()
        self._unsound: set[str] = set()

    def noticed_by(self, mutant: Drawn) -> tuple[str, int]:
        """The test that notices it, if any, and how many reach it."""
        reaching = self._reached.by(mutant.path, mutant.line)
        while True:
            tests = [one for one in reaching if one not in self._unsound]
            by = self._first_failing(mutant, self._within(tests))
            if not by or by in self._sound or "::" not in by:
                return by, len(reaching)
            # What fails without the mutant too says nothing of it.
            if self._asked(mutant, [by]).by:
                self._unsound.add(by)
            else:
                self._sound.add(by)

    def _within(self, tests: Sequence[str]) -> list[str]:
        """As many as are run in the time that a mutant has."""
        kept = list(tests)
        while len(kept) > 1 and self._reached.cost_s(kept) > MOST_TESTS_S:
            kept = kept[: max(1, int(len(kept) * 0.9))]
        return kept

    def _first_failing(self, mutant: Drawn, tests: Sequence[str]) -> str:
        if not tests:
            return ""
        before = (self._copy.tree / mutant.path).read_text()
        self._copy.plant(mutant)
        try:
            return self._asked(mutant, tests, before).by
        finally:
            self._copy.restore(mutant)

    def _asked(self, mutant: Drawn, tests: Sequence[str], before: str = "") -> Told:
        asked = Asked(
            path=mutant.path,
            before=before or (self._copy.tree / mutant.path).read_text(),
            tests=tuple(tests),
            most_cpu_s=BEGIN_CPU_S + SLOWER * self._reached.cost_s(tests),
            most_s=BEGIN_S + 5 * SLOWER * self._reached.cost_s(tests),
        )
        told = self._held.ask(asked)
        told = self._anew.ask(asked) if told.cannot else told
        if told.cannot:
            raise RuntimeError(told.cannot)
        return told

    def close(self) -> None:
        """End its servers."""
        self._held.close()
        self._anew.close()


def fates_of(
    benches: Sequence[Tries], mutants: Iterable[Drawn], say: Callable[[str], None]
) -> dict[Drawn, Fate]:
    """By mutant what became of it, told as it goes on. One that no test reaches lives.

    Without those that turn out to be none.
    """
    known = equivalents()
    waiting: queue.SimpleQueue[Drawn] = queue.SimpleQueue()
    fates: dict[Drawn, Fate] = {}
    faults: list[BaseException] = []
    drawn = list(mutants)
    for mutant in drawn:
        waiting.put(mutant)

    def work(bench: Tries) -> None:
        try:
            while True:
                mutant = waiting.get_nowait()
                start = time.monotonic()
                fate, told = _fate_of(bench, mutant, reason_of(mutant, known))
                if fate is not None:
                    fates[mutant] = fate
                took = (
                    f"{len(drawn) - waiting.qsize()}/{len(drawn)} {time.monotonic() - start:.1f} s"
                )
                say(f"{took}: {(fate or 'none').upper()} {mutant.title}{told}")
        except queue.Empty:
            return
        except BaseException as fault:  # noqa: BLE001 - it is raised where the threads are joined
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(bench,)) for bench in benches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return {mutant: fates[mutant] for mutant in drawn if mutant in fates}


def _fate_of(bench: Tries, mutant: Drawn, reason: str) -> tuple[Fate | None, str]:
    """What became of a mutant, with what says so; None where it turns out to be none."""
    if reason:
        return "equivalent", ""
    try:
        by, number = bench.noticed_by(mutant)
    except NoMutantError as why:
        return None, f": {why}"
    return ("noticed", f" by {by}") if by else ("lived", f" through {number} tests")
