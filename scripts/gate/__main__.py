"""The gate: runs the steps of one part, and prints each failure at the end.

    python scripts/gate [PART]

PART is one of
  default  all steps; cluster, machine and newcomers only if their files changed since they passed
  all      all steps, changed or not
  quick    the tests that need no real ranks and no browser
  build    the programs and the engine's tests
  nightly  what takes too long for each change: mutants, sanitizers, every comparison once
"""

import sys
from pathlib import Path

from memory import Memory
from scheduler import run
from steps import PARTS


def main(words: list[str]) -> int:
    """Run a part; 0 if each step passed, 1 if one failed, 2 if the part is unknown."""
    part = words[0] if words else "default"
    if len(words) > 1 or part not in PARTS:
        sys.stderr.write(f"gate: unknown part {' '.join(words)}; use one of {', '.join(PARTS)}\n")
        return 2
    return run(PARTS[part], Memory(forget=part == "all"), Path("build/gate"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
