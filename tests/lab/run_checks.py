"""Runs checks inside the lab's machine: one boot for all of them, one line of JSON for each.

    tests/lab/vm env PYTHONPATH=tests .venv/bin/python -m lab.run_checks [NAME...]

A check is a function `check_...` of a module in MODULES; it fails by raising. Ends with 1 if one
failed.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lab import (
    checks_faults,
    checks_libraries,
    checks_maps,
    checks_roce,
    checks_tutorial,
    checks_verbs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

MODULES = (checks_roce, checks_verbs, checks_faults, checks_libraries, checks_maps)
# They take minutes, and are typed by hand.
ALONE = (checks_tutorial,)
PREFIX = "check_"


@dataclass(frozen=True)
class Result:
    """What came of one check; `why` is empty if it holds."""

    name: str
    why: str
    seconds: float


def checks_of(modules: Iterable[ModuleType]) -> dict[str, Callable[[], None]]:
    """The checks of modules, by name, in the order in which they stand there."""
    return {
        f"{module.__name__.rpartition('_')[2]}: {name.removeprefix(PREFIX).replace('_', ' ')}": run
        for module in modules
        for name, run in vars(module).items()
        if name.startswith(PREFIX)
    }


def all_checks() -> dict[str, Callable[[], None]]:
    """Every check of the boot that they share."""
    return checks_of(MODULES)


def results(checks: dict[str, Callable[[], None]], names: Iterable[str]) -> Iterator[Result]:
    """Run the named checks; one that fails does not keep the next from running."""
    for name in names:
        start = time.monotonic()
        why = ""
        try:
            checks[name]()
        except Exception:  # noqa: BLE001 - whatever a check raises is its result
            why = traceback.format_exc()
        yield Result(name, why, round(time.monotonic() - start, 2))


def main(names: list[str]) -> int:
    """Run and print."""
    checks = checks_of((*MODULES, *ALONE))
    failed = 0
    for result in results(checks, names or list(all_checks())):
        failed += bool(result.why)
        sys.stdout.write(json.dumps(asdict(result)) + "\n")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
