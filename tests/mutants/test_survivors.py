"""Mutants that lived are kept until they have another fate, and found where their text stands."""

from pathlib import Path

import pytest

from mutants.drawn import Drawn
from mutants.survivors import as_now, forget, keep, kept


def lived(line: int, old: str = "b = 2\n", new: str = "b = 3\n") -> Drawn:
    return Drawn(path="src/weft/sim/a.py", line=line, old=old, new=new)


def test_what_lived_is_kept_until_it_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "lived.toml"
    path.touch()
    quoted = lived(9, 'a = "\\\\d\\n"\n', "a = ''\n")
    other = lived(4, new="b = 4\n")
    keep({lived(4): "lived", quoted: "lived", other: "noticed"}, path)
    assert kept(path) == [lived(4), quoted]
    # Of the same text, moved: no second one.
    keep({lived(6): "lived"}, path)
    assert kept(path) == [lived(6), quoted]
    keep({lived(6): "noticed", other: "lived"}, path)
    assert kept(path) == [other, quoted]
    keep({quoted: "equivalent"}, path)
    assert kept(path) == [other]
    forget([other], path)
    assert kept(path) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb = 2\n", 2), ("b = 2\n\n\nb = 2\n", 4), ("b = 2\n\n\n\n\n\n\nb = 2\n", 1),
     ("    b = 2\n", 0), ("b = 2  # two\n", 0)],
)  # fmt: skip
def test_one_is_where_its_old_text_stands_nearest_to_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "src" / "weft" / "sim" / "a.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    here, gone = as_now(tmp_path, [lived(3)])
    assert [one.line for one in here] == [line] * (line > 0)
    assert gone == [lived(3)] * (line == 0)


def test_of_several_lines_all_have_to_stand_there(tmp_path: Path) -> None:
    path = tmp_path / "src" / "weft" / "sim" / "a.py"
    path.parent.mkdir(parents=True)
    path.write_text("a = (\n    1,\n)\na = (\n    2,\n)\n")
    here, _ = as_now(tmp_path, [lived(1, old="a = (\n    2,\n)\n")])
    assert [one.line for one in here] == [4]
    assert as_now(tmp_path, [Drawn(path="gone.py", line=1, old="a\n", new="b\n")])[0] == []
