"""clang-tidy looks at what changed, many sources at a time, and blames the one that has it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "tidy.py"
# Finds the word fault in what it is given or in what that includes, and names who has it; that two
# mains are no one program it says of nobody.
TOOL = """#!/bin/bash
[ "$1" = --version ] && echo "LLVM version 14.0.6" && exit
for word; do [[ $word == *.cpp ]] && source=$word; done
echo "$(basename "$source")" >>looks
parts=$(sed -nE 's/^#include "(.*[.]cpp)"/\\1/p' "$source")
text=$(cat ${parts:-"$source"})
[[ $text == *main*main* ]] && echo "error: redefinition of main" && exit 1
[[ $text == *fault* ]] || exit 0
echo "$(grep -l fault ${parts:-"$source"}):1:1: has a fault"
exit 1
"""


class Tree:
    """An engine of a few sources, its build's list of them, and such a clang-tidy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".clang-tidy").touch()
        (folder / "bin").mkdir()
        (folder / "bin" / "clang-tidy").write_text(TOOL)
        (folder / "bin" / "clang-tidy").chmod(0o755)
        for name in ("build", "engine/run", "engine/tests"):
            (folder / name).mkdir(parents=True)
        self.commands: list[dict[str, str]] = []
        for name in ("run/a.cpp", "run/b.cpp", "run/c.cpp", "run/d.cpp", "tests/t.cpp"):
            self.write(name, "")
            path = str(folder / "engine" / name)
            words = f"ccache c++ -I{folder}/engine -O2 -o x.o -c {path}"
            self.commands += [{"file": path, "command": words}] * 2
        (folder / "build" / "compile_commands.json").write_text(json.dumps(self.commands))

    def write(self, name: str, text: str) -> None:
        (self.folder / "engine" / name).write_text(text)

    def look(self) -> tuple[int, str, int]:
        """The exit status, what was printed, and how many looks there were."""
        looks = self.folder / "looks"
        looks.unlink(missing_ok=True)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, SCRIPT, "build"],
            cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PATH": path, "WEFT_TIDY_CACHE": str(self.folder / "cache")},
        )  # fmt: skip
        assert done.stderr == ""
        return done.returncode, done.stdout, len(looks.read_text().split()) if looks.exists() else 0


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_sources_of_a_folder_are_looked_at_together_and_clean_ones_once(tree: Tree) -> None:
    status, said, looks = tree.look()
    assert (status, looks) == (0, 1)
    assert said.startswith("clang-tidy: 0 of 4 sources have findings; 4 were looked at")
    status, said, looks = tree.look()
    assert (status, looks) == (0, 0)
    assert "; 0 were looked at" in said


def test_sources_that_are_compiled_as_one_are_each_looked_at(tree: Tree) -> None:
    unity = tree.folder / "build" / "CMakeFiles" / "Unity" / "unity_run_cxx.cxx"
    unity.parent.mkdir(parents=True)
    sources = [command["file"] for command in tree.commands[:4:2]]
    unity.write_text("".join(f'#include "{source}"\n' for source in sources))
    words = f"c++ -I{tree.folder}/engine -O2 -o x.o -c {unity}"
    command = [{"file": str(unity), "command": words}]
    (tree.folder / "build" / "compile_commands.json").write_text(json.dumps(command))
    tree.write("run/b.cpp", "fault")
    status, said, _ = tree.look()
    assert status == 1
    assert "run/b.cpp:1:1: has a fault" in said
    assert "clang-tidy: 1 of 2 sources have findings" in said


def test_the_source_that_has_the_fault_is_named_and_the_others_are_clean(tree: Tree) -> None:
    tree.write("run/c.cpp", "fault")
    status, said, _ = tree.look()
    assert status == 1
    assert f"{tree.folder}/engine/run/c.cpp:1:1: has a fault" in said
    assert "1 of 4 sources" in said
    tree.write("run/c.cpp", "")
    status, said, looks = tree.look()
    assert (status, looks) == (0, 1)
    assert "; 1 were looked at" in said


def test_sources_that_cannot_stand_together_are_looked_at_apart(tree: Tree) -> None:
    tree.write("run/a.cpp", "main")
    tree.write("run/b.cpp", "main")
    status, said, _ = tree.look()
    assert (status, "0 of 4 sources" in said) == (0, True)


def test_a_header_has_those_looked_at_that_include_it_by_any_way(tree: Tree) -> None:
    tree.write("run/near.hpp", "")
    tree.write("far.hpp", '#include "run/near.hpp"\n')
    tree.write("run/a.cpp", '#include "far.hpp"\n')
    tree.write("run/b.cpp", '#include "near.hpp"\n')
    tree.look()
    tree.write("run/near.hpp", "// other")
    assert "; 2 were looked at" in tree.look()[1]


@pytest.mark.parametrize("name", [".clang-tidy", "build/libraries"])
def test_other_rules_or_libraries_have_all_looked_at(tree: Tree, name: str) -> None:
    tree.look()
    (tree.folder / name).write_text("other")
    assert "; 4 were looked at" in tree.look()[1]
