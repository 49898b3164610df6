"""Lists that are typed of a fabric: each of their parts is looked at, whatever place it has."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from weft.errors import WeftError
from weft.fabric.topologies import MOST_PORTS, parse_blocking, parse_switches


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize(("bad", "is_range"), [
    ("1", True), (str(MOST_PORTS + 1), True), ("", False), ("x", False), ("-24", False),
])  # fmt: skip
def test_each_switch_has_ports_that_there_are(at: int, bad: str, *, is_range: bool) -> None:
    parts = ["24", "36", "288"]
    parts[at] = bad
    why = f"--switch {bad} is out of range" if is_range else "is not one to 3 numbers of ports"
    with pytest.raises(WeftError, match=why):
        parse_switches(",".join(parts))


def test_switches_that_are_not_named_are_as_the_last_one() -> None:
    assert parse_switches("2") == (2, 2, 2)
    assert parse_switches(f" 24 ,{MOST_PORTS}") == (24, MOST_PORTS, MOST_PORTS)
    assert parse_switches("24,36,288") == (24, 36, 288)


@pytest.mark.parametrize("bad", ["1:2", "0:1", "2:0", "2", "", "a:b"])
@pytest.mark.parametrize("place", [lambda bad: f"{bad},1:1", lambda bad: f"2:1,{bad}"])
def test_each_factor_is_one_of_blocking(bad: str, place: Callable[[str], str]) -> None:
    with pytest.raises(WeftError, match=f"'{bad}' is not a blocking factor"):
        parse_blocking(place(bad))


def test_factors_are_of_leaves_and_of_spines() -> None:
    assert parse_blocking("2.5:1") == (Fraction(5, 2), Fraction(1))
    assert parse_blocking("2:1, 3:2") == (Fraction(2), Fraction(3, 2))
