"""A picture as a file: of several charts the first, and what is none is refused."""

from pathlib import Path

import pytest

from weft.charts import Chart, ChartAxis, Track
from weft.errors import WeftError
from weft.report.picture import write_picture
from weft.tables import Table


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.svg", "there is nothing to draw; omit -o to see what there is"),
        ("a.pdf", "there is nothing to draw; omit -o to see what there is"),
        ("a.png", "a.png is no kind of picture; end its name in .svg, .pdf or .html"),
        ("svg", "svg is no kind of picture; end its name in .svg, .pdf or .html"),
    ],
)
def test_what_has_no_charts_or_no_kind_is_no_picture(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(WeftError) as refused:
        write_picture(tmp_path / name, [], Table(name="t", caption="T"))
    assert str(refused.value).endswith(told)
    assert not (tmp_path / name).exists()


def test_a_picture_of_several_charts_is_the_first_one(tmp_path: Path) -> None:
    x, table = ChartAxis("x"), Table(name="t", caption="T")
    charts = [
        Chart(
            name=name, title=name, alt=name, x=x, y=ChartAxis(name),
            tracks=(Track(label=name, x=(1.0, 2.0), y=(1.0, height)),),
        )
        for name, height in (("first", 2.0), ("last", 0.5))
    ]  # fmt: skip
    pictures = []
    for count, chosen in enumerate((charts, charts[:1], charts[1:])):
        path = tmp_path / f"{count}.svg"
        write_picture(path, chosen, table)
        pictures.append(path.read_bytes())
    assert pictures[0] == pictures[1] != pictures[2]
