"""What trend, price and doctor show is what they print as JSON, each figure in its own column."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.builders import lost_batch, make_cases
from support.cells import UNITS, Shown, shown_of, shows
from support.nights import night
from support.pages import Cells, tables_in
from support.price_lists import FULL, HALF, price_list
from support.printed import result_of
from weft.cli.main import app
from weft.host.finding import Finding

CASES = make_cases(("ping_pong", "stream"), ("mpi", "tcp"), (8, 1024, 65536))
LIMIT = '[[limit]]\ntest = "{}"\nsizes = "{}"\n{} = "{}"\n'
LIMITS = LIMIT.format("ping_pong", "8", "latency_at_most", "1.1 us")
LIMITS += LIMIT.format("stream", "64KiB", "bandwidth_at_least", "14 GB/s")


def shown(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


def swapped(rows: Cells, left: int) -> Cells:
    return [[*row[:left], row[left + 1], row[left], *row[left + 2 :]] for row in rows]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Seven uneven nights of two machines, in no order; one lacks a figure, one a machine's end."""
    folder = tmp_path_factory.mktemp("nights")
    lost = [lost_batch(CASES[0], 4, 900, "failed", "byte 3 differs")]
    factors = {0: 1.0, 2: 0.93, 3: 1.31, 7: 1.22, 11: 0.87}
    of_one = [
        night(folder, day, factor, cases=CASES, more=lost if day == 3 else ())
        for day, factor in factors.items()
    ]
    of_other = [
        night(folder, day, factor, cases=CASES[: 5 + at], host="beta")
        for at, (day, factor) in enumerate({1: 1.13, 5: 0.97}.items())
    ]
    return [run.path for run in (*of_other, *reversed(of_one))]


@pytest.mark.usefixtures("undrawn")
def test_each_cell_of_a_trend_is_its_sessions_figure(sessions: list[Path], tmp_path: Path) -> None:
    limits, page = tmp_path / "l.toml", tmp_path / "t.html"
    limits.write_text(LIMITS)
    found = result_of(shown("trend", *sessions, "--against", limits, "-o", page, "--json"))
    tables = tables_in(page.read_text())
    tables = [table for table in tables if table[0][0] == "session"]
    assert len(tables) == len(found["courses"]) == 6
    for course, cells in zip(found["courses"], tables, strict=True):
        assert_course(found, course, cells)
        for left in range(1, len(cells[0]) - 1):
            wrong = [cells[0], *swapped(cells[1:], left)]
            with pytest.raises(AssertionError):
                assert_course(found, course, wrong)
    # Only what a limit is of has answers, and both kinds are there.
    answers = {tuple(dict.fromkeys(course["answers"])) for course in found["courses"]}
    assert {answer for own in answers for answer in own} == {None, "pass", "fail"}


def assert_course(found: dict[str, Any], course: dict[str, Any], cells: Cells) -> None:
    transport, test, _ = course["name"].split("/")
    own = [
        one
        for one in found["series"]
        if (one["transport"], one["test"], one["machine"]) == (transport, test, course["machine"])
    ]
    has_answers = any(course["answers"])
    sizes = {8: "8 B", 1024: "1 KiB", 65536: "64 KiB"}
    answer = ["answer"] if has_answers else []
    assert cells[0] == ["session", *answer, "speed", *(sizes[one["bytes"]] for one in own)]
    points = [{point["session"]: point for point in one["points"]} for one in own]
    at_all = sorted({at for one in points for at in one})
    assert len(cells) == 1 + len(at_all)
    for at, row in zip(at_all, cells[1:], strict=True):
        assert row[0] == found["sessions"][at]["measured_utc"][:16].replace("T", " ")
        assert found["sessions"][at]["machine"] == course["machine"]
        if has_answers:
            assert row[1] == (course["answers"][at] or "-")
        speed = course["speeds"][course["sessions"].index(at)]
        assert row[1 + len(answer)] == f"{speed:.3f}"
        for one, own_points, cell in zip(own, points, row[2 + len(answer) :], strict=True):
            point = own_points.get(at)
            if point is None or not point["estimate"]:
                assert cell == (point["status"] if point and point["status"] else "none")
                continue
            field = "latency_ns" if one["quantity"] == "latency" else "bandwidth_bytes_per_s"
            assert shows(cell, shown_of(field, point["estimate"])), (course["name"], at, cell)


# A list on which no two parts are alike in anything: price, discount, life and power.
PARTS = "".join(
    f'[[part]]\npart = "{part}"\nlist_price = {price}\nlifetime_years = {life}\npower_w = {watt}\n'
    for part, price, life, watt in (
        ("adapter", 811, 3, 9),
        ("cable", 61.25, 7, 0),
        ("switch 24", 7450, 5, 133),
        ("switch 288", 193150, 4, 4100),
    )
)


def money(cell: str, amount: float) -> bool:
    return shows(cell, Shown(value=amount, units={"": 1.0}))


def assert_parts(plain: dict[str, Any], rows: Cells) -> None:
    lines, parts = plain["cost"]["lines"], plain["parts"]
    for line, part, row in zip(lines, parts, rows[:-1], strict=True):
        name, count, price, makes, share, adds, left = row
        ports = line["part"].removeprefix("switch ") if "switch" in line["part"] else ""
        assert name == (f"{line['role']} switch, {ports} ports" if ports else line["role"])
        assert count == f"{part['count']:,}" == f"{line['count']:,}"
        assert money(price, line["price"])
        assert money(makes, line["total"])
        assert shows(share, shown_of("x_percent", 100 * line["share"]))
        assert adds.startswith("+")
        assert shows(adds[1:], shown_of("x_percent", 100 * line["moves_total"]))
        assert left == (f"{part['ports_left_over']:,}" if ports else "")
    assert rows[-1][:3] == ["total", "", ""]
    assert money(rows[-1][3], plain["cost"]["total"])


@pytest.mark.usefixtures("undrawn")
def test_each_cell_of_a_price_is_its_parts_figure(tmp_path: Path) -> None:
    prices = price_list(tmp_path / "p.toml", parts=PARTS.replace("lifetime_years = 7\n", ""))
    words = ("price", "--nodes", "1100", "--switch", "24,288", "--blocking", "2:1")
    plain = result_of(shown(*words, "--prices", prices, "--json"))
    page = tmp_path / "p.html"
    shown(*words, "--prices", prices, "-o", page)
    [table] = [one for one in tables_in(page.read_text()) if one[0][:2] == ["part", "count"]]
    assert table[0][2:] == ["price", "makes", "share", "+10% adds", "ports left over"]
    assert_parts(plain, table[1:])
    for left in range(len(table[0]) - 1):
        with pytest.raises(AssertionError):
            assert_parts(plain, swapped(table[1:], left))


def assert_values(values: Sequence[dict[str, Any]], rows: Cells) -> None:
    for value, row in zip(values, rows, strict=True):
        assert row[0] == value["name"] + " *" * value["is_on_front"]
        assert row[1:3] == [f"{value['nodes']:,}", f"{value['ports']:,}"]
        assert money(row[3], value["total"])
        assert money(row[4], value["per_node"])
        assert shows(
            row[5], Shown(value=value["bisection_bytes_per_s"], units=UNITS["_bytes_per_s"])
        )
        assert money(row[6], value["price_per_gb_per_s"]["value"])
        assert shows(row[7], Shown(value=value["latency_ns"], units=UNITS["_ns"]))
        assert row[8] == value["saves"]


@pytest.mark.usefixtures("undrawn")
def test_each_cell_of_compared_fabrics_is_its_options_figure(tmp_path: Path) -> None:
    half = HALF.replace("link =", 'measured = "callisto"\nlink =')
    full = FULL.replace("link =", 'measured = "escher"\nrails = 2\nlink =').replace("1152", "900")
    both = price_list(tmp_path / "both.toml", fabrics=half + full)
    values = result_of(shown("price", "--compare", both, "--json"))
    page = tmp_path / "c.html"
    shown("price", "--compare", both, "-o", page)
    [table] = [one for one in tables_in(page.read_text()) if "per node" in one[0]]
    assert table[0][1:6] == ["nodes", "ports", "price", "per node", "bisection"]
    assert table[0][6:] == ["USD per GB/s", "latency", "USD per µs saved"]
    assert_values(values, table[1:])
    assert values[0]["ports"] != values[0]["nodes"] or values[1]["ports"] != values[1]["nodes"]
    for left in range(len(table[0]) - 1):
        with pytest.raises(AssertionError):
            assert_values(values, swapped(table[1:], left))


def test_the_doctor_shows_each_finding_with_its_own_level_effect_and_fix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    findings = tuple(
        Finding(
            check=f"check{at}", level=level, what=f"what{at}",  # type: ignore[arg-type]
            effect=f"effect{at}" if at % 2 else "", fix=f"fix{at}" if at % 3 else "",
        )
        for at, level in enumerate(("warning", "ok", "unknown", "note", "warning", "note"))
    )  # fmt: skip
    monkeypatch.setattr("weft.host.every.of_hosts", lambda _: findings)
    found = result_of(shown("doctor", "--json"))["findings"]
    assert [one["check"] for one in found] == [f"check{at}" for at in range(6)]
    whole = [line.rstrip() for line in shown("doctor").splitlines()]
    assert whole[0] == "WARNING  check0  what0"
    assert whole[2:4] == ["                   effect: effect1", "                   fix:    fix1"]
    lines = [line.split() for line in whole]
    wanted = []
    for one in found:
        mark = "WARNING" if one["level"] == "warning" else one["level"]
        wanted.append([mark, one["check"], one["what"]])
        wanted += [[f"{kind}:", one[kind]] for kind in ("effect", "fix") if one[kind]]
    assert lines == wanted
