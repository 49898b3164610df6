"""Rules about advice: what a message says to type."""

import ast
import re
from collections.abc import Iterator

from style.tree import Finding, Source, Tree

# The one that makes commands, and what a command that another place fills in looks like.
_MAKES_COMMANDS = "src/weft/plan/command.py"
_BY_HAND = re.compile(r"weft run [^,;]*\{\}")
# A command of fixed words too, but in the examples of help; an option of a case needs its case.
_FIXED = re.compile(r"weft run (?:[\w-]+ )*--\w|type --single\b")
_HELP = "src/weft/cli"
_NO_NUMBER = re.compile(r"(more|fewer|further) --launches|(longer|larger) --budget|--budget TIME")


def advice_by_hand(tree: Tree) -> Iterator[Finding]:
    """A command that is advised is made in one place, and how much more of it is a number."""
    for source in tree.code(".py", under="src/weft"):
        inner = {
            id(one)
            for node in source.nodes
            if isinstance(node, ast.JoinedStr)
            for one in ast.walk(node)
            if one is not node
        }
        inner |= {id(one) for one in _docstrings(source)}
        for node in source.nodes:
            if id(node) in inner:
                continue
            text = _text_of(node)
            if _BY_HAND.search(text) and not source.is_under(_MAKES_COMMANDS):
                yield source.at(getattr(node, "lineno", 0), "a weft run by hand: plan/command.py")
            elif _FIXED.search(text) and not source.is_under(_HELP):
                yield source.at(getattr(node, "lineno", 0), "fixed words to type: plan/command.py")
            if found := _NO_NUMBER.search(text):
                yield source.at(getattr(node, "lineno", 0), f"{found[0]} has no number")


def _docstrings(source: Source) -> Iterator[ast.AST]:
    """They say what a command does, and advise nobody to type it."""
    for node in source.nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def _text_of(node: ast.AST) -> str:
    """A text, {} in place of what is filled in; empty where the node is none."""
    if isinstance(node, ast.JoinedStr):
        values = [one.value if isinstance(one, ast.Constant) else "{}" for one in node.values]
        return "".join(map(str, values))
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text else ""  # type: ignore[attr-defined]


# A command that is advised, up to a value that is filled in; another sentence may stand before it.
_IN_A_COMMAND = re.compile(r"(?:\bweft [a-z]+|\btype|\bhead|\btail) [^;]*$")
# What the value of such an expression names; a name in a sentence alone is none.
_OF_A_FILE = re.compile(r"\b(?:path|folder|sources?|record|words|several|maps|many\.name)\b")
_QUOTES = ("as_typed", "weft_run(", "resume(")


def unquoted_files(tree: Tree) -> Iterator[Finding]:
    """A file's name in a command that is advised is quoted for a shell: names.as_typed does it."""
    for source in tree.code(".py", under="src/weft"):
        for node in source.nodes:
            for value in _unquoted(node) if isinstance(node, ast.JoinedStr) else ():
                yield source.at(value.lineno, f"{ast.unparse(value.value)}: quote it by as_typed")


def _unquoted(text: ast.JoinedStr) -> Iterator[ast.FormattedValue]:
    """The values of a text that name a file and stand in a command as they are."""
    before = ""
    for part in text.values:
        if not isinstance(part, ast.FormattedValue):
            before += str(part.value) if isinstance(part, ast.Constant) else ""
            continue
        named = ast.unparse(part.value)
        is_quoted = any(one in named for one in _QUOTES)
        if _IN_A_COMMAND.search(before) and _OF_A_FILE.search(named) and not is_quoted:
            yield part
        before += "{}"
