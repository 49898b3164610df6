"""How often the answers of weft are right, on noise as real machines have it.

    .venv/bin/python -m bench.decisions             # all tables, some minutes
    .venv/bin/python -m bench.decisions check --trials 500
    .venv/bin/python -m bench.decisions verdicts --into docs/validation/verdicts.md
    .venv/bin/python -m bench.decisions --real --pairs 12 --budget 12s

Prints Markdown, and writes it between a page's marks with --into. With --real pairs of unchanged
runs of this machine are judged (bench/real.py). Else nothing is measured: launch medians are drawn,
with a launch effect that all sizes of a curve share, a scatter of each size's own, sessions, skew,
outliers, two modes, and correlation from launch to launch; then the functions that weft itself uses
judge them; for the table of commands they are written into records, and the commands are typed on
these.
docs/validation/verdicts.md and check.md have its tables.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import needed, real, told, verdicts
from bench.noise import KINDS, Noise, deviates, in_time
from bench.tables import markdown, with_table
from weft.analysis.compare.acceptance import Outcome, judged
from weft.analysis.compare.curves import curves_of
from weft.analysis.compare.pool import Pooled
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.precision import settled
from weft.analysis.stats.ratios import Figure, ratio
from weft.analysis.stats.slowdown import Paces
from weft.analysis.stats.steps import steps_in
from weft.analysis.stats.trend import trend_of
from weft.plan.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.estimate import Unit

SEED = 20261121
CURVES = 4
SIZES = 24
LAUNCHES = 5
TOLERANCE = 0.05


def session_logs(random: np.random.Generator, noise: Noise, launches: int) -> np.ndarray:
    """One run: logarithms of launch medians about 0, by launch, curve and size."""
    curves = 1 if noise.together else CURVES
    effects = in_time(deviates(random, noise.kind, (launches, curves, 1)), noise.correlation)
    own = deviates(random, noise.kind, (launches, CURVES, SIZES))
    scatter = np.resize(np.array(noise.launch), CURVES)[None, :, None]
    logs: np.ndarray = scatter * effects + noise.size * own
    return logs + noise.session * random.standard_normal()


def side(sessions: Sequence[np.ndarray]) -> dict[str, Pooled]:
    """Runs as `weft check` holds them."""
    cases = [
        (curve, size, Case(test=f"curve{curve}", transport="tcp", bytes=1 << size))
        for curve in range(CURVES)
        for size in range(SIZES)
    ]
    return {
        case.key: Pooled(
            case=case,
            directions=1,
            paces=tuple(
                {at: math.exp(log) for at, log in enumerate(logs[:, curve, size].tolist())}
                for logs in sessions
            ),
        )
        for curve, size, case in cases
    }


def answer(
    random: np.random.Generator,
    noise: Noise,
    slower: Sequence[float] = (),
    *,
    single: float = 0.0,
    launches: int = LAUNCHES,
    sessions: int = 1,
    tolerance: float = TOLERANCE,
) -> Outcome:
    """One check of a machine whose curves are slower by these shares, one size by `single`."""
    theirs = [session_logs(random, noise, launches) for _ in range(sessions)]
    mine = [session_logs(random, noise, launches) for _ in range(sessions)]
    for logs in mine:
        for curve, share in enumerate(slower):
            logs[:, curve] += math.log1p(share)
        logs[:, 0, SIZES // 2] += math.log1p(single)
    curves = judged(curves_of(side(mine), side(theirs)), tolerance)
    found = {curve.outcome for curve in curves}
    found |= {outcome for curve in curves for outcome in curve.single.values()}
    if "fail" in found:
        return "fail"
    return "pass" if found == {"pass"} else "cannot tell"


def rates(trials: int, noise: Noise, slower: Sequence[float] = (), **more: Any) -> list[float]:
    """The shares of pass, fail and cannot tell."""
    random = np.random.default_rng(SEED)
    answers = [answer(random, noise, slower, **more) for _ in range(trials)]
    return [answers.count(kind) / trials for kind in ("pass", "fail", "cannot tell")]


def check_rows(trials: int) -> list[tuple[str, ...]]:
    """Machines that did not change, that are slower, and that are slower by just the tolerance."""
    at = (TOLERANCE,)
    asked: list[tuple[str, Noise, tuple[float, ...], dict[str, Any]]] = [
        ("unchanged, 1 % between launches", Noise((0.01,)), (), {}),
        ("unchanged, 1 %, and 1 % of each size's own", Noise((0.01,), 0.01), (), {}),
        ("unchanged, 2 %", Noise(), (), {}),
        ("unchanged, 2 %, one effect for all curves", Noise(together=True), (), {}),
        ("unchanged, 2 %, 10 launches", Noise(), (), {"launches": 10}),
        ("unchanged, 5 %", Noise((0.05,)), (), {}),
        *((f"unchanged, 2 %, {kind}", Noise(size=0.005, kind=kind), (), {}) for kind in KINDS[1:]),
        ("unchanged, 2 %, 1 % between sessions", Noise(session=0.01), (), {}),
        ("the same, 4 sessions a side", Noise(session=0.01), (), {"sessions": 4}),
        ("unchanged, 2 %, correlation 0.9", Noise(correlation=0.9), (), {}),
        ("one curve 10 % slower, 1 %", Noise((0.01,)), (0.10,), {}),
        ("one curve 10 % slower, 2 %", Noise(), (0.10,), {}),
        *(
            (f"one curve 10 % slower, 2 %, {kind}", Noise(size=0.005, kind=kind), (0.10,), {})
            for kind in KINDS[1:]
        ),
        ("one curve 10 % slower, 4 sessions a side", Noise(session=0.01), (0.1,), {"sessions": 4}),
        ("one size 20 % slower, 2 %", Noise(size=0.005), (), {"single": 0.20}),
        ("one curve slower by the tolerance, 2 %", Noise(), at, {}),
        ("all curves slower by the tolerance, 2 %", Noise(), at * CURVES, {}),
        ("the same, one effect for all curves", Noise(together=True), at * CURVES, {}),
        *(
            (f"the same, {kind}", Noise(size=0.005, kind=kind), at * CURVES, {})
            for kind in KINDS[1:]
        ),
        ("the same, curves of 1, 1, 3 and 3 %", Noise((0.01, 0.01, 0.03, 0.03)), at * 4, {}),
        ("the noisiest of 4, 1, 1, 0.5 % by it", Noise((0.04, 0.01, 0.01, 0.005)), at, {}),
        ("the same, 4 sessions a side", Noise(session=0.01), at * CURVES, {"sessions": 4}),
    ]
    return [
        ("machine and launches", "pass", "fail", "cannot tell"),
        *(
            (name, *(f"{share:.1%}" for share in rates(trials, noise, slower, **more)))
            for name, noise, slower, more in asked
        ),
    ]


def settled_coverage(
    trials: int, scatter: float, kind: str = "normal", correlation: float = 0.0, ticks: float = 0.0
) -> tuple[float, float]:
    """Of a case that stops once it is within 1 %: how often the interval holds the true median, and
    the launches it took. At most 40 launches, and only what is settled counts.

    `ticks` is what a tick of the clock is worth, relative to the time.
    """
    random = np.random.default_rng(SEED)
    truth = float(np.median(deviates(random, kind, (200_000,)))) * scatter
    held = counted = taken = 0
    for _ in range(trials):
        logs = scatter * in_time(deviates(random, kind, (40,)), correlation)
        times = np.exp(logs - truth) * random.uniform(1.0, 1.01)
        scale = times[0] / math.exp(logs[0] - truth)
        if ticks:
            times = np.maximum(np.rint(times / ticks), 1) * ticks
        for count in range(LAUNCHES, 41):
            some = times[:count].tolist()
            if settled(some, 0.01, LAUNCHES, ticks):
                found = median_of_launches(some, ticks)
                held += found.low <= scale <= found.high
                counted += 1
                taken += count
                break
    return held / max(counted, 1), taken / max(counted, 1)


def settled_rows(trials: int) -> list[tuple[str, ...]]:
    """The coverage of settled cases."""
    rows: list[tuple[str, ...]] = [
        ("launches scatter by", "noise", "interval holds the truth", "launches taken")
    ]
    asked = [(scatter, kind, 0.0, 0.0) for scatter in (0.005, 0.01, 0.02) for kind in KINDS]
    asked += [(0.01, "normal", 0.5, 0.0), (0.01, "normal", 0.9, 0.0), (0.001, "normal", 0.0, 0.005)]
    for scatter, kind, correlation, ticks in asked:
        name = kind
        name += f", correlation {correlation:g}" if correlation else ""
        name += f", a tick is {ticks:.1%} of the time" if ticks else ""
        held, taken = settled_coverage(trials, scatter, kind, correlation, ticks)
        rows.append((f"{scatter:.1%}", name, f"{held:.1%}", f"{taken:.1f}"))
    return rows


def trend_power(trials: int, launches: int, rise: float, correlation: float) -> float:
    """How often a trend or a correlation is told; `rise` in scatters from first to last launch."""
    random = np.random.default_rng(SEED)
    told = 0
    for _ in range(trials):
        logs = in_time(random.standard_normal(launches), correlation)
        logs = logs + rise * np.linspace(0, 1, launches)
        found = trend_of(logs.tolist())
        told += found.is_trend or found.is_correlated
    return told / trials


def trend_rows(trials: int) -> list[tuple[str, ...]]:
    """The power of the tests over launches, by their number."""
    counts = (4, 5, 6, 8, 10, 20, 40)
    asked = [
        ("by chance", 0.0, 0.0),
        ("rises by 2 scatters", 2.0, 0.0),
        ("rises by 4 scatters", 4.0, 0.0),
        ("rises by 8 scatters", 8.0, 0.0),
        ("correlation 0.5", 0.0, 0.5),
        ("correlation 0.9", 0.0, 0.9),
    ]
    return [
        ("launches", *map(str, counts)),
        *(
            (name, *(f"{trend_power(trials, count, rise, rho):.0%}" for count in counts))
            for name, rise, rho in asked
        ),
    ]


def step_power(trials: int, sessions: int, first: int, shift: float, kind: str) -> float:
    """How often steps are found and, if there is one, at its place; `shift` in scatters."""
    random = np.random.default_rng([SEED, sessions])
    found = 0
    for _ in range(trials):
        logs = deviates(random, kind, (sessions,))
        logs[first:] += shift
        steps = [step.at for step in steps_in(logs.tolist()).steps]
        found += steps == [first] if shift else bool(steps)
    return found / trials


def step_rows(trials: int) -> list[tuple[str, ...]]:
    """Steps between sessions, by their number: those by chance, and those that are there."""
    counts = (4, 5, 7, 10, 14, 30, 100)
    asked = [
        *((f"no step, {kind}: one is found", 1.0, 0.0, kind) for kind in KINDS),
        *((f"half are {shift:g} scatters slower", 0.5, shift, "normal") for shift in (3.0, 5.0)),
        *(
            (f"the last two are {shift:g} scatters slower", 2.0, shift, "normal")
            for shift in (8.0, 12.0)
        ),
    ]
    rows: list[tuple[str, ...]] = [("sessions", *map(str, counts))]
    for name, share, shift, kind in asked:
        firsts = [
            count - 2 if share > 1 else min(round(share * count), count - 1) for count in counts
        ]
        pairs = zip(counts, firsts, strict=True)
        cells = (step_power(trials, count, first, shift, kind) for count, first in pairs)
        rows.append((name, *(f"{cell:.1%}" for cell in cells)))
    return rows


def session_rows(trials: int) -> list[tuple[str, ...]]:
    """What intervals over launches of one session hold, and over sessions."""
    random = np.random.default_rng(SEED)
    rows: list[tuple[str, ...]] = [
        ("two equal machines", "interval of a machine holds the truth", "told apart")
    ]
    for name, noise, launches, sessions in (
        ("20 launches, correlation 0.9", Noise((0.01,), correlation=0.9), 20, 1),
        ("5 launches, 1 % between sessions", Noise((0.01,), session=0.01), 5, 1),
        ("20 launches, 1 % between sessions", Noise((0.01,), session=0.01), 20, 1),
        ("3 sessions of 5 launches", Noise((0.01,), session=0.01), 5, 3),
        ("5 sessions of 5 launches", Noise((0.01,), session=0.01), 5, 5),
    ):
        held = apart = 0
        for _ in range(trials):
            figures = []
            for _ in range(2):
                runs = [session_logs(random, noise, launches)[:, 0, 0] for _ in range(sessions)]
                values = runs[0] if sessions == 1 else [np.median(run) for run in runs]
                unit: Unit = "launch" if sessions == 1 else "session"
                found = median_of_launches(np.exp(values).tolist(), 0.0, unit)
                held += found.low <= 1 <= found.high
                paces = Paces(tuple(tuple(np.exp(run).tolist()) for run in runs))
                figures.append(Figure(estimate=found, kind="launches", paces=paces))
            both = ratio(figures[0], figures[1], "latency")
            apart += not both.low <= 1 <= both.high
        rows.append((name, f"{held / 2 / trials:.1%}", f"{apart / trials:.1%}"))
    return rows


def ratio_rows(trials: int) -> list[tuple[str, ...]]:
    """How often the interval of a ratio of single sizes holds the truth; the last row is a figure's
    own interval.
    """
    counts = (2, 3, 4, 5, 6, 8, 10, 20)
    rows: list[tuple[str, ...]] = [("launches on either side", *map(str, counts))]
    pairs = [(kind, other) for other in (0.01, 0.002) for kind in KINDS]
    for kind, other in [*pairs, ("normal", 0.0), ("skewed", 0.0)]:
        many = deviates(np.random.default_rng(SEED), kind, (200_000,))
        # A ratio is of geometric means, a figure is a median.
        truth = float(np.mean(many) if other else np.median(many))
        cells = []
        for count in counts:
            random = np.random.default_rng([SEED, count])
            held = 0
            for _ in range(trials):
                figures = []
                for scatter in (0.01, other):
                    logs = scatter * (deviates(random, kind, (count,)) - truth)
                    times = np.exp(logs).tolist()
                    estimate = median_of_launches(times)
                    paces = Paces((tuple(times),))
                    figures.append(Figure(estimate=estimate, kind="launches", paces=paces))
                found = ratio(figures[0], figures[1], "latency") if other else figures[0].estimate
                held += found.low <= 1 <= found.high
            cells.append(f"{held / trials:.1%}")
        name = f"{kind}, 1.0% and {other:.1%}" if other else f"{kind}, 1.0%, one figure"
        rows.append((name, *cells))
    return rows


def fails(
    random: np.random.Generator, between: float, slower: float, sessions: int, kind: str = "normal"
) -> bool:
    """Whether a check fails: all curves slower, 1 % of launches of a kind, `between` sessions."""
    noise = Noise((0.01,), session=between, kind=kind)
    return answer(random, noise, (slower,) * CURVES, sessions=sessions) == "fail"


TABLES: dict[str, Callable[[int], list[tuple[str, ...]]]] = {
    "check": check_rows,
    "ratio": ratio_rows,
    "settled": settled_rows,
    "trend": trend_rows,
    "sessions": session_rows,
    "steps": step_rows,
    "verdicts": lambda trials: verdicts.rows(trials, fails),
    "needed": needed.rows,
    "commands": told.rows,
}


def main() -> None:
    """Print the asked tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], default=[])
    parser.add_argument("--trials", type=int, default=2000)
    real.add_options(parser)
    asked = parser.parse_args()
    if asked.real:
        sys.exit(real.main(asked))
    for name in asked.tables or TABLES:
        if asked.into:
            with_table(asked.into.read_text(), f"bench.decisions {name}", "")
        table = markdown(TABLES[name](asked.trials))
        print(f"{name}, {asked.trials} trials\n\n{table}\n", flush=True)
        if asked.into:
            page = asked.into.read_text()
            asked.into.write_text(with_table(page, f"bench.decisions {name}", table))


if __name__ == "__main__":
    main()
