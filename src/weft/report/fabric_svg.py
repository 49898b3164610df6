"""The picture of a fabric as SVG, which needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from weft.fabric.picture import MOST_NUMBERED
from weft.wording import counted

if TYPE_CHECKING:
    from weft.fabric.picture import Box, CableBundle, FabricPicture

_WIDTH = 1200
_BOX_WIDTH, _LINE_HEIGHT = 112, 15
_MARGIN = 60
_ROW = 190
_BEND = 70
_LEAST_HEIGHT = 150
# What a link carries over what the busiest cable of a node does: up to so much, its colour, which
# can be distinguished without seeing red and green (Okabe and Ito), and how wide it is drawn.
_LOADS = (
    (0.0, "#B8BEC5", 1.2, "nothing"),
    (0.5, "#56B4E9", 1.8, "up to half of a node's cable"),
    (1.0, "#0072B2", 2.4, "up to a node's cable"),
    (2.0, "#E69F00", 3.4, "up to twice as much: these links bind"),
    (float("inf"), "#D55E00", 4.6, "more than twice as much"),
)
_FONT = 'font-family="system-ui, DejaVu Sans, sans-serif" font-size="12"'
_PLAIN = ("#7A858F", 1.4)


def fabric_svg(picture: FabricPicture) -> str:
    """A drawing of 1200 units' width, as high as its rows need."""
    inner = max(_LEAST_HEIGHT, _ROW * (picture.rows - 1))
    legend = 24 * (1 + len(_LOADS) * picture.has_loads)
    height = inner + 2 * _MARGIN + legend + 24 * len(picture.notes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="12" y="20" font-size="14" fill="#1d2329">{escape(picture.title)}</text>',
    ]
    at = [(_x(box), _MARGIN + box.y * inner) for box in picture.boxes]
    parts += [_line(one, at) for one in sorted(picture.lines, key=lambda one: one.load or 0.0)]
    if len(picture.lines) <= MOST_NUMBERED:
        parts += [_number(one, at, place) for place, one in enumerate(picture.lines)]
    parts += [_box(box, *where) for box, where in zip(picture.boxes, at, strict=True)]
    words = list(picture.notes)
    if len(picture.lines) > MOST_NUMBERED:
        words.append(_range_of_cables(picture))
    below = inner + 2 * _MARGIN
    parts += [_text(12, below + 20 * at, text) for at, text in enumerate(words)]
    if picture.has_loads:
        parts += _legend(below + 20 * len(words))
    return "\n".join((*parts, "</svg>\n"))


def _x(box: Box) -> float:
    return _MARGIN + box.x * (_WIDTH - 2 * _MARGIN)


def _style(line: CableBundle) -> tuple[str, float]:
    if line.load is None:
        return _PLAIN
    return next((colour, width) for most, colour, width, _ in _LOADS if line.load <= most + 1e-9)


def _line(line: CableBundle, at: list[tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = at[line.one], at[line.other]
    colour, width = _style(line)
    # Around other boxes, where it passes some.
    bend = _BEND if line.is_around else 0
    mx, my = (x1 + x2) / 2 + bend * (x1 == x2), (y1 + y2) / 2 + bend * (y1 == y2)
    load = "" if line.load is None else f", load {line.load:.2f}"
    return (
        f'<path d="M{x1:.1f} {y1:.1f} Q{mx:.1f} {my:.1f} {x2:.1f} {y2:.1f}" fill="none"'
        f' stroke="{colour}" stroke-width="{width}">'
        f"<title>{counted(line.cables, 'cable')}{load}</title></path>"
    )


def _number(line: CableBundle, at: list[tuple[float, float]], place: int) -> str:
    """A third of the way or two thirds, in turn, so that those of crossing lines stay apart."""
    (x1, y1), (x2, y2) = at[line.one], at[line.other]
    part = (0.36, 0.5, 0.64)[place % 3]
    return (
        f'<text x="{x1 + part * (x2 - x1):.1f}" y="{y1 + part * (y2 - y1) + 4:.1f}"'
        ' text-anchor="middle" fill="#1d2329" stroke="#fff" stroke-width="3"'
        f' paint-order="stroke">{line.cables}</text>'
    )


def _box(box: Box, x: float, y: float) -> str:
    height = _LINE_HEIGHT * len(box.lines) + 8
    words = "".join(
        f'<tspan x="{x:.1f}" dy="{_LINE_HEIGHT if at else 0}">{escape(text)}</tspan>'
        for at, text in enumerate(box.lines)
    )
    return (
        f'<rect x="{x - _BOX_WIDTH / 2:.1f}" y="{y - height / 2:.1f}" width="{_BOX_WIDTH}"'
        f' height="{height}" rx="5" fill="#f6f7f9" stroke="#59636e"/>'
        f'<text x="{x:.1f}" y="{y - height / 2 + 15:.1f}" text-anchor="middle" font-size="11"'
        f' fill="#1d2329">{words}</text>'
    )


def _range_of_cables(picture: FabricPicture) -> str:
    counts = sorted({line.cables for line in picture.lines})
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
    return f"cables of each line: {many}"


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#59636e">{escape(words)}</text>'


def _legend(top: float) -> list[str]:
    parts = [_text(12, top + 4, "what the busiest cable of a line carried:")]
    for at, (_, colour, width, words) in enumerate(_LOADS, 1):
        y = top + 20 * at
        parts.append(
            f'<line x1="12" y1="{y}" x2="52" y2="{y}" stroke="{colour}" stroke-width="{width}"/>'
        )
        parts.append(_text(62, y + 4, words))
    return parts
