"""Every error that a test meets says what is wrong first, and what to do behind it.

What to do is an order to the reader, and begins with its verb. One that stands where the cause
should be was exchanged with it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from weft.errors import WeftError

SOURCES = str(Path(__file__).resolve().parents[2] / "src" / "weft")
# How nearly all fixes begin, and no cause does.
ORDERS = frozenset(
    ("add", "ask", "check", "choose", "correct", "did", "give", "import", "install", "make",
     "measure", "omit", "remove", "rename", "repeat", "run", "use", "write")
)  # fmt: skip
_init = WeftError.__init__


def _checked(self: WeftError, what: str, fix: str) -> None:
    if sys._getframe(1).f_code.co_filename.startswith(SOURCES):
        assert what.strip() and fix.strip(), f"says half of it: {what!r}, {fix!r}"  # noqa: PT018
        order, other = (text.partition(" ")[0] in ORDERS for text in (what, fix))
        assert other or not order, f"exchanged: what is wrong {what!r}, what to do {fix!r}"
    _init(self, what, fix)


def hold_to_their_form() -> None:
    """In this process, for what weft itself raises."""
    WeftError.__init__ = _checked  # type: ignore[method-assign]
