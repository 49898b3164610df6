"""A picture as a file: what is none is refused with what to type."""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.report.picture import write_picture
from weft.tables import Table


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.svg", "there is nothing to draw; type it without -o to see what there is"),
        ("a.pdf", "there is nothing to draw; type it without -o to see what there is"),
        ("a.png", "a.png is no kind of picture; end its name in .svg, .pdf or .html"),
        ("svg", "svg is no kind of picture; end its name in .svg, .pdf or .html"),
    ],
)
def test_what_has_no_charts_or_no_kind_is_no_picture(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(WeftError) as refused:
        write_picture(tmp_path / name, [], Table(name="t", caption="T"))
    assert str(refused.value).endswith(told)
    assert not (tmp_path / name).exists()
