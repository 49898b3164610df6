"""Sizes and fonts of figures as journals want them."""

from __future__ import annotations

import msgspec

from weft.errors import WeftError

# Width over height of a figure, as of the screen's.
SHAPE = 3.5 / 2.6
SANS = "DejaVu Sans"
SERIF = "STIXGeneral"


class Paper(msgspec.Struct, frozen=True, kw_only=True):
    """A drawing's size in inches, its letters in points, and their family."""

    width_inches: float
    height_inches: float
    points: float
    family: str


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """A two-column layout by name: widths of one column and of the page, in inches."""

    name: str
    column_inches: float
    page_inches: float
    points: float
    family: str


SCREEN = Paper(width_inches=3.5, height_inches=2.6, points=8, family=SANS)
# One of many small charts: what it shows stands above it, and it has no legend.
SMALL = Paper(width_inches=2.1, height_inches=1.5, points=7.5, family=SANS)
# Column and text widths of IEEEtran (journal), acmart (sigconf) and elsarticle (5p) in inches.
LAYOUTS = (
    Layout(name="ieee", column_inches=3.5, page_inches=7.16, points=8, family=SERIF),
    Layout(name="acm", column_inches=3.33, page_inches=7.0, points=8, family=SERIF),
    Layout(name="elsevier", column_inches=3.5, page_inches=7.2, points=8, family=SERIF),
)


def paper_of(
    layout: str, *, wide: bool = False, height_inches: float = 0.0, points: float = 0.0,
    family: str = "",
) -> Paper:  # fmt: skip
    """The paper of a layout's column or page; what is given beyond its name is changed.

    A page is drawn half as high as it is wide. Raises WeftError for an unknown layout or a size
    that cannot be printed.
    """
    found = [known for known in LAYOUTS if known.name == layout.lower()]
    if not found:
        names = ", ".join(known.name for known in LAYOUTS)
        raise WeftError(f"there is no layout {layout}", f"choose one of {names}")
    width = found[0].page_inches if wide else found[0].column_inches
    height = height_inches or (width / 2 if wide else width / SHAPE)
    size = points or found[0].points
    if not 0.5 <= height <= 11 or not 4 <= size <= 24:
        raise WeftError(
            f"a figure of {height:g} inches with letters of {size:g} points cannot be printed",
            "choose 0.5 to 11 inches and 4 to 24 points",
        )
    return Paper(
        width_inches=width, height_inches=height, points=size, family=family or found[0].family
    )
