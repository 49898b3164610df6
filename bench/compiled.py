"""Programs of the benches that are compiled against the engine as this checkout has it."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ENGINE = HERE.parent / "engine"
DEADLINE_S = 600


def compiled(compiler: str, source: str, *words: str) -> Path:
    """A program of `source` here with the engine's headers; `words` are flags and other sources.

    It lies in the checkout, which hosts share where they do not share /tmp. Raises RuntimeError
    with what the compiler says.
    """
    programs = HERE.parent / "build" / "bench"
    programs.mkdir(parents=True, exist_ok=True)
    binary = Path(tempfile.mkdtemp(dir=programs)) / Path(source).stem
    output_of(
        [compiler, "-std=c++20", f"-I{ENGINE}", str(HERE / source), *words, "-o", str(binary)]
    )
    return binary


@cache
def libraries_of_engine() -> str:
    """The flag for the folder of the engine's libraries, which are made anew where they are old.

    Objects with another layout than the headers of today end in a crash, not in an error.
    """
    output_of(["make", "--no-print-directory", "-C", str(HERE.parent), "build"])
    return f"-L{HERE.parent / 'build' / 'release' / 'engine'}"


def output_of(command: list[str]) -> str:
    """What it prints. Raises RuntimeError with the end of what it says where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout
