"""The runner of planted bugs, on a project of three files."""

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from mutants.__main__ import cpu_flags, executed_on, plant_all
from mutants.bugs import Bug
from mutants.reached import named_in
from mutants.tree import Copy

SOURCE = "def double(x):\n    return 2 * x\n\n\ndef unused(x):\n    return x\n"
TEST = "from thing import double\n\n\ndef test_it():\n    assert double(3) == 6\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    files = {"src/thing.py": SOURCE, "tests/test_thing.py": TEST, "engine/patterns/all.hpp": ""}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def bug(name: str, old: str, new: str, test: str = "tests/test_thing.py") -> Bug:
    return Bug(
        path="src/thing.py", name=name, old=old, new=new, tests=(test,), engine=(), builds=()
    )


def test_survivors_are_named_and_the_checkout_stays_as_it_is(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bugs = [
        bug("doubles thrice", "2 * x", "3 * x"),
        bug("nobody looks", "    return x\n", "    return -x\n"),
    ]
    assert plant_all(Copy(root, tmp_path / "copy"), bugs) == ["src/thing.py: nobody looks"]
    assert (root / "src" / "thing.py").read_text() == SOURCE
    assert (tmp_path / "copy" / "tree" / "src" / "thing.py").read_text() == SOURCE
    told = capsys.readouterr().out
    assert "noticed src/thing.py: doubles thrice" in told
    assert "SURVIVED src/thing.py: nobody looks" in told


def test_a_test_that_fails_without_the_bug_says_nothing(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "tests" / "test_thing.py").write_text(TEST.replace("6", "7"))
    bugs = [bug("a", "2 * x", "3 * x")]
    assert plant_all(Copy(root, tmp_path / "copy"), bugs) == ["src/thing.py: a"]
    assert "without any bug this fails: tests/test_thing.py" in capsys.readouterr().out


def test_a_second_copy_follows_the_checkout(root: Path, tmp_path: Path) -> None:
    Copy(root, tmp_path / "copy")
    (root / "src" / "thing.py").unlink()
    (root / "new.txt").write_text("new")
    Copy(root, tmp_path / "copy")
    tree = tmp_path / "copy" / "tree"
    assert not (tree / "src" / "thing.py").exists()
    assert (tree / "new.txt").read_text() == "new"


def test_a_bug_of_another_processor_is_named_and_not_planted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nflags\t\t: fpu avx2\n\nprocessor\t: 1\nflags\t\t: fpu avx2\n")
    flags = cpu_flags(info)
    assert flags == {"fpu", "avx2"}
    any_bug = bug("any", "1", "2")
    wide = msgspec.structs.replace(any_bug, name="wide", cpu="avx512f")
    assert executed_on(flags, [any_bug, wide]) == [any_bug]
    assert "this processor has no avx512f: src/thing.py: wide" in capsys.readouterr().out
    assert executed_on(flags | {"avx512f"}, [any_bug, wide]) == [any_bug, wide]


def test_a_planted_source_is_newer_than_what_was_compiled_of_it(root: Path, tmp_path: Path) -> None:
    """Ninja compiles what is newer than its object: an older bug would pass for noticed by none."""
    source = root / "engine" / "thing.cpp"
    source.write_text("int x = 1;\n")
    copy = Copy(root, tmp_path / "copy")
    compiled = tmp_path / "thing.o"
    compiled.touch()
    # The object is a minute younger than the copy's source, which is older still.
    path = copy.tree / "engine" / "thing.cpp"
    old_ns = compiled.stat().st_mtime_ns - 60 * 10**9
    os.utime(path, ns=(old_ns, old_ns))
    planted = msgspec.structs.replace(bug("other", "1", "2"), path="engine/thing.cpp")
    for change in (copy.plant, copy.restore):
        change(planted)
        assert path.stat().st_mtime_ns >= compiled.stat().st_mtime_ns


@pytest.mark.parametrize(
    ("context", "test"),
    [
        ("", ""),
        ("tests/test_a.py", "tests/test_a.py"),
        ("tests/test_a.py::test_b[1 (2) 3]", "tests/test_a.py::test_b[1 (2) 3]"),
        ("tests/test_a.py::test_b[1 (2)] (call)", "tests/test_a.py::test_b[1 (2)]"),
        ("tests/test_a.py::test_b (teardown)", "tests/test_a.py::test_b"),
        ("tests/test_a.py::test_b[x (setup)] (setup)", "tests/test_a.py"),
    ],
)
def test_the_test_of_a_context_may_have_brackets_in_its_name(context: str, test: str) -> None:
    """Of eighteen tests nobody knew which lines they reach: their names ended at a bracket."""
    assert named_in(context) == test
