"""Names as they are typed: each once, in its order, the nearest for one that nobody knows."""

from pathlib import Path

import pytest

from weft.errors import WeftError, printable, without_effect
from weft.names import choose, is_there
from weft.tables import Table

KNOWN = ("ping_pong", "stream", "put-latency", "ping_ping")


def test_each_name_is_chosen_once_in_the_order_that_was_typed() -> None:
    assert choose("test", ("stream", "ping_pong", "stream"), KNOWN) == ("stream", "ping_pong")
    assert choose("test", (), KNOWN) == ()


def test_hyphens_capitals_and_blanks_are_read_as_they_are_meant() -> None:
    asked = ("Ping-Pong", " STREAM ", "put_latency", "put-latency")
    assert choose("test", asked, KNOWN) == ("ping_pong", "stream", "put-latency")


@pytest.mark.parametrize(
    ("asked", "what", "fix"),
    [
        ("ping-pang", "there is no test called ping-pang", "did you mean ping_pong?"),
        ("put-latncy", "there is no test called put-latncy", "did you mean put-latency?"),
        (
            "zzz",
            "there is no test called zzz",
            "choose from ping_pong, stream, put-latency, ping_ping",
        ),
        (" ", "no test is named", "choose from ping_pong, stream, put-latency, ping_ping"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(asked: str, what: str, fix: str) -> None:
    with pytest.raises(WeftError) as raised:
        choose("test", ("stream", asked), KNOWN)
    assert (raised.value.what, raised.value.fix) == (what, fix)


def test_a_name_that_no_file_can_have_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    found = [is_there(str(tmp_path / name)) for name in ("a", "b", "x" * 5000)]
    assert found == [True, False, False]


def test_an_error_is_one_line_whatever_it_quotes() -> None:
    error = WeftError("a\nb\x1b[1m", "type\tc é")
    assert (error.what, error.fix) == ("a\\nb\\x1b[1m", "type\\tc é")
    assert str(error) == "a\\nb\\x1b[1m; type\\tc é"
    assert printable("'\"\\ ") == "'\"\\ "
    assert str(without_effect("--x", "y")) == "--x has no effect: y; omit --x"
    assert str(without_effect("--x", "y", "z")) == "--x has no effect: y; z"


def test_a_table_is_as_wide_as_its_widest_lines_with_two_blanks_between_columns() -> None:
    table = Table(
        name="t", caption="a caption that is wider than all", head=("a", "head", ""),
        rows=(("12345", "x\nlonger", "1"), ("1", "", "22")),
    )  # fmt: skip
    assert table.width == 5 + 2 + 6 + 2 + 2
    assert Table(name="t", caption="c", head=("four",)).width == 4
