"""The versions that weft was built and tested with, as the gate finds them in its empty roots.

python scripts/versions.py here   prints those of this machine, as TOML
python scripts/versions.py table  writes the installation page's table from docs/versions
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOUND = ROOT / "docs" / "versions"
PAGE = ROOT / "docs" / "install-on-a-cluster.md"
_BEGIN, _END = "<!-- versions: scripts/versions.py writes this table -->\n", "<!-- /versions -->"
_NUMBER = re.compile(r"\d+(?:\.\d+)+")
# How each is asked for its version.
_ASKED = {
    "g++": ("g++", "-dumpfullversion"),
    "clang++": ("clang++", "--version"),
    "CMake": ("cmake", "--version"),
    "Open MPI": ("mpirun.openmpi", "--version"),
    "MPICH": ("mpichversion",),
    "UCX": ("pkg-config", "--modversion", "ucx"),
    "libfabric": ("pkg-config", "--modversion", "libfabric"),
    "rdma-core": ("pkg-config", "--modversion", "libibverbs"),
    "SimGrid": ("pkg-config", "--modversion", "simgrid"),
    "Highway": ("pkg-config", "--modversion", "libhwy"),
    "hwloc": ("pkg-config", "--modversion", "hwloc"),
}


def here() -> dict[str, str]:
    """What this machine has of what weft is built with, by name."""
    said = {name: _version(command) for name, command in _ASKED.items()}
    # libibverbs has rdma-core's version behind its own interface's: 1.14.44.0 is of 44.0.
    said["rdma-core"] = re.sub(r"^1\.\d+\.(?=\d)", "", said["rdma-core"])
    said["Python"] = platform.python_version()
    return {name: version for name, version in said.items() if version}


def _version(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        return ""
    found = _NUMBER.search(done.stdout)
    return found[0] if found else ""


def table(folder: Path) -> str:
    """The oldest and the newest version of each that any of the files in a folder names."""
    found = [tomllib.loads(path.read_text()) for path in sorted(folder.glob("*.toml"))]
    names = [name for name in (*_ASKED, "Python") if any(name in one["versions"] for one in found)]
    lines = ["| What | Oldest | Newest |", "|---|---|---|"]
    for name in names:
        all_ = sorted((one["versions"][name] for one in found if name in one["versions"]), key=_key)
        lines.append(f"| {name} | {all_[0]} | {all_[-1]} |")
    systems = sorted((one["system"] for one in found), key=_key)
    return "\n".join([*lines, "", f"Each on {' and '.join(systems)}.", ""])


def _key(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def written(page: str, text: str) -> str:
    """A page with `text` between its two marks."""
    before, _, rest = page.partition(_BEGIN)
    _, mark, after = rest.partition(_END)
    if not mark:
        raise SystemExit(f"versions.py: {PAGE} lacks the marks of the table; restore them")
    return f"{before}{_BEGIN}\n{text}\n{mark}{after}"


def main(words: list[str]) -> int:
    """Run the command; 0, or 2 where it is unknown."""
    if words == ["here"]:
        system = f"Debian {Path('/etc/debian_version').read_text().partition('.')[0].strip()}"
        lines = [f'"{name}" = "{version}"' for name, version in here().items()]
        sys.stdout.write("\n".join([f'system = "{system}"', "[versions]", *lines, ""]))
        return 0
    if words == ["table"]:
        PAGE.write_text(written(PAGE.read_text(), table(FOUND)))
        return 0
    sys.stderr.write("versions.py: unknown command; use here or table\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
