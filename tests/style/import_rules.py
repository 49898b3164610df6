"""Rules about who imports whom: downwards in the house, in no circle, not even for a type."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from style.python_rules import imported_modules
from style.tree import Finding, Source, Tree

# The house from the ground up. A module belongs to the longest name here that it begins with, and
# imports what stands before that, or beside it in the same place; what lies beside the folders is
# at the place of `weft`.
HOUSE = (
    "weft.errors",
    "weft.stages",
    "weft.names",
    "weft.units",
    "weft.whole_file",
    "weft.estimate",
    "weft.quantiles",
    "weft.wording",
    "weft.applications",
    "weft.plan",
    "weft.record",
    "weft",
    "weft.reference",
    "weft.fabric",
    "weft.host",
    "weft.analysis.stats",
    "weft.launch",
    "weft.measure",
    "weft.analysis.fits",
    "weft.analysis",
    "weft.analysis.compare",
    "weft.tables",
    "weft.charts",
    "weft.colours",
    "weft.sim",
    "weft.topics",
    "weft.report",
    "weft.sources",
    "weft.progress",
    "weft.session",
    "weft.studies",
    "weft.notebook",
    "weft.cli",
)


def upward_imports(tree: Tree, house: Iterable[str] = HOUSE) -> Iterator[Finding]:
    """A module imports what lies below it, also where it only needs a type."""
    order = tuple(house)
    modules = weft_modules(tree)
    for name, source in modules.items():
        for line, meant in imported_modules(name, source, modules):
            mine, other = _place(name, order), _place(meant, order)
            if order.index(other) > order.index(mine):
                yield source.at(line, f"{mine} imports {meant}, which lies above it")


def import_circles(tree: Tree) -> Iterator[Finding]:
    """No module is reached from itself by imports."""
    modules = weft_modules(tree)
    graph = {
        name: {meant for _, meant in imported_modules(name, source, modules)} - {name}
        for name, source in modules.items()
    }
    for name, source in modules.items():
        way = _way_back(name, graph)
        # Told once a circle, at the module whose name comes first.
        if way and name == min(way):
            yield source.at(1, f"a circle: {' > '.join((*way, name))}")


# What works figures out: commands ask weft.studies for what these say together.
_ANALYSES = ("weft.analysis", "weft.topics", "weft.measure")


def commands_that_analyse(tree: Tree) -> Iterator[Finding]:
    """A command parses, calls a study and prints: it puts no analyses together itself."""
    for source in tree.code(".py", under="src/weft/cli"):
        for node in _when_it_runs(source.module):
            for name in _names_of(node):
                if any(name == one or name.startswith(f"{one}.") for one in _ANALYSES):
                    yield source.at(node.lineno, f"{name} is asked by weft.studies")


def _when_it_runs(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements below a node, without those that are for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from _when_it_runs(child)


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{one.name}" for one in node.names]
    return [one.name for one in node.names] if isinstance(node, ast.Import) else []


def launchers_beside_their_list(tree: Tree) -> Iterator[Finding]:
    """What measures knows the launchers' protocol; the launchers themselves only their list."""
    modules = weft_modules(tree)
    launchers = {name for name, source in modules.items() if _has_launcher(source)}
    for name, source in modules.items():
        for line, meant in imported_modules(name, source, modules):
            if meant in launchers and name != "weft.launch.all":
                yield source.at(line, f"{meant} is a launcher; take it from weft.launch.all")


def weft_modules(tree: Tree) -> dict[str, Source]:
    """The modules of the package by name; a package is its __init__.py."""
    found = {}
    for source in tree.code(".py", under="src/weft"):
        parts = source.path.with_suffix("").parts[1:]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = source
    return found


def _has_launcher(source: Source) -> bool:
    """Whether a module of launch/ has a launcher that is no protocol."""
    return source.is_under("src/weft/launch") and any(
        isinstance(node, ast.ClassDef)
        and node.name.endswith("Launcher")
        and all(ast.unparse(base) != "Protocol" for base in node.bases)
        for node in source.module.body
    )


def _place(name: str, order: tuple[str, ...]) -> str:
    parts = name.split(".")
    longer = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next(one for one in longer if one in order)


def _way_back(start: str, graph: Mapping[str, set[str]]) -> tuple[str, ...]:
    """The shortest way from a module to itself, without its end; empty where there is none."""
    waiting: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    for way in waiting:
        for meant in sorted(graph[way[-1]]):
            if meant == start:
                return way
            if meant not in seen:
                seen.add(meant)
                waiting.append((*way, meant))
    return ()
