"""The steps of each part, in the order in which faults are found soonest."""

import os
from dataclasses import dataclass

CORES = str(os.cpu_count() or 1)
# One worker more than cores: a test often waits for what it started.
WORKERS = str((os.cpu_count() or 1) + 1)


@dataclass(frozen=True)
class Step:
    """A command of the gate.

    Front steps run one after the other; background steps run next to them. A step starts when the
    steps in `after` have ended, and is not run if one in `needs` failed.
    """

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    background: bool = False
    niceness: int = 0
    # Patterns of git ls-files; the step is skipped if it passed here with these files.
    watches: tuple[str, ...] = ()
    deadline_s: float = 3600
    # A gate that has run for so long skips the step: it would not end within CI's 90 minutes.
    latest_start_s: float = float("inf")


ENGINE = ("engine", ":!engine/tests", "CMakeLists.txt", "CMakePresets.json")
BUILD = ("Makefile", "pyproject.toml", "requirements*.lock", "scripts", "packaging")
LAB = ("tests/lab", "tests/packaging", "src/weft/launch", "src/weft/measure", "src/weft/host")


def _pytest(name: str, marks: str, *options: str, **kept: object) -> Step:
    command = (".venv/bin/pytest", "-q", "--durations=10", *options, "-m", marks)
    return Step(name, command, needs=("build",), **kept)  # type: ignore[arg-type]


# A worker gets all tests of a file, which share what they made; the longest files come first.
_SPREAD = ("--dist", "loadfile", "--no-loadscope-reorder")
LINT = Step("lint", ("scripts/run-lint",), background=True)
# What the quick tests need: they find faults before the engine's tests are compiled.
_PROGRAMS = (
    "cmake --preset test && cmake --build --preset test --target programs"
    " virtual-rank planted-loop"
    " && make --no-print-directory build"
)
BUILD_PROGRAMS = Step("build", ("bash", "-c", _PROGRAMS))
BUILD_TESTS = Step(
    "engine tests' build", ("cmake", "--build", "--preset", "test"), needs=("build",)
)
QUICK = _pytest(
    "quick tests", "not engine and not browser and not thorough", "-n", WORKERS, *_SPREAD
)
ENGINE_TESTS = Step(
    "engine tests",
    ("ctest", "--preset", "test", "--parallel", CORES),
    needs=(BUILD_TESTS.name,),
)
# Real ranks poll the cores: next to other work their budgets end early.
RANKS = _pytest("tests with ranks", "ranks", after=("lint",))
CLUSTER = _pytest("tests on the cluster", "lab and not vm", watches=(*ENGINE, *LAB))
MACHINE = _pytest(
    "tests in the machine", "lab and vm", after=(RANKS.name,), background=True, niceness=5,
    watches=(*ENGINE, *LAB),
)  # fmt: skip
TIDY = Step(
    "clang-tidy", (".venv/bin/python", "scripts/tidy.py", "build/release"), after=(RANKS.name,),
    needs=("build",), background=True, niceness=19,
)  # fmt: skip
SIMULATIONS = _pytest(
    "tests with simulations and a browser",
    "(simulated or thorough) and not ranks and not lab",
    "-n",
    CORES,
    *_SPREAD,
)


def _newcomer(release: str, after: str) -> Step:
    # What begins hundreds of sessions waits for what has deadlines.
    return Step(
        f"newcomer on {release}", ("scripts/check-newcomer", release), needs=("build",),
        after=(CLUSTER.name, MACHINE.name, after), background=True, niceness=10,
        watches=(*ENGINE, *BUILD), latest_start_s=3600,
    )  # fmt: skip


BOOKWORM = _newcomer("bookworm", MACHINE.name)
TRIXIE = _newcomer("trixie", BOOKWORM.name)

WHOLE = (
    LINT, BUILD_PROGRAMS, QUICK, BUILD_TESTS, ENGINE_TESTS, RANKS, CLUSTER, MACHINE, TIDY,
    SIMULATIONS, BOOKWORM, TRIXIE,
)  # fmt: skip
COMPARISONS = Step(
    "every comparison once", (".venv/bin/python", "-m", "bench", "--rounds", "1"), needs=("build",)
)
_SANITIZED = "cmake --preset sanitize && cmake --build --preset sanitize && ctest --preset sanitize"
SANITIZED = Step("engine tests under sanitizers", ("bash", "-c", _SANITIZED))
MUTANTS = Step(
    "mutants", ("make", "--no-print-directory", "mutants", "ARGS=--minutes 10"), needs=("build",)
)
_FUZZ = "WEFT_EXAMPLES=5000 .venv/bin/pytest -q -n 1 tests/sources/test_fuzzed_readers.py"
FUZZ = Step("changed files through every reader", ("bash", "-c", _FUZZ), needs=("build",))
PARTS = {
    "default": WHOLE,
    "all": WHOLE,
    "quick": (BUILD_PROGRAMS, QUICK),
    "build": (BUILD_PROGRAMS, BUILD_TESTS),
    "nightly": (BUILD_PROGRAMS, FUZZ, COMPARISONS, SANITIZED, MUTANTS),
}
