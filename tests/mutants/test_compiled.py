"""Drawn mutants of C++: what is one, and what becomes of it, on an engine of two files."""

import json
import subprocess
from pathlib import Path

import pytest

from mutants.compiled import EngineBench
from mutants.drawn import Drawn
from mutants.draws import draw, is_one, mutants_of
from mutants.fates import fates_of
from mutants.tree import Copy

pytest.importorskip("universalmutator", reason="make mutants installs it")

PATH = "engine/patterns/stream.hpp"
SOURCE = """#pragma once
#include <stdexcept>
// One - two.
inline int less(int first, int second) { return first - second; }
template <class T>
int times(T one) {
  if (one > 1000) throw std::runtime_error("too large - by far");
  return one * 2;
}
"""
PROGRAM = """#include <cstdio>
#include <cstring>
#include <string>
#include "patterns/stream.hpp"
#if 0
TEST(Thing, less)
#endif
int ran(const char* name, bool good, int ms) {
  std::printf("[ RUN      ] %s\\n", name);
  std::printf("[%s] %s (%d ms)\\n", good ? "       OK " : "  FAILED  ", name, ms);
  return good ? 0 : 1;
}
int main(int count, char** words) {
  const std::string last = words[count - 1];
  const bool lists = last == "--gtest_list_tests";
  if (lists) return std::puts("Cheap.\\n  less\\nThing.\\n  less\\n  broken\\n") < 0;
  int failed = 0;
  if (last.find("Cheap.less") != last.npos) failed += ran("Cheap.less", less(3, 2) == 1, 0);
  if (last.find("Thing.less") != last.npos) failed += ran("Thing.less", less(3, 2) == 1, 11000);
  if (last.find("broken") != last.npos) failed += ran("Thing.broken", false, 0);
  return failed;
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(thing CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY engine/tests)
include_directories(engine)
add_executable(engine-tests engine/tests/patterns_test.cpp)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    root = tmp_path / "project"
    tests = {"patterns_test.cpp": PROGRAM, "cheap_test.cpp": "TEST(Cheap, less)\n"}
    files = {PATH: SOURCE, "CMakeLists.txt": CMAKE}
    files |= {f"engine/tests/{name}": text for name, text in tests.items()}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return Copy(root, tmp_path / "copy")


def changed(line: int, old: str, new: str) -> Drawn:
    text = SOURCE.splitlines(keepends=True)[line - 1]
    assert old in text
    return Drawn(path=PATH, line=line, old=text, new=text.replace(old, new))


@pytest.mark.parametrize(
    ("line", "old", "new", "is_mutant"),
    [
        (3, "-", "+", False),
        (4, "- second", "- /* it */ second", False),
        (4, "first - ", "first -  ", False),
        (7, "by far", "by - far", False),
        (7, ">", ">=", True),
        (4, "- second", "+ second", True),
    ],
)
def test_comments_blanks_and_words_are_no_code(
    line: int, old: str, new: str, *, is_mutant: bool
) -> None:
    assert is_one(changed(line, old, new), SOURCE) is is_mutant


def test_what_is_no_code_is_never_drawn() -> None:
    lines = {one.line for one in mutants_of(PATH, SOURCE)}
    assert lines == {4, 6, 7, 8, 9}


def test_the_engines_folders_are_drawn_by_name(copy: Copy) -> None:
    assert draw(copy.tree, 3, 1) == []
    drawn = draw(copy.tree, 3, 1, ["engine/patterns"])
    assert [one.folder for one in drawn] == ["engine/patterns"] * 3
    assert draw(copy.tree, 3, 1, ["engine/run"]) == []


def test_each_is_compiled_and_tried_on_the_tests_that_pass_without_it(
    copy: Copy, tmp_path: Path
) -> None:
    bench = EngineBench(copy, tmp_path / "own")
    wrong = changed(4, "first - second", "first + second")
    unseen = changed(4, "first - second", "first / 2")
    none = changed(4, "first - second", "first - third")
    same = changed(4, "first - second", "first - (second)")
    told: list[str] = []
    fates = fates_of([bench], [wrong, unseen, none, same], told.append)
    bench.close()
    # Of 3 and 2 a difference is half of the first too. A cheaper test fails too, in a file that
    # does not name what is changed; the one that fails anyway is not among them.
    assert fates == {wrong: "noticed", unseen: "lived"}
    assert told[0].endswith("by Thing.less")
    assert told[1].endswith("through 2 tests")
    assert [line.rpartition(": ")[2] for line in told[2:]] == [
        "the compiler refuses it", "the machine's code is the same",
    ]  # fmt: skip
    assert (copy.tree / PATH).read_text() == SOURCE


def test_what_a_test_takes_is_measured_once(copy: Copy, tmp_path: Path) -> None:
    """Of what is kept only the tests are taken that are there; one that fails is tried again."""
    kept = tmp_path / "costs.json"
    kept.write_text('{"Cheap.less": 3.0, "Gone.less": 1.0}')
    EngineBench(copy, tmp_path / "own").close()
    assert json.loads(kept.read_text()) == {"Cheap.less": 3.0, "Thing.less": 11.0}
