"""A copy of the project in which bugs are planted: nothing is ever changed in the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from support.copies import without_finder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    class Change(Protocol):
        """What is planted: a file, and its text with the bug."""

        @property
        def path(self) -> str:
            """From the project's folder on."""

        def planted(self, text: str) -> str:
            """The file's text with it."""


ALL_PATTERNS = "engine/patterns/all.hpp"
# Ten times what it takes alone: other work may have the machine.
BUILD_S = 3600.0
TEST_S = 180.0


class CopyError(Exception):
    """Something of the copy does not work as it should without any bug."""


class Copy:
    """The project's files under another folder, with a build of their own."""

    def __init__(self, root: Path, folder: Path, flags: str = "-O0 -w") -> None:
        self._root, self._flags = root, flags
        self._tree = folder / "tree"
        self._build = folder / "build"
        self._site = without_finder(folder / "site")
        # The file that has a bug, without it: the checkout may go on meanwhile.
        self._whole = ""
        self._written_ns = self._planted = 0
        self._bring_up_to_date()
        listed = self._tree / ALL_PATTERNS
        self._all_patterns = listed.read_text() if listed.exists() else ""

    def _bring_up_to_date(self) -> None:
        """Only what differs is copied, so that little is compiled anew."""
        words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(words, cwd=self._root, capture_output=True, check=True).stdout
        names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
        names = {name for name in names if (self._root / name).is_file()}
        for old in [path for path in self._tree.rglob("*") if path.is_file()]:
            if str(old.relative_to(self._tree)) not in names:
                old.unlink()
        for name in names:
            source, target = self._root / name, self._tree / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            # With a time of its own: an old one would pass for what was compiled before.
            shutil.copy(source, target)

    def choose(self, patterns: Sequence[str]) -> None:
        """Have the engine made of these benchmarks only; of all where none is named."""
        text = self._all_patterns
        if patterns:
            text = re.sub(
                r"std::tuple<.*?>;", f"std::tuple<{', '.join(patterns)}>;", text, flags=re.S
            )
        path = self._tree / ALL_PATTERNS
        if path.read_text() != text:
            path.write_text(text)

    @property
    def tree(self) -> Path:
        """Where the project's files are copied to."""
        return self._tree

    def launcher(self) -> list[str]:
        """What starts the compiler: ccache, where it is, which may change paths in what is made."""
        return ["ccache"] if shutil.which("ccache") else []

    @property
    def build_folder(self) -> Path:
        """Where the engine is compiled."""
        return self._build

    def plant(self, bug: Change) -> None:
        """Put a bug into the copy. Raises ValueError where it does not apply."""
        path = self._tree / bug.path
        self._whole, self._written_ns = path.read_text(), path.stat().st_mtime_ns
        path.write_text(bug.planted(self._whole))
        if path.suffix != ".py":
            return  # what was compiled since the copy was made has to be older than the bug
        # Python takes what it compiled for a file of the same second and size for this one.
        self._planted += 1
        later_ns = self._written_ns + self._planted * 10**9
        os.utime(path, ns=(later_ns, later_ns))

    def restore(self, bug: Change) -> None:
        """Take it out again."""
        path = self._tree / bug.path
        path.write_text(self._whole)
        if path.suffix == ".py":
            os.utime(path, ns=(self._written_ns, self._written_ns))

    def build(self, targets: Sequence[str]) -> str:
        """Compile these; what the compiler said where it failed, else nothing."""
        if not targets:
            return ""
        known = self._build / "CMakeCache.txt"
        if not known.exists() or f"={self._flags}\n" not in known.read_text():
            words = ["cmake", "-G", "Ninja", "-S", str(self._tree), "-B", str(self._build)]
            flags = [
                "-DWEFT_TESTS=ON",
                "-DCMAKE_BUILD_TYPE=Debug",
                f"-DCMAKE_CXX_FLAGS_DEBUG={self._flags}",
            ]
            flags += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={name}" for name in self.launcher()]
            if self._fails([*words, *flags], BUILD_S):
                raise CopyError("the copy cannot be configured; see make build")
        words = ["cmake", "--build", str(self._build), "--target", *targets]
        return self._fails(words, BUILD_S)

    def noticed_by(
        self,
        tests: Iterable[str],
        engine: Iterable[str],
        builds: Sequence[str],
        most_s: float = TEST_S,
    ) -> str:
        """The first of these tests that fails or does not end, as it is named; nothing if none.

        With rank programs among what was built for them they take no others.
        """
        for asked in engine:
            name, _, chosen = asked.partition(": ")
            program = self._build / "engine" / "tests" / f"{name}-tests"
            if self._fails([program, f"--gtest_filter={chosen}"], TEST_S):
                return asked
        named = list(tests)
        options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
        words = [sys.executable, "-m", "pytest", *options, *named]
        own = self._programs() if any(name.startswith("rank-") for name in builds) else {}
        return " ".join(named) if named and self._fails(words, most_s, own) else ""

    def _programs(self) -> dict[str, str]:
        return {"WEFT_ENGINE_DIR": str(self._build / "libexec" / "weft")}

    def _fails(
        self, words: Sequence[str | Path], most_s: float, more: Mapping[str, str] | None = None
    ) -> str:
        """What a command said if it failed or was not done in time."""
        process = subprocess.Popen(
            words,
            cwd=self._tree,
            env={**self.environment(), **(more or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=most_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return f"not done in {most_s:g} s"
        return said.decode(errors="replace") or "failed" if process.returncode else ""

    def environment(self) -> dict[str, str]:
        """In which programs take weft from the copy."""
        # With what Python compiles kept: tests start weft hundreds of times.
        usual = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
        return {
            **usual,
            "PYTHONPATH": f"{self._site}:{self._tree / 'src'}",
            "WEFT_VIRTUAL_RANK": str(self._virtual_rank()),
        }

    def _virtual_rank(self) -> Path:
        """The copy's own where it was compiled for a bug of the engine, else the checkout's."""
        place = Path("engine") / "tests" / "virtual-rank"
        own = self._build / place
        return own if own.exists() else self._root / "build" / "release" / place
