"""Price lists and what a fabric costs by one: against sums made by hand, and every bad list."""

from pathlib import Path

import pytest

from support.price_lists import HALF, HEAD, PARTS, price_list
from weft.errors import WeftError
from weft.fabric.cost import FabricCost, cost_of
from weft.fabric.network import parts_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.sources.price_lists import _date, read_prices


def cost(path: Path, nodes: int = 48, ports: int = 48) -> FabricCost:
    fabric = build_fabric(FabricAsked(nodes=nodes, switch="24", blocking="2:1"))
    return cost_of(parts_of(fabric), ports, read_prices(path))


def test_the_price_is_that_of_every_part(tmp_path: Path) -> None:
    """48 nodes: 48 adapters, 3 leaves and a spine, 48 cables and 24 uplinks."""
    found = cost(price_list(tmp_path / "a.toml"))
    assert found.total == 48 * 805 + 4 * 7450 + 72 * 300 == found.list_total
    assert found.per_port == found.total / 48
    assert [(line.role, line.total) for line in found.lines] == [
        ("adapter", 38640),
        ("leaf", 22350),
        ("spine", 7450),
        ("node cable", 14400),
        ("uplink cable", 7200),
    ]
    assert sum(line.share for line in found.lines) == pytest.approx(1)
    assert found.lines[0].moves_total == pytest.approx(0.1 * 38640 / found.total)


def test_a_tenth_on_a_part_moves_the_total_as_its_line_says(tmp_path: Path) -> None:
    usual = cost(price_list(tmp_path / "a.toml"))
    more = PARTS.replace("= 805", "= 885.5")
    moved = cost(price_list(tmp_path / "b.toml", parts=more))
    assert moved.total / usual.total == pytest.approx(1 + usual.lines[0].moves_total)


def test_a_cable_of_its_own_price_is_not_any_cable(tmp_path: Path) -> None:
    parts = PARTS + '[[part]]\npart = "uplink cable"\nlist_price = 100\n'
    assert cost(price_list(tmp_path / "a.toml", parts=parts)).total == 83290 + 7200 - 24 * 200 - 450


def test_a_discount_of_the_list_and_one_of_a_part(tmp_path: Path) -> None:
    head = HEAD + 'discount = "20%"\n'
    parts = PARTS.replace("= 805", '= 805\ndiscount = "50%"')
    found = cost(price_list(tmp_path / "a.toml", head=head, parts=parts))
    assert found.list_total == 90040
    assert sum(line.total for line in found.lines) == pytest.approx(found.total)
    assert found.total == pytest.approx(0.5 * 38640 + 0.8 * (90040 - 38640))


def test_energy_and_replacements_over_the_years(tmp_path: Path) -> None:
    """4 switches of 60 W: 0.24 kW, 8760 hours per year; bought again after 2 and after 4 years."""
    head = HEAD + "energy_price_per_kwh = 0.25\n"
    parts = PARTS.replace("= 7450", "= 7450\npower_w = 60\nlifetime_years = 2")
    found = cost(price_list(tmp_path / "a.toml", head=head, parts=parts))
    assert found.power_w == 240
    assert found.energy_kwh == pytest.approx(0.24 * 8760 * 5)
    assert found.energy == pytest.approx(0.25 * 0.24 * 8760 * 5)
    assert found.replaced == 2 * 4 * 7450
    assert found.over_years == pytest.approx(found.total + found.replaced + 2628)
    assert found.without_power == ("adapter",)


def test_a_part_that_lives_just_as_long_is_bought_once(tmp_path: Path) -> None:
    parts = PARTS.replace("= 7450", "= 7450\nlifetime_years = 5")
    found = cost(price_list(tmp_path / "a.toml", parts=parts))
    assert found.replaced == 0
    assert found.over_years is None  # there is no price of energy


def test_fabrics_of_a_list(tmp_path: Path) -> None:
    [fabric] = read_prices(price_list(tmp_path / "a.toml", fabrics=HALF)).fabrics
    assert (fabric.name, fabric.nodes, fabric.blocking) == ("half", 1152, "2:1")


BAD = [
    ("currency", HEAD.replace("USD", "UDS"), PARTS, "'UDS' is not a currency; did you mean"),
    ("dollars", HEAD.replace("USD", "$"), PARTS, 'write its ISO 4217 code, like "USD"'),
    ("none", 'date = "2004"\n', PARTS, 'has no currency; write currency = "USD"'),
    ("date", HEAD.replace("2004-09", "9/2004"), PARTS, "'9/2004' is not a date; write date"),
    ("year", HEAD + "years = 0\n", PARTS, "years is 0; write a number over 0"),
    ("energy", HEAD + "energy_price_per_kwh = -1\n", PARTS, "energy_price_per_kwh is -1; write"),
    ("key", HEAD + 'vendor = "x"\n', PARTS, "'vendor' is unknown; write one of title"),
    ("near key", HEAD + 'titel = "x"\n', PARTS, "'titel' is unknown; did you mean title"),
    ("no parts", HEAD, "", r"has no part; write \[\[part\]\]"),
    (
        "part key",
        HEAD,
        PARTS.replace("list_price = 805", "list_prise = 8"),
        "did you mean list_pri",
    ),
    ("no price", HEAD, '[[part]]\npart = "adapter"\n', "part 1 has no list_price; write list_pri"),
    ("negative", HEAD, PARTS.replace("= 805", "= -805"), "part 1: list_price is -805; write a num"),
    ("infinite", HEAD, PARTS.replace("= 805", "= inf"), "part 1: list_price is inf; write a num"),
    (
        "text",
        HEAD,
        PARTS.replace("= 805", '= "805"'),
        "part 1: list_price: expected.*list_price = 7",
    ),
    ("power", HEAD, PARTS.replace("= 805", "= 8\npower_w = -1"), "power_w is -1"),
    ("life", HEAD, PARTS.replace("= 805", "= 8\nlifetime_years = 0"), "lifetime_years is 0"),
    ("discount", HEAD, PARTS.replace("= 805", "= 8\ndiscount = 20"), 'write discount = "20%"'),
    (
        "over 100",
        HEAD,
        PARTS.replace("= 805", '= 8\ndiscount = "120%"'),
        "part 1: discount: '120%'",
    ),
    ("unknown", HEAD, PARTS.replace('"adapter"', '"adaptor"'), "did you mean adapter?"),
    (
        "strange",
        HEAD,
        PARTS.replace('"adapter"', '"rack"'),
        "no fabric has a part 'rack'; write one",
    ),
    ("twice", HEAD, PARTS + PARTS, "part 5: adapter has a price already; remove one"),
    ("fabric", HEAD, PARTS + HALF.replace("link", "lnk"), "fabric 1: 'lnk' is unknown; did you"),
    ("nodes", HEAD, PARTS + "[[fabric]]\nrails = 1\n", "fabric 1 has no nodes; write nodes = 1152"),
    (
        "number",
        HEAD,
        PARTS + "[[fabric]]\nnodes = 8\nswitch = 24\n",
        "switch: .* write switch as text",
    ),
    ("not toml", "currency =\n", PARTS, "is not TOML"),
]


@pytest.mark.parametrize(
    ("head", "parts", "what"), [row[1:] for row in BAD], ids=[r[0] for r in BAD]
)
def test_a_bad_list_is_one_line_with_the_fix(
    tmp_path: Path, head: str, parts: str, what: str
) -> None:
    with pytest.raises(WeftError, match=what) as caught:
        read_prices(price_list(tmp_path / "a.toml", head=head, parts=parts))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("written", "read"),
    [("2006-06-07", "2006-06-07"), ("2006", "2006"), ('"2006-06"', "2006-06")],
)
def test_a_date_is_text_or_one_of_toml(tmp_path: Path, written: str, read: str) -> None:
    path = price_list(tmp_path / "a.toml", head=f'currency = "USD"\ndate = {written}\n')
    assert read_prices(path).date == read


def test_each_month_and_day_is_one_and_none_beyond_them(tmp_path: Path) -> None:
    months, days = ([f"{at:02d}" for at in range(100)] for _ in range(2))
    for written in (*(f"2006-{month}" for month in months), *(f"2006-10-{day}" for day in days)):
        _, month, day = (*written.split("-"), "01")[:3]
        is_one = 1 <= int(month) <= 12 and 1 <= int(day) <= 31
        try:
            assert _date(tmp_path, written) == written
        except WeftError:
            assert not is_one, written
        else:
            assert is_one, written


@pytest.mark.parametrize("written", ["2006-06-07T08:09:10Z", "true", "[2006]", '"June"'])
def test_a_date_that_is_none(tmp_path: Path, written: str) -> None:
    with pytest.raises(WeftError, match="is not a date; write date = "):
        read_prices(price_list(tmp_path / "a.toml", head=f'currency = "USD"\ndate = {written}\n'))


def test_the_list_of_the_documentation_is_one(tmp_path: Path) -> None:
    """5 years of its switches: each is bought twice, at 30 % off."""
    page = Path(__file__).resolve().parents[2] / "docs" / "price.md"
    path = tmp_path / "p.toml"
    path.write_text(page.read_text().partition("```toml\n")[2].partition("```")[0])
    prices = read_prices(path)
    [fabric] = prices.fabrics
    found = cost_of(parts_of(build_fabric(fabric)), fabric.nodes, prices)
    assert found.total == pytest.approx(0.8 * (48 * 805 + 72 * 300) + 0.7 * 4 * 7450)
    assert found.replaced == pytest.approx(0.7 * 4 * 7450)
    assert found.energy == pytest.approx(0.15 * 0.06 * 4 * 8760 * 5)


@pytest.mark.parametrize(
    "name", ["uplink-cable", "Uplink_Cable", " uplink  CABLE ", "uplink cable"]
)
def test_a_part_is_known_however_its_words_are_parted(tmp_path: Path, name: str) -> None:
    parts = PARTS + f'[[part]]\npart = "{name}"\nlist_price = 100\n'
    assert cost(price_list(tmp_path / "a.toml", parts=parts)).total == 83290 + 7200 - 24 * 200 - 450


def test_a_part_without_a_price_and_a_list_that_is_not_there(tmp_path: Path) -> None:
    parts = PARTS.replace("switch 24", "switch 36")
    with pytest.raises(WeftError, match=r"Voltaire has no price for switch 24; add \[\[part\]\]"):
        cost(price_list(tmp_path / "a.toml", parts=parts))
    with pytest.raises(WeftError, match=r"cannot read .*check the path"):
        read_prices(tmp_path / "b.toml")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('part = "line card 288"', "a line card 288 has no ports; write those of one card"),
        ('part = "line card 24"\nports = 25', "a line card 24 has 25 ports"),
        ('part = "switch 288"\nports = 24', "switch 288 has ports = 24; remove ports"),
    ],
)
def test_a_line_card_has_ports_and_nothing_else_does(tmp_path: Path, text: str, what: str) -> None:
    parts = f"[[part]]\n{text}\nlist_price = 1\n"
    with pytest.raises(WeftError, match=what):
        read_prices(price_list(tmp_path / "p.toml", parts=parts))
