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
# Names that a reader stumbled over, and the field's term; in names and in comments. A word is also
# one of memory and of a text: below, where messages are exchanged, nothing else is called so.
_OLD_NAMES = (
    (re.compile(r"\bCase(?: const)?\s*&?\s*(?:/\*)?test\b"), "spec"),
    (re.compile(r"\b[cC]rews?(?![a-z])"), "rank group"),
    (re.compile(r"(?<![a-z])[tT]okens?(?![a-z])"), "control message"),
    (re.compile(r"\b(?:No)?Look\b|\b[a-z_]*_looks?(?![a-z])|\blooks?_|\blook\("), "probe"),
    (re.compile(r"\b(?:[Aa]n?|[Ee]ach|[Ee]very|last|next|[Oo]ne|[Tt]he) look\b"), "probe or poll"),
    (re.compile(r"\bSendQueue\b|\bsend_queue\b"), "window"),
    # A part is what a fabric is bought of.
    (re.compile(r"\bPart\b(?! of)"), "series, or sublattice"),
)
_OLD_IN_PROTOCOL = (
    re.compile(r"(?<!in )(?<![A-Za-z])[wW]ords?(?![a-z])"),
    "control message",
)
_PROTOCOL = ("contract", "patterns", "run", "bootstrap", "transports/parts")
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


def old_names(tree: Tree) -> Iterator[Finding]:
    """The engine's names are the field's terms, one for each thing (docs/glossary.md)."""
    for source in tree.code(".hpp", ".cpp", under="engine"):
        refused: tuple[tuple[re.Pattern[str], str], ...] = _OLD_NAMES
        if any(source.is_under(f"engine/{folder}") for folder in _PROTOCOL):
            refused = (*_OLD_NAMES, _OLD_IN_PROTOCOL)
        for number, line in enumerate(source.lines, 1):
            for pattern, term in refused:
                for match in pattern.finditer(line):
                    yield source.at(number, f"'{match[0]}': {term}")


def helpers_of_tests(tree: Tree) -> Iterator[Finding]:
    """What several of the engine's tests share lies in engine/tests/support/."""
    for source in tree.code(".hpp", under="engine/tests"):
        if not source.is_under("engine/tests/support"):
            yield source.at(0, "a helper beside the tests: engine/tests/support")


def one_benchmark_a_file(tree: Tree) -> Iterator[Finding]:
    """A benchmark is a file of its name; what several share lies in parts/ and is none."""
    for source in tree.code(".hpp", under="engine/patterns"):
        names = _PATTERN_NAME.findall(source.text)
        if source.is_under("engine/patterns/parts"):
            if _PATTERN_INFO.search(source.text):
                yield source.at(0, "a benchmark among the parts")
        elif source.path.name != "all.hpp" and source.path.stem not in names:
            yield source.at(0, f"no benchmark {source.path.stem}")
        elif len(_PATTERN_INFO.findall(source.text)) > 1:
            yield source.at(0, "more than one benchmark")


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
