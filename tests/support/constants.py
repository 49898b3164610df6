"""Constants that tests take from the code: what a test computes with one says nothing of it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from (weft\.[\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
_CONSTANT = re.compile(r"\b_?[A-Z][A-Z0-9_]+\b")


def constants_of_tests() -> dict[str, Any]:
    """By module and name the numbers that any file of tests imports from weft."""
    found = {}
    for module, name in sorted({one for path in TESTS.rglob("*.py") for one in _imported(path)}):
        value = getattr(importlib.import_module(module), name, None)
        if _is_of_numbers(value):
            found[f"{module}.{name}"] = value
    return found


def _imported(path: Path) -> Iterator[tuple[str, str]]:
    for module, names in _IMPORT.findall(path.read_text()):
        for name in _CONSTANT.findall(names):
            yield module, name


def _is_of_numbers(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_of_numbers, value))
    if isinstance(value, dict):
        return all(map(_is_of_numbers, value.values()))
    return isinstance(value, int | float)
