"""Between two clock reads there are only contract calls: no indirect call, no allocation.

Each program is taken apart; from every `measured_loop` all direct calls into our own code are
followed. What they reach must neither call through a pointer nor allocate or throw.

A library may have entry points that are inline functions of its header and call through a pointer
themselves: those are its own, by its design, and are allowed one by one.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from weft.launch.programs import MPIS, engine_folder

ROOT = Path(__file__).parents[2]
PLANTED = ROOT / "build" / "release" / "engine" / "tests" / "planted-loop"
_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
# A call, or a jump that leaves the function; the name may be a template's.
_CALL = re.compile(r"\t(?:call|j\w+|bl?|b\.\w+)\s+[0-9a-f]+ <(.+?)(?:\+0x[0-9a-f]+)?>$")
_INDIRECT = re.compile(r"\t(?:call|jmp)\s+\*|\t(?:blr|br)\s+x")
_PLACE = re.compile(r"^\s*([0-9a-f]+):")
_NAMED = re.compile(r"<([^<>+]+)(?=[+>])")
_SOURCE = re.compile(r"^(/\S+):(\d+)")
_HEADERS_FUNCTION = re.compile(r"^(?:static inline [^(]*?)?(\w+)\(")
# libibverbs: a device's driver puts its functions into the context's table of operations.
_LIBRARY_ENTRIES = {
    ("infiniband/verbs.h", "ibv_post_send"),
    ("infiniband/verbs.h", "ibv_post_recv"),
    ("infiniband/verbs.h", "ibv_poll_cq"),
    ("infiniband/verbs.h", "ibv_req_notify_cq"),
    # libfabric: behind each of its objects is a table of the provider's functions.
    ("rdma/fabric.h", "fi_close"),
    ("rdma/fi_domain.h", "fi_mr_reg"),
    ("rdma/fi_domain.h", "fi_mr_bind"),
    ("rdma/fi_domain.h", "fi_mr_enable"),
    ("rdma/fi_endpoint.h", "fi_send"),
    ("rdma/fi_endpoint.h", "fi_inject"),
    ("rdma/fi_endpoint.h", "fi_recv"),
    ("rdma/fi_tagged.h", "fi_tsend"),
    ("rdma/fi_tagged.h", "fi_tinject"),
    ("rdma/fi_tagged.h", "fi_trecv"),
    ("rdma/fi_rma.h", "fi_readmsg"),
    ("rdma/fi_rma.h", "fi_writemsg"),
    ("rdma/fi_eq.h", "fi_cntr_read"),
    ("rdma/fi_eq.h", "fi_cntr_readerr"),
    ("rdma/fi_eq.h", "fi_cq_read"),
    ("rdma/fi_eq.h", "fi_cq_readerr"),
    ("rdma/fi_eq.h", "fi_cq_sread"),
}
_FORBIDDEN = re.compile(
    r"^(operator new|operator delete|malloc|calloc|realloc|free|__cxa_|write\b)"
)


@dataclass(frozen=True)
class Instruction:
    """A line of the disassembly, and the function of which header or source it comes from."""

    text: str
    source: str = ""
    inlined: str = ""

    def is_library_entry(self) -> bool:
        return any(
            self.source.endswith(f"/{header}") and self.inlined == name
            for header, name in _LIBRARY_ENTRIES
        )


class Code:
    """The functions of a program by name. A function is read when somebody asks for it."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._blocks: dict[str, list[str]] = {}
        listing = told("objdump", "--disassemble", "--no-show-raw-insn", program)
        blocks = [block.lstrip("\n").partition("\n") for block in listing.split("\n\n")]
        found = [(start[1], body) for head, _, body in blocks if (start := _FUNCTION.match(head))]
        # Each name once, and not in each line that names it, which takes most of objdump's time.
        mangled = list(dict.fromkeys(name for name, _ in found))
        plain = told("c++filt", given="\n".join(mangled)).splitlines()
        self._plain = dict(zip(mangled, plain, strict=True))
        for name, body in found:
            self._blocks.setdefault(self._plain[name], []).append(body)
        self._read: dict[str, list[Instruction]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._blocks

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def __getitem__(self, name: str) -> list[Instruction]:
        if name not in self._read:
            lines = [line for block in self._blocks[name] for line in block.splitlines() if line]
            self._read[name] = [Instruction(_NAMED.sub(self._demangled, line)) for line in lines]
        return self._read[name]

    def _demangled(self, match: re.Match[str]) -> str:
        return f"<{self._plain.get(match[1], match[1])}"

    def with_places(self, found: list[Instruction]) -> list[Instruction]:
        """Instructions with where they come from: asked of few, since it takes longest."""
        if not found:
            return []
        places = [match[1] for one in found if (match := _PLACE.match(one.text))]
        said = told("addr2line", "--exe", self._program, given="\n".join(places)).splitlines()
        return [placed(*pair) for pair in zip(found, said, strict=True)]


def told(*words: str | Path, given: str | None = None) -> str:
    """What a tool of binutils says."""
    done = subprocess.run(
        words, input=given, capture_output=True, text=True, check=True, timeout=600
    )
    return done.stdout


def placed(instruction: Instruction, said: str) -> Instruction:
    """With its source, and, of a library's header, the function that holds the line."""
    place = _SOURCE.match(said)
    if place is None:
        return instruction
    is_header = any(place[1].endswith(f"/{header}") for header, _ in _LIBRARY_ENTRIES)
    inlined = function_at(Path(place[1]), int(place[2])) if is_header else ""
    return replace(instruction, source=place[1], inlined=inlined)


@cache
def function_at(header: Path, line: int) -> str:
    """The function of a C header that holds a line."""
    above = reversed(header.read_text().splitlines()[:line])
    return next((match[1] for text in above if (match := _HEADERS_FUNCTION.match(text))), "")


PROGRAMS = [(mpi, name) for mpi in MPIS for name in ("mpi", "tcp", "ucx", "ofi", "verbs")]


@pytest.fixture(scope="module", params=PROGRAMS, ids="-".join)
def code(request: pytest.FixtureRequest) -> Code:
    """A rank program taken apart, once for all that look at it."""
    mpi, transport = request.param
    return Code(engine_folder() / mpi / f"rank-{transport}")


def offences(code: Code) -> tuple[list[str], int]:
    """What the measured loops of a program do that they must not, and how many loops there are."""
    starts = [name for name in code if "weft::measured_loop<" in name]
    seen: set[str] = set()
    todo = list(starts)
    found = []
    indirect: dict[Instruction, str] = {}
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for instruction in code[name]:
            line = instruction.text
            if _INDIRECT.search(line):
                indirect[instruction] = name
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
    found += [
        f"{name}: {one.text.strip()}"
        for one, name in zip(code.with_places([*indirect]), indirect.values(), strict=True)
        if not one.is_library_entry()
    ]
    return found, len(starts)


_JUMP = re.compile(r"^\s*([0-9a-f]+):\t(?:j\w+|b\.\w+|cbn?z)\s.*?([0-9a-f]+) <")
_MEMORY = re.compile(r"\(|\[")
_ARITHMETIC = re.compile(r"\t(?:shl|shr|xor|eor|lsl|lsr)")
_PADDING = re.compile(r"\t(?:(?:data16 |cs )*nop|xchg\s+%ax,%ax|lea\s|endbr)")


def faults_of_compute_loop(code: Code, name: str) -> list[str]:
    """Why a function is no loop of arithmetic in registers."""
    [body] = [code[known] for known in code if known.startswith(f"{name}(")]
    # Without the names of jumps' targets, which have brackets.
    lines = [re.sub(r"<.*>", "<>", line.text) for line in body if not _PADDING.search(line.text)]
    faults = [f"touches memory: {line.strip()}" for line in lines if _MEMORY.search(line)]
    faults += [f"calls: {line.strip()}" for line in lines if re.search(r"\t(?:call|blr?)\s", line)]
    jumps = [match for line in lines if (match := _JUMP.search(line))]
    back = [match for match in jumps if int(match[2], 16) < int(match[1], 16)]
    if not back:
        return [*faults, "does not loop"]
    first, last = int(back[0][2], 16), int(back[0][1], 16)
    inside = [
        line
        for line in lines
        if (place := re.match(r"\s*([0-9a-f]+):", line)) and first <= int(place[1], 16) <= last
    ]
    # Three shifts and three exclusive ors; the Arm has them in three instructions.
    if sum(bool(_ARITHMETIC.search(line)) for line in inside) < 3:
        faults.append("does not compute")
    return faults


def test_the_compute_loop_is_there_and_stays_in_registers(code: Code) -> None:
    assert faults_of_compute_loop(code, "weft::compute_loop") == []
    for test in ("SendOverlap", "ReceiveOverlap", "BusyStream"):
        loops = [name for name in code if f"weft::measured_loop<weft::{test}," in name]
        assert loops, test
        for name in loops:
            assert "weft::compute_loop(" in reached(code, name), name


def reached(code: Code, start: str) -> str:
    """The names of everything of ours that a function calls, and what that calls."""
    seen: dict[str, None] = {}
    todo = [start]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen[name] = None
        calls = (_CALL.search(line.text) for line in code[name])
        todo += [call[1] for call in calls if call and "weft::" in call[1] and call[1] in code]
    return " ".join(seen)


def test_planted_compute_loops_are_caught() -> None:
    code = Code(PLANTED)
    assert faults_of_compute_loop(code, "weft::compute_nothing") == ["does not loop"]
    in_memory = faults_of_compute_loop(code, "weft::compute_in_memory")
    assert in_memory
    assert all(fault.startswith("touches memory") for fault in in_memory)


def test_measured_loops_hold_contract_calls_only(code: Code) -> None:
    found, loops = offences(code)
    assert loops >= 5
    assert found == []


def test_a_library_entry_is_known_by_its_header_and_name() -> None:
    posts = Instruction("call *0xd0(%rax)", "/usr/include/infiniband/verbs.h", "ibv_post_send")
    assert posts.is_library_entry()
    assert not replace(posts, inlined="ibv_create_flow").is_library_entry()
    assert not replace(posts, source="/x/engine/transports/verbs/core.hpp").is_library_entry()


def test_templates_and_parts_moved_away_are_followed() -> None:
    """Their names hold what else ends a name in a disassembly."""
    for name in ("int weft::f<g()::{lambda(x const&)#1}>(int) [clone .isra.0]", "weft::f(int)"):
        call = _CALL.search(f"   1b2c:\tcall   9a0 <{name}>")
        away = _CALL.search(f"   1b2c:\tjne    9a0 <{name}+0x1f>")
        assert call is not None
        assert away is not None
        assert call[1] == away[1] == name


def test_a_planted_indirect_call_and_allocation_are_caught() -> None:
    found, _ = offences(Code(PLANTED))
    text = "\n".join(found)
    assert "*" in text
    assert re.search(r"operator new|std::vector", text)
