"""`make coverage`: which lines and branches the tests run, by folder, of Python and of the engine.

Python's are those of the quick tests and of the programs that they start (by coverage). The
engine's are those of its tests on the fabric of memory, compiled with --coverage, read by gcov;
branches that only an exception takes are not counted, nor a line of a template that no test makes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mutants.pages import with_table, write_rows
from mutants.reached import STORE, look
from mutants.recorded import files_recorded
from mutants.tree import Copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_name("judged") / "covered.toml"
PAGE = ROOT / "docs" / "tests-that-notice.md"
BEGIN, END = "<!-- covered -->\n", "<!-- end of covered -->\n"
# Below this a folder has its reason.
AIM = 0.9
MOST_S = 7200.0


class Covered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lines and branches of a folder, how many of them tests ran on a day, and why where these are
    few.
    """

    folder: str
    lines: int
    lines_run: int
    branches: int
    branches_run: int
    measured: str = ""
    why: str = ""

    @property
    def is_little(self) -> bool:
        """Whether less than is aimed at is run."""
        parts = ((self.lines_run, self.lines), (self.branches_run, self.branches))
        return any(run < AIM * every for run, every in parts)


def main() -> int:
    """0 when each folder has what is aimed at, or its reason."""
    parser = argparse.ArgumentParser(prog="make coverage", description=__doc__)
    parser.add_argument("--only", choices=("python", "engine"), help="one of both")
    parser.add_argument("--processes", type=int, default=2, help="that run tests")
    parser.add_argument("--keep", action="store_true", help="keep the figures, for docs")
    parser.add_argument("--under", default="", help="count these folders alone, with commas")
    parser.add_argument("--recorded", action="store_true", help="of Python: what is"
        " recorded already, as make mutants does it; no test is run")  # fmt: skip
    asked = parser.parse_args()
    folder = ROOT / "build" / "coverage"
    found: list[Covered] = []
    if asked.only != "engine":
        found += of_python(folder / "python", asked.processes, is_recorded=asked.recorded)
    if asked.only != "python":
        found += of_engine(folder / "engine", asked.processes)
    under = asked.under.split(",") if asked.under else [one.folder for one in found]
    found = [one for one in found if one.folder in under]
    found = dated(with_reasons(found, kept()), time.strftime("%Y-%m-%d"))
    if asked.keep:
        keep(found)
        PAGE.write_text(page_with(PAGE.read_text(), kept()))
    sys.stdout.write("\n".join(table_of(found)) + "\n")
    unexplained = [one.folder for one in found if one.is_little and not one.why]
    if unexplained:
        sys.stdout.write(f"below {AIM:.0%} without a reason: {', '.join(unexplained)}\n")
    return 1 if unexplained else 0


def of_python(folder: Path, processes: int, *, is_recorded: bool) -> list[Covered]:
    """By folder of src/weft, in a copy: the checkout may go on meanwhile.

    What `make mutants` recorded counts, and is recorded first where it is not known; only what is
    known where `is_recorded`.
    """
    copy = Copy(ROOT, folder)
    if not is_recorded and (told := look(copy, STORE, ["tests"], processes, _say)):
        _say(f"this fails, and counts nevertheless:\n{told}")
    return by_folder(files_recorded(STORE, copy.tree, folder / "traced"))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def of_engine(folder: Path, processes: int) -> list[Covered]:
    """By folder of engine/."""
    flags = "-O0 -w --coverage"
    configure = ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(folder), "-DWEFT_TESTS=ON"]
    configure += ["-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS_DEBUG={flags}"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL, timeout=MOST_S)
    for old in folder.rglob("*.gcda"):
        old.unlink()
    build = ["cmake", "--build", str(folder), "-j", str(processes), "--target", "engine-tests"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL, timeout=MOST_S)
    for old in folder.rglob("*.gcda"):  # CMake asks the program for its tests
        old.unlink()
    program = folder / "engine" / "tests" / "engine-tests"
    subprocess.run([program], stdout=subprocess.DEVNULL, check=False, timeout=MOST_S)
    return by_folder(files_of_gcov(map(_gcov, sorted(folder.rglob("*.gcda")))))


def _gcov(data: Path) -> dict[str, Any]:
    words = ["gcov", "--json-format", "--stdout", "--branch-probabilities", str(data)]
    said = subprocess.run(words, cwd=data.parent, capture_output=True, check=True, timeout=MOST_S)
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def files_of_gcov(
    told: Iterable[dict[str, Any]],
) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Each file of the engine: what one object runs of a line is run."""
    lines: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    branches: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    for one in told:
        for file in one["files"]:
            path = _of_engine(file["file"], one.get("current_working_directory", ""))
            if not path:
                continue
            for line in file["lines"]:
                number = line["line_number"]
                lines[path][number] += line["count"]
                usual = [each for each in line["branches"] if not each["throw"]]
                for at, branch in enumerate(usual):
                    branches[path][number, at] += branch["count"]
    for path, own in lines.items():
        ways = branches[path]
        run = sum(count > 0 for count in own.values())
        yield path, (len(own), run, len(ways), sum(count > 0 for count in ways.values()))


def _of_engine(name: str, folder: str) -> str:
    """A source's place in the project; nothing of a test or of another's file."""
    path = Path(os.path.normpath(Path(folder) / name))
    if not path.is_relative_to(ROOT / "engine") or path.is_relative_to(ROOT / "engine" / "tests"):
        return ""
    return str(path.relative_to(ROOT))


def by_folder(files: Iterable[tuple[str, tuple[int, int, int, int]]]) -> list[Covered]:
    """The sums of src/weft/FOLDER, or of engine/FOLDER."""
    sums: dict[str, list[int]] = {}
    for path, counts in files:
        parts = Path(path).parts
        name = parts[2] if parts[0] == "src" else "/".join(parts[:2])
        name = "weft" if name.endswith(".py") else name
        own = sums.setdefault(name, [0, 0, 0, 0])
        own[:] = [a + b for a, b in zip(own, counts, strict=True)]
    return [
        Covered(folder=name, lines=a, lines_run=b, branches=c, branches_run=d)
        for name, (a, b, c, d) in sorted(sums.items())
    ]


def kept(path: Path = KEPT) -> list[Covered]:
    """What was found last."""
    return msgspec.convert(tomllib.loads(path.read_text()).get("folder", []), list[Covered])


def with_reasons(found: Sequence[Covered], known: Sequence[Covered]) -> list[Covered]:
    """The same with the reasons that were given, where they are still needed."""
    why = {one.folder: one.why for one in known}
    return [
        msgspec.structs.replace(one, why=why.get(one.folder, "") if one.is_little else "")
        for one in found
    ]


def dated(found: Iterable[Covered], day: str) -> list[Covered]:
    """The same as measured on that day."""
    return [msgspec.structs.replace(one, measured=day) for one in found]


def keep(found: Iterable[Covered], path: Path = KEPT) -> None:
    """Put them in the place of what was known of their folders."""
    known = {one.folder: one for one in (*kept(path), *found)}
    write_rows(
        path,
        "folder",
        'Written by `make coverage ARGS="--keep"`; a reason is written by hand.',
        (one for _, one in sorted(known.items())),
    )


def table_of(found: Sequence[Covered]) -> list[str]:
    """A row a folder, with the reason where little is run."""
    lines = [
        "| folder | lines | run | branches | run | on | reason |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        cells = (one.lines, _share(one.lines_run, one.lines), one.branches)
        more = (_share(one.branches_run, one.branches), one.measured, one.why)
        lines.append(f"| {one.folder} | {' | '.join(map(str, (*cells, *more)))} |")
    return lines


def _share(part: int, every: int) -> str:
    return f"{100 * part / every:.1f}%" if every else "-"


def page_with(text: str, found: Sequence[Covered]) -> str:
    """The page of docs with the table of these."""
    return with_table(text, BEGIN, END, table_of(found))


if __name__ == "__main__":
    sys.exit(main())
