"""The files that a style rule looks at, and what it says of them."""

import ast
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

CODE_FOLDERS = ("src", "engine", "tests", "bench", "scripts")
CODE_SUFFIXES = (".py", ".hpp", ".cpp", ".c", ".cmake", ".j2", ".sh")
_CXX_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# Comments and docstrings, and the other texts, in which neither begins. Python's own tokens take
# five times as long.
_PYTHON = re.compile(
    r'''
    (?P<prose>\#[^\n]*|[rf]?"""(?:[^\\"]|\\.|"(?!""))*""")
    |\'{3}(?:[^\\']|\\.|'(?!\'\'))*\'{3}
    |"(?:[^\\"\n]|\\.)*"
    |'(?:[^\\'\n]|\\.)*'
    ''',
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Finding:
    """A place that breaks a rule; line 0 is the file as a whole."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


@dataclass(frozen=True)
class Source:
    """One text file, by its path from the root of the tree."""

    path: PurePosixPath
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def module(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the module, found once for all rules.

        Without those that only say whether a name is read or written, a third of them.
        """
        found: list[ast.AST] = [self.module]
        for node in found:  # It grows.
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    found += [one for one in value if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST) and name != "ctx":
                    found.append(value)
        return tuple(found)

    @cached_property
    def imports(self) -> tuple[ast.Import | ast.ImportFrom, ...]:
        """The import statements of the module, at its top or in a function."""
        return tuple(node for node in self.nodes if isinstance(node, ast.Import | ast.ImportFrom))

    @cached_property
    def prose(self) -> tuple[tuple[int, str], ...]:
        """The parts of the file that are sentences, each with the line it starts on."""
        return tuple(self._prose())

    def _prose(self) -> Iterator[tuple[int, str]]:
        if self.path.suffix == ".md":
            yield 1, self.text
        elif self.path.suffix in (".hpp", ".cpp"):
            for match in _CXX_COMMENT.finditer(self.text):
                yield self.text.count("\n", 0, match.start()) + 1, match[0]
        elif self.path.suffix == ".py":
            for match in _PYTHON.finditer(self.text):
                if match["prose"]:
                    yield self.text.count("\n", 0, match.start()) + 1, match["prose"]

    def at(self, line: int, what: str) -> Finding:
        return Finding(str(self.path), line, what)

    def is_under(self, folder: str) -> bool:
        return self.path.is_relative_to(folder)

    @property
    def is_code(self) -> bool:
        return self.path.parts[0] in CODE_FOLDERS and (
            self.path.suffix in CODE_SUFFIXES
            or self.path.name == "CMakeLists.txt"
            or self.text.startswith("#!")
        )


class Tree:
    """All text files of a tree."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.root = root
        self.sources = tuple(_read(root, sorted(paths)))

    def code(self, *suffixes: str, under: str = "") -> Iterator[Source]:
        """Sources of the code folders, of these suffixes if any are given."""
        for source in self.sources:
            fits = not suffixes or source.path.suffix in suffixes
            if source.is_code and fits and (not under or source.is_under(under)):
                yield source

    def find(self, path: str) -> Source | None:
        """The source at a path, if there is one."""
        return next((source for source in self.sources if str(source.path) == path), None)


Rule = Callable[[Tree], Iterator[Finding]]


@dataclass(frozen=True)
class Allowed:
    """A file that may break a rule, and why."""

    rule: Rule
    path: str
    why: str


def no_longer_needed(
    exceptions: Iterable[Allowed], found_by: Callable[[Rule], Iterable[Finding]]
) -> list[Allowed]:
    """The exceptions whose file keeps the rule by now, by what a rule finds."""
    return [
        allowed
        for allowed in exceptions
        if all(finding.path != allowed.path for finding in found_by(allowed.rule))
    ]


def tracked_paths(root: Path) -> list[str]:
    """What git tracks, and what it does not know yet but does not ignore."""
    done = subprocess.run(
        [
            *("git", "-c", f"safe.directory={root}", "ls-files", "-z"),
            *("--cached", "--others", "--exclude-standard"),
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for path in done.stdout.split("\0") if path]


def _read(root: Path, paths: Iterable[str]) -> Iterator[Source]:
    for path in paths:
        file = root / path
        if not file.is_file() or file.is_symlink():
            continue
        try:
            yield Source(PurePosixPath(path), file.read_bytes().decode())
        except UnicodeDecodeError:
            continue  # A picture or an archive.
