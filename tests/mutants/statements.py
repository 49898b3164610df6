"""The lines of a file's statements and functions: what one of them is run with."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def statement_of(text: str, line: int) -> set[int] | None:
    """The lines of the statement that a line belongs to; None where importing runs it.

    Of the head of a function they are its body's.
    """
    body: Sequence[ast.stmt] = ast.parse(text).body
    is_in_function = False
    while True:
        found = next((one for one in body if _first(one) <= line <= (one.end_lineno or 0)), None)
        if found is None:
            break
        inner = _bodies(found)
        is_header = not inner or line < min(_first(one) for one in inner)
        if is_header and isinstance(found, ast.FunctionDef):
            # What it takes matters where it is called.
            return set(range(_first(inner[0]), (found.end_lineno or line) + 1))
        if is_header:
            last = found.end_lineno or line
            last = last if not inner else min(_first(one) for one in inner) - 1
            return set(range(found.lineno, max(last, found.lineno) + 1)) if is_in_function else None
        is_in_function = is_in_function or isinstance(found, ast.FunctionDef)
        body = inner
    return {line} if is_in_function else None


def function_of(text: str, line: int) -> range:
    """The lines of the innermost function about a line, without those of its head."""
    functions = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
    about = [one for one in functions if _first(one.body[0]) <= line <= (one.end_lineno or 0)]
    if not about:
        return range(line, line + 1)
    inner = max(about, key=lambda one: one.lineno)
    return range(_first(inner.body[0]), (inner.end_lineno or line) + 1)


def _first(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min(int(one.lineno) for one in (node, *decorators))


def _bodies(node: ast.stmt) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for name in ("body", "orelse", "finalbody"):
        found += getattr(node, name, [])
    for handler in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
        found += handler.body
    return found
