"""Rules about what tests compare, and with what: signs, figures with a name, uneven data."""

import ast
from collections.abc import Iterator

from style.tree import Finding, Tree


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
