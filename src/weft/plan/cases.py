"""What a run will measure: frozen cases, and every default of the command line. Pure."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.record.model import USUAL_QUEUE_DEPTH, Case, Footprint, Plan, Schedule
from weft.units import parse_sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.record.model import Pattern

TESTS = ("ping_pong", "ping_ping", "stream", "bidirectional_stream")
# Few enough that every case has its launches in the budget and the tables fit a screen, in equal
# steps over short, eager, rendezvous and asymptotic messages (docs/decisions/0007).
SIZES = "8,64,1KiB,16KiB,256KiB,4MiB"
RANKS = 2
PRECISION = "1%"
BUDGET = "60s"
LAUNCHES = 5
QUEUE_DEPTH = str(USUAL_QUEUE_DEPTH)
SEED = 1
BUFFERS = "one"
WAITS = ("spin", "library", "block")
PAGES = ("small", "huge")
CASE_DEADLINE = "20s"
SAMPLES = 0
LAUNCHER = "local"
MOST_RANKS = 4096
MOST_SAMPLES = 1_000_000
MOST_POINT = 1_000_000
# The engine's formula of memory (engine/run/footprint.cpp); docs/engine-protocol.md has it in
# words.
PAGE_BYTES = 4096
CHECKED_BYTES = 16 << 20
WORD_BYTES = 16 * PAGE_BYTES
BYTES_A_PLACE = 96
BYTES_A_VALUE = 96


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A published measurement by its name: what of the defaults it changes.

    `fits_memory`: sizes whose buffers do not fit are left out and not refused.
    """

    name: str
    tests: tuple[str, ...]
    sizes: str
    precision: str
    budget: str
    launches: int
    samples: int
    single: bool
    fits_memory: bool


# Mejia, Measuring InfiniBand Network Performance, 2024: 16 MB steps up to 2.1 GB, ten of each; here
# two in each of five launches, which are the independent witnesses.
PRESETS = (
    Preset(
        name="rendezvous_sweep",
        tests=("ping_pong",),
        sizes="16MiB..2.1GB:16MiB",
        precision="100%",
        budget="2h",
        launches=5,
        samples=2,
        single=True,
        fits_memory=True,
    ),
)


def preset_of(tests: Sequence[str]) -> Preset | None:
    """The preset that is asked for by its name, alone. Raises WeftError when it is one of many."""
    plain = [name.strip().lower().replace("-", "_") for name in tests]
    for preset in PRESETS:
        if preset.name in plain and len(plain) > 1:
            raise WeftError(f"{preset.name} runs by itself", f"type weft run {preset.name}")
        if preset.name in plain:
            return preset
    return None


def choose(kind: str, asked: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """The asked names, each once; a hyphen is as good as an underscore. Raises WeftError."""
    chosen: dict[str, None] = {}
    for name in asked:
        plain = name.strip().lower().replace("-", "_")
        if plain not in known:
            near = difflib.get_close_matches(plain, known, n=1)
            mend = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise WeftError(f"there is no {kind} called {name}", mend)
        chosen[plain] = None
    return tuple(chosen)


def parse_schedules(text: str) -> tuple[Schedule, ...]:
    """The buffers of cases: "one", "turn:N" or "reuse:N:R%"; N of turn and R may be ranges.

    "turn:1..1024" doubles, "reuse:256:0..100:25%" goes in steps. Raises WeftError.
    """
    match = re.fullmatch(r"one|turn:([\d.:]+)|reuse:(\d{1,7}):([\d.:]+)%?", text)
    if not match:
        raise WeftError(
            f"'{text}' is no buffer schedule",
            "type one, turn:16, turn:1..1024 or reuse:100:50%",
        )
    if match[1]:
        counts = parse_sizes(match[1])
        return tuple(_bounded(Schedule(kind="turn", count=count)) for count in counts)
    if match[2]:
        count = int(match[2])
        return tuple(
            _bounded(Schedule(kind="reuse", count=count, reuse_percent=percent))
            for percent in parse_sizes(match[3])
        )
    return (Schedule(),)


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    """In which ways each test is measured: every combination of these.

    `points` are those of the tests that have an axis; empty: each test's own usual ones.
    """

    queue_depths: tuple[int, ...] = (USUAL_QUEUE_DEPTH,)
    schedules: tuple[Schedule, ...] = (Schedule(),)
    waits: tuple[str, ...] = ("",)
    pages: tuple[str, ...] = ("",)
    points: tuple[int, ...] = ()
    single: bool = False


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that are measured at the same sizes, on as many ranks, in the same ways."""

    tests: tuple[str, ...]
    sizes: str = SIZES
    ranks: int = RANKS
    ways: Ways = Ways()


def parse_ways(
    queue_depth: str,
    buffers: str,
    wait: str,
    *,
    points: str = "",
    pages: str = "",
    single: bool,
) -> Ways:
    """Ways from lists with commas: "1..256", "one,turn:16", "spin,block". Raises WeftError."""
    depths = parse_sizes(queue_depth)
    for depth in depths:
        if not 1 <= depth <= 2**16:
            raise WeftError(f"a queue depth of {depth} is out of range", "type 1 to 65536")
    chosen_points = parse_sizes(points) if points else ()
    for point in chosen_points:
        if point > MOST_POINT:
            raise WeftError(f"a point of {point} is out of range", f"type 0 to {MOST_POINT}")
    return Ways(
        queue_depths=depths,
        schedules=tuple(
            dict.fromkeys(one for word in buffers.split(",") for one in parse_schedules(word))
        ),
        waits=choose("way to wait", [w for w in wait.split(",") if w], WAITS) or ("",),
        pages=choose("page size", [p for p in pages.split(",") if p], PAGES) or ("",),
        points=chosen_points,
        single=single,
    )


def parse_options(given: Iterable[str]) -> dict[str, str]:
    """What transports are told: "verbs.device=rxe0" becomes {"verbs.device": "rxe0"}.

    Raises WeftError for a word of another form.
    """
    options = {}
    for word in given:
        match = re.fullmatch(r"([a-z_]+\.[a-z_]+)=(.+)", word)
        if not match:
            raise WeftError(f"'{word}' is no option of a transport", "type --option tcp.port=7000")
        options[match[1]] = match[2]
    return options


def _bounded(schedule: Schedule) -> Schedule:
    if not 1 <= schedule.count <= 2**20 or schedule.reuse_percent > 100:
        raise WeftError("a schedule has 1 to 1048576 buffers, reused 0 to 100 %", "choose less")
    return schedule


def make_cases(
    tests: Sequence[str],
    transports: Sequence[str],
    sizes: str,
    *,
    ranks: int = RANKS,
    ways: Ways | None = None,
    patterns: Mapping[str, Pattern] | None = None,
) -> tuple[Case, ...]:
    """Every test on every transport at every size in every way, in the order of tables.

    `patterns` says of a test, by its name, what it knows: one with a least size is not planned
    below it, only one with a queue knows its depth, and only a test with an axis has points of it;
    what a test does not know is planned once. Raises WeftError.
    """
    if not 2 <= ranks <= MOST_RANKS:
        raise WeftError(f"{ranks} ranks cannot be measured", f"type --ranks 2 to {MOST_RANKS}")
    chosen = ways or Ways()
    known = patterns or {}
    points = {test: _points(chosen, known.get(test), ranks) for test in tests}
    if chosen.points and all(points[test] == (None,) for test in tests):
        raise WeftError("none of these tests has points", "leave --points out")
    return tuple(
        Case(
            test=test,
            transport=transport,
            bytes=size,
            ranks=ranks,
            queue_depth=queue_depth,
            schedule=schedule,
            single=chosen.single,
            wait=wait,
            pages=pages,
            point=point,
        )
        for transport in transports
        for test in tests
        for queue_depth in _queue_depths(chosen, known.get(test))
        for schedule in chosen.schedules
        for wait in chosen.waits
        for pages in chosen.pages
        for point in points[test]
        for size in parse_sizes(sizes)
        if test not in known or size >= known[test].least_bytes
    )


def cases_of(
    parts: Sequence[Part], transports: Sequence[str], patterns: Mapping[str, Pattern]
) -> tuple[Case, ...]:
    """The cases of all parts, a transport after the other; one that two parts have, once.

    Raises WeftError as make_cases does.
    """
    chosen: dict[str, Case] = {}
    for transport in transports:
        for part in parts:
            cases = make_cases(
                part.tests,
                (transport,),
                part.sizes,
                ranks=part.ranks,
                ways=part.ways,
                patterns=patterns,
            )
            for case in cases:
                chosen.setdefault(case.key, case)
    return tuple(chosen.values())


def _queue_depths(ways: Ways, pattern: Pattern | None) -> tuple[int, ...]:
    has_queue = pattern is not None and pattern.has_queue
    return ways.queue_depths if has_queue else (USUAL_QUEUE_DEPTH,)


def _points(ways: Ways, pattern: Pattern | None, ranks: int) -> tuple[int | None, ...]:
    if pattern is None or not pattern.axis.name:
        return (None,)
    usual = pattern.axis.points.replace("ranks-1", str(ranks - 1)).replace(
        "ranks/2", str(ranks // 2)
    )
    return ways.points or parse_sizes(usual)


def make_plan(
    cases: tuple[Case, ...],
    *,
    precision: float,
    budget_s: float,
    launches: int,
    seed: int,
    mpi: str,
    options: Mapping[str, str],
    case_deadline_s: float,
    samples: int = SAMPLES,
    suite: str = "",
    launcher: str = LAUNCHER,
) -> Plan:
    """A plan from checked parts. Raises WeftError for counts out of range."""
    if not 0 <= samples <= MOST_SAMPLES:
        raise WeftError(f"{samples} samples are out of range", f"type 1 to {MOST_SAMPLES}")
    if not 1 <= launches <= 1000:
        raise WeftError(f"{launches} launches are out of range", "type --launches 1 to 1000")
    if seed < 0:
        raise WeftError(f"{seed} is no seed", "type a whole number from 0")
    return Plan(
        cases=cases,
        precision=precision,
        budget_s=budget_s,
        launches=launches,
        seed=seed,
        mpi=mpi,
        options=dict(options),
        case_deadline_s=case_deadline_s,
        samples=samples,
        suite=suite,
        launcher=launcher,
    )


def within_memory(
    cases: Sequence[Case],
    available_bytes: int,
    patterns: Mapping[str, Pattern] | None = None,
    samples: int = SAMPLES,
) -> tuple[Case, ...]:
    """The cases that fit this host's memory."""
    footprints = _footprints(patterns)
    return tuple(
        case
        for case in cases
        if needed_bytes(case, footprints.get(case.test), samples) <= available_bytes
    )


def needed_bytes(case: Case, footprint: Footprint | None = None, samples: int = SAMPLES) -> int:
    """What a case takes at most, in bytes over all its ranks, with so many samples and warm-up.

    Buffers of both sides with pages of their own, those of the checked pass among them, the order
    of the buffers, and the series. The engine refuses a case by the same formula.
    """
    known = footprint or Footprint()
    pages = max(-(-case.bytes // PAGE_BYTES), 1)
    receives = known.receives + known.receives_per_queue * case.queue_depth
    schedule = case.schedule
    if schedule.kind == "one" and known.buffers > 1:
        schedule = Schedule(kind="turn", count=known.buffers)
    buffers = sum(schedule.slots(receives)) + 2 * _checked_messages(case, known)
    order = schedule.places(receives) * BYTES_A_PLACE
    series = samples * known.series * BYTES_A_VALUE
    return case.ranks * (WORD_BYTES + buffers * pages * PAGE_BYTES + order + series)


def _checked_messages(case: Case, footprint: Footprint) -> int:
    """Messages each way of the pass in which every byte is checked: a buffer for each."""
    messages = min(max(CHECKED_BYTES // max(case.bytes, 1), 2), 256)
    operations = max(messages // footprint.messages_per_operation, 1)
    if footprint.streams:
        depth = min(case.queue_depth, max(messages // 2, 2))
        refill = max(depth // 2, 1)
        operations = -(-max(operations, depth) // refill) * refill
    besides = footprint.messages_before + (0 if footprint.streams else 2)
    return operations * footprint.messages_per_operation + besides


def _footprints(patterns: Mapping[str, Pattern] | None) -> dict[str, Footprint]:
    return {name: pattern.footprint for name, pattern in (patterns or {}).items()}


def check_memory(
    cases: Sequence[Case],
    available_bytes: int,
    patterns: Mapping[str, Pattern] | None = None,
    samples: int = SAMPLES,
) -> None:
    """Raises WeftError for the first case that does not fit this host's memory."""
    footprints = _footprints(patterns)
    for case in cases:
        footprint = footprints.get(case.test)
        needed = needed_bytes(case, footprint, samples)
        if needed <= available_bytes:
            continue
        empty = msgspec.structs.replace(case, bytes=0)
        least = needed_bytes(empty, footprint, samples)
        largest = case.bytes * max(available_bytes - least, 0) // needed
        what = f"{case.key} needs {needed / 2**30:.1f} GiB of memory"
        raise WeftError(
            f"{what} where {available_bytes / 2**30:.1f} GiB are free",
            f"choose sizes up to {largest >> 20} MiB: --sizes 0..{largest >> 20}MiB"
            if largest >> 20
            else "choose fewer buffers (--buffers), samples (--samples) or ranks (--ranks)",
        )


def crowding(ranks: int, cores: int) -> str:
    """A warning when ranks share cores; empty when they do not."""
    if ranks <= cores:
        return ""
    return (
        f"{ranks} ranks share {cores} cores: waiting ranks take the cores from those that work, so"
        f" times hold the scheduler's turns as well; use --ranks {cores} or a larger machine"
    )
