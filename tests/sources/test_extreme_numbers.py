"""Numbers that no program prints are one line or a skipped line, in every kind of file."""

import contextlib
from pathlib import Path

import pytest

from support.peer_outputs import FILES, OUTPUTS, TOLD
from support.price_lists import FULL, PARTS, price_list
from weft.errors import WeftError
from weft.fabric.simgrid import numbers_in
from weft.reference.library import find_platform
from weft.sim.calibrate import Times, lines_of
from weft.sim.platforms import calibrated, read_platform
from weft.sources.limits import read_limits
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given
from weft.sources.price_lists import read_prices
from weft.sources.topologies import topology_of
from weft.units import parse_bytes, parse_seconds, parse_sizes, parse_time

LONG = "1" * 5000
LIMIT = '[[limit]]\ntest = "ping_pong"\nlatency_at_most = "{time}"\nsizes = "{sizes}"\n'


@pytest.mark.parametrize("name", FILES)
def test_an_output_with_a_long_number_is_read_without_its_line(name: str) -> None:
    text = (OUTPUTS / name).read_bytes().decode("utf-8", "replace")
    number = next(word for word in reversed(text.split()) if word[0].isdigit())
    before, _, behind = text.rpartition(number)
    content = f"{before}{LONG}{behind}".encode()
    # A file of one row is then one without rows.
    with contextlib.suppress(WeftError):
        read_output(Path(name), TOLD.get(name, Given()), content)


def test_a_line_of_a_hundred_thousand_digits_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(WeftError):
        read_output(tmp_path / "digits.txt", Given(), b"hello\n" + b"1" * 100_000)


@pytest.mark.parametrize(
    "radical", ["0-99999999999", "0-9999999", "²-3", "0-abc", "0-Infinity", f"0-{LONG}", "-5"]
)
def test_a_platform_with_an_impossible_range_is_one_line(tmp_path: Path, radical: str) -> None:
    path = tmp_path / "p.xml"
    path.write_text(f'<platform version="4.1"><cluster id="c" radical="{radical}"/></platform>')
    with pytest.raises(WeftError, match="radical"):
        read_platform(path)


def test_ranges_of_a_platform_are_their_numbers() -> None:
    assert numbers_in("0-3,7") == {0, 1, 2, 3, 7}
    assert len(numbers_in("0-999999")) == 10**6


@pytest.mark.parametrize(
    ("old", "new"),
    [('value="model"', 'value="evil"'), ('id="smpi/or" value="', 'id="smpi/or" value="0:nan:1;')],
)
def test_a_calibrated_platform_with_a_wrong_value_is_one_line(
    tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "p.xml"
    path.write_text(calibrated(find_platform("escher"), "model", 128).xml)
    read_platform(path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(WeftError, match=r"weft-kind|smpi/or"):
        read_platform(path)


@pytest.mark.parametrize(
    "text",
    [
        "SwitchName=s Nodes=n[001²]\n",
        f"SwitchName=s Nodes=n[1-{LONG}]\n",
        "".join(f"SwitchName=s{at} Switches=s{at + 1}\n" for at in range(50))
        + "SwitchName=s50 Nodes=n1\n",
    ],
)
def test_a_topology_with_an_impossible_number_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "topology.conf"
    path.write_text(text)
    with pytest.raises(WeftError, match=r"no range|400 digits|over 16 levels"):
        topology_of([str(path)])


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 100_000,
        f"x = {LONG}",
        LIMIT.format(time="2 us", sizes=LONG),
        LIMIT.format(time=f"{LONG} us", sizes="8"),
        LIMIT.format(time="2 us", sizes=",".join(map(str, range(200_000)))),
        LIMIT.format(time="2 us", sizes="8") * 10_001,
    ],
    ids=["deep", "integer", "size", "time", "sizes", "limits"],
)
def test_a_limits_file_beyond_any_bound_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(WeftError):
        read_limits(path)


@pytest.mark.parametrize(
    ("old", "new"), [("805", "1e308"), ("805", "805\nlifetime_years = 5e-324")]
)
def test_a_price_beyond_any_bound_is_one_line(tmp_path: Path, old: str, new: str) -> None:
    path = price_list(tmp_path / "p.toml", parts=PARTS.replace(old, new), fabrics=FULL)
    with pytest.raises(WeftError, match="write a number"):
        read_prices(path)


@pytest.mark.parametrize("parse", [parse_bytes, parse_sizes, parse_seconds, parse_time])
def test_a_typed_number_of_5000_digits_is_one_line(parse: object) -> None:
    assert callable(parse)
    with pytest.raises(WeftError):
        parse(f"{LONG} s" if parse in (parse_seconds, parse_time) else LONG)


def test_a_model_of_many_sizes_has_the_lines_that_the_times_were_made_of() -> None:
    """124 sizes took minutes, and 2,000 would have taken days."""
    sizes = [round(1.01**at) for at in range(500, 1800)]
    times = {n: 1000 + 0.1 * n if n < 65_536 else 9000 + 0.05 * n for n in sizes}
    found = lines_of(Times(ping_pong=times))
    switch = min(size for size in sizes if size >= 65_536)
    assert abs(found.eager_below_bytes / switch - 1) < 0.15
    assert found.transfer[0].ns_per_byte == pytest.approx(0.05)
