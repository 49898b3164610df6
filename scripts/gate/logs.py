"""Reads what pytest and ctest printed: failures, skipped tests, the slowest tests, totals."""

import re

# pytest -ra: "SKIPPED [3] tests/test_a.py:12: why".
_PYTEST_SKIPPED = re.compile(r"^SKIPPED \[\d+\] .*", re.MULTILINE)
# ctest's list at its end: "	  3 - Name (Failed)".
_CTEST_ENDED = re.compile(r"^\s+\d+ - (.+) \(([A-Za-z_* ]+)\)$", re.MULTILINE)
# "1.50s call     tests/test_units.py::test_b".
_PYTEST_TOOK = re.compile(r"^ *([\d.]+)s (call|setup|teardown) +(\S.*)$", re.MULTILINE)
# "3/4 Test #3: Name ...   Passed    0.01 sec".
_CTEST_TOOK = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) .* ([\d.]+) sec", re.MULTILINE)
_CTEST_FAILED = re.compile(
    r"^ *\d+/\d+ Test +#\d+: \S+ \.*\*\*\*.*(?:\n(?! *(?:\d+/\d+ Test|Start ) +#?\d).*)*",
    re.MULTILINE,
)
_SUMMARY = re.compile(
    r"^(?:=+ )?((?:\d+ [a-z]+, )*\d+ (?:passed|failed|error|skipped|deselected).* in [\d.]+s)|"
    r"^(\d+% tests passed, .*)$",
    re.MULTILINE,
)
_DURATIONS = re.compile(r"^=+ slowest \d+ durations =+\n(?:.*\n)*?(?==)", re.MULTILINE)
MOST_LINES = 200


def summary(log: str) -> str:
    """The last line in which pytest or ctest counts its tests, or nothing."""
    found = _SUMMARY.findall(log)
    return next(filter(None, found[-1]), "") if found else ""


def passed_and_failed(log: str) -> tuple[int, int]:
    """How many tests passed and failed, by the runners' summaries."""
    text = summary(log)
    ctest = re.match(r"\d+% tests passed, (\d+) tests failed out of (\d+)", text)
    if ctest:
        return int(ctest[2]) - int(ctest[1]), int(ctest[1])
    counts = {kind: int(count) for count, kind in re.findall(r"(\d+) (passed|failed|error)", text)}
    return counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0)


def skipped(log: str) -> list[str]:
    """A line for each skipped test, with its reason if the runner printed it."""
    ended = [f"{why}: {name}" for name, why in _CTEST_ENDED.findall(log)]
    return _PYTEST_SKIPPED.findall(log) + [
        line for line in ended if line.startswith(("Skipped", "Disabled"))
    ]


def slowest(log: str, most: int = 5) -> list[str]:
    """The slowest tests, a line each with its seconds."""
    took = [(float(s), name) for s, _, name in _PYTEST_TOOK.findall(log)]
    took += [(float(s), name) for name, s in _CTEST_TOOK.findall(log)]
    return [f"{seconds:.2f} s {name}" for seconds, name in sorted(took, reverse=True)[:most]]


def failure(log: str) -> str:
    """What a failed step printed about its failures; its last lines if it is no test runner's.

    Long output keeps its beginning and its end.
    """
    start = re.search(r"^=+ (FAILURES|ERRORS) =+$", log, re.MULTILINE)
    failed = _CTEST_FAILED.findall(log)
    if start:
        text = _DURATIONS.sub("", log[start.start() :])
        text = _PYTEST_SKIPPED.sub("", text)
    elif failed:
        text = "\n".join(failed)
    else:
        text = "\n".join(log.splitlines()[-60:])
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_LINES:
        half = MOST_LINES // 2
        lines = [*lines[:half], f"... {len(lines) - MOST_LINES} lines left out ...", *lines[-half:]]
    return "\n".join(lines)
