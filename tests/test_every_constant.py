"""What every module declares is what was looked at once: its numbers, names and tables of these.

A wrong constant looks right wherever it is computed with, in a test that takes it from the code
too. So does what a function takes where nobody names it. Both are approved, in
tests/approved/constants.txt and defaults.txt, as in tests/test_approved_outputs.py. Sentences are
not among them, for who reads one sees what it says; tests/test_every_expression.py has expressions.
"""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

import weft
from support.approved import held, rounded

PLAIN = (str, bytes, int, float)
TABLES = (Mapping, tuple, list, set, frozenset)


def modules() -> Iterator[types.ModuleType]:
    for one in pkgutil.walk_packages(weft.__path__, "weft."):
        if not one.name.endswith("__main__"):
            yield importlib.import_module(one.name)


def names_given(module: types.ModuleType) -> list[str]:
    """What a module names itself, in its order: what it imports belongs to where it is written."""
    found: list[str] = []
    for one in ast.parse(Path(str(module.__file__)).read_text()).body:
        targets = one.targets if isinstance(one, ast.Assign) else []
        targets = [one.target] if isinstance(one, ast.AnnAssign) and one.value else targets
        found += [target.id for target in targets if isinstance(target, ast.Name)]
    return found


def in_words(value: Any) -> str:
    """A value as it is written, sets and mappings in order, functions and types by their names."""
    if value is os.environ:
        return "os.environ"
    if isinstance(value, msgspec.Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        own = ", ".join(f"{name}={in_words(one)}" for name, one in fields)
        return f"{type(value).__name__}({own})"
    if isinstance(value, Mapping):
        entries = sorted(f"{in_words(key)}: {in_words(one)}" for key, one in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(in_words, value)))}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(in_words, value))})"
    if isinstance(value, re.Pattern):
        return repr(value.pattern)
    if isinstance(value, types.ModuleType | type) or callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return repr(value) if value is None or isinstance(value, PLAIN) else type(value).__name__


def is_constant(value: Any) -> bool:
    """Whether it is a number, a name, or a table; a text with blanks is a sentence or a form."""
    if isinstance(value, str):
        return not re.search(r"\s", value)
    return isinstance(value, (*PLAIN, *TABLES, msgspec.Struct))


def constants() -> Iterator[str]:
    for module in modules():
        for name in names_given(module):
            value = getattr(module, name)
            value = frozenset(get_args(value)) if get_origin(value) is Literal else value
            if is_constant(value):
                yield f"{module.__name__}.{name} = {in_words(value)}"


def defaults() -> Iterator[str]:
    """Of functions and methods, those that are neither nothing, empty nor zero."""
    for module in modules():
        for own in vars(module).values():
            if getattr(own, "__module__", "") != module.__name__:
                continue
            for one in vars(own).values() if isinstance(own, type) else (own,):
                function = inspect.unwrap(getattr(one, "__func__", one))
                if isinstance(function, types.FunctionType):
                    yield from defaults_of(function)


def defaults_of(function: types.FunctionType) -> Iterator[str]:
    for name, parameter in inspect.signature(function).parameters.items():
        value = parameter.default
        if value is not parameter.empty and value:
            yield f"{function.__module__}.{function.__qualname__}({name}={in_words(value)})"


def test_a_constant_is_what_was_approved() -> None:
    differs = held("constants", rounded("\n".join(constants())))
    assert not differs, "\n".join(differs[:60])


def test_what_a_function_takes_where_nobody_says_is_what_was_approved() -> None:
    differs = held("defaults", rounded("\n".join(defaults())))
    assert not differs, "\n".join(differs[:60])
