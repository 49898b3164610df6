"""The bar is as long as what is done of all, and no longer."""

import io

import pytest
from rich.console import Console

from weft.progress import DrawnLine


@pytest.mark.parametrize(
    ("done", "of", "bars"), [(0.25, 1.0, 6), (3.0, 4.0, 18), (5.0, 60.0, 2), (7.0, 7.0, 24)]
)
def test_the_bar_has_the_share_of_its_cells_that_is_done(
    monkeypatch: pytest.MonkeyPatch, done: float, of: float, bars: int
) -> None:
    # rich draws no bar where TERM is dumb, whatever the console is said to be.
    monkeypatch.setenv("TERM", "xterm")
    file = io.StringIO()
    screen = Console(file=file, width=80, force_terminal=True, color_system=None)
    line = DrawnLine(screen)
    line.start()
    file.seek(0)
    file.truncate()
    line.draw("what it is", "3 s left", done, of)
    shown = file.getvalue()
    line.stop()
    assert shown.count("\N{BOX DRAWINGS HEAVY HORIZONTAL}") == bars
    assert "what it is" in shown
    assert shown.index("what it is") < shown.index("3 s left")
