"""The picture of a fabric as SVG, which needs nothing else and follows the reader's theme."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from weft.fabric.picture import picture_of
from weft.report.html import Picture
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.fabric.network import Fabric
    from weft.fabric.picture import Box, CableBundle, FabricPicture

_WIDTH = 1200
_BOX_WIDTH, _LINE_HEIGHT = 122, 15
_MARGIN = 64
_ROW = 190
# So far a line goes out of a grid that goes on at the other side, with its number behind it, and so
# much room is for it above.
_STUB, _BEHIND, _ABOVE = 22, 12, 36
_MOST_WORDS = 4
_LEAST_HEIGHT = 150
# Of the lines between two rows, or of a whole picture without rows, more have no numbers.
MOST_NUMBERED = 48
_DIGIT, _NUMBER_HEIGHT = 7, 14
# Where on a line its number may stand, the first place that is free.
_PARTS = tuple(0.5 + side * step / 40 for step in range(13) for side in (1, -1))
# What a link carries over what the busiest cable of a node does: up to so much, its class below,
# how wide it is drawn, and what it is in words.
_LOADS = (
    (0.0, "load-0", 1.2, "nothing"),
    (0.5, "load-1", 1.8, "up to half of a node's cable"),
    (1.0, "load-2", 2.4, "up to a node's cable"),
    (2.0, "load-3", 3.4, "up to twice as much: these links bind"),
    (float("inf"), "load-4", 4.6, "more than twice as much"),
)
_PLAIN = ("plain", 1.4)
# Colours of classes: what they colour, light, and dark. Those of loads can be distinguished without
# seeing red and green (Okabe and Ito). The light ones are attributes too, for programs that draw
# SVG without styles.
_COLOURS = {
    "paper": ("fill", "#ffffff", "#14181d"),
    "ink": ("fill", "#1c232b", "#e6eaee"),
    "soft": ("fill", "#5b6672", "#9daab7"),
    "box": ("fill", "#f6f8fa", "#1c2229"),
    "halo": ("stroke", "#ffffff", "#14181d"),
    "plain": ("stroke", "#7a858f", "#7a858f"),
    "load-0": ("stroke", "#b8bec5", "#4a545f"),
    "load-1": ("stroke", "#56b4e9", "#8fd0f5"),
    "load-2": ("stroke", "#0072b2", "#3b9be0"),
    "load-3": ("stroke", "#e69f00", "#f2b53d"),
    "load-4": ("stroke", "#d55e00", "#ff8a47"),
}
_FONT = 'font-family="system-ui, DejaVu Sans, sans-serif" font-size="12"'

_Point = tuple[float, float]


def fabric_pictures(
    fabrics: Sequence[tuple[str, Fabric, Mapping[str, float]]],
) -> tuple[Picture, ...]:
    """For a page: fabrics, each with what it shows in words and what its links carried."""
    return tuple(
        Picture(name=f"fabric-{at}", title=title, svg=fabric_svg(picture_of(fabric, link_bytes)))
        for at, (title, fabric, link_bytes) in enumerate(fabrics, 1)
    )


def fabric_svg(picture: FabricPicture) -> str:
    """A drawing of 1200 units' width, as high as its rows need."""
    inner = max(_LEAST_HEIGHT, _ROW * (picture.rows - 1)) if picture.rows > 1 else 0
    room = _ABOVE * any(line.is_around for line in picture.lines)
    at = [(_x(box), _MARGIN + room + box.y * inner) for box in picture.boxes]
    numbered, words = _numbered(picture.lines)
    notes = (*picture.notes, *words)
    legend = 20 * (1 + len(_LOADS) * picture.has_loads)
    below = inner + 2 * (_MARGIN + room)
    height = below + 20 * len(notes) + legend
    root = f'class="weft-fabric" role="img" aria-label={quoteattr(picture.title)}'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {root} viewBox="0 0 {_WIDTH} {height}" {_FONT}>',
        f"<style>{_style()}</style>",
        f'<rect width="{_WIDTH}" height="{height}" {_of("paper")}/>',
        f'<text x="12" y="20" font-size="14" {_of("ink")}>{escape(picture.title)}</text>',
    ]
    parts += [_line(one, at) for one in sorted(picture.lines, key=lambda one: one.load or 0.0)]
    parts += _numbers(numbered, at)
    parts += [_box(box, *where) for box, where in zip(picture.boxes, at, strict=True)]
    parts += [_text(12, below + 20 * place, text) for place, text in enumerate(notes)]
    if picture.has_loads:
        parts += _legend(below + 20 * len(notes))
    return "\n".join((*parts, "</svg>\n"))


def _style() -> str:
    """Dark colours for a dark screen; the light ones are attributes."""
    dark = " ".join(
        f".weft-fabric .{name} {{ {what}: {colour} }}"
        for name, (what, _, colour) in _COLOURS.items()
    )
    return f"@media screen and (prefers-color-scheme: dark) {{ {dark} }}"


def _of(*names: str) -> str:
    """The attributes of something of these classes."""
    colours = " ".join(f'{what}="{light}"' for what, light, _ in map(_COLOURS.__getitem__, names))
    return f'class="{" ".join(names)}" {colours}'


def _x(box: Box) -> float:
    return _MARGIN + box.x * (_WIDTH - 2 * _MARGIN)


def _of_load(load: float | None) -> tuple[str, float]:
    """The class of a load, and how wide its line is."""
    if load is None:
        return _PLAIN
    return next((name, width) for most, name, width, _ in _LOADS if load <= most + 1e-9)


def _in_words(cables: int, load: float | None) -> str:
    words = counted(cables, "cable")
    return words if load is None else f"{words}, load {load:.2f}"


def _out(here: _Point, there: _Point, further: float = 0.0) -> _Point:
    """A point before a box, on the side that is away from another in its row or column."""
    (x, y), (x2, y2) = here, there
    wide, high = _BOX_WIDTH / 2, _height(_MOST_WORDS) / 2
    across, down = (x > x2) - (x < x2), (y > y2) - (y < y2)
    beyond = _STUB + further
    return x + across * (wide + beyond), y + down * (high + beyond)


def _line(line: CableBundle, at: Sequence[_Point]) -> str:
    """From box to box, or where others are between them out of the grid on both sides."""
    one, other = at[line.one], at[line.other]
    parts = [(one, other)]
    if line.is_around:
        parts = [(one, _out(one, other)), (other, _out(other, one))]
    path = " ".join(f"M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}" for (x1, y1), (x2, y2) in parts)
    name, width = _of_load(line.load)
    return (
        f'<path d="{path}" fill="none" {_of(name)} stroke-width="{width}">'
        f"<title>{_in_words(line.cables, line.load)}</title></path>"
    )


def _numbered(lines: Sequence[CableBundle]) -> tuple[list[CableBundle], list[str]]:
    """The lines that have their numbers beside them, and in words how many cables others have."""
    levels: dict[int, list[CableBundle]] = {}
    for line in lines:
        levels.setdefault(line.level, []).append(line)
    numbered: list[CableBundle] = []
    words = []
    for own in levels.values():
        if len(own) <= MOST_NUMBERED:
            numbered += own
            continue
        counts = sorted({line.cables for line in own})
        many = f"{counts[0]:,} to {counts[-1]:,}" if len(counts) > 1 else f"{counts[0]:,}"
        words.append(f"cables of each line: {many}")
    if any(line.is_around for line in lines):
        words.append("a line out of the grid goes on at the other side")
    return numbered, words


def _numbers(lines: Sequence[CableBundle], at: Sequence[_Point]) -> Iterator[str]:
    """Each on its line, where no other number and no box is."""
    taken = [(x, y, _BOX_WIDTH / 2, 1.0 * _NUMBER_HEIGHT) for x, y in at]
    for line in lines:
        words = f"{line.cables:,}"
        half = _DIGIT * (len(words) + 1) / 2
        one, other = at[line.one], at[line.other]
        places = [_along(one, other, part) for part in _PARTS]
        if line.is_around:
            places = [_out(one, other, _BEHIND), _out(other, one, _BEHIND)]
        x, y = next((one for one in places if _is_free(one, half, taken)), places[0])
        taken.append((x, y, half, _NUMBER_HEIGHT / 2))
        yield (
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" {_of("ink", "halo")}'
            f' stroke-width="3" paint-order="stroke">{words}</text>'
        )


def _along(one: _Point, other: _Point, part: float) -> _Point:
    """A point of a line, so far from its one end to the other."""
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])


def _is_free(
    where: _Point, half: float, taken: Sequence[tuple[float, float, float, float]]
) -> bool:
    x, y = where
    return all(
        abs(x - x2) >= half + wide or abs(y - y2) >= _NUMBER_HEIGHT / 2 + high
        for x2, y2, wide, high in taken
    )


def _height(lines: int) -> int:
    """Of a box with so many lines of words."""
    return _LINE_HEIGHT * lines + 8


def _box(box: Box, x: float, y: float) -> str:
    """With a frame in the colour of the busiest cable inside of it."""
    height = _height(len(box.lines))
    words = "".join(
        f'<tspan x="{x:.1f}" dy="{_LINE_HEIGHT if at else 0}">{escape(text)}</tspan>'
        for at, text in enumerate(box.lines)
    )
    name, width = _of_load(box.load)
    inside = f"<title>{_in_words(box.cables, box.load)} inside</title>" if box.cables else ""
    return (
        f'<rect x="{x - _BOX_WIDTH / 2:.1f}" y="{y - height / 2:.1f}" width="{_BOX_WIDTH}"'
        f' height="{height}" rx="5" {_of("box", name)} stroke-width="{width}">{inside}</rect>'
        f'<text x="{x:.1f}" y="{y - height / 2 + 15:.1f}" text-anchor="middle" font-size="11"'
        f" {_of('ink')}>{words}</text>"
    )


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x}" y="{y}" {_of("soft")}>{escape(words)}</text>'


def _legend(top: float) -> list[str]:
    parts = [_text(12, top + 4, "what the busiest cable of a line, or inside of a box, carried:")]
    for at, (_, name, width, words) in enumerate(_LOADS, 1):
        y = top + 20 * at
        parts.append(
            f'<line x1="12" y1="{y}" x2="52" y2="{y}" {_of(name)} stroke-width="{width}"/>'
        )
        parts.append(_text(62, y + 4, words))
    return parts
