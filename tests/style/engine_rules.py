"""Rules about the engine: who may know of whom."""

import re
from collections.abc import Iterator

from style.tree import Finding, Source, Tree

_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
_CONDITION = re.compile(r"^\s*#\s*(el)?if")
_PATTERN_NAME = re.compile(r'\.name\s*=\s*"(\w+)"')
_PATTERN_TYPE = re.compile(r"^struct (\w+)[^;{]*\{", re.MULTILINE)
# tcp_mesh, TcpMesh, MPI_Send: the words in a name.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def header_comments(tree: Tree) -> Iterator[Finding]:
    """Every header says what it is for."""
    for source in tree.code(".hpp"):
        if not source.text.startswith(("// ", "/* ", "/// ")):
            yield source.at(1, "no comment that says what the header is for")


def conditions_in_patterns(tree: Tree) -> Iterator[Finding]:
    """What is measured does not depend on how it was compiled."""
    for source in tree.code(under="engine/patterns"):
        for number, line in enumerate(source.lines, 1):
            if _CONDITION.match(line):
                yield source.at(number, "#if in a pattern")


def transports_in_patterns(tree: Tree) -> Iterator[Finding]:
    """A pattern knows no transport."""
    transports = {
        source.path.parent.name for source in tree.code(".cpp", under="engine/transports")
    } - {"parts"}
    for source in tree.code(under="engine/patterns"):
        for number, line in enumerate(source.lines, 1):
            for word in sorted({word.lower() for word in _WORD.findall(line)} & transports):
                yield source.at(number, f"the transport {word} in a pattern")


def patterns_in_transports(tree: Tree) -> Iterator[Finding]:
    """A transport knows no pattern: not its type, its quoted name or its header."""
    names: set[str] = set()
    for source in tree.code(".hpp", under="engine/patterns"):
        if _PATTERN_NAME.search(source.text):
            names |= set(_PATTERN_TYPE.findall(source.text))
            names |= {f'"{name}"' for name in _PATTERN_NAME.findall(source.text)}
            names |= {name for name in _PATTERN_NAME.findall(source.text) if "_" in name}
            names.add(str(source.path.relative_to("engine")))
    for source in tree.code(under="engine/transports"):
        for number, line in enumerate(source.lines, 1):
            for name in sorted(names):
                if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line):
                    yield source.at(number, f"the pattern {name} in a transport")


def libraries_in_contract(tree: Tree) -> Iterator[Finding]:
    """The contract includes the standard library and our own headers, nothing else."""
    source = tree.find("engine/contract/transport.hpp")
    if source is None:
        return
    for match in _INCLUDE.finditer(source.text):
        is_ours = match[1] == '"' and tree.find(f"engine/{match[2]}") is not None
        is_standard = match[1] == "<" and "." not in match[2] and "/" not in match[2]
        if not is_ours and not is_standard:
            yield source.at(_line(source, match), f"{match[2]} in the contract")


def dead_headers(tree: Tree) -> Iterator[Finding]:
    """Every header is included by another file."""
    included: set[str] = set()
    for source in tree.code(".hpp", ".cpp"):
        for match in _INCLUDE.finditer(source.text):
            if match[1] == '"' and f"engine/{match[2]}" != str(source.path):
                included.add(f"engine/{match[2]}")
    for source in tree.code(".hpp"):
        if str(source.path) not in included:
            yield source.at(1, "nothing includes this header")


def _line(source: Source, match: re.Match[str]) -> int:
    return source.text.count("\n", 0, match.start()) + 1
