"""What becomes of drawn mutants: each runs only the tests that reach its line."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Literal

import msgspec

from mutants.compiled import NoMutantError
from mutants.drawn import Drawn, equivalents, reason_of
from mutants.forked import Asked, Told
from mutants.shares import Fate
from mutants.tree import CopyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from mutants.reached import Reached
    from mutants.tree import Copy

    class Tries(Protocol):
        """Where a mutant is tried."""

        def noticed_by(self, mutant: Drawn) -> tuple[str, int]:
            """The test that notices it, if any, and how many may.

            Raises NoMutantError, and CopyError where nothing can be told of it.
            """


# Of the tests that reach a mutant those run, cheap ones first, that take no longer than this in
# all: what only a later one would notice counts as lived.
MOST_TESTS_S = 30.0
# What does not end is noticed: by its computing, or where it waits by the clock.
SLOWER, BEGIN_CPU_S, BEGIN_S = 4.0, 10.0, 300.0
# So many one after the other that cannot be tried say that none can.
MOST_UNTRIED = 3
NONE: Literal["none"] = "none"
UNTRIED: Literal["untried"] = "untried"


class Tried(msgspec.Struct, frozen=True):
    """What became of mutants, and how many could not be tried."""

    fates: dict[Drawn, Fate]
    untried: int = 0


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
        """The answer. Raises CopyError where the process ended."""
        assert self._process.stdin is not None
        # One that has ended reads no more, and its answer is its end.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(msgspec.json.encode(asked).decode() + "\n")
            self._process.stdin.flush()
        return msgspec.json.decode(self._line(), type=Told)

    def _line(self) -> str:
        line = self._answers.readline()
        if not line:
            raise CopyError(f"the tests' process ended: mutants.forked {self._words}")
        return line

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(timeout=60)
        self._answers.close()


class Bench:
    """A copy with its two servers, where a mutant is tried."""

    def __init__(self, copy: Copy, reached: Reached, tests: Sequence[str]) -> None:
        self._copy, self._reached = copy, reached
        self._tests = {"held": tests, "anew": ()}
        self._servers = {way: Server(copy, way, own) for way, own in self._tests.items()}
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
        told = self._ask("held", asked)
        told = self._ask("anew", asked) if told.cannot else told
        if told.cannot:
            raise CopyError(told.cannot)
        return told

    def _ask(self, way: str, asked: Asked) -> Told:
        """A server's answer; another takes the place of one that ends, for the next mutant."""
        try:
            return self._servers[way].ask(asked)
        except CopyError:
            self._servers[way].close()
            # Without the mutant, which is what it would import.
            path = self._copy.tree / asked.path
            planted = path.read_text()
            path.write_text(asked.before)
            self._servers[way] = Server(self._copy, way, self._tests[way])
            path.write_text(planted)
            raise

    def close(self) -> None:
        """End its servers."""
        for server in self._servers.values():
            server.close()


def fates_of(
    benches: Sequence[Tries], mutants: Iterable[Drawn], say: Callable[[str], None]
) -> Tried:
    """By mutant what became of it, told as it goes on. One that no test reaches lives.

    Without those that turn out to be none. What cannot be tried is said and counted; after three
    one after the other no more are tried there.
    """
    known = equivalents()
    waiting: queue.SimpleQueue[Drawn] = queue.SimpleQueue()
    fates: dict[Drawn, Fate | Literal["none"]] = {}
    faults: list[BaseException] = []
    drawn = list(mutants)
    for mutant in drawn:
        waiting.put(mutant)

    def work(bench: Tries) -> None:
        untried = 0
        try:
            while untried < MOST_UNTRIED:
                mutant = waiting.get_nowait()
                start = time.monotonic()
                fate, told = _fate_of(bench, mutant, reason_of(mutant, known))
                untried = untried + 1 if fate == UNTRIED else 0
                if fate != UNTRIED:
                    fates[mutant] = fate
                took = (
                    f"{len(drawn) - waiting.qsize()}/{len(drawn)} {time.monotonic() - start:.1f} s"
                )
                say(f"{took}: {fate.upper()} {mutant.title}{told}")
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
    told = {mutant: fates[mutant] for mutant in drawn if mutant in fates}
    return Tried(
        {mutant: fate for mutant, fate in told.items() if fate != NONE}, len(drawn) - len(told)
    )


def _fate_of(
    bench: Tries, mutant: Drawn, reason: str
) -> tuple[Fate | Literal["none", "untried"], str]:
    """What became of a mutant, with what says so; `none` where it turns out to be none."""
    if reason:
        return "equivalent", ""
    try:
        by, number = bench.noticed_by(mutant)
    except NoMutantError as why:
        return NONE, f": {why}"
    except CopyError as why:
        return UNTRIED, f": {why}"
    return ("noticed", f" by {by}") if by else ("lived", f" through {number} tests")
