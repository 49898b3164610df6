"""The draw of mutants and what becomes of them, on a package of one file."""

import subprocess
import sys
from pathlib import Path

import pytest

from mutants.drawn import Drawn, draw, equivalents, is_one, mutants_of, reason_of
from mutants.fates import fates_of, table_of
from mutants.reached import Reached, look
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
'''
TEST = """from weft.thing import loops, pair


def test_pair():
    assert pair(1, 2) == (1, 2)


def test_loops():
    assert loops(3) == 0
"""
PATH = "src/weft/part/thing.py"


def by_text(old: str, new: str) -> Drawn:
    found = [one for one in mutants_of(PATH, SOURCE) if (one.old, one.new) == (old, new)]
    return found[0]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    root = tmp_path / "project"
    files = {"src/weft/thing.py": SOURCE, "src/weft/__init__.py": "", "tests/test_thing.py": TEST}
    own = Path(__file__).parent
    files |= {f"tests/mutants/{name}": (own / name).read_text() for name in ("reached.py",)}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "tests" / "mutants" / "__init__.py").touch()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return Copy(root, tmp_path / "copy")


def test_neighbours_are_exchanged_and_words_are_left() -> None:
    swapped = by_text("    return first, second\n", "    return second, first\n")
    assert swapped.planted(SOURCE).count("second, first") == 1
    assert is_one(swapped, SOURCE)
    words = '    """First - second."""\n'
    for line, old, new in (
        (5, words, words.replace("-", "+")),
        (6, "    return first, second\n", "    return first, second  # - 1\n"),
        (6, "    return first, second\n", "    return (\n"),
    ):
        assert not is_one(Drawn(path=PATH, line=line, old=old, new=new), SOURCE)


def test_a_seed_draws_the_same_and_another_one_others(copy: Copy) -> None:
    first = draw(copy.tree, 5, 1)
    assert draw(copy.tree, 9, 1)[:5] == first
    assert draw(copy.tree, 5, 2) != first
    assert draw(copy.tree, 5, 1, under=("other",)) == []
    assert [one.path for one in draw(copy.tree, 5, 1, under=("thing",))] == [first[0].path] * 5


def test_each_runs_what_reaches_it_and_the_copy_is_whole_again(copy: Copy, tmp_path: Path) -> None:
    assert not look(copy, tmp_path, ["tests/test_thing.py"])
    reached = Reached(tmp_path)
    thing = copy.tree / "src" / "weft" / "thing.py"
    assert reached.by(thing, 6) == ("tests/test_thing.py::test_pair",)
    assert reached.by(thing, 11) == ("tests/test_thing.py::test_loops",)
    assert len(reached.by(thing, 4)) == 2  # where a function begins all the file's tests reach
    lines = SOURCE.splitlines(keepends=True)
    path = "src/weft/thing.py"
    mutants = [
        Drawn(path=path, line=6, old=lines[5], new="    return second, first\n"),
        Drawn(path=path, line=11, old=lines[10], new="        count -= 2\n"),
        Drawn(path=path, line=16, old=lines[15], new="    return x * 3\n"),
    ]
    told: list[str] = []
    fates = fates_of(copy, mutants, reached, told.append)
    assert list(fates.values()) == ["noticed", "noticed", "lived"]
    assert thing.read_text() == SOURCE
    assert ", 1 tests: NOTICED src/weft/thing.py:6:" in told[0]
    assert table_of(fates)[-1] == "| all | 3 | 2 | 1 | 0 | 67% |"


def test_what_was_judged_equivalent_still_stands_in_its_file() -> None:
    root = Path(__file__).resolve().parents[2]
    for one in equivalents():
        lines = [" ".join(line.split()) for line in (root / one.path).read_text().splitlines()]
        assert " ".join(one.old.split())[:90] in " ".join(lines), one.path
        assert one.reason


def test_an_equivalent_one_is_known_by_its_lines() -> None:
    [known, *_] = equivalents()
    mutant = Drawn(path=known.path, line=3, old=f"   {known.old}\n", new=f"  {known.new}\n")
    assert reason_of(mutant, equivalents()) == known.reason
    assert not reason_of(Drawn(path=known.path, line=3, old="a", new="b"), equivalents())


def test_the_plugin_is_found_by_name() -> None:
    words = [sys.executable, "-c", "import mutants.reached"]
    assert not subprocess.run(words, cwd=Path(__file__).parents[1], check=False).returncode
