"""Mutants that nobody chose, of a file of Python: all that universalmutator's rules make.

Its rules are regular expressions over lines (Groce et al., An Extensible, Regular-Expression-Based
Tool for Multi-Language Mutant Generation, ICSE 2018). To them come what looks right to a reader and
no rule makes: neighbours that are exchanged in a tuple, a list or a call. What changes no more than
a comment, a type or the words of a sentence is none, nor what Python cannot compile.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import tomllib
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EQUIVALENT = Path(__file__).with_name("judged") / "equivalent.toml"
RULES = ("python.rules", "universal.rules")
_LISTED = ast.dump(ast.parse("__all__ = []").body[0].targets[0])  # type: ignore[attr-defined]


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant: in a file the lines from `line` on, so many as `old` has, are `new` instead."""

    path: str
    line: int
    old: str
    new: str

    @property
    def title(self) -> str:
        """How it is called in reports."""
        return f"{self.path}:{self.line}: {_brief(self.old)}  ->  {_brief(self.new)}"

    @property
    def folder(self) -> str:
        """The folder of src/weft or of engine/ that it is in."""
        parts = Path(self.path).parts
        first = parts[2] if parts[0] == "src" else "/".join(parts[:2])
        return first if not first.endswith(".py") else "weft"

    def planted(self, text: str) -> str:
        """The file's text with it."""
        lines = text.splitlines(keepends=True)
        count = self.old.count("\n")
        assert "".join(lines[self.line - 1 : self.line - 1 + count]) == self.old
        return "".join((*lines[: self.line - 1], self.new, *lines[self.line - 1 + count :]))


def _brief(text: str) -> str:
    return " ".join(text.split())[:90]


class Equivalent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mutant that changes nothing that anyone can see, and why; its lines without their blanks at
    both ends.
    """

    path: str
    old: str
    new: str
    reason: str


def equivalents(path: Path = EQUIVALENT) -> tuple[Equivalent, ...]:
    """Those that were judged by hand."""
    found = tomllib.loads(path.read_text())["mutant"]
    return msgspec.convert(found, tuple[Equivalent, ...])


def reason_of(mutant: Drawn, known: Sequence[Equivalent]) -> str:
    """Why a mutant is equivalent; empty where nobody judged it so."""
    own = (mutant.path, _brief(mutant.old), _brief(mutant.new))
    return next((e.reason for e in known if (e.path, _brief(e.old), _brief(e.new)) == own), "")


def mutants_of(path: str, text: str) -> list[Drawn]:
    """Every change of a file of Python; some can be no mutants, as `is_one` tells."""
    lines = text.splitlines(keepends=True)
    return list(dict.fromkeys((*_by_rules(path, lines), *_swaps(path, text, lines))))


def is_one(mutant: Drawn, text: str) -> bool:
    """Whether a change of this text makes another program that Python can compile."""
    try:
        changed = _meaning(mutant.planted(text))
    except (SyntaxError, ValueError):
        return False
    return changed != _meaning(text)


def _by_rules(path: str, lines: Sequence[str]) -> Iterator[Drawn]:
    from universalmutator.mutator import mutants_regexp

    # It says on standard output which rules it takes.
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(list(lines), ruleFiles=list(RULES), ignorePatterns=[])
    for number, new, *_ in made:
        yield Drawn(path=path, line=number, old=lines[number - 1], new=new)


def _swaps(path: str, text: str, lines: Sequence[str]) -> Iterator[Drawn]:
    """Neighbours exchanged: elements of a tuple or list, arguments and values of a call."""
    tree = ast.parse(text)
    alike = {id(one) for node in ast.walk(tree) for one in _without_order(node)}
    for node in ast.walk(tree):
        if id(node) in alike:
            continue
        if isinstance(node, ast.Tuple | ast.List):
            values: list[ast.expr] = node.elts
        elif isinstance(node, ast.Call):
            values = [*node.args, *(one.value for one in node.keywords)]
        else:
            continue
        for left, right in itertools.pairwise(values):
            yield _swapped(path, lines, left, right)


def _without_order(node: ast.AST) -> Iterator[ast.AST]:
    """What has no order: what something may be one of, and what the largest is looked for in."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        yield from node.comparators
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if name in ("min", "max") and not node.keywords:
        yield node
    if name in ("isinstance", "startswith", "endswith", "set", "frozenset"):
        yield from node.args


def _swapped(path: str, lines: Sequence[str], left: ast.expr, right: ast.expr) -> Drawn:
    first, last = left.lineno, right.end_lineno or right.lineno
    own = [line.encode() for line in lines[first - 1 : last]]
    starts = list(itertools.accumulate((len(line) for line in own), initial=0))

    def place(line: int, column: int) -> int:
        return starts[line - first] + column

    whole = b"".join(own)
    a, b = place(left.lineno, left.col_offset), place(*_end(left))
    c, d = place(right.lineno, right.col_offset), place(*_end(right))
    new = whole[:a] + whole[c:d] + whole[b:c] + whole[a:b] + whole[d:]
    return Drawn(path=path, line=first, old=whole.decode(), new=new.decode())


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _meaning(text: str) -> str:
    """The syntax tree without docstrings, annotations and the order of a set, which change nothing
    that is measured.
    """
    tree = ast.parse(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a call of a number is no bug that anyone would type
        try:
            compile(tree, "mutant", "exec", dont_inherit=True)
        except SyntaxWarning as doubt:
            raise ValueError(str(doubt)) from doubt
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [one for one in body if not _is_words(one) and not isinstance(one, ast.Pass)]
            node.body = _reached(kept, node) or [ast.Pass()]  # type: ignore[attr-defined]
        # Sentences for a person are held elsewhere: to what is typed, and to the glossary.
        if isinstance(node, ast.Constant) and " " in str(node.value):
            node.value = "words"
        _in_one_order(node)
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            _without_types(node)
            for argument in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs):
                argument.annotation = None
    return ast.dump(tree)


def _in_one_order(node: ast.AST) -> None:
    """Sort what has no order: a set, what is imported, what a module has, what has names, and what
    the least is looked for in.
    """
    if isinstance(node, ast.Set):
        node.elts = sorted({ast.dump(one): one for one in node.elts}.values(), key=ast.dump)
    if isinstance(node, ast.ImportFrom):
        node.names.sort(key=ast.dump)
    if isinstance(node, ast.Call | ast.ClassDef):
        # What is unpacked, which has no name, stays among them where it is.
        node.keywords.sort(key=lambda one: one.arg or "")
    if isinstance(node, ast.Call) and node in _without_order(node):
        node.args.sort(key=ast.dump)
    if isinstance(node, ast.Assign) and ast.dump(node.targets[0]) == _LISTED:
        node.value = ast.Set(elts=getattr(node.value, "elts", []))
        _in_one_order(node.value)


def _reached(body: Sequence[ast.stmt], node: ast.AST) -> list[ast.stmt]:
    """The statements up to the first that leaves them; at the end of a loop that is none."""
    leaves = (ast.Continue, ast.Break, ast.Return, ast.Raise)
    ends = [at for at, one in enumerate(body, start=1) if isinstance(one, leaves)]
    kept = list(body[: min(ends, default=len(body))])
    is_loop = isinstance(node, ast.For | ast.While)
    return kept[:-1] if is_loop and kept and isinstance(kept[-1], ast.Continue) else kept


def _without_types(function: ast.FunctionDef) -> None:
    """Take the types of a function's own names away; those of a class's fields are read."""
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(value=None)


def _is_words(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    return is_text or is_typing
