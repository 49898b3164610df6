"""The draw of mutants and what becomes of them, on a package of one file."""

from pathlib import Path

import msgspec
import pytest

from mutants.drawn import Drawn, _swaps
from mutants.draws import draw, is_one, mutants_of
from mutants.fates import Bench, Tried, fates_of
from mutants.reached import Reached, look
from mutants.recorded import files_recorded
from mutants.shares import shares_of, table_of
from mutants.small import small_project
from mutants.statements import statement_of
from mutants.tree import Copy

pytest.importorskip("universalmutator", reason="make mutants installs it")
pytest.importorskip("coverage", reason="make mutants installs it")

SOURCE = '''"""Words."""


def pair(first: int, second: int) -> tuple[int, int]:
    """First - second."""
    return first, second


def loops(count: int) -> int:
    while count > 0:
        count -= 1
    return count


def unseen(x: int) -> int:
    return x * 2


def started() -> None:
    print(SIGN)
    print(end="")


SIGN = "+"
'''
TEST = """import subprocess
import sys

from weft.thing import loops, pair


def test_pair():
    assert pair(1, 2) == (1, 2)


def test_loops():
    assert loops(3) == 0


def test_started():
    words = [sys.executable, "-c", "from weft.thing import started; started()"]
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"+\\n"
"""
PATH = "src/weft/part/thing.py"


def by_text(old: str, new: str) -> Drawn:
    found = [one for one in mutants_of(PATH, SOURCE) if (one.old, one.new) == (old, new)]
    return found[0]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    files = {"src/weft/thing.py": SOURCE, "src/weft/__init__.py": "", "tests/test_thing.py": TEST}
    root = small_project(tmp_path / "project", files)
    return Copy(root, tmp_path / "copy")


def test_neighbours_are_exchanged_and_words_are_left() -> None:
    swapped = by_text("    return first, second\n", "    return second, first\n")
    assert swapped.planted(SOURCE).count("second, first") == 1
    assert is_one(swapped, SOURCE)
    words = '    """First - second."""\n'
    for line, old, new in (
        (5, words, words.replace("-", "+")),
        (5, words, "    pass\n"),
        (6, "    return first, second\n", "    return first, second  # - 1\n"),
        (6, "    return first, second\n", "    return (\n"),
        (6, "    return first, second\n", "    return first, second\n    return 3\n"),
        (11, "        count -= 1\n", "        count -= 1\n        continue\n"),
    ):
        assert not is_one(Drawn(path=PATH, line=line, old=old, new=new), SOURCE)
    early = "        continue\n        count -= 1\n"
    assert is_one(Drawn(path=PATH, line=11, old="        count -= 1\n", new=early), SOURCE)


def test_a_set_in_another_order_is_the_same() -> None:
    source = "FOUND = {'a', 'b', 'c'}\n"
    for new, is_another in (
        ("{'b', 'a', 'c'}", False), ("{'a', 'b', 'c', 'a'}", False), ("{'a', 'b'}", True),
        ("['a', 'b', 'c']", True),
    ):  # fmt: skip
        mutant = Drawn(path="a.py", line=1, old=source, new=f"FOUND = {new}\n")
        assert is_one(mutant, source) is is_another


@pytest.mark.parametrize(
    ("old", "new", "is_another"),
    [
        ("from a import b, c", "from a import c, b", False),
        ("from a import b, c", "from a import b", True),
        ("class A(b, c=1, d=2): e = 1", "class A(b, d=2, c=1): e = 1", False),
        ("class A(b, c=1, d=2): e = 1", "class A(b, c=2, d=1): e = 1", True),
        ("a(b, c=d, e=f)", "a(b, e=f, c=d)", False),
        ("a(b, c=d, e=f)", "a(b, c=f, e=d)", True),
        ("__all__ = ['a', 'b']", "__all__ = ['b', 'a']", False),
        ("__all__ = ['a', 'b']", "__all__ = ['a']", True),
        ("_all = ['a', 'b']", "_all = ['b', 'a']", True),
        ("min(a, b)", "min(b, a)", False),
        ("min(a, b, key=c)", "min(b, a, key=c)", True),
        ("pair(a, b)", "pair(b, a)", True),
    ],
)
def test_what_is_named_in_another_order_is_the_same(
    old: str, new: str, *, is_another: bool
) -> None:
    mutant = Drawn(path="a.py", line=1, old=f"{old}\n", new=f"{new}\n")
    assert is_one(mutant, f"{old}\n") is is_another


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("max(a, b)", 0), ("max(a, b, key=c)", 2), ("a in (b, c)", 0), ("a == (b, c)", 1),
        ("a.endswith((b, c))", 0), ("a.replace(b, c)", 1), ("isinstance(a, (b, c))", 1),
        ("frozenset((a, b))", 0), ("sorted((a, b))", 1),
    ],
)  # fmt: skip
def test_neighbours_without_an_order_are_left(text: str, count: int) -> None:
    """Of isinstance what is looked at and what it may be are in an order."""
    source = f"x = {text}\n"
    swaps = list(_swaps(PATH, source, source.splitlines(keepends=True)))
    assert len(swaps) == count


def test_a_seed_draws_the_same_and_another_one_others(copy: Copy) -> None:
    first = draw(copy.tree, 5, 1)
    assert draw(copy.tree, 9, 1)[:5] == first
    assert draw(copy.tree, 5, 2) != first
    assert draw(copy.tree, 5, 1, under=("other",)) == []
    assert [one.path for one in draw(copy.tree, 5, 1, under=("thing",))] == [first[0].path] * 5


def bench_of(copy: Copy, store: Path) -> Bench:
    assert not look(copy, store, ["tests"], 1)
    return Bench(copy, Reached(store, copy.tree), ["tests"])


def test_each_runs_what_reaches_it_and_the_copy_is_whole_again(copy: Copy, tmp_path: Path) -> None:
    bench = bench_of(copy, tmp_path / "reached.sqlite")
    reached = Reached(tmp_path / "reached.sqlite", copy.tree)
    path = "src/weft/thing.py"
    by_line = {
        6: ("tests/test_thing.py::test_pair",),
        11: ("tests/test_thing.py::test_loops",),
        16: (),
        20: ("tests/test_thing.py::test_started",),
        21: ("tests/test_thing.py::test_started",),
    }
    assert {line: reached.by(path, line) for line in by_line} == by_line
    # What is run where the file is imported all the file's tests reach.
    assert len(reached.by(path, 24)) == 3
    # The head of a function is of those that call it.
    assert reached.by(path, 4) == ("tests/test_thing.py::test_pair",)
    lines = SOURCE.splitlines(keepends=True)

    def mutant(line: int, new: str) -> Drawn:
        return Drawn(path=path, line=line, old=lines[line - 1], new=new)

    mutants = {
        mutant(6, "    return second, first\n"): "noticed by tests/test_thing.py::test_pair",
        mutant(11, "        count -= 0\n"): "noticed by tests/test_thing.py::test_loops",
        mutant(16, "    return x * 3\n"): "lived through 0 tests",
        mutant(20, "    print(SIGN, end='\\n')\n"): "lived through 1 tests",
        mutant(20, "    print(SIGN * 2)\n"): "noticed by tests/test_thing.py::test_started",
        mutant(
            4, lines[3].replace("first: int, s", "second: int, f").replace("fecond", "first")
        ): "noticed by tests/test_thing.py::test_pair",
        mutant(24, "SIGN = '-'\n"): "noticed by tests/test_thing.py::test_started",
    }
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mutants.fates.BEGIN_CPU_S", 1.0)
        fates = fates_of([bench], mutants, told.append).fates
    bench.close()
    found = {m: f"{fate}{by(told, m)}" for m, fate in fates.items()}
    assert found == mutants
    assert (copy.tree / path).read_text() == SOURCE
    [row] = table_of(shares_of(fates, 7))[2:-1]
    assert row == "| weft | 7 | 5 | 2 | 0 | 71% [36%, 92%] | 80% | 7 |"


def by(told: list[str], mutant: Drawn) -> str:
    [line] = [one for one in told if mutant.title in one]
    return line.partition(mutant.title)[2]


def test_a_test_that_fails_anyway_notices_nothing(copy: Copy, tmp_path: Path) -> None:
    store = tmp_path / "reached.sqlite"
    broken = copy.tree / "tests" / "test_broken.py"
    broken.write_text(TEST.replace("(1, 2)\n", "(2, 1)\n"))
    assert "test_broken.py::test_pair" in look(copy, store, ["tests"], 1)
    bench = Bench(copy, Reached(store, copy.tree), ["tests"])
    swapped = by_text("    return first, second\n", "    return second, first\n")
    mutant = msgspec.structs.replace(swapped, path="src/weft/thing.py")
    told: list[str] = []
    assert fates_of([bench], [mutant], told.append) == Tried({mutant: "noticed"})
    bench.close()
    assert told[0].endswith("by tests/test_thing.py::test_pair")


def test_only_files_of_tests_that_changed_are_run_again(copy: Copy, tmp_path: Path) -> None:
    store = tmp_path / "reached.sqlite"
    assert not look(copy, store, ["tests"], 1)
    source = copy.tree / "src" / "weft" / "thing.py"
    source.write_text("# Another line.\n" + SOURCE)
    assert not look(copy, store, ["tests"], 1)
    # It is the line that was six, and nothing was run again.
    by = Reached(store, copy.tree).by("src/weft/thing.py", 7)
    assert by == ("tests/test_thing.py::test_pair",)
    # A line that was written since is of those that ran its function.
    source.write_text(SOURCE.replace("count -= 1", "count = count - 1"))
    assert Reached(store, copy.tree).by("src/weft/thing.py", 11) == (
        "tests/test_thing.py::test_loops",
    )
    source.write_text("# Another line.\n" + SOURCE)
    (copy.tree / "tests" / "test_thing.py").write_text(
        TEST + "\n\ndef test_new():\n    pair(1, 1)\n"
    )
    assert not look(copy, store, ["tests"], 1)
    assert len(Reached(store, copy.tree).by("src/weft/thing.py", 7)) == 2


def test_lines_and_branches_are_counted_of_the_same_recording(copy: Copy, tmp_path: Path) -> None:
    """What importing runs is counted, and what a process of a test runs, though it is nobody's."""
    store = tmp_path / "reached.sqlite"
    source = copy.tree / "src" / "weft" / "thing.py"
    source.write_text(SOURCE.replace("    return x * 2", "    if x:\n        x += 1\n    return x"))
    assert not look(copy, store, ["tests"], 1)
    # Of unseen no line, and neither of its branches.
    whole = ("src/weft/thing.py", (14, 11, 4, 2))
    found = files_recorded(store, copy.tree, tmp_path / "traced")
    assert sorted(found) == [("src/weft/__init__.py", (0, 0, 0, 0)), whole]
    (copy.tree / "tests" / "test_new.py").write_text(
        "from weft.thing import unseen\n\n\ndef test_unseen():\n    assert unseen(0) == 0\n"
    )
    assert not look(copy, store, ["tests"], 1)
    [_, now] = sorted(files_recorded(store, copy.tree, tmp_path / "traced"))
    assert now == ("src/weft/thing.py", (14, 13, 4, 3))


def test_who_reads_a_constant_reaches_it(copy: Copy, tmp_path: Path) -> None:
    """It was imported before any test ran, so no line of its file is run in the test's name."""
    for name, module in (("sign", "from weft.thing import SIGN"), ("other", "import weft")):
        path = copy.tree / "tests" / f"test_{name}.py"
        path.write_text(f"{module}\n\n\ndef test_{name}():\n    assert {module[-4:]}\n")
    store = tmp_path / "reached.sqlite"
    assert not look(copy, store, ["tests"], 1)
    reached = Reached(store, copy.tree)
    assert "tests/test_sign.py::test_sign" in reached.by("src/weft/thing.py", 24)
    assert "tests/test_other.py::test_other" not in reached.by("src/weft/thing.py", 24)
    assert reached.by("src/weft/thing.py", 6) == ("tests/test_thing.py::test_pair",)


@pytest.mark.parametrize(
    ("line", "lines"),
    [(1, {2, 3, 4, 5, 6}), (2, {2}), (3, {3, 4}), (4, {3, 4}), (6, {6}), (7, None), (9, {9})],
)
def test_a_statement_is_its_lines(line: int, lines: set[int] | None) -> None:
    text = "def f(x=1):\n if x:\n  return (x,\n   1)\n else:\n  pass\n"
    text += "class A:\n def g(self):\n  y = 1\n"
    assert statement_of(text, line) == lines
