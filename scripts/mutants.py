#!/usr/bin/env python
"""Draws small changes of the sources, runs tests on each, and reports how many were noticed.

    make mutants ARGS="--minutes 10"                 draws until the time is over
    make mutants ARGS="--seed 7 --under src/weft/fabric"   the same draw again, in one folder

The share is information about the tests, not a target. Read the changes that nothing noticed:
where one would give a wrong result, write a test with a known answer. There is no list of changes.

Changes of Python are those of cosmic-ray's operators; of C++ those of the rules below. Each is made
in a copy under build/mutants, never in the checkout. The tests of a change are the files that name
its module, its header or its folder, so a change that others would notice counts as missed.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.copies import without_finder  # noqa: E402 - from the folder of the tests

COPY = ROOT / "build" / "mutants" / "tree"
FOLDERS = ("src/weft", "engine")
# What a copy needs to run the tests of one change.
NEEDED = ("src", "tests", "engine", "docs", "bench", "scripts", "schemas", "packaging")
MOST_FILES = 12
DEADLINE_S = 600
QUICK = "not engine and not browser and not thorough"
# Folders of tests that start ranks, machines or packages, and tests of texts only.
NOT_QUICK = ("lab", "engine", "packaging", "style", "truth")
# Of C++: a token and its replacement.
RULES = (
    (r"<=", "<"), (r"(?<![<>=\-])<(?![<=>\w:])", "<="), (r"(?<![\-=>])>=", ">"), (r"==", "!="),
    (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r" \+ ", " - "), (r" - ", " + "),
    (r" \* ", " / "), (r" / ", " * "), (r"\+= ", "-= "), (r"\bstd::min\b", "std::max"),
    (r"\bstd::max\b", "std::min"), (r"\.front\(\)", ".back()"), (r"\.back\(\)", ".front()"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<![\w.])0(?![\w.'])", "1"),
    (r"(?<![\w.])1(?![\w.'])", "2"), (r"\bany_of\b", "all_of"), (r"\ball_of\b", "any_of"),
)  # fmt: skip
_CPP_QUIET = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|^\s*#.*?$|<[\w/.:, ]+>', re.S | re.M
)


@dataclass(frozen=True)
class Change:
    """A file, its new text, and the line that changes."""

    path: str
    text: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        """Where it is and what it changes, for a reader."""
        return f"{self.path}:{self.line}\n  - {self.before}\n  + {self.after}"


def change_of(path: str, old: str, new: str) -> Change | None:
    """The change from one text of a file to another; none if only comments or blanks differ."""
    for number, (before, after) in enumerate(
        zip(old.split("\n"), new.split("\n"), strict=False), 1
    ):
        if before != after:
            return Change(path, new, number, before.strip(), after.strip())
    return None


def changes_of_python(path: str, text: str, draw: random.Random) -> Change | None:
    """One change of a module by an operator of cosmic-ray; none if no operator has a place."""
    # Only `make mutants` installs it.
    from cosmic_ray.ast import ast_nodes, get_ast  # noqa: PLC0415
    from cosmic_ray.mutating import mutate_code  # noqa: PLC0415
    from cosmic_ray.plugins import get_operator, operator_names  # noqa: PLC0415

    tree = get_ast(text)
    # Types and decorators change nothing at run time, or everything.
    left_out = ("RemoveDecorator", "BitOr", "VariableReplacer", "VariableInserter", "Is")
    names = [name for name in operator_names() if not any(word in name for word in left_out)]
    draw.shuffle(names)
    for name in names:
        operator = get_operator(name)()
        places = sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(tree))
        if places:
            new = mutate_code(text, operator, draw.randrange(places))
            return change_of(path, text, new) if new else None
    return None


def changes_of_cpp(path: str, text: str, draw: random.Random) -> Change | None:
    """One change of a C++ file by a rule; comments, texts and includes stay."""
    quiet = _CPP_QUIET.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    places = [(found, new) for old, new in RULES for found in re.finditer(old, quiet)]
    if not places:
        return None
    found, new = draw.choice(places)
    return change_of(path, text, text[: found.start()] + new + text[found.end() :])


def drawn(sources: list[str], draw: random.Random) -> Change | None:
    """A change of a source, each line of code as likely as any other."""
    texts = {path: (ROOT / path).read_text() for path in sources}
    weights = [text.count("\n") for text in texts.values()]
    [path] = draw.choices(sources, weights)
    made = changes_of_python if path.endswith(".py") else changes_of_cpp
    return made(path, texts[path], draw)


def sources_under(folders: tuple[str, ...]) -> list[str]:
    """The sources of these folders that git knows, without tests."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    return [
        path
        for path in listed
        if path.startswith(FOLDERS)
        and path.endswith((".py", ".hpp", ".cpp"))
        and "/tests/" not in path
        and not path.endswith("__init__.py")
    ]


def tests_of_python(path: str) -> list[str]:
    """Test files of a module: of its folder and naming it first, then naming it, then the folder's.

    At most MOST_FILES, of each kind the longest first: these go through most.
    """
    parts = Path(path).with_suffix("").parts[1:]
    module, leaf = ".".join(parts), parts[-1]
    parent = re.escape(module.rpartition(".")[0])
    imports = re.compile(rf"{re.escape(module)}\b|from {parent} import .*\b{leaf}\b")
    folder = Path("tests", *parts[1:-1])
    found = []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        where = file.relative_to(ROOT)
        if where.parts[1] in NOT_QUICK:
            continue
        text = file.read_text()
        names, is_near = bool(imports.search(text)), where.is_relative_to(folder)
        if names or is_near or leaf in where.stem:
            found.append((not (names and is_near), not names, -len(text), str(where)))
    return [name for *_, name in sorted(found)[:MOST_FILES]]


def tests_of_cpp(path: str) -> list[str]:
    """The programs of engine/tests whose file includes the header or is named like the source."""
    folder = ROOT / "engine" / "tests"
    include, stem = str(Path(path).with_suffix(".hpp").relative_to("engine")), Path(path).stem
    found = [
        file.stem.removesuffix("_test")
        for file in sorted(folder.glob("*_test.cpp"))
        if include in file.read_text() or file.stem.startswith(stem)
    ]
    # Benchmarks and their parts are compiled into one object, which these run on known times.
    usual = ["truth", "patterns"] if "/patterns/" in path else ["case_run", "plans"]
    return [
        name for name in dict.fromkeys([*found, *usual]) if (folder / f"{name}_test.cpp").exists()
    ][:3]


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """A command in the copy, ended at the deadline; status 124 then."""
    # Programs that a test starts import weft from the copy, too.
    path = f"{without_finder(COPY / 'site')}{os.pathsep}{COPY / 'src'}"
    environment = os.environ | {
        "PYTHONPATH": path,
        # Objects of the checkout are those of the copy, where nothing is changed.
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_NOHASHDIR": "1",
        "CCACHE_BASEDIR": str(COPY), "CCACHE_SLOPPINESS": "pch_defines,time_macros",
    }  # fmt: skip
    try:
        return subprocess.run(
            words, cwd=COPY, env=environment, capture_output=True, text=True, timeout=DEADLINE_S,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "")


def fate_of(change: Change) -> str:
    """What tests say of a change: noticed, missed, or that it could not be tried."""
    file = COPY / change.path
    before = file.read_text()
    file.write_text(change.text)
    try:
        if change.path.endswith(".py"):
            python = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
            done = run([*python, "-m", QUICK, *tests_of_python(change.path)])
            fates = {0: "missed", 1: "noticed", 2: "noticed", 4: "noticed", 124: "noticed"}
            return fates.get(done.returncode, "not tried")
        return _fate_in_engine(change)
    finally:
        file.write_text(before)


def _fate_in_engine(change: Change) -> str:
    programs = tests_of_cpp(change.path)
    build = COPY / "build" / "release"
    made = run(["ninja", "-C", str(build), *(f"{name}-tests" for name in programs)])
    if made.returncode:
        return "not tried"
    for name in programs:
        if run([str(build / "engine" / "tests" / f"{name}-tests"), "--gtest_brief=1"]).returncode:
            return "noticed"
    return "missed"


def make_copy(*, with_engine: bool) -> None:
    """The tree as it is now; the engine configured once, its objects kept from the last time."""
    COPY.mkdir(parents=True, exist_ok=True)
    for name in NEEDED:
        shutil.rmtree(COPY / name, ignore_errors=True)
        shutil.copytree(ROOT / name, COPY / name, symlinks=True)
    for file in ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, COPY / file)
    if with_engine:
        run(["cmake", "--preset", "test", "--log-level=WARNING"])


def interval(noticed: int, tried: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927), 0 to 1; of none tried all of it."""
    if not tried:
        return 0.0, 1.0
    z, share = 1.96, noticed / tried
    middle = (share + z * z / 2 / tried) / (1 + z * z / tried)
    half = z * math.sqrt(share * (1 - share) / tried + z * z / 4 / tried**2) / (1 + z * z / tried)
    return max(0.0, middle - half), min(1.0, middle + half)


def summary(fates: dict[str, list[str]]) -> list[str]:
    """A line for each language: how many changes were tried and noticed."""
    lines = []
    for language, own in fates.items():
        tried, noticed = len([one for one in own if one != "not tried"]), own.count("noticed")
        low, high = interval(noticed, tried)
        share = f"{noticed / tried:.0%} ({low:.0%} to {high:.0%})" if tried else "none tried"
        lines.append(
            f"{language}: {noticed} of {tried} noticed, {share}; {len(own) - tried} not tried"
        )
    return lines


def main() -> int:
    """Draw and try until the time is over. Returns 0, or 2 if no change could be tried."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="end after this time")
    parser.add_argument("--seed", type=int, help="repeat a draw (default: the day's date)")
    parser.add_argument("--under", help="folders, comma-separated: src/weft/plan,engine/run")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else int(f"{datetime.date.today():%Y%m%d}")
    folders = tuple(asked.under.split(",")) if asked.under else FOLDERS
    sources = sources_under(folders)
    if not sources:
        parser.error(f"--under {asked.under}: no sources there; use folders of src/weft or engine")
    end = time.monotonic() + 60 * asked.minutes
    make_copy(with_engine=any(path.startswith("engine") for path in sources))
    draw = random.Random(seed)  # noqa: S311 - a draw, no secret
    fates: dict[str, list[str]] = {"Python": [], "C++": []}
    print(f"seed {seed}: {len(sources)} sources", flush=True)
    while time.monotonic() < end:
        change = drawn(sources, draw)
        if change is None:
            continue
        fate = fate_of(change)
        fates["Python" if change.path.endswith(".py") else "C++"].append(fate)
        print(
            f"{fate}: {change}" if fate == "missed" else f"{fate}: {change.path}:{change.line}",
            flush=True,
        )
    print("\n".join(summary(fates)))
    return 0 if any(one != "not tried" for own in fates.values() for one in own) else 2


if __name__ == "__main__":
    sys.exit(main())
