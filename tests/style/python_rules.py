"""Rules about Python: what a module may hold, import and say."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator

from style.tree import Finding, Source, Tree

SLOW_TO_IMPORT = ("numpy", "polars", "matplotlib", "scipy", "jinja2", "urllib", "xml")
_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_CONTAINER_CALLS = ("list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict")
_MUTATORS = (
    *("append", "extend", "insert", "add", "update", "setdefault"),
    *("pop", "popitem", "remove", "discard", "clear"),
)
# The axes that make a variant of a test, and those that say what is measured.
_VARIANT = {"ranks", "queue_depth", "schedule", "single", "wait", "pages", "point"}
# Where nothing is read or written, and what does it.
_PURE = ("src/weft/plan", "src/weft/analysis", "src/weft/topics")
_READERS = (
    *("os", "io", "shutil", "tempfile", "weft.sources", "weft.record.reader"),
    *("weft.record.run.load", "weft.record.plain.read_plain", "weft.record.writer"),
)
_OF_FILES = (
    *("open", "read_text", "read_bytes", "write_text", "write_bytes"),
    *("exists", "is_file", "mkdir", "unlink", "glob", "iterdir"),
)


def mutable_globals(tree: Tree) -> Iterator[Finding]:
    """What a module holds does not change. (C++: avoid-non-const-global-variables.)"""
    for source in tree.code(".py"):
        held = dict(_module_containers(source.module))
        for name, line in held.items():
            if name != name.upper() and not name.startswith("__"):
                yield source.at(line, f"the module holds a mutable {name}")
        for node in source.nodes:
            if isinstance(node, ast.Global):
                yield source.at(node.lineno, f"global {', '.join(node.names)}")
            elif (name := _changed_name(node)) in held:
                yield source.at(getattr(node, "lineno", 0), f"{name} of the module is changed")


def slow_start(tree: Tree) -> Iterator[Finding]:
    """`weft --help` answers at once: what cli/ imports at its top, directly or not, is light."""
    modules = _modules(tree)
    for start in [name for name in modules if name.startswith("weft.cli.")]:
        for chain, library in _import_chains(start, modules):
            place = modules[start].at(1, f"{' > '.join(chain)} imports {library} at its top")
            if len(chain) == 1 or not chain[1].startswith("weft.cli."):
                yield place


def files_in_pure_rooms(tree: Tree) -> Iterator[Finding]:
    """A plan, a figure and a topic are made of data; what a user names is read in sources/."""
    for folder in _PURE:
        for source in tree.code(".py", under=folder):
            for imported in source.imports:
                named = tuple(_imports([imported], ""))
                if any(name in _READERS for name in named):
                    yield source.at(imported.lineno, f"{named[-1]} in {folder}")
            for node in source.nodes:
                if isinstance(node, ast.Call) and _is_of_files(node.func):
                    yield source.at(node.lineno, f"{ast.unparse(node.func)}() in {folder}")


def _is_of_files(called: ast.expr) -> bool:
    """Whether this opens, reads, writes or looks for a file."""
    if isinstance(called, ast.Attribute):
        return called.attr in _OF_FILES
    return isinstance(called, ast.Name) and called.id in ("open", "Path")


def sleeps(tree: Tree) -> Iterator[Finding]:
    """A test waits for what it needs, not for a while."""
    for source in tree.code(".py", under="tests"):
        for node in source.nodes:
            called = isinstance(node, ast.Attribute) and ast.unparse(node) == "time.sleep"
            imported = isinstance(node, ast.ImportFrom) and "time.sleep" in _imports([node], "")
            if called or imported:
                yield source.at(getattr(node, "lineno", 0), "time.sleep in a test")


def dead_modules(tree: Tree) -> Iterator[Finding]:
    """Every module of weft is reached from a program, and every test helper from a test."""
    modules = _modules(tree)
    roots = _entry_points(tree) | {name for name in modules if _is_started(name, modules[name])}
    # What only a test imports is dead: weft's own programs are the ends that count.
    weft = _reached({name for name in roots if _is_weft(name)}, modules)
    others = _reached({name for name in roots if not _is_weft(name)}, modules)
    for name, source in modules.items():
        alive = weft if _is_weft(name) else others
        if source.is_under("scripts"):
            continue
        if name not in alive and source.path.name != "__init__.py":
            yield source.at(1, "nothing imports this module")


def _module_containers(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Names of lists, dicts and sets that a module assigns at its top level."""
    for node in module.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
        if isinstance(value, _CONTAINERS) or (
            called and value.func.id in _CONTAINER_CALLS  # type: ignore[attr-defined]
        ):
            yield from ((t.id, node.lineno) for t in targets if isinstance(t, ast.Name))


def _changed_name(node: ast.AST) -> str:
    """The name whose value a node changes in place, or nothing."""
    target: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        target = node.func.value if node.func.attr in _MUTATORS else None
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        target = node.value
    elif isinstance(node, ast.AugAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else ""


def _modules(tree: Tree) -> dict[str, Source]:
    """Every Python source by the name it is imported by."""
    found = {}
    for source in tree.code(".py"):
        parts = list(source.path.with_suffix("").parts)
        if parts[0] != "bench":  # a package itself; the others are folders that hold packages
            parts.pop(0)
        if parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = source
    return found


def _imports(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """The names that import statements among these nodes may mean, longest meant last."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*parents, node.module or ""]).strip(".") if node.level else node.module
            yield base or ""
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _package(name: str, source: Source) -> str:
    return name if source.path.name == "__init__.py" else name.rpartition(".")[0]


def _reached(roots: set[str], modules: dict[str, Source]) -> set[str]:
    """All modules that are imported, at the top or in a function, starting from the roots."""
    reached: set[str] = set()
    waiting = [name for name in roots if name in modules]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        source = modules[name]
        package = _package(name, source)
        meant = [*_imports(source.imports, package), *_imported_by_name(source, package)]
        waiting += [parent for one in meant for parent in _with_parents(one) if parent in modules]
    return reached


def _imported_by_name(source: Source, package: str) -> Iterator[str]:
    """Modules of its package that a module with import_module() lists as texts."""
    if "import_module(" in source.text:
        for node in source.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{package}.{node.value}"


def _import_chains(start: str, modules: dict[str, Source]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Chains from a module, by imports at the top of modules, to a library that is slow to load."""
    seen = {start}
    waiting: list[tuple[str, ...]] = [(start,)]
    while waiting:
        chain = waiting.pop()
        source = modules[chain[-1]]
        for meant in _imports(list(source.module.body), _package(chain[-1], source)):
            if meant.split(".")[0] in SLOW_TO_IMPORT:
                yield chain, meant.split(".")[0]
            for parent in _with_parents(meant):
                if parent in modules and parent not in seen:
                    seen.add(parent)
                    waiting.append((*chain, parent))


def _entry_points(tree: Tree) -> set[str]:
    """The modules of the programs that pyproject.toml installs, and the door for notebooks."""
    source = tree.find("pyproject.toml")
    if source is None:
        return set()
    scripts = tomllib.loads(source.text).get("project", {}).get("scripts", {})
    return {"weft.notebook", *(str(target).partition(":")[0] for target in scripts.values())}


def _is_weft(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] == "weft"


def _is_started(name: str, source: Source) -> bool:
    """The package itself, what pytest finds, and programs, which say what they do when started."""
    if source.is_under("tests"):
        return source.path.name.startswith("test_") or source.path.name == "conftest.py"
    is_program = re.search(r"^if __name__ == ", source.text, re.MULTILINE) is not None
    return name == "weft" or source.path.name == "__main__.py" or is_program
