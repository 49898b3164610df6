"""Regular expressions of modules are held to examples, character by character.

An example is a text, what the expression takes of it, and a mark under each character and behind
the last: what comes of a blank before it, of the character left out, and of another in its place.
Each can have it take the same (0), something else (1) or nothing (2), which are three digits to the
base 3, written as one of 0 to 9 and a to q.

So each word, bound and anchor of the expression is tried, also where only one of many outputs has
it. Where a new expression has no example, choose texts for it and put what `marks` says of them.
"""

import ast
import importlib
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import weft

EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_name("expressions.json").read_text())
# Nothing takes it but what takes anything.
OTHER = "\x7f"
DIGITS = "0123456789abcdefghijklmnopq"


def expressions() -> dict[str, re.Pattern[str]]:
    """By module and name."""
    found: dict[str, re.Pattern[str]] = {}
    for one in pkgutil.walk_packages(weft.__path__, "weft."):
        if one.name.endswith("__main__"):
            continue
        module = importlib.import_module(one.name)
        own = names_given(ast.parse(Path(str(module.__file__)).read_text()))
        for name in own:
            if isinstance(value := vars(module).get(name), re.Pattern):
                found[f"{one.name}.{name}"] = value
    return found


def names_given(module: ast.Module) -> list[str]:
    """What a module names itself: an imported expression belongs to where it is written."""
    given = [
        target
        for one in ast.walk(module)
        if isinstance(one, ast.Assign | ast.AnnAssign)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
    ]
    return [one.id for one in given if isinstance(one, ast.Name)]


EXPRESSIONS = expressions()


def taken(expression: re.Pattern[str], text: str) -> list[str | None] | None:
    """The whole text where it takes that, else what it takes first, and the groups."""
    match = expression.fullmatch(text) or expression.search(text)
    return None if match is None else [match[0], *match.groups()]


def marks(expression: re.Pattern[str], text: str) -> str:
    """Under each character, and behind the last, what changes what is taken."""
    usual = taken(expression, text)

    def fate(changed: str) -> int:
        new = taken(expression, changed)
        return 2 if new is None else int(new != usual)

    found = ""
    for at in range(len(text) + 1):
        before, behind = text[:at], text[at:]
        fates = [fate(f"{before} {behind}")]
        if behind:
            fates += [fate(before + behind[1:]), fate(before + OTHER + behind[1:])]
        found += DIGITS[sum(one * 3**place for place, one in enumerate(fates))]
    return found


def test_every_parser_of_others_output_has_examples() -> None:
    parsers = {name for name in EXPRESSIONS if name.startswith("weft.sources.")}
    assert sorted(parsers - set(EXAMPLES)) == []
    assert sorted(set(EXAMPLES) - set(EXPRESSIONS)) == []


def test_an_expression_belongs_to_the_module_that_writes_it() -> None:
    written = "from other import TAKEN\nOWN = re.compile('a')\nTYPED: re.Pattern = TAKEN\n"
    assert names_given(ast.parse(written)) == ["OWN", "TYPED"]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_character_counts_as_it_did(name: str) -> None:
    for text, expected, digits in EXAMPLES[name]:
        assert taken(EXPRESSIONS[name], text) == expected, text
        assert marks(EXPRESSIONS[name], text) == digits, text
