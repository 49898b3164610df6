"""Rules about the engine: who may know of whom."""

import re
from collections.abc import Iterator

from style.tree import Finding, Source, Tree

_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
_CONDITION = re.compile(r"^\s*#\s*(el)?if")
_PATTERN_NAME = re.compile(r'\.name\s*=\s*"(\w+)"')
_MAPS_MEMORY = re.compile(r"\b((un)?map_memory|mmap|malloc|Region|SideMemory)\b")
# An option's name, and an answer's.
_APPLICATION_NAME = re.compile(r'(?:\.name|string_view \w+) = "(\w+)"')
_PATTERN_TYPE = re.compile(r"^struct (\w+)[^;{]*\{", re.MULTILINE)
_PATTERN_INFO = re.compile(r"\bPatternInfo info\b")
# What may be included by each folder of the engine, beside its own files. A transport's other
# folders are its parts and the rails, which are made of any transport.
_BELOW = {
    "contract": (),
    "bootstrap": ("contract",),
    "host": ("contract", "bootstrap"),
    "apps": ("contract", "host"),
    "patterns": ("contract", "host", "apps"),
    "transports": ("contract", "bootstrap", "host"),
    "run": ("contract", "bootstrap", "host"),
    "program": ("contract", "bootstrap", "host", "patterns", "run"),
}
_OF_ALL_TRANSPORTS = ("transports/parts", "transports/rails")
# A transport's main hands its classes over to the program of a rank.
_PROGRAM = "program/rank.hpp"
# tcp_mesh, TcpMesh, MPI_Send: the words in a name.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


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
    if not names:
        return
    # One expression for all names: one each took most of the time of all rules together.
    any_name = re.compile(
        rf"(?<!\w)({'|'.join(map(re.escape, sorted(names, reverse=True)))})(?!\w)"
    )
    for source in tree.code(under="engine/transports"):
        for number, line in enumerate(source.lines, 1):
            for match in any_name.finditer(line):
                yield source.at(number, f"the pattern {match[1]} in a transport")


def applications_by_name(tree: Tree) -> Iterator[Finding]:
    """What every case passes through knows no application, and none of its options and answers."""
    names: set[str] = set()
    for source in tree.code(".hpp", under="engine/apps"):
        if len(source.path.parts) > 3:
            names.add(source.path.parts[2])
        if source.path.name == "options.hpp":
            names |= set(_APPLICATION_NAME.findall(source.text))
    if not names:
        return
    any_name = re.compile(rf"(?<![\w]|\.)({'|'.join(map(re.escape, sorted(names)))})s?(?!\w)")
    for folder in ("contract", "bootstrap", "host", "run", "program", "transports"):
        for source in tree.code(".hpp", ".cpp", under=f"engine/{folder}"):
            for number, line in enumerate(source.lines, 1):
                for match in any_name.finditer(line):
                    yield source.at(number, f"{match[1]}, which is an application's")


def memory_in_patterns(tree: Tree) -> Iterator[Finding]:
    """The memory of messages is the engine's: a pattern is given it and maps none itself."""
    for source in tree.code(under="engine/patterns"):
        for number, line in enumerate(source.lines, 1):
            if match := _MAPS_MEMORY.search(line):
                yield source.at(number, f"{match[0]} in a pattern")


def includes_run_downwards(tree: Tree) -> Iterator[Finding]:
    """What is below includes nothing from above, and no transport another one."""
    for source in tree.code(".hpp", ".cpp", under="engine"):
        folder = source.path.parts[1]
        if folder not in _BELOW:
            continue
        for match in _INCLUDE.finditer(source.text):
            if match[1] == '"' and not _may_include(source, match[2]):
                yield source.at(_line(source, match), f"{match[2]} in engine/{folder}")


def _may_include(source: Source, name: str) -> bool:
    folder = source.path.parts[1]
    top = name.partition("/")[0]
    if folder != "transports":
        return top == folder or top in _BELOW[folder]
    if name == _PROGRAM:
        return source.path.suffix == ".cpp"
    own = str(source.path.parent.relative_to("engine"))
    return top in _BELOW[folder] or name.startswith(
        tuple(f"{one}/" for one in (own, *_OF_ALL_TRANSPORTS))
    )


def libraries_in_contract(tree: Tree) -> Iterator[Finding]:
    """The contract includes the standard library and our own headers, nothing else."""
    for source in tree.code(".hpp", under="engine/contract"):
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
            if match[1] != '"':
                continue
            paths = {f"engine/{match[2]}", str(source.path.parent / match[2])}
            included |= paths - {str(source.path)}
    for source in tree.code(".hpp"):
        if str(source.path) not in included:
            yield source.at(1, "nothing includes this header")


def _line(source: Source, match: re.Match[str]) -> int:
    return source.text.count("\n", 0, match.start()) + 1
