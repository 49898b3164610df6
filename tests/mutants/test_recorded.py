"""Which lines tests run, of what was recorded of them: statements, as the sources are now."""

from pathlib import Path

from mutants.reached import _opened, _sha, lines_reached
from mutants.recorded import files_recorded
from mutants.statements import in_functions

SOURCE = '''"""Words."""

import os

SIGN = 1


class Thing:
    """Words."""

    size: int = 3

    def grow(self, by: int) -> int:
        """Words."""
        import sys

        if (
            by
            > SIGN
        ):
            self.size = max(
                by, self.size
            )
        else:
            pass

        def inner() -> int:
            return by

        return inner()


def unseen() -> None:
    for _ in range(3):
        print(os, end="")
'''


def bits(*lines: int) -> bytes:
    """As coverage has the lines of a file."""
    found = bytearray(max(lines) // 8 + 1)
    for line in lines:
        found[line // 8] |= 1 << line % 8
    return bytes(found)


def recorded(store: Path, path: str, text: str, *every: bytes) -> None:
    with _opened(store) as known:
        known.execute("INSERT INTO sources VALUES (?, ?)", (_sha(text), text))
        for at, one in enumerate(every):
            row = (path, _sha(text), "tests/test_a.py", f"tests/test_a.py::test_{at}", one)
            known.execute("INSERT INTO reached VALUES (?, ?, ?, ?, ?)", row)


def test_statements_of_functions_are_those_that_a_test_has_to_run() -> None:
    assert sorted(in_functions(SOURCE)) == [
        (17, 20), (21, 23), (28, 28), (30, 30), (34, 34), (35, 35),
    ]  # fmt: skip


def test_a_line_is_run_by_any_test_and_where_it_stands_now(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    recorded(store, "src/weft/a/thing.py", SOURCE, bits(18, 30), bits(21, 63))
    assert lines_reached(store, "src/weft/a/thing.py", SOURCE) == {18, 21, 30, 63}
    assert lines_reached(store, "src/weft/a/other.py", SOURCE) == set()
    moved = SOURCE.replace("import os\n", "import os\n# A line more.\n")
    assert lines_reached(store, "src/weft/a/thing.py", moved) == {19, 22, 31}
    # What was written since nobody ran.
    new = SOURCE.replace("        return inner()", "        return inner() + 1")
    assert lines_reached(store, "src/weft/a/thing.py", new) == {18, 21}


def test_each_source_has_its_statements_and_those_that_were_run(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    for name in ("thing.py", "other.py"):
        path = tmp_path / "src" / "weft" / "a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE)
    # A statement of several lines is run where one of them is.
    recorded(store, "src/weft/a/thing.py", SOURCE, bits(19, 22), bits(4, 34))
    assert dict(files_recorded(store, tmp_path)) == {
        "src/weft/a/other.py": (6, 0, 0, 0), "src/weft/a/thing.py": (6, 3, 0, 0),
    }  # fmt: skip
