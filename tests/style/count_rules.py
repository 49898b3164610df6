"""Rules about numbers in what a user reads."""

import ast
import itertools
import re
from collections.abc import Iterator

from style.tree import Finding, Tree

_COUNTED = re.compile(
    r" (?:more )?(cases|launches|ranks|samples|sessions|hosts|cores|sizes|nodes|switches|rails"
    r"|ports|cables|uplinks|spines|groups|curves|figures|fabrics|buffers|batches|pairs|records"
    r"|points)\b"
)
# Beside what is counted a verb says whether it is one.
_VERB = re.compile(r" (are|have|were|do|need|show|take|fail|give|end)\b")
# In the engine too, by contract/values.hpp; what is handed to it as a unit is none of these.
_COUNTED_BY_ENGINE = re.compile(
    r"to_string\((?:[^()\"]|\([^()]*\))*\)\s*\+\s*\"(?: more)? "
    r"(ranks|samples|buffers|peers|pairs|messages|requests|completions|dimensions|items|values"
    r"|sites|cores|cases|hosts|ports)\b"
)
# Texts of several numbers, parts of a number, and what is at least two where it is written.
_NEVER_ONE = {
    ("src/weft/analysis/compare/curves.py", "whose"),
    ("src/weft/analysis/fits/sweeps.py", "launches"),
    ("src/weft/host/checks.py", "limit"),
    ("src/weft/host/checks.py", "ranks"),
    ("src/weft/launch/local.py", "allocation.nodes"),
    ("src/weft/plan/allocation.py", "ranks"),
    ("src/weft/plan/cases.py", "ranks"),
    ("src/weft/plan/planning.py", "counts"),
    ("src/weft/report/notes.py", "has"),
    ("src/weft/report/paper.py", "size"),
    ("src/weft/sources/price_lists.py", "ports or 'no'"),
    ("src/weft/topics/fabric_cost.py", "part.part.removeprefix('switch ')"),
}


def bare_counts(tree: Tree) -> Iterator[Finding]:
    """A number before what is counted is written by wording.counted: no "1 cases"."""
    for source in tree.code(".py", under="src/weft"):
        for node in source.nodes:
            if not isinstance(node, ast.JoinedStr):
                continue
            for number, after in itertools.pairwise(node.values):
                if (verb := _verb_after(number, after)) is not None:
                    yield source.at(node.lineno, f"'{verb}' of what is counted; take verb_of()")
                noun = _COUNTED.match(str(after.value)) if isinstance(after, ast.Constant) else None
                if noun is None or not isinstance(number, ast.FormattedValue):
                    continue
                written = ast.unparse(number.value)
                if not written.isupper() and (str(source.path), written) not in _NEVER_ONE:
                    yield source.at(node.lineno, f"{{{written}}} {noun[1]}; take counted()")


def _verb_after(number: ast.expr, after: ast.expr) -> str | None:
    """The verb of several that follows a counted noun whatever the number is."""
    is_counted = isinstance(number, ast.FormattedValue) and ast.unparse(number.value).startswith(
        "counted("
    )
    found = (
        _VERB.match(str(after.value)) if is_counted and isinstance(after, ast.Constant) else None
    )
    return found[1] if found else None


def bare_counts_of_the_engine(tree: Tree) -> Iterator[Finding]:
    """The engine writes a number before what is counted by its counted() too."""
    for source in tree.code(".hpp", ".cpp", under="engine"):
        if source.is_under("engine/tests"):
            continue
        for found in _COUNTED_BY_ENGINE.finditer(source.text):
            line = source.text.count("\n", 0, found.start()) + 1
            yield source.at(line, f"a number before {found[1]}; take counted()")
