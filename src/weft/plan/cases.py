"""What a run will measure: frozen cases, and every default of the command line. Pure."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from weft.applications import asked_of, options_of
from weft.applications.asked import ApplicationsAsked
from weft.applications.info import ApplicationInfo
from weft.errors import WeftError
from weft.names import choose
from weft.plan.case import USUAL_QUEUE_DEPTH, Case, Schedule
from weft.units import parse_sizes
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.plan.pattern import Pattern

# What a transport's latency and bandwidth are, where nobody asked for another test.
LATENCY, BANDWIDTH = "ping_pong", "stream"
TESTS = (LATENCY, "ping_ping", BANDWIDTH, "bidirectional_stream")
# Few enough that every case has its launches in the budget and the tables fit a screen, in equal
# steps over short, eager, rendezvous and asymptotic messages (docs/decisions/0007).
SIZES = "8,64,1KiB,8KiB,64KiB,1MiB"
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
# On a simulated platform repeats are identical, but for the last sample of a batch: its last
# message shares the link with the first control message of what follows. The median of three does
# not see it.
SIMULATED: Mapping[str, int] = MappingProxyType({"launches": 1, "samples": 3})
MOST_RANKS = 4096
MOST_POINT = 1_000_000


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A published measurement by its name, and the defaults that it changes.

    `fits_memory`: sizes whose buffers do not fit the memory are skipped and not refused.
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
# two in each of five launches, for launches are the independent observations.
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
    """The preset of that name, if it is the only test. Raises WeftError when it is one of many."""
    plain = [name.strip().lower().replace("-", "_") for name in tests]
    for preset in PRESETS:
        if preset.name in plain and len(plain) > 1:
            raise WeftError(
                f"{preset.name} cannot run with other tests", "use it without the others"
            )
        if preset.name in plain:
            return preset
    return None


def parse_schedules(text: str) -> tuple[Schedule, ...]:
    """The buffers of cases: "one", "shared", "turn:N" or "reuse:N:R%".

    N of turn and R may be ranges: "turn:1..1024" doubles, "reuse:256:0..100:25%" goes in steps.
    Raises WeftError.
    """
    match = re.fullmatch(r"one|shared|turn:([\d.:]+)|reuse:(\d{1,7}):([\d.:]+)%?", text)
    if not match:
        raise WeftError(
            f"'{text}' is not a choice of buffers",
            "use one, shared, turn:16, turn:1..1024 or reuse:100:50%",
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
    return (Schedule(kind="shared" if text == "shared" else "one"),)


class Variants(msgspec.Struct, frozen=True, kw_only=True):
    """The variants of each test: every combination of these.

    `points` are those of the tests that have an axis; empty: each test's own usual ones.
    """

    queue_depths: tuple[int, ...] = (USUAL_QUEUE_DEPTH,)
    schedules: tuple[Schedule, ...] = (Schedule(),)
    waits: tuple[str, ...] = ("",)
    pages: tuple[str, ...] = ("",)
    points: tuple[int, ...] = ()
    at_once: int = 0
    application: ApplicationsAsked = ApplicationsAsked()
    single: bool = False


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that are measured at the same sizes, on as many ranks, in the same variants.

    Without `sizes` each test has those that it says are usual, or SIZES.
    """

    tests: tuple[str, ...]
    sizes: str = ""
    ranks: int = RANKS
    variants: Variants = Variants()

    @classmethod
    def of(cls, case: Case) -> Experiment:
        """The experiment of which this case is the only one."""
        return cls(
            tests=(case.test,),
            sizes=str(case.bytes),
            ranks=case.ranks,
            variants=Variants(
                queue_depths=(case.queue_depth,),
                schedules=(case.schedule,),
                waits=(case.wait,),
                pages=(case.pages,),
                points=() if case.point is None else (case.point,),
                at_once=case.at_once,
                application=asked_of(case.application),
                single=case.single,
            ),
        )


def parse_variants(
    queue_depth: str,
    buffers: str,
    wait: str,
    *,
    points: str = "",
    pages: str = "",
    application: ApplicationsAsked = ApplicationsAsked(),  # noqa: B008 - frozen
    single: bool,
) -> Variants:
    """Variants from lists with commas: "1..256", "one,turn:16", "spin,block". Raises WeftError."""
    depths = parse_sizes(queue_depth)
    for depth in depths:
        if not 1 <= depth <= 2**16:
            raise WeftError(
                f"a queue depth of {depth} is out of range", "use --queue-depth 1 to 65536"
            )
    chosen_points = parse_sizes(points) if points else ()
    for point in chosen_points:
        if point > MOST_POINT:
            raise WeftError(
                f"a point of {point} is out of range", f"use --points 0 to {MOST_POINT}"
            )
    return Variants(
        queue_depths=depths,
        schedules=tuple(
            dict.fromkeys(one for word in buffers.split(",") for one in parse_schedules(word))
        ),
        waits=choose("way to wait", [w for w in wait.split(",") if w], WAITS) or ("",),
        pages=choose("page size", [p for p in pages.split(",") if p], PAGES) or ("",),
        points=chosen_points,
        application=application,
        single=single,
    )


def parse_options(given: Iterable[str]) -> dict[str, str]:
    """Options of transports: "verbs.device=rxe0" becomes {"verbs.device": "rxe0"}.

    Raises WeftError for another form, and for one that is set twice.
    """
    options: dict[str, str] = {}
    for word in given:
        match = re.fullmatch(r"([a-z_]+\.[a-z_]+)=(.+)", word)
        if not match:
            raise WeftError(
                f"'{word}' is not TRANSPORT.NAME=VALUE", "use one like --option tcp.port=7000"
            )
        if match[1] in options:
            raise WeftError(
                f"{match[1]} is set twice, to {options[match[1]]} and to {match[2]}",
                f"use --option {match[1]}=VALUE once",
            )
        options[match[1]] = match[2]
    return options


def _bounded(schedule: Schedule) -> Schedule:
    if not 1 <= schedule.count <= 2**20 or schedule.reuse_percent > 100:
        raise WeftError(
            f"{counted(schedule.count, 'buffer')} reused {schedule.reuse_percent} % are out of"
            " range",
            "use --buffers with 1 to 1048576 buffers, and 0 to 100 % of reuse",
        )
    return schedule


def make_cases(
    tests: Sequence[str],
    transports: Sequence[str],
    sizes: str,
    *,
    ranks: int = RANKS,
    variants: Variants | None = None,
    patterns: Mapping[str, Pattern] | None = None,
) -> tuple[Case, ...]:
    """Every test on every transport at every size in every variant, in the order of tables.

    `patterns` says of a test, by its name, what it knows: one with a least size is not planned
    below it, only one with a queue knows its depth, and only a test with an axis has points of it;
    what a test does not know is planned once. Raises WeftError.
    """
    chosen = variants or Variants()
    known = patterns or {}
    least = max((known[test].ranks if test in known else RANKS for test in tests), default=RANKS)
    if not least <= ranks <= MOST_RANKS:
        raise WeftError(f"--ranks {ranks} is out of range", f"use --ranks {least} to {MOST_RANKS}")
    of_tests = {test: _known_to(known.get(test), chosen) for test in tests}
    return tuple(
        Case(
            test=test,
            transport=transport,
            bytes=size,
            ranks=ranks,
            queue_depth=queue_depth,
            schedule=schedule,
            single=of_tests[test].single,
            wait=wait,
            pages=pages,
            point=point,
            at_once=of_tests[test].at_once,
            application=application,
        )
        for transport in transports
        for test in tests
        for queue_depth in of_tests[test].queue_depths
        for schedule in of_tests[test].schedules
        for wait in of_tests[test].waits
        for pages in of_tests[test].pages
        for point in _points(chosen, known.get(test), ranks)
        for application in options_of(chosen.application, _application(known.get(test)))
        for size in _sizes(sizes, known.get(test))
    )


def cases_of(
    experiments: Sequence[Experiment], transports: Sequence[str], patterns: Mapping[str, Pattern]
) -> tuple[Case, ...]:
    """The cases of all experiments, one transport after the other; each case once.

    Raises WeftError as make_cases does.
    """
    chosen: dict[str, Case] = {}
    for transport in transports:
        for one in experiments:
            cases = make_cases(
                one.tests,
                (transport,),
                one.sizes,
                ranks=one.ranks,
                variants=one.variants,
                patterns=patterns,
            )
            for case in cases:
                chosen.setdefault(case.key, case)
    return tuple(chosen.values())


def parse_ranks(text: str, *, one: bool = False) -> tuple[int, ...]:
    """Numbers of ranks: "2", "1,2,4", "1..16" (which doubles); none of an empty text.

    Raises WeftError, also for several where there can be but one.
    """
    if not re.fullmatch(r"[\d,.: ]*", text):
        raise WeftError(f"'{text}' is not a list of ranks", "use --ranks 2, 1,2,4 or 1..16")
    counts = parse_sizes(text) if text else ()
    if one and len(counts) > 1:
        raise WeftError("a suite runs on one number of ranks", f"use --ranks {counts[-1]}")
    return counts


def on_ranks(experiment: Experiment, counts: Sequence[int]) -> tuple[Experiment, ...]:
    """The experiment on each of these numbers of ranks."""
    return tuple(msgspec.structs.replace(experiment, ranks=count) for count in counts)


def _application(pattern: Pattern | None) -> ApplicationInfo:
    return pattern.application if pattern else ApplicationInfo()


def _sizes(sizes: str, pattern: Pattern | None) -> tuple[int, ...]:
    if pattern is not None and not pattern.has_size:
        return (0,)
    found = parse_sizes(sizes or _application(pattern).bytes or SIZES)
    return tuple(size for size in found if pattern is None or size >= pattern.least_bytes)


def _known_to(pattern: Pattern | None, asked: Variants) -> Variants:
    """What a test knows of these variants; what it does not know has its default."""
    usual = Variants()
    if pattern is None:
        return msgspec.structs.replace(asked, queue_depths=usual.queue_depths)
    return Variants(
        queue_depths=asked.queue_depths if pattern.has_queue else usual.queue_depths,
        schedules=asked.schedules if pattern.has_buffers else usual.schedules,
        pages=asked.pages if pattern.has_buffers else usual.pages,
        waits=asked.waits if pattern.has_waits else usual.waits,
        at_once=asked.at_once if pattern.figure == "pairs" else usual.at_once,
        single=asked.single and not pattern.every_operation,
    )


def _points(variants: Variants, pattern: Pattern | None, ranks: int) -> tuple[int | None, ...]:
    if pattern is None or not pattern.axis.name:
        return (None,)
    usual = pattern.axis.points.replace("ranks-1", str(ranks - 1)).replace(
        "ranks/2", str(ranks // 2)
    )
    return variants.points or parse_sizes(usual)


def fix_of_crowding(cores: int) -> str:
    """The advice if ranks share this number of cores. Most tests need two ranks."""
    fewer = f"use --ranks {cores} or " if cores >= RANKS else "use more hosts (--hosts A,B) or "
    return f"{fewer}a machine with more cores"


def crowding(ranks: int, cores: int) -> str:
    """A warning when ranks share cores; empty when they do not."""
    if ranks <= cores:
        return ""
    return (
        f"{counted(ranks, 'rank')} share {counted(cores, 'core')}: waiting ranks take the cores"
        f" from working ones, so times include the scheduler. Fix: {fix_of_crowding(cores)}"
    )
