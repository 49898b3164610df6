"""Drawn mutants of C++: what is one, and what becomes of it, on an engine of two files."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from mutants.compiled import EngineBench
from mutants.drawn import Drawn
from mutants.draws import draw, is_one, mutants_of
from mutants.entered import ENTERED, FLAGS, Entered, Kept, Known
from mutants.fates import fates_of
from mutants.objects import changed_functions
from mutants.tree import Copy, CopyError

pytest.importorskip("universalmutator", reason="make mutants installs it")

ROOT = Path(__file__).parents[2]
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
OWN_TESTS = """#include <gtest/gtest.h>
#include <ctime>
#include "patterns/stream.hpp"
int of_both(int first, int second) { return less(first, second); }
const char* quoted() { return QUOTED; }
TEST(Thing, less) {
  // Ten times what the cheap one takes.
  for (const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 20; std::clock() < end;) {}
  EXPECT_EQ(less(3, 2), 1);
}
TEST(Thing, times) { EXPECT_EQ(times(3), 6); }
TEST(Thing, broken) { FAIL(); }
"""
CHEAP_TESTS = """#include <gtest/gtest.h>
int of_both(int first, int second);
TEST(Cheap, less) { EXPECT_EQ(of_both(3, 2), 1); }
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(thing CXX)
find_package(GTest REQUIRED)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY engine/tests)
include_directories(engine)
add_compile_definitions(QUOTED="0.1 of it")
file(GLOB tests engine/tests/*.cpp)
add_executable(engine-tests ${tests})
target_link_libraries(engine-tests GTest::gtest_main)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    root = tmp_path / "project"
    tests = {"patterns_test.cpp": OWN_TESTS, "cheap_test.cpp": CHEAP_TESTS}
    files = {PATH: SOURCE, "CMakeLists.txt": CMAKE, ENTERED: (ROOT / ENTERED).read_text()}
    files |= {f"engine/tests/{name}": text for name, text in tests.items()}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return Copy(root, tmp_path / "copy", FLAGS)


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


@pytest.mark.thorough
def test_each_is_compiled_and_tried_on_the_tests_that_enter_what_it_changes(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mutants.compiled.TOGETHER_S", 0.0)  # each by itself, in turn
    # Where ccache shortens paths: what changes nothing is the same for that.
    monkeypatch.setenv("CCACHE_BASEDIR", str(tmp_path))
    bench = EngineBench(copy, tmp_path / "own")
    wrong = changed(4, "first - second", "first + second")
    unseen = changed(4, "first - second", "first / 2")
    none = changed(4, "first - second", "first - third")
    same = changed(4, "first - second", "first - (second)")
    told: list[str] = []
    fates = fates_of([bench], [wrong, unseen, none, same], told.append).fates
    # Of 3 and 2 a difference is half of the first too. A cheaper test fails too, in a file that
    # does not name what is changed; the one that fails anyway is not among them, nor what calls
    # another function.
    assert fates == {wrong: "noticed", unseen: "lived"}
    assert told[0].endswith("by Thing.less")
    assert told[1].endswith("through 2 tests")
    assert [line.rpartition(": ")[2] for line in told[2:]] == [
        "the compiler refuses it", "the machine's code is the same",
    ]  # fmt: skip
    assert (copy.tree / PATH).read_text() == SOURCE

    # What is kept is of the sources as they are; a test that failed is tried again.
    path = tmp_path / "entered.json"
    kept = msgspec.json.decode(path.read_bytes(), type=Kept)
    assert set(kept.tests) == {"Cheap.less", "Thing.less", "Thing.times"}
    assert kept.tests["Thing.less"].cpu_s >= 0.05
    changed_since = msgspec.structs.replace(kept.tests["Thing.times"], of="others", cpu_s=7.0)
    kept.tests = {
        "Cheap.less": msgspec.structs.replace(kept.tests["Cheap.less"], cpu_s=3.0),
        "Thing.times": changed_since,
        "Gone.less": kept.tests["Thing.less"],
    }
    path.write_bytes(msgspec.json.encode(kept))
    EngineBench(copy, tmp_path / "own").close()
    tests = msgspec.json.decode(path.read_bytes(), type=Kept).tests
    assert set(tests) == {"Cheap.less", "Thing.less", "Thing.times"}
    assert tests["Cheap.less"].cpu_s == 3.0
    assert tests["Thing.times"].cpu_s < 1


def test_a_compiler_that_ends_for_another_reason_refuses_nothing(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine may have no room for its process."""
    bench = EngineBench.__new__(EngineBench)
    tried = tmp_path / "tried"
    said = "c++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable"
    compiler = ["sh", "-c", f'echo again >> {tried}; echo "{said}" >&2; exit 1']
    monkeypatch.setattr(bench, "_compile", {"one.o": compiler}, raising=False)
    monkeypatch.setattr(bench, "_build", copy.tree, raising=False)
    with pytest.raises(CopyError, match="Resource temporarily unavailable"):
        bench._compile_into(tmp_path / "one.o", "one.o")
    assert tried.read_text() == "again\n" * 3


def test_what_changes_before_the_first_test_or_cannot_be_told_is_tried_on_all() -> None:
    one, other = Known(of="", cpu_s=1.0, functions=(0,)), Known(of="", cpu_s=2.0, functions=(0, 1))
    found = Entered(Kept(["a", "b", "main"], (2,), {"One.test": one, "Other.test": other}))
    assert found.reaching({"b"}) == {"Other.test"}
    assert found.reaching({"a", "b"}) == {"One.test", "Other.test"}
    assert found.reaching({"unknown"}) == set()
    assert found.reaching(()) == found.reaching({"main"}) == {"One.test", "Other.test"}


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("first - 1", "first - 2", {"_Z4lessi"}),
        # Constants are beside the code: a text, a number and a table.
        ('"two"', '"too"', {"_Z4namev"}),
        ("0.25", "0.5", {"_Z4partd"}),
        ("{3, 5, 7}", "{3, 6, 7}", {"_Z5primei"}),
        # Of what calls another only the name of that is known.
        ("less(first)", "less(first + 1)", {"_Z5callsi"}),
        ("int calls", "int called", {"_Z5callsi", "_Z6calledi"}),
    ],
)
def test_functions_differ_by_their_code_and_the_constants_that_they_name(
    tmp_path: Path, old: str, new: str, names: set[str]
) -> None:
    text = """
        __attribute__((noinline)) int less(int first) { return first - 1; }
        const char* name() { return "two"; }
        const char* other() { return "three"; }
        double part(double one) { return one * 0.25; }
        double whole(double one) { return one * 0.75; }
        int prime(int at) { static const int all[] = {3, 5, 7}; return all[at]; }
        int calls(int first) { return less(first); }
    """
    assert text.count(old) == 1
    made = []
    for called, own in (("before", text), ("after", text.replace(old, new))):
        (tmp_path / "one.cpp").write_text(own)
        made.append(tmp_path / f"{called}.o")
        words = ["c++", "-O1", "-ffunction-sections", "-c", "-o", str(made[-1]), "one.cpp"]
        subprocess.run(words, cwd=tmp_path, check=True)
    assert changed_functions(*made) == names
