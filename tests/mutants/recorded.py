"""Which lines and branches quick tests run, of what `make mutants` recorded too."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from mutants.reached import Way, opened, places, sha_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Counts = tuple[int, int, int, int]
_SETTINGS = "[run]\nbranch = true\n[report]\nexclude_also = if TYPE_CHECKING:\n"
MOST_S = 3600.0


def ways_run(store: Path, path: str, text: str) -> set[Way]:
    """The ways through a source, as it is now, that any test or an import goes."""
    now: set[Way] = set()
    with opened(store) as known:
        rows = known.execute("SELECT sha, ways FROM ways WHERE path = ?", (path,)).fetchall()
        before: dict[str, set[Way]] = defaultdict(set)
        for sha, ways in rows:
            before[sha].update((begin, end) for begin, end in json.loads(ways))
        for sha, own in before.items():
            if sha == sha_of(text):
                now |= own
                continue
            [(older,)] = known.execute("SELECT text FROM sources WHERE sha = ?", (sha,))
            here = {was: at for at, was in places(older, text).items()}
            here |= {-was: -at for was, at in here.items()}
            now |= {(here[a], here[b]) for a, b in own if a in here and b in here}
    return now


def files_recorded(store: Path, tree: Path, folder: Path) -> Iterator[tuple[str, Counts]]:
    """Each source with its lines, those that were run, and so its branches, as coverage counts."""
    from coverage import CoverageData

    folder.mkdir(parents=True, exist_ok=True)
    settings, data, told = (folder / name for name in ("settings", "data", "told.json"))
    settings.write_text(_SETTINGS)
    data.unlink(missing_ok=True)
    traced = CoverageData(str(data))
    for path in sorted((tree / "src" / "weft").rglob("*.py")):
        name = str(path.relative_to(tree))
        traced.add_arcs({str(path): ways_run(store, name, path.read_text())})
        traced.touch_file(str(path))
    traced.write()
    words = [sys.executable, "-m", "coverage", "json", "-q", "-o", str(told)]
    words += [f"--rcfile={settings}", f"--data-file={data}"]
    subprocess.run(words, cwd=tree, check=True, timeout=MOST_S)
    yield from _counts(json.loads(told.read_text()), tree)


def _counts(told: dict[str, Any], tree: Path) -> Iterator[tuple[str, Counts]]:
    for path, one in told["files"].items():
        own = one["summary"]
        yield (
            str((tree / path).relative_to(tree)),
            (
                own["num_statements"], own["covered_lines"],
                own["num_branches"], own["covered_branches"],
            ),
        )  # fmt: skip
