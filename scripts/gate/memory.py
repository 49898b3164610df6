"""Remembers which steps passed on this machine, and with which files."""

import hashlib
import os
import subprocess
from pathlib import Path


class Memory:
    """Passes of steps, kept in ~/.cache/weft/passed (or WEFT_PASSED_CACHE) for every checkout."""

    def __init__(self, *, forget: bool = False) -> None:
        usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weft" / "passed"
        self._folder = Path(os.environ.get("WEFT_PASSED_CACHE") or usual)
        self._forget = forget
        self._keys: dict[str, str] = {}

    def passed(self, name: str, watches: tuple[str, ...]) -> bool:
        """Whether the step passed with the files as they are now.

        Raises LookupError if a pattern matches no file: it would never notice a change.
        """
        if not watches:
            return False
        self._keys[name] = _key(name, watches)
        return not self._forget and (self._folder / self._keys[name]).exists()

    def keep(self, name: str) -> None:
        """Remember that the step passed with the files that `passed` was asked about."""
        if name in self._keys:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / self._keys[name]).touch()


def _key(name: str, watches: tuple[str, ...]) -> str:
    digest = hashlib.sha256(name.encode())
    for pattern in watches:
        if not pattern.startswith(":!") and not _files(pattern):
            raise LookupError(f"gate: {pattern} matches no file; correct it in scripts/gate")
    for path in sorted(_files(*watches)):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return f"{name.replace(' ', '-')}-{digest.hexdigest()[:32]}"


def _files(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        capture_output=True, check=True,
    )  # fmt: skip
    paths = [Path(os.fsdecode(path)) for path in listed.stdout.split(b"\0") if path]
    return [path for path in paths if path.is_file()]
