"""Rules about advice: what a message says to type."""

import ast
import re
from collections.abc import Iterator

from style.tree import Finding, Tree

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
