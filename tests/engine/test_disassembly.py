"""Between two clock reads there are only contract calls: no indirect call, no allocation.

Each program is taken apart; from every `measured_loop` all direct calls into our own code are
followed. What they reach must neither call through a pointer nor allocate or throw.
"""

import re
import subprocess
from pathlib import Path

import pytest

from weft.engine import MPIS, engine_folder

ROOT = Path(__file__).parents[2]
_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
_CALL = re.compile(r"\t(?:call|jmp|bl|b)\s+[0-9a-f]+ <([^+>]+(?:\(.*?\))?[^+>]*)>")
_INDIRECT = re.compile(r"\t(?:call|jmp)\s+\*|\t(?:blr|br)\s+x")
_FORBIDDEN = re.compile(
    r"^(operator new|operator delete|malloc|calloc|realloc|free|__cxa_|write\b)"
)


def functions(program: Path) -> dict[str, list[str]]:
    """The instructions of every function by its name."""
    text = subprocess.run(
        ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", program],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        start = _FUNCTION.match(line)
        if start:
            current = found.setdefault(start[1], [])
        elif line:
            current.append(line)
    return found


def offences(program: Path) -> tuple[list[str], int]:
    """What the measured loops of a program do that they must not, and how many loops there are."""
    code = functions(program)
    starts = [name for name in code if "weft::measured_loop<" in name]
    seen: set[str] = set()
    todo = list(starts)
    found = []
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for line in code[name]:
            if _INDIRECT.search(line):
                found.append(f"{name}: {line.strip()}")
            call = _CALL.search(line)
            if call is None:
                continue
            target = call[1]
            if _FORBIDDEN.match(target):
                found.append(f"{name}: {line.strip()}")
            if "weft::" in target and target in code:
                todo.append(target)
            if "std::vector" in target:
                found.append(f"{name}: {line.strip()}")
    return found, len(starts)


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("transport", ["mpi", "tcp", "ucx"])
def test_measured_loops_hold_contract_calls_only(mpi: str, transport: str) -> None:
    found, loops = offences(engine_folder() / mpi / f"rank-{transport}")
    assert loops >= 5
    assert found == []


def test_a_planted_indirect_call_and_allocation_are_caught() -> None:
    found, _ = offences(ROOT / "build" / "test" / "engine" / "tests" / "planted-loop")
    text = "\n".join(found)
    assert "*" in text
    assert re.search(r"operator new|std::vector", text)
