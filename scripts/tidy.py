"""Runs clang-tidy over each C++ source of a build, on all cores, and remembers clean ones.

What costs is the headers of libraries, which nearly every source has: so sources of one folder are
looked at together, as one that includes them. If such a group has a finding, or its sources cannot
stand in one, they are looked at apart: only of a source alone are findings printed.

A source that was clean is looked at again only when it, a header of ours that it includes, its
flags, the rules, clang-tidy or a library changed. What was clean is kept in ~/.cache/weft/tidy
(WEFT_TIDY_CACHE), for every checkout of this machine.

    scripts/tidy.py build/release
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ENGINE = Path("engine")
RULES = Path(".clang-tidy")
MOST = 8
# Another release has other checks under the same names: Debian 12's counts.
VERSION = "14"
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """A source, how it is compiled, and what tells that nothing of it changed."""

    path: Path
    flags: tuple[str, ...]
    key: str


def main(build: Path) -> int:
    """Look at every source of `build` that may not be clean; 1 if one has a finding."""
    if f"version {VERSION}." not in _version():
        sys.stdout.write(f"SKIPPED [1] scripts/tidy.py: clang-tidy {VERSION} has the rules\n")
        return 0
    sources = _sources(build)
    cache = _cache()
    cache.mkdir(parents=True, exist_ok=True)
    open_ones = [source for source in sources if not (cache / source.key).exists()]
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        looks = workers.map(lambda group: _look(group, folder, cache), _groups(open_ones))
        found = [output for outputs in looks for output in outputs]
    sys.stdout.write("\n".join(found))
    sys.stdout.write(
        f"clang-tidy: {len(found)} of {len(sources)} sources have findings;"
        f" {len(open_ones)} were looked at, the others are as they were\n"
    )
    return 1 if found else 0


def _version() -> str:
    tool = ["clang-tidy", "--version"]
    return subprocess.run(tool, capture_output=True, check=True, text=True).stdout


def _cache() -> Path:
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weft" / "tidy"
    return Path(os.environ.get("WEFT_TIDY_CACHE") or usual)


def _sources(build: Path) -> list[Source]:
    """Each source of the engine once; the list holds it once per MPI.

    Tests are left out, because the test framework's macros break many rules. So are files that
    CMake generated.
    """
    common = hashlib.sha256(RULES.read_bytes())
    common.update(_version().encode())
    # Another version of a library has other headers.
    if (build / "libraries").exists():
        common.update((build / "libraries").read_bytes())
    found: dict[Path, Source] = {}
    commands = json.loads((build / "compile_commands.json").read_text())
    for path, command in ((path, one) for one in commands for path in _compiled_by(one)):
        engine = ENGINE.resolve()
        if path in found or engine not in path.parents or engine / "tests" in path.parents:
            continue
        words = shlex.split(command["command"])
        first = next(at for at, word in enumerate(words) if word.startswith("-"))
        flags = _without_precompiled(words[first : words.index("-o")])
        key = common.copy()
        # The same in every checkout.
        key.update("\0".join(flags).replace(str(Path.cwd()), "").encode())
        for part in sorted(_closure(path)):
            key.update(str(part.relative_to(Path.cwd())).encode() + part.read_bytes())
        found[path] = Source(path, flags, key.hexdigest())
    return list(found.values())


def _without_precompiled(flags: list[str]) -> tuple[str, ...]:
    """The flags without a header that another compiler precompiled."""
    at = next((at for at, flag in enumerate(flags) if flag.endswith("cmake_pch.hxx")), None)
    kept = flags if at is None else flags[: at - 1] + flags[at + 1 :]
    return tuple(flag for flag in kept if flag != "-Winvalid-pch")


def _compiled_by(command: dict[str, str]) -> list[Path]:
    """The source of a command, or those that it compiles as one."""
    path = Path(command["file"])
    if path.parent.name != "Unity":
        return [path]
    return [Path(os.fsdecode(name)) for name in INCLUDE.findall(path.read_bytes())]


def _closure(path: Path) -> set[Path]:
    """A source and the headers of ours that it includes, by whatever way."""
    found: set[Path] = set()
    wanted = [path]
    while wanted:
        one = wanted.pop()
        if one in found or not one.is_file():
            continue
        found.add(one)
        names = [os.fsdecode(name) for name in INCLUDE.findall(one.read_bytes())]
        wanted += [folder / name for name in names for folder in (ENGINE.resolve(), one.parent)]
    return found


def _groups(sources: list[Source]) -> list[list[Source]]:
    """Sources of one folder that are compiled alike, the largest groups first."""
    alike: dict[tuple[Path, tuple[str, ...]], list[Source]] = {}
    for source in sources:
        alike.setdefault((source.path.parent, source.flags), []).append(source)
    groups = []
    for members in alike.values():
        parts = -(-len(members) // MOST)
        groups += [members[part::parts] for part in range(parts)]
    return sorted(groups, key=len, reverse=True)


def _look(group: list[Source], folder: Path, cache: Path) -> list[str]:
    """What clang-tidy says of each source that is not clean."""
    path, checks = group[0].path, ""
    if len(group) > 1:
        checks = "-bugprone-suspicious-include"
        path = folder / f"{group[0].key}.cpp"
        path.write_text("".join(f'#include "{source.path}"\n' for source in group))
    done = subprocess.run(
        [
            "clang-tidy",
            "--quiet",
            f"--config-file={RULES}",
            f"--checks={checks}",
            path,
            "--",
            *group[0].flags,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if len(group) > 1:
        path.unlink()
    if done.returncode == 0:
        for source in group:
            (cache / source.key).touch()
        return []
    if len(group) == 1:
        return [done.stdout or done.stderr]
    # Who is named goes alone, the others together; where all or none are, half by half.
    blamed = [source for source in group if f"{source.path}:" in done.stdout]
    if 0 < len(blamed) < len(group):
        parts = [[source] for source in blamed]
        parts.append([source for source in group if source not in blamed])
    else:
        middle = len(group) // 2
        parts = [group[:middle], group[middle:]]
    return [output for part in parts for output in _look(part, folder, cache)]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/tidy.py BUILD_FOLDER")
    sys.exit(main(Path(sys.argv[1])))
