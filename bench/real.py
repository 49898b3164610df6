"""Pairs of unchanged runs of this machine: how often each command says that something differs.

    .venv/bin/python -m bench.decisions --real --pairs 12 --budget 12s --omb /tmp/omb

Nothing is changed between the runs, so every difference that is named is a false one. Other
programs are repeated beside them, for scale. Ctrl-C prints what there is so far. A pair takes twice
the budget and some 15 s for the other programs; on a busy machine it measures its neighbours.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.comparisons import WEFT
from bench.repeats import SIZES, Repeated, programs
from bench.tables import markdown
from weft.analysis.compare.acceptance import against_record, overall
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.history import history
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sides import side_of_run
from weft.analysis.layers import looked_at_together, step_between
from weft.analysis.stats.parameters import over_launches
from weft.analysis.stats.ratios import ratio
from weft.analysis.stats.rounds import latencies_by_round
from weft.analysis.summary import summarise
from weft.record.run import load
from weft.topics.base import Results
from weft.topics.groups import side
from weft.topics.scaling.rows import scaling_of, verdict_of
from weft.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from weft.analysis.compare.acceptance import Checked
    from weft.record.run import Run

TOLERANCE = 0.10
# Repeated figures that are further apart count as different; `weft compare` has intervals instead.
APART = 0.05
# Records that `weft trend` looks at together.
SESSIONS = 6
# An application says something of scaling only; the others are curves over sizes.
APPLICATION = "milc"
TESTS = ("ping_pong", "stream", APPLICATION)


class Asked(NamedTuple):
    """What is measured on each side of a pair."""

    pairs: int
    budget: str
    launches: int
    folder: Path
    tests: tuple[str, ...] = TESTS
    words: tuple[str, ...] = (
        "--transport", "mpi,tcp", "--sizes", ",".join(map(str, SIZES)), "--extents", "4^4",
    )  # fmt: skip


class Tally:
    """How often something was said, of how many times that it was looked for, row by row."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[int, int]] = {}

    def add(self, row: str, said: int, of: int = 1) -> None:
        """Count `of` looks more, of which `said` said so."""
        before = self.rows.get(row, (0, 0))
        self.rows[row] = (before[0] + said, before[1] + of)

    def table(self) -> list[tuple[str, ...]]:
        """The rows in the order in which they first came."""
        return [
            ("what is said of an unchanged machine", "times", "of", "share"),
            *(
                (row, str(said), str(of), f"{said / of:.0%}" if of else "-")
                for row, (said, of) in self.rows.items()
            ),
        ]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of trials on the real machine."""
    parser.add_argument("--real", action="store_true", help="measure pairs of unchanged runs")
    parser.add_argument("--pairs", type=int, default=12, help="how many pairs (default: 12)")
    parser.add_argument("--budget", default="12s", help="of each run (default: 12s)")
    parser.add_argument("--launches", type=int, default=3, help="of each run (default: 3)")
    parser.add_argument("--omb", type=Path, help="folder in which OMB was built")
    parser.add_argument("--keep", type=Path, help="folder for the records (default: none is kept)")


def main(asked: argparse.Namespace) -> int:
    """Measure, and print the table. 1 where no pair was measured, 130 after Ctrl-C."""
    with contextlib.ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        how = Asked(asked.pairs, asked.budget, asked.launches, folder)
        load_before = os.getloadavg()[0]
        tally, ended = trials(how, programs(asked.omb))
    sys.stdout.write(
        f"real, {counted(asked.pairs, 'pair')} of runs of {asked.budget}, {asked.launches} launches"
        f" asked, {datetime.now(UTC):%Y-%m-%d}, {counted(os.cpu_count() or 1, 'CPU')}, load before"
        f" {load_before:.1f}{'; interrupted' if ended else ''}\n\n{markdown(tally.table())}\n"
    )
    return 130 if ended else 0 if tally.rows else 1


def trials(asked: Asked, others: Sequence[Repeated]) -> tuple[Tally, bool]:
    """All pairs, and whether they were interrupted. What fails is said and omitted."""
    tally = Tally()
    records: list[Run] = []
    known: dict[str, list[dict[int, float]]] = {}
    try:
        for pair in range(asked.pairs):
            runs = []
            for at in (0, 1):
                run = measured(asked, asked.folder / f"pair{pair + 1}{'ab'[at]}.jsonl.zst")
                runs += [run] if run else []
                repeat(others, known)
            if len(runs) == 2:
                look(runs[0], runs[1], tally)
                records += runs
            sys.stderr.write(f"pair {pair + 1} of {asked.pairs}\n")
    except KeyboardInterrupt:
        ended = True
    else:
        ended = False
    look_at_trend(records, tally)
    for name, figures in known.items():
        look_at_repeats(name, figures, tally)
    return tally, ended


def measured(asked: Asked, path: Path) -> Run | None:
    """One run, as a user starts it; None, with its last line, where it measured nothing."""
    command = [
        WEFT, "run", *asked.tests, *asked.words, "--budget", asked.budget,
        "--launches", str(asked.launches), "--no-report", "-o", str(path),
    ]  # fmt: skip
    path.unlink(missing_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    run = load(path) if path.exists() else None
    if run is None or not run.measured:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        sys.stderr.write(f"skipped: {path.name}: {lines[-1]}\n")
        return None
    return run


def repeat(others: Sequence[Repeated], known: dict[str, list[dict[int, float]]]) -> None:
    """Each of the other programs once; what fails is said and omitted."""
    for other in others:
        try:
            figures = other.once()
        except (RuntimeError, OSError, subprocess.SubprocessError, StopIteration) as error:
            sys.stderr.write(f"skipped: {other.name}: {error}\n")
        else:
            known.setdefault(other.name, []).append(figures)


def look(first: Run, second: Run, tally: Tally) -> None:
    """What each command that takes two runs says of them, and layers of each."""
    look_at_comparison(first, second, tally)
    look_at_check(first, second, tally)
    look_at_layers((first, second), tally)
    look_at_scaling(first, second, tally)


def look_at_comparison(first: Run, second: Run, tally: Tally) -> None:
    """`weft compare A B`: cases, and pairs with any; beside it how far the medians are apart."""
    sides = [side_of_run(run, summarise(run), run.path.name, "") for run in (first, second)]
    rows = [row for table in compare(sides).tables for row in table.rows]
    answers = [row.verdicts[0] for row in rows if row.verdicts[0]]
    named = sum(answer in ("better", "worse") for answer in answers)
    medians = [[one.estimate.value for one in row.figures if one] for row in rows]
    tally.add("compare: a case is better or worse (to be <= 5 %)", named, len(answers))
    tally.add("compare: any case of a pair of runs is", int(named > 0))
    tally.add("compare: a case is the same within 2 %", answers.count("same"), len(answers))
    tally.add(
        f"two runs of weft: medians of a case over {APART:.0%} apart",
        sum(is_apart(*pair) for pair in medians if len(pair) == 2),
        len(answers),
    )


def look_at_check(first: Run, second: Run, tally: Tally) -> None:
    """`weft check B --against A`, each transport by itself, without the application."""
    checks = against_record(pool([second]), pool([first]), TOLERANCE)
    by_transport: dict[str, list[Checked]] = {}
    for check in checks:
        if check.test != APPLICATION:
            by_transport.setdefault(check.transport, []).append(check)
    for of_one in by_transport.values():
        found = overall(of_one)
        tally.add("check --tolerance 10%: a pair fails (to be <= 5 %)", found == "fail")
        tally.add("check: a pair passes (to be >= 50 % within 60 s a side)", found == "pass")
        curves = [check for check in of_one if check.bytes is None]
        passed = sum(check.outcome == "pass" for check in curves)
        tally.add("check: a curve passes", passed, len(curves))


def look_at_layers(runs: Sequence[Run], tally: Tally) -> None:
    """`weft layers`: every second launch of a transport as if it were the layer below the others.

    Rounds that follow each other are pairs, in both runs.
    """
    sides: dict[str, dict[int, tuple[list[float], list[float]]]] = {}
    for run in runs:
        for key, by_round in latencies_by_round(run).items():
            case = run.cases[key]
            if case.application is not None:
                continue
            times = [by_round[number] for number in sorted(by_round)]
            below, above = sides.setdefault(case.transport, {}).setdefault(case.bytes, ([], []))
            count = len(times) // 2
            below += times[0 : 2 * count : 2]
            above += times[1 : 2 * count : 2]
    for by_size in sides.values():
        steps = []
        for size, (below, above) in by_size.items():
            if len(below) < 2:
                continue
            figures = [over_launches(own, positive=True) for own in (below, above)]
            rounds = [dict(enumerate(own)) for own in (below, above)]
            steps.append(step_between(size, *figures).in_rounds(rounds[0], rounds[1]))
        if steps:
            named = any(step.verdict != "cannot tell" for step in looked_at_together(steps))
            tally.add("layers: a size of a transport beside itself (to be <= 5 %)", named)


def look_at_scaling(first: Run, second: Run, tally: Tally) -> None:
    """`weft show`: the same ranks in the other run as if they were more ranks."""
    rows = [
        {row.case: row for row in scaling_of(Results(run, summarise(run), ())).all}
        for run in (first, second)
    ]
    for case in rows[0].keys() & rows[1].keys():
        base, here = (side(one[case].iteration_ns, one[case].launches) for one in rows)
        found = verdict_of(ratio(base, here, "latency"))
        tally.add("scaling: the same ranks cost more (to be <= 5 %)", found == "costs more")


def look_at_trend(records: Sequence[Run], tally: Tally) -> None:
    """`weft trend` over as many records at a time, curve by curve."""
    for start in range(0, len(records) - SESSIONS + 1, SESSIONS):
        courses = history(records[start : start + SESSIONS]).courses
        stepped = sum(bool(course.steps) for course in courses)
        row = f"trend: a step in a curve over {SESSIONS} runs (to be <= 5 %)"
        tally.add(row, stepped, len(courses))


def look_at_repeats(name: str, figures: Sequence[Mapping[int, float]], tally: Tally) -> None:
    """How often two runs of one program that follow each other differ, size by size."""
    both = list(zip(figures[::2], figures[1::2], strict=False))
    found = [is_apart(one[size], two[size]) for one, two in both for size in one.keys() & two]
    tally.add(f"{name}: figures over {APART:.0%} apart", sum(found), len(found))


def is_apart(one: float, two: float) -> bool:
    """Whether the larger is more than APART over the smaller."""
    return max(one, two) > (1 + APART) * min(one, two)
