"""`make mutants`: plants each bug in a copy, runs its tests, names those that nobody noticed."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mutants import survivors
from mutants.bugs import all_bugs
from mutants.compiled import EngineBench
from mutants.draws import ENGINE, draw
from mutants.entered import FLAGS
from mutants.fates import Bench, fates_of
from mutants.reached import STORE, Reached, look
from mutants.shares import PAGE, keep, kept, missed, page_with, shares_of, table_of
from mutants.tree import Copy, CopyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutants.bugs import Bug
    from mutants.drawn import Drawn

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """0 when every bug was noticed."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--only", default="", help="those with this in their file or name")
    parser.add_argument("--quick", action="store_true", help="those that need no compiler")
    parser.add_argument("--copy", type=Path, default=ROOT / "build" / "mutants", help="its folder")
    parser.add_argument("--list", action="store_true", help="name them and do nothing")
    parser.add_argument("--drawn", type=int, default=0, help="draw so many that nobody chose")
    parser.add_argument("--seed", type=int, default=0, help="of the draw; none: this day's date")
    parser.add_argument("--again", action="store_true", help="try those that lived once more")
    parser.add_argument("--share", action="store_true", help="keep the shares, for docs, and what"
        " lived")  # fmt: skip
    parser.add_argument("--under", default="", help="these folders of src/weft, with commas; or of"
        " the engine: engine/patterns,engine/run")  # fmt: skip
    parser.add_argument("--tests", nargs="*", default=["tests"], help="that may notice them")
    parser.add_argument("--processes", type=int, default=2, help="that try drawn ones")
    parser.add_argument("--store", type=Path, default=STORE, help="which tests reach which line")
    asked = parser.parse_args()
    if asked.drawn or asked.again:
        return _draw(asked)
    bugs = [
        bug
        for bug in all_bugs()
        if asked.only.lower() in bug.title.lower() and (bug.is_quick or not asked.quick)
    ]
    if not bugs:
        _say(f"no planted bug has {asked.only} in its file or name; see --list")
        return 2
    if asked.list:
        for bug in bugs:
            _say(bug.title)
        return 0
    here = executed_on(cpu_flags(), bugs)
    begun = time.monotonic()
    try:
        lived = plant_all(Copy(ROOT, asked.copy.resolve()), here)
    except CopyError as error:
        _say(f"make mutants: {error}")
        return 2
    took = time.monotonic() - begun
    _say(
        f"{len(here)} planted, {len(here) - len(lived)} noticed, {len(lived)} not, in {took:.0f} s"
    )
    for title in lived:
        _say(f"  {title}")
    return 1 if lived else 0


def _draw(asked: argparse.Namespace) -> int:
    """0 unless a folder is surely below its aim, or one that lived lives again; 2 for no answer."""
    seed = asked.seed or int(time.strftime("%Y%m%d"))
    _say("those that lived" if asked.again else f"seed {seed}")
    under = [name for name in asked.under.split(",") if name]
    of_engine = [name for name in under if name.startswith(ENGINE)]
    if of_engine and of_engine != under:
        _say("--under has folders of the engine and of src/weft: draw them one after the other")
        return 2
    if asked.again and not survivors.kept():
        _say("none lived of a draw that was kept by --share")
        return 0
    benches, tree = _engine_bench(asked) if of_engine else _benches(asked)
    try:
        tried = fates_of(benches, _mutants(asked, tree, seed, under), _say)
    finally:
        for bench in benches:
            bench.close()
    if tried.untried:
        _say(f"{tried.untried} could not be tried: see UNTRIED above")
    if asked.again:
        survivors.keep(tried.fates)
        return 1 if "lived" in tried.fates.values() else 2 if tried.untried else 0
    shares = shares_of(tried.fates, seed)
    if asked.share:
        keep(shares)
        survivors.keep(tried.fates)
        PAGE.write_text(page_with(PAGE.read_text(), kept()))
    for line in table_of(shares):
        _say(line)
    for folder in missed(shares):
        _say(f"{folder} is below its aim")
    return 1 if missed(shares) else 2 if tried.untried else 0


def _mutants(asked: argparse.Namespace, tree: Path, seed: int, under: Sequence[str]) -> list[Drawn]:
    if not asked.again:
        return draw(tree, asked.drawn, seed, under, asked.store.with_name("rules"))
    is_engines = any(name.startswith(ENGINE) for name in under)
    lived = [
        one
        for one in survivors.kept()
        if one.path.startswith(ENGINE) == is_engines and (not under or one.folder in under)
    ]
    here, gone = survivors.as_now(tree, lived)
    for one in gone:
        _say(f"no more in its file: {one.title}")
    survivors.forget(gone)
    return here


def _engine_bench(asked: argparse.Namespace) -> tuple[list[EngineBench], Path]:
    copy = Copy(ROOT, asked.copy.resolve() / "engine", FLAGS)
    return [EngineBench(copy, asked.copy.resolve() / "engine" / "own")], copy.tree


def _benches(asked: argparse.Namespace) -> tuple[list[Bench], Path]:
    folder = asked.copy.resolve()
    copies = [Copy(ROOT, folder / str(number)) for number in range(asked.processes)]
    told = look(copies[0], asked.store, asked.tests, asked.processes, _say)
    if told:
        _say(f"without any mutant this fails, and says nothing of one:\n{told}")
    return [Bench(copy, Reached(asked.store, copy.tree), asked.tests) for copy in copies], copies[
        0
    ].tree


def cpu_flags(path: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """What this machine's processor can do, in Linux's words."""
    lines = path.read_text().splitlines()
    return frozenset(
        flag
        for line in lines
        if line.startswith(("flags", "Features"))
        for flag in line.partition(":")[2].split()
    )


def executed_on(flags: frozenset[str], bugs: Sequence[Bug]) -> list[Bug]:
    """Those whose changed line this machine executes; the others are named."""
    for bug in bugs:
        if bug.cpu and bug.cpu not in flags:
            _say(f"NOT PLANTED, this processor has no {bug.cpu}: {bug.title}")
    return [bug for bug in bugs if not bug.cpu or bug.cpu in flags]


def plant_all(copy: Copy, bugs: Sequence[Bug]) -> list[str]:
    """Those that lived through every test, or could not be planted."""
    sound: set[tuple[object, ...]] = set()
    lived = []
    for number, bug in enumerate(bugs, start=1):
        copy.choose(bug.patterns)
        if told := _fails_without(copy, bug, sound):
            _say(f"{number}/{len(bugs)} NOT CHECKED {bug.title}\n{told}")
            lived.append(bug.title)
            continue
        start = time.monotonic()
        copy.plant(bug)
        try:
            trouble = copy.build(_targets(bug))
            by = "" if trouble else copy.noticed_by(bug.tests, bug.engine, bug.builds)
        finally:
            copy.restore(bug)
        took = f"{number}/{len(bugs)} {time.monotonic() - start:.1f} s"
        if trouble:
            _say(f"{took} NOT BUILT {bug.title}\n{trouble[-2000:]}")
        elif by:
            _say(f"{took} noticed {bug.title}")
        else:
            _say(f"{took} SURVIVED {bug.title}")
        if not by:
            lived.append(bug.title)
    return lived


def _fails_without(copy: Copy, bug: Bug, sound: set[tuple[object, ...]]) -> str:
    """What fails without the bug: its failing with it would say nothing. Nothing if all is well."""
    tests = tuple(word for word in bug.tests if (word, bug.patterns) not in sound)
    engine = tuple(word for word in bug.engine if (word, bug.patterns) not in sound)
    if not tests and not engine:
        return ""
    if trouble := copy.build(_targets(bug)):
        return f"the engine cannot be built: {trouble[-2000:]}"
    if by := copy.noticed_by(tests, engine, bug.builds):
        return f"without any bug this fails: {by}"
    sound.update((word, bug.patterns) for word in (*tests, *engine))
    return ""


def _targets(bug: Bug) -> list[str]:
    return [*bug.builds, *(f"{words.partition(': ')[0]}-tests" for words in bug.engine)]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
