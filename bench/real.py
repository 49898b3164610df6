"""Pairs of unchanged runs of this machine: how often each command says that something differs.

    .venv/bin/python -m bench.decisions --real --pairs 9 --budget 60s --omb /tmp/omb \\
        --keep /tmp/pairs --into docs/validation/peers.md

Nothing is changed between the runs, so every difference that is named is a false one. Other
programs are repeated beside them, for scale. After each pair the table is printed and written into
the page; Ctrl-C leaves what there is so far, and the same command goes on with the records that
were kept. A pair takes twice the budget and a quarter, and some 15 s for the other programs: 9
pairs of 60 s take 25 minutes. On a busy machine it measures its neighbours.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bench.comparisons import WEFT
from bench.repeats import SIZES, Repeated, programs
from bench.tables import markdown, with_table
from weft.analysis.compare.acceptance import against_record, overall
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.curves import curves_of
from weft.analysis.compare.history import history
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sides import side_of_run
from weft.analysis.layers import looked_at_together, step_between
from weft.analysis.stats.parameters import over_launches
from weft.analysis.stats.rounds import differences, latencies_by_round
from weft.analysis.stats.slowest import slowest_rank, speed_of
from weft.analysis.summary import summarise
from weft.record.launches import by_launch
from weft.record.rank_times import medians_of_ranks
from weft.record.run import load
from weft.topics.scaling.rows import verdict_of
from weft.units import parse_seconds
from weft.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from weft.analysis.compare.acceptance import Checked
    from weft.record.run import Run

    # Shows what there is after so many pairs.
    Show = Callable[["Tally", int], None]

TOLERANCE = 0.10
# Repeated figures that are further apart count as different; `weft compare` has intervals instead.
APART = 0.05
# Records that `weft trend` looks at together.
SESSIONS = 6
TESTS = ("ping_pong", "stream")
# An application says something of scaling only, and its messages have no size to choose: it is
# measured by itself, in a part of the budget.
APPLICATION = ("milc", "--transport", "mpi,tcp", "--ranks", "2", "--extents", "4^4")
PART_OF_BUDGET = 4
FEWEST_S = 12.0
# Its name between the marks of a page.
TABLE = "bench.decisions --real"
# What the other programs gave, beside the records.
FIGURES = "figures.json"


class Asked(NamedTuple):
    """What is measured on each side of a pair."""

    pairs: int
    budget: str
    launches: int
    folder: Path
    tests: tuple[str, ...] = TESTS
    words: tuple[str, ...] = ("--transport", "mpi,tcp", "--sizes", ",".join(map(str, SIZES)))
    application: tuple[str, ...] = APPLICATION

    @property
    def of_application(self) -> Asked:
        """The same of its run of the application alone."""
        part_s = max(parse_seconds(self.budget) / PART_OF_BUDGET, FEWEST_S)
        name, *words = self.application
        return self._replace(tests=(name,), words=tuple(words), budget=f"{part_s:g}s")


class Tally:
    """How often something was said, of how many times that it was looked for, row by row.

    `scatter` has of each curve and pair the squares of what its sessions and its launches differ
    by, as logarithms.
    """

    def __init__(self) -> None:
        self.rows: dict[str, tuple[int, int]] = {}
        self.scatter: list[tuple[float, float]] = []

    def add(self, row: str, said: int, of: int = 1) -> None:
        """Count `of` looks more, of which `said` said so."""
        before = self.rows.get(row, (0, 0))
        self.rows[row] = (before[0] + said, before[1] + of)

    def table(self) -> list[tuple[str, ...]]:
        """The rows in the order in which they first came."""
        return [
            ("wrong answers on an unchanged machine", "times", "of", "share"),
            *(
                (row, str(said), str(of), f"{said / of:.0%}" if of else "-")
                for row, (said, of) in self.rows.items()
            ),
        ]

    @property
    def deviations(self) -> str:
        """What sessions and launches of the curves differ by, one standard deviation each."""
        if not self.scatter:
            return ""
        between, within = (sum(own) / len(own) for own in zip(*self.scatter, strict=True))
        return (
            f"Two sessions of a curve that follow each other differ by"
            f" {math.sqrt(max(between, 0.0)):.1%} more than their launches explain, launches by"
            f" {math.sqrt(within):.1%}: one standard deviation, of"
            f" {counted(len(self.scatter), 'curve')} of a pair each."
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of trials on the real machine."""
    parser.add_argument("--real", action="store_true", help="measure pairs of unchanged runs")
    parser.add_argument("--pairs", type=int, default=12, help="how many pairs (default: 12)")
    parser.add_argument("--budget", default="12s", help="of each run (default: 12s)")
    parser.add_argument("--launches", type=int, default=20, help="of each run (default: 20)")
    parser.add_argument("--omb", type=Path, help="folder in which OMB was built")
    parser.add_argument(
        "--keep", type=Path, help="folder for the records; those in it are not measured again"
    )
    parser.add_argument("--into", type=Path, help="page into which the table is written")


def main(asked: argparse.Namespace) -> int:
    """Measure, and print the table after each pair. 1 where no pair was measured, 130 after Ctrl-C.

    A page that has no place for it is an error before anything is measured.
    """
    if asked.into:
        with_table(asked.into.read_text(), TABLE, "")
    with contextlib.ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        how = Asked(asked.pairs, asked.budget, asked.launches, folder)
        load_before = os.getloadavg()[0]

        def show(tally: Tally, pairs: int) -> None:
            words = (
                f"`python -m bench.decisions --real --pairs {asked.pairs} --budget {asked.budget}`,"
                f" {pairs} of {counted(asked.pairs, 'pair')}, {asked.launches} launches asked,"
                f" {datetime.now(UTC):%Y-%m-%d}, {counted(os.cpu_count() or 1, 'CPU')}, load before"
                f" {load_before:.1f}:\n\n{markdown(tally.table())}\n\n{tally.deviations}"
            )
            sys.stdout.write(f"{words}\n\n")
            sys.stdout.flush()
            if asked.into:
                asked.into.write_text(with_table(asked.into.read_text(), TABLE, words))

        tally, ended = trials(how, programs(asked.omb), show)
    return 130 if ended else 0 if tally.rows else 1


def trials(
    asked: Asked, others: Sequence[Repeated], show: Show = lambda *_: None
) -> tuple[Tally, bool]:
    """All pairs, and whether they were interrupted. What fails is said and omitted.

    `show` is called with what there is after each pair.
    """
    tally = Tally()
    records: list[Run] = []
    known = _kept_figures(asked.folder)
    finished = tally
    done = 0
    try:
        for pair in range(asked.pairs):
            runs = []
            applications = []
            for at in (0, 1):
                name = f"pair{pair + 1}{'ab'[at]}"
                path = asked.folder / f"{name}.jsonl.zst"
                is_kept = _kept(path) is not None
                runs += _some(measured(asked, path))
                if asked.application:
                    alone = asked.folder / f"{name}-application.jsonl.zst"
                    applications += _some(measured(asked.of_application, alone))
                if not is_kept:
                    repeat(others, known)
            if len(runs) == 2:
                look(runs[0], runs[1], tally)
                records += runs
            if len(applications) == 2:
                look_at_scaling(applications, tally)
            sys.stderr.write(f"pair {pair + 1} of {asked.pairs}\n")
            (asked.folder / FIGURES).write_bytes(msgspec.json.encode(known))
            finished = _finished(tally, records, known)
            show(finished, pair + 1)
            done = pair + 1
    except KeyboardInterrupt:
        finished = _finished(tally, records, known)
        show(finished, done)
        return finished, True
    return finished, False


def _some(run: Run | None) -> list[Run]:
    return [] if run is None else [run]


def _kept_figures(folder: Path) -> dict[str, list[dict[int, float]]]:
    """What the other programs gave in pairs that were kept."""
    path = folder / FIGURES
    if not path.exists():
        return {}
    return msgspec.json.decode(path.read_bytes(), type=dict[str, list[dict[int, float]]])


def _finished(
    tally: Tally, records: Sequence[Run], known: Mapping[str, Sequence[Mapping[int, float]]]
) -> Tally:
    """With what is said of all pairs together."""
    found = Tally()
    found.rows, found.scatter = dict(tally.rows), list(tally.scatter)
    look_at_trend(records, found)
    for name, figures in known.items():
        look_at_repeats(name, figures, found)
    return found


def _kept(path: Path) -> Run | None:
    """A record that an earlier command finished."""
    if not path.exists():
        return None
    run = load(path)
    return run if run.footer is not None and run.measured else None


def measured(asked: Asked, path: Path) -> Run | None:
    """One run, as a user starts it, or the one that was kept; None where it measured nothing."""
    command = [
        WEFT, "run", *asked.tests, *asked.words, "--budget", asked.budget,
        "--launches", str(asked.launches), "--no-report", "-o", str(path),
    ]  # fmt: skip
    if (kept := _kept(path)) is not None:
        return kept
    path.unlink(missing_ok=True)
    done = begin(command)
    run = load(path) if path.exists() else None
    if run is None or not run.measured:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        sys.stderr.write(f"skipped: {path.name}: {lines[-1]}\n")
        return None
    return run


def begin(command: list[str]) -> subprocess.CompletedProcess[str]:
    """How a program ends that is started as a user does, and what it says."""
    return subprocess.run(command, capture_output=True, text=True, check=False)


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
    look_at_scatter(first, second, tally)


def look_at_scatter(first: Run, second: Run, tally: Tally) -> None:
    """How far the two sessions of a curve differ beyond the scatter of their launches."""
    for curve in curves_of(pool([second]), pool([first])):
        if curve.whole is not None and curve.unit == "launch":
            beyond = (curve.whole.log**2 - curve.whole.squared_error) / 2
            tally.scatter.append((beyond, curve.whole.launch_variance))


def look_at_comparison(first: Run, second: Run, tally: Tally) -> None:
    """`weft compare A B`: cases, and pairs with any; beside it how far the medians are apart."""
    sides = [side_of_run(run, summarise(run), run.path.name) for run in (first, second)]
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
    """`weft check B --against A`, each transport by itself."""
    checks = against_record(pool([second]), pool([first]), TOLERANCE)
    by_transport: dict[str, list[Checked]] = {}
    for check in checks:
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
        usable = {size: pair for size, pair in by_size.items() if len(pair[0]) > 1}
        steps, added = [], []
        for size, (below, above) in usable.items():
            figures = [over_launches(own, positive=True) for own in (below, above)]
            rounds = [dict(enumerate(own)) for own in (below, above)]
            steps.append(step_between(size, *figures).in_rounds(rounds[0], rounds[1]))
            added.append(differences(rounds[0], rounds[1])[0])
        if steps:
            answers = looked_at_together(steps, added)
            named = any(step.verdict != "cannot tell" for step in answers)
            tally.add("layers: a size of a transport against itself (to be <= 5 %)", named)


def look_at_scaling(runs: Sequence[Run], tally: Tally) -> None:
    """`weft show` of each run: every second launch as if it were of more ranks than the others."""
    for run in runs:
        for key, batches in run.measured_by_case.items():
            if run.cases[key].application is None:
                continue
            launches = [
                list(medians_of_ranks(run, own).values()) for own in by_launch(batches).values()
            ]
            halves = [launches[at::2] for at in (0, 1)]
            if len(halves[1]) < 2:
                continue
            found = verdict_of(speed_of(*map(slowest_rank, halves)))
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
