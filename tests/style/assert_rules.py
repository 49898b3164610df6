"""Rules about what tests compare, and with what: signs, figures with a name, uneven data."""

import ast
import re
from collections.abc import Iterator

from style.tree import Finding, Source, Tree

_FIGURE = re.compile(r"-?\d[\d.,]*(?: ?(?:[nuµm]?s|[KMG]i?B(?:/s)?|B(?:/s)?|%)(?![A-Za-z]))?")
_MEANS_A_VALUE = re.compile(r"\d[.,]\d|\d ?(?:[nuµm]?s|[KMG]i?B(?:/s)?|B(?:/s)?|%)(?![A-Za-z])")
# What may be the name of something: no mark of a page, and no word that any sentence has.
_MARK = re.compile(r"</?\w+>")
_NAME = re.compile(r"[A-Za-zµ_]{3,}")
_OF_ANY_SENTENCE = {"and", "the", "over", "from", "with", "than", "for"}


def distances_without_a_sign(tree: Tree) -> Iterator[Finding]:
    """A test compares a value with its sign: pytest.approx, and no abs() of a difference."""
    for source, held in _asserts(tree):
        for node in ast.walk(held):
            if isinstance(node, ast.Call) and _name_of(node.func) in ("abs", "fabs", "absolute"):
                yield source.at(node.lineno, f"{ast.unparse(node)} has lost its sign")


def figures_of_nobody(tree: Tree) -> Iterator[Finding]:
    """A figure is looked for with the name of what it is of: alone, another column has it too."""
    for source, held in _asserts(tree):
        for node in ast.walk(held):
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.In):
                continue
            text = node.left.value if isinstance(node.left, ast.Constant) else None
            if isinstance(text, str) and _MEANS_A_VALUE.search(text) and not _names_any(text):
                yield source.at(node.lineno, f"whose is '{text}'?")


def _names_any(text: str) -> bool:
    """Whether a text says what its figures are of."""
    words = _NAME.findall(_MARK.sub(" ", _FIGURE.sub(" ", text)))
    return any(word.lower() not in _OF_ANY_SENTENCE for word in words)


def launches_all_alike(tree: Tree) -> Iterator[Finding]:
    """Launches of a made record differ, and a tick is not 1 ns: of what is alike any would do."""
    for source in tree.code(".py", under="tests"):
        for node in source.nodes:
            if isinstance(node, ast.keyword) and node.arg == "tick_ns":
                if isinstance(node.value, ast.Constant) and node.value.value == 1:
                    yield source.at(node.value.lineno, "a tick of 1 ns")
            elif isinstance(node, ast.keyword) and node.arg == "times_ns":
                if isinstance(node.value, ast.Lambda) and _is_of_every_launch(node.value):
                    yield source.at(node.value.lineno, "each launch has the same times")
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("times"):
                of_case = node.args.args and node.args.args[0].annotation
                if of_case and ast.unparse(of_case) == "Case" and _is_of_every_launch(node):
                    yield source.at(node.lineno, "each launch has the same times")


def _is_of_every_launch(times: ast.Lambda | ast.FunctionDef) -> bool:
    """Whether the second of its arguments, the round, is not read though it gives times."""
    if isinstance(times.body, ast.List) and not times.body.elts:
        return False
    names = [one.arg for one in times.args.args[1:2]]
    return bool(names or isinstance(times, ast.Lambda)) and not any(
        isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in names
        for one in ast.walk(times)
    )


def lattices_all_alike(tree: Tree) -> Iterator[Finding]:
    """A made lattice has unlike extents: of a cube a wrong axis is no wrong figure."""
    for source in tree.code(".py", under="tests"):
        for node in source.nodes:
            if isinstance(node, ast.keyword) and node.arg == "extents":
                value = node.value
                if isinstance(value, ast.Tuple):
                    is_cube = len({ast.unparse(one) for one in value.elts}) < len(value.elts[:2])
                else:
                    is_cube = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
                if is_cube:
                    yield source.at(value.lineno, f"{ast.unparse(value)} is a cube")


def _asserts(tree: Tree) -> Iterator[tuple[Source, ast.Assert]]:
    for source in tree.code(".py", under="tests"):
        for node in source.nodes:
            if isinstance(node, ast.Assert):
                yield source, node


def _name_of(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))
