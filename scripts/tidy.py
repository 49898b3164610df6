"""Runs clang-tidy once over each C++ source of a build, on all cores, and remembers clean ones.

The build's own list holds a source once per MPI; to look at it once is enough, and a source that
was clean is looked at again only when it, a header or the rules changed.

    scripts/tidy.py build/release
"""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ENGINE = Path("engine")
TESTS = Path("engine/tests").resolve()  # The test framework's macros break many rules.
RULES = Path(".clang-tidy")


def main(build: Path) -> int:
    """Look at every source of `build`; 1 if one of them has a finding, which is printed."""
    commands: dict[str, dict[str, Any]] = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        if not Path(command["file"]).is_relative_to(TESTS):
            commands.setdefault(command["file"], command)
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    shared = hashlib.sha256()
    for path in (RULES, *sorted(ENGINE.rglob("*.hpp"))):
        shared.update(path.read_bytes())
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        outputs = list(
            workers.map(lambda command: _look(folder, command, shared.copy()), commands.values())
        )
    found = [output for output in outputs if output]
    sys.stdout.write("\n".join(found))
    sys.stdout.write(f"clang-tidy: {len(found)} of {len(commands)} sources have findings\n")
    return 1 if found else 0


def _look(folder: Path, command: dict[str, Any], key: Any) -> str:
    """What clang-tidy says of one source; empty if it is clean."""
    source = Path(command["file"])
    key.update(json.dumps(command).encode() + source.read_bytes())
    clean = folder / key.hexdigest()
    if clean.exists():
        return ""
    done = subprocess.run(
        ["clang-tidy", "-p", folder, "--quiet", source],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        clean.touch()
        return ""
    return done.stdout or done.stderr


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/tidy.py BUILD_FOLDER")
    sys.exit(main(Path(sys.argv[1])))
