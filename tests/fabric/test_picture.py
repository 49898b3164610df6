"""The picture of a fabric: every switch in one box, every cable in one line, loads as counted."""

import xml.etree.ElementTree as ET
from math import dist

import pytest

from weft.fabric.network import ports_used
from weft.fabric.picture import CableBundle, FabricPicture, loads_of, picture_of
from weft.fabric.routes import routes_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.report.fabric_svg import MOST_NUMBERED, _numbers, fabric_svg

HALF = FabricAsked(nodes=16, switch="6", blocking="2:1")
FABRICS = [
    FabricAsked(nodes=4, switch="8"),
    HALF,
    FabricAsked(nodes=64, switch="8"),
    FabricAsked(nodes=4096, switch="64"),
    FabricAsked(nodes=4096, switch="36"),
    FabricAsked(nodes=4096, switch="24", topology="torus"),
    FabricAsked(nodes=8, switch="3", topology="torus", shape="8"),
    FabricAsked(nodes=72, switch="7", topology="dragonfly"),
    FabricAsked(nodes=4096, switch="31", topology="dragonfly"),
]
SVG = "{http://www.w3.org/2000/svg}"


def numbers(picture: FabricPicture, unit: str) -> int:
    """The sum of what boxes say in a unit."""
    words = [line.split() for box in picture.boxes for line in box.lines]
    return sum(int(one[0].replace(",", "")) for one in words if one[1:2] in ([unit], [f"{unit}s"]))


@pytest.mark.parametrize(
    "asked", FABRICS, ids=lambda one: f"{one.topology}-{one.nodes}-{one.switch}"
)
def test_nothing_of_a_fabric_is_lost_and_boxes_stand_apart(asked: FabricAsked) -> None:
    fabric = build_fabric(asked)
    picture = picture_of(fabric)
    inside = sum(
        int(note.split()[0].replace(",", "")) for note in picture.notes if "inside" in note
    )
    assert inside == sum(box.cables for box in picture.boxes)
    drawn = sum(line.cables for line in picture.lines)
    assert drawn + inside == sum(trunk.cables for trunk in fabric.trunks)
    left = sum(switch.radix for switch in fabric.switches) - sum(ports_used(fabric))
    assert numbers(picture, "port") == left
    assert numbers(picture, "node") == fabric.nodes
    assert len(picture.boxes) <= 64
    places = [(box.x, box.y) for box in picture.boxes]
    assert all(dist(one, other) > 0.05 for at, one in enumerate(places) for other in places[:at])


@pytest.mark.parametrize(
    "asked", FABRICS, ids=lambda one: f"{one.topology}-{one.nodes}-{one.switch}"
)
def test_a_picture_is_svg_whose_boxes_do_not_overlap(asked: FabricAsked) -> None:
    root = ET.fromstring(fabric_svg(picture_of(build_fabric(asked))))  # noqa: S314 - our own
    boxes = [
        [float(one.get(name, "")) for name in ("x", "y", "width", "height")]
        for one in root.iter(f"{SVG}rect")
        if one.get("rx")
    ]
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for at, (x, y, wide, high) in enumerate(boxes):
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height
        for x2, y2, wide2, high2 in boxes[:at]:
            assert x + wide <= x2 or x2 + wide2 <= x or y + high <= y2 or y2 + high2 <= y


def path_of(text: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The straight parts of a path."""
    found = []
    for part in text.split("M")[1:]:
        here, _, there = part.partition("L")
        (x1, y1), (x2, y2) = (map(float, one.split()) for one in (here, there))
        found.append(((x1, y1), (x2, y2)))
    return found


@pytest.mark.parametrize("asked", FABRICS[5:7], ids=lambda one: f"{one.topology}-{one.nodes}")
def test_no_cable_of_a_torus_is_hidden_by_a_box(asked: FabricAsked) -> None:
    """A line has its ends in two boxes and is seen elsewhere: those that close rings go out."""
    picture = picture_of(build_fabric(asked))
    root = ET.fromstring(fabric_svg(picture))  # noqa: S314 - our own
    boxes = [
        [float(one.get(name, "")) for name in ("x", "y", "width", "height")]
        for one in root.iter(f"{SVG}rect")
        if one.get("rx")
    ]
    _, _, width, height = map(float, root.get("viewBox", "").split())
    paths = [path_of(one.get("d", "")) for one in root.iter(f"{SVG}path")]
    assert len(paths) == len(picture.lines)
    assert sorted(map(len, paths)) == sorted(1 + line.is_around for line in picture.lines)
    for parts in paths:
        touched = set()
        for (x1, y1), (x2, y2) in parts:
            points = [(x1 + (x2 - x1) * n / 50, y1 + (y2 - y1) * n / 50) for n in range(51)]
            inside = [
                [
                    at
                    for at, (left, top, wide, high) in enumerate(boxes)
                    if left <= x <= left + wide and top <= y <= top + high
                ]
                for x, y in points
            ]
            touched |= {at for own in inside for at in own}
            # At least 10 units of it are seen.
            seen = sum(not own for own in inside) * dist((x1, y1), (x2, y2)) / 50
            assert seen > 10
            assert all(0 < x < width and 20 < y < height for x, y in points)
        assert len(touched) == 2
    around = any(line.is_around for line in picture.lines)
    words = [one.text or "" for one in root.iter(f"{SVG}text")]
    assert ("a line out of the grid goes on at the other side" in words) == around


@pytest.mark.parametrize("routing", ["ideal", "d-mod-k"])
def test_a_taper_is_seen_where_it_binds(routing: str) -> None:
    """All to all: 4 nodes of a leaf send to 12 others over 2 cables, each node to 15."""
    fabric = build_fabric(HALF)
    routes = routes_of(fabric, routing)
    carried: dict[str, float] = {"node": 15.0}
    for (one, other), way in routes.ways.items():
        for at in way:
            pairs = len(routes.ends[one].nodes) * len(routes.ends[other].nodes)
            name = routes.bundles[at].name
            carried[name] = carried.get(name, 0.0) + pairs
    loads = loads_of(fabric, carried)
    assert set(loads) == {(trunk.one, trunk.other) for trunk in fabric.trunks}
    assert list(loads.values()) == pytest.approx([24 / 15] * len(loads))
    picture = picture_of(fabric, carried)
    assert [line.load for line in picture.lines] == pytest.approx([1.6] * len(picture.lines))
    assert "these links bind" in fabric_svg(picture)


def test_a_legend_has_each_load_in_the_colour_of_its_lines() -> None:
    """All lines of a picture have both ends, and a legend's are one below the other."""
    fabric = build_fabric(HALF)
    loads = {(trunk.one, trunk.other): 0.3 + at for at, trunk in enumerate(fabric.trunks)}
    carried = {f"cable-{one}-{other}-0": load for (one, other), load in loads.items()}
    root = ET.fromstring(fabric_svg(picture_of(fabric, {"node": 1.0, **carried})))  # noqa: S314
    lines = [dict(one.attrib) for one in root.iter(f"{SVG}line")]
    ends = {"x1", "y1", "x2", "y2", "stroke", "stroke-width"}
    assert all(ends <= line.keys() for line in lines)
    legend = [line for line in lines if (line["x1"], line["x2"]) == ("12", "52")]
    assert len(legend) == 5
    heights = [float(line["y1"]) for line in legend]
    assert heights == [heights[0] + 20 * at for at in range(5)]
    assert heights == [float(line["y2"]) for line in legend]
    colours = [line["stroke"] for line in legend]
    widths = [float(line["stroke-width"]) for line in legend]
    assert len(set(colours)) == 5
    assert widths == sorted(set(widths))
    words = [float(text.get("y", "")) for text in root.iter(f"{SVG}text") if text.get("x") == "62"]
    assert words == [y + 4 for y in heights]
    _, _, _, height = map(float, root.get("viewBox", "").split())
    assert words[-1] <= height - 4


def test_links_that_are_no_cables_hide_none_that_are() -> None:
    ring = build_fabric(FabricAsked(nodes=8, switch="3", topology="torus", shape="8"))
    known = {"switch-0-1": 8.0}
    for others in ({"bound": 1.0, **known}, {**known, "bound": 1.0}):
        assert loads_of(ring, {"node": 4.0, **others})[0, 1] == pytest.approx(2.0)
    assert loads_of(ring, {"node": 4.0, "bound": 1.0}) == {}


def test_loads_of_pods_are_those_of_their_cables_to_the_cores() -> None:
    tree = build_fabric(FabricAsked(nodes=64, switch="8"))
    routes = routes_of(tree)
    [pod, *_] = [one for one in routes.bundles if one.name.startswith("pod")]
    loads = loads_of(tree, {"node": 1.0, pod.name: 2.0 * pod.cables})
    busy = {pair: load for pair, load in loads.items() if load}
    assert set(busy.values()) == {2.0}
    assert sum(t.cables for t in tree.trunks if (t.one, t.other) in busy) == pod.cables
    assert {tree.switches[above].role for _, above in busy} == {"core"}


def test_loads_of_a_ring_are_those_of_the_busier_way() -> None:
    ring = build_fabric(FabricAsked(nodes=8, switch="3", topology="torus", shape="8"))
    found = loads_of(ring, {"node": 7.0, "switch-0-1": 8.0, "switch-1-0": 10.0, "switch-7-0": 3.5})
    assert found[0, 1] == pytest.approx(10 / 7)
    assert sorted(found.values())[-2] == pytest.approx(0.5)
    assert loads_of(ring, {}) == {}


def test_leaves_and_spines_of_a_pod_share_a_column() -> None:
    """13 pods in seven columns: no line between leaves and spines crosses another."""
    picture = picture_of(build_fabric(FabricAsked(nodes=4096, switch="36")))
    pods = [box for box in picture.boxes if box.lines[0].startswith("pod")]
    by_column: dict[float, list[str]] = {}
    for box in pods:
        by_column.setdefault(box.x, []).append(box.lines[0])
    assert len(by_column) == 7
    assert all(len(own) == 2 and len(set(own)) == 1 for own in by_column.values())
    words = [line for box in picture.boxes for line in box.lines]
    assert {"pods 2 to 3", "spines 19 to 54", "leaves 19 to 54", "cores 1 to 19"} <= set(words), (
        words
    )
    upright = [line for line in picture.lines if line.level == 1]
    assert all(picture.boxes[one.one].x == picture.boxes[one.other].x for one in upright)


def test_boxes_of_a_torus_say_where_they_are() -> None:
    cube = picture_of(build_fabric(FabricAsked(nodes=64, switch="8", topology="torus")))
    assert {box.lines[0] for box in cube.boxes} >= {"y 1, z 1", "y 3, z 2"}
    assert "each box has all switches along x" in cube.notes
    asked = FabricAsked(nodes=4096, switch="8", topology="torus", shape="64x64")
    assert picture_of(build_fabric(asked)).boxes[1].lines[:2] == ("x 1-8, y 9-16", "64 switches")


def test_a_box_has_the_load_of_the_busiest_cable_inside_of_it() -> None:
    fabric = build_fabric(FabricAsked(nodes=72, switch="7", topology="dragonfly"))
    local = next(trunk for trunk in fabric.trunks if trunk.kind == "local")
    carried = {"node": 2.0, f"switch-{local.one}-{local.other}": 5.0}
    picture = picture_of(fabric, carried)
    assert [box.load for box in picture.boxes] == [2.5, *[0.0] * 8]
    frames = [
        (one.get("class", ""), one.findtext(f"{SVG}title"))
        for one in ET.fromstring(fabric_svg(picture)).iter(f"{SVG}rect")  # noqa: S314 - our own
        if one.get("rx")
    ]
    assert frames[:2] == [
        ("box load-4", "6 cables, load 2.50 inside"),
        ("box load-0", "6 cables, load 0.00 inside"),
    ]
    bound = picture_of(fabric, {"node": 2.0, "group-0-out": 5.0})
    assert not bound.has_loads
    assert any("is a bound" in note for note in bound.notes)
    alone = picture_of(build_fabric(FabricAsked(nodes=4, switch="8")), {"node": 2.0})
    assert not alone.notes


@pytest.mark.parametrize(
    "asked", FABRICS, ids=lambda one: f"{one.topology}-{one.nodes}-{one.switch}"
)
def test_numbers_of_cables_stand_apart_and_are_all_of_them(asked: FabricAsked) -> None:
    picture = picture_of(build_fabric(asked))
    root = ET.fromstring(fabric_svg(picture))  # noqa: S314 - our own
    numbers = [one for one in root.iter(f"{SVG}text") if "halo" in one.get("class", "")]
    levels = [line.level for line in picture.lines]
    few = [line for line in picture.lines if levels.count(line.level) <= MOST_NUMBERED]
    assert sorted(one.text or "" for one in numbers) == sorted(f"{line.cables:,}" for line in few)
    places = [(float(one.get("x", "")), float(one.get("y", ""))) for one in numbers]
    assert all(
        abs(x - x2) > 7 or abs(y - y2) > 12
        for at, (x, y) in enumerate(places)
        for x2, y2 in places[:at]
    )


def test_long_numbers_stand_apart_by_their_own_width() -> None:
    """Of six characters at one place the second goes on until both have room: 49 units."""
    line = CableBundle(one=0, other=1, cables=12345)
    found = [ET.fromstring(one) for one in _numbers([line, line], [(0, 0), (800, 0)])]  # noqa: S314
    assert [(one.text, one.get("x"), one.get("y")) for one in found] == [
        ("12,345", "400.0", "4.0"), ("12,345", "460.0", "4.0"),
    ]  # fmt: skip


def test_a_picture_is_dark_on_a_dark_screen_and_light_on_paper() -> None:
    """Colours are attributes; what a dark screen changes is every class that has one."""
    text = fabric_svg(picture_of(build_fabric(HALF), {"node": 1.0, "cable-0-4-0-up": 1.0}))
    root = ET.fromstring(text)  # noqa: S314 - our own
    [style] = [one.text or "" for one in root.iter(f"{SVG}style")]
    assert style.startswith("@media screen and (prefers-color-scheme: dark)")
    classes = {
        name
        for one in root.iter()
        for name in one.get("class", "").split()
        if name != "weft-fabric"
    }
    assert {"paper", "ink", "box", "load-0"} <= classes
    assert all(f".weft-fabric .{name} {{" in style for name in classes)
    assert all("stroke" in one.attrib for one in root.iter(f"{SVG}path"))


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        (FabricAsked(nodes=4, switch="8"), 1),
        (FabricAsked(nodes=16, switch="6", blocking="2:1"), 2),
        (FabricAsked(nodes=4096, switch="64"), 3),
        (FabricAsked(nodes=4096, switch="24", topology="torus"), 7),
        (FabricAsked(nodes=8, switch="3", topology="torus", shape="8"), 1),
        # On a circle of 3 groups, of 9, and of 16 boxes of them.
        (FabricAsked(nodes=6, switch="3", topology="dragonfly"), 3),
        (FabricAsked(nodes=72, switch="7", topology="dragonfly"), 4),
        (FabricAsked(nodes=4096, switch="31", topology="dragonfly"), 8),
    ],
)
def test_a_picture_is_as_high_as_its_boxes_above_each_other(asked: FabricAsked, rows: int) -> None:
    picture = picture_of(build_fabric(asked))
    assert picture.rows == rows


def test_a_number_for_which_there_is_no_room_stands_in_the_middle() -> None:
    line = CableBundle(one=0, other=1, cables=12345)
    found = [ET.fromstring(one) for one in _numbers([line] * 3, [(0, 0), (200, 0)])]  # noqa: S314
    assert [one.get("x") for one in found] == ["100.0", "100.0", "100.0"]


@pytest.mark.parametrize(
    ("asked", "around"),
    [
        (FabricAsked(nodes=8, switch="3", topology="torus", shape="8"), 1),
        (FabricAsked(nodes=2, switch="3", topology="torus", shape="2"), 0),
        (FabricAsked(nodes=12, switch="9", topology="torus", shape="3x4"), 3 + 4),
        # Seven columns and seven rows of boxes.
        (FabricAsked(nodes=4096, switch="24", topology="torus"), 7 + 7),
        (HALF, 0),
    ],
)
def test_one_line_of_each_row_and_column_goes_on_at_the_other_side(
    asked: FabricAsked, around: int
) -> None:
    picture = picture_of(build_fabric(asked))
    assert sum(line.is_around for line in picture.lines) == around
