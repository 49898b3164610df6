"""Rules about who imports whom: downwards in the house, in no circle, not even for a type."""

import ast
import re
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

# Where a test is a test; what only its application understands.
ROOMS_OF_EVERY_TEST = ("plan", "record", "measure", "launch")
_OF_AN_APPLICATION = re.compile(
    r"\bmass\b|\bu0\b|plaquettes?|residuals?|long_links?|lattices?|extents|gauge", re.IGNORECASE
)


# Only an entry knows its own cases; the options of the command line have their usual values.
_OF_ONE_ENTRY = re.compile(r"\bweft\.applications\.(on_)?lattices?\b")
_KNOWS_LATTICES = "src/weft/cli/lattice.py"
# What a row of a topic has of its case.
_WHOSE_FIGURES = {"case", "test", "transport", "variant", "bytes"}


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


def applications_asked_for_their_own(tree: Tree) -> Iterator[Finding]:
    """A plan, a record, a measurement and a launch keep an application's options as they are."""
    for room in ROOMS_OF_EVERY_TEST:
        for source in tree.code(".py", under=f"src/weft/{room}"):
            for number, line in enumerate(source.text.splitlines(), start=1):
                if found := _OF_AN_APPLICATION.search(line):
                    yield source.at(number, f"'{found[0]}' is a word of weft.applications")
    for source in tree.code(".py", under="src/weft"):
        if not source.is_under("src/weft/applications") and not source.is_under(_KNOWS_LATTICES):
            for number, line in enumerate(source.text.splitlines(), start=1):
                if found := _OF_ONE_ENTRY.search(line):
                    yield source.at(number, f"{found[0]} is an entry's own; ask weft.applications")


def charts_made_one_way(tree: Tree) -> Iterator[Finding]:
    """A diagram and its tracks are made by charts.py, with the same words, units and intervals."""
    for source in tree.code(".py", under="src/weft"):
        for node in source.nodes:
            is_call = isinstance(node, ast.Call) and ast.unparse(node.func) in ("Chart", "Track")
            if is_call and not source.is_under("src/weft/charts.py"):
                yield source.at(getattr(node, "lineno", 0), "use chart_of and track_of")


def rows_made_one_way(tree: Tree) -> Iterator[Finding]:
    """A topic's row says whose figures it has by topics/rows.py, of its case, not by hand."""
    for source in tree.code(".py", under="src/weft/topics"):
        if source.is_under("src/weft/topics/rows.py"):
            continue
        for node in source.nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func) != "Case":
                names = {one.arg for one in node.keywords} & _WHOSE_FIGURES
                if "transport" in names and len(names) > 1:
                    yield source.at(node.lineno, "use .of(case), or .like(row)")
            elif isinstance(node, ast.ClassDef):
                fields = {_field(one) for one in node.body}
                if "msgspec.Struct" in map(ast.unparse, node.bases) and fields & _WHOSE_FIGURES:
                    yield source.at(node.lineno, f"derive {node.name} from a row of topics/rows.py")


def _field(node: ast.stmt) -> str:
    return ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else ""


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
