"""Whether what a command says to measure more does tell, command by command.

Records are drawn, and the command itself is typed on them: where it cannot tell, the number of
launches or sessions and the time are read from its words. Records of that many are drawn, and of
twice as many, and the same command is typed on these: does it tell now? The number that does in 80
% of further trials is found by halving. The noise is drawn otherwise than the methods were tuned on
(gamma tails, two modes, sessions).
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from typer.main import get_command

from bench.drawn_runs import LAUNCH_S, ping_pong, solver, written
from bench.noise import deviates, tailed
from weft.analysis.stats.needed import POWER
from weft.analysis.stats.precision import settled
from weft.cli.main import app
from weft.units import parse_seconds

if TYPE_CHECKING:
    from weft.estimate import Unit
    from weft.record.model import Outcome

SEED = 20261125
FIRST = 5
FIRST_SESSIONS = 3
BASE_NS = 10_000.0
RIGHT = 2.0
FACTORS = (1 / RIGHT, 1.0, RIGHT)
MOST = {"launch": 128, "session": 80}
# As "about 12 launches a side, in about 40s: run" or "about 3 sessions more, of 60s each: run".
STATED = re.compile(
    r"takes about ([\d,]+) (launch|session)(?:e?s)?(?: more)?(?: a side)?"
    r"(?:, in about ([\w.]+)|, of ([\w.]+)(?: and [\w.]+)* each)?: run"
)
OPEN = re.compile(r"takes (?:about|over|more than)")
Random = np.random.Generator
# Writes records of so many launches, or sessions, a side; gives what to type on them.
Typed = Callable[[Random, int], list[str]]


class Scene(NamedTuple):
    """A command that is typed on drawn records, first with so many launches or sessions."""

    name: str
    typed: Typed
    first: int
    unit: Unit = "launch"

    @property
    def least(self) -> int:
        """Fewer say nothing."""
        return 2 if self.unit == "launch" else 1


class Said(NamedTuple):
    """What a command said: nothing is open, or what would tell."""

    is_told: bool
    unit: str = ""
    number: float = math.inf
    seconds: float = math.nan


class Trial(NamedTuple):
    """What was stated of a first look, and by FACTORS what so many times that number tells.

    Without looks where the number is hopeless, or of another unit than the scene's.
    """

    said: Said
    looks: dict[float, tuple[int, bool]]


@cache
def _program() -> Any:
    """The commands, made once."""
    return get_command(app)


def weft(words: list[str]) -> str:
    """What a command prints, in one line, whatever its status."""
    out = io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        _program().main(words, standalone_mode=False)
    return " ".join(out.getvalue().split())


def said_by(text: str) -> Said:
    """What the words of a command state."""
    found = STATED.search(text)
    if found is None:
        return Said(is_told=OPEN.search(text) is None)
    count, unit, in_all, each = found.groups()
    seconds = parse_seconds(in_all or each) if in_all or each else math.nan
    return Said(is_told=False, unit=unit, number=int(count.replace(",", "")), seconds=seconds)


def noise(random: Random, kind: str, scatter: float, *shape: int) -> np.ndarray:
    """Factors that scatter so much about 1."""
    own = tailed(random, *shape) if kind == "tail" else deviates(random, kind, shape)
    return np.asarray(np.exp(scatter * own))


def launches_of(random: Random, kind: str, scatter: float, count: int) -> np.ndarray:
    """The times of the launches of one session."""
    return BASE_NS * noise(random, kind, scatter, count)


def day_of(random: Random, kind: str, between: float) -> np.ndarray:
    """Five launches of a session, which differs from others; its launches scatter by 1 %."""
    own: np.ndarray = noise(random, kind, between, 1) * launches_of(random, "tail", 0.01, FIRST)
    return own


def sides(
    random: Random, count: int, *, by: Unit, kind: str, scatter: float, slower: float
) -> tuple[list[str], list[str]]:
    """Two sides of so many launches of a session, or of sessions; the second is slower."""
    found: tuple[list[str], list[str]] = ([], [])
    for own, name, factor in zip(found, "ab", (1.0, 1 + slower), strict=True):
        for day in range(count if by == "session" else 1):
            drawn = (
                day_of(random, kind, scatter)
                if by == "session"
                else launches_of(random, kind, scatter, count)
            )
            path = Path(f"{name}{day}.jsonl")
            own.append(
                str(written(path, {ping_pong(): factor * drawn}, day=2 * day + (name > "a")))
            )
    return found


def compared(
    random: Random, count: int, *, by: Unit, kind: str, scatter: float, slower: float = 0.05
) -> list[str]:
    """`compare` of two sides."""
    one, other = sides(random, count, by=by, kind=kind, scatter=scatter, slower=slower)
    return ["compare", ",".join(one), ",".join(other)]


def two_transports(random: Random, count: int, kind: str, scatter: float, slower: float) -> Path:
    """A record of two transports, whose launches are made in turn."""
    both = {
        ping_pong(name): factor * launches_of(random, kind, scatter, count)
        for name, factor in (("tcp", 1.0), ("ofi", 1 + slower))
    }
    return written(Path("both.jsonl"), both)


def compared_parts(random: Random, count: int, kind: str, scatter: float) -> list[str]:
    """`compare` of two transports of one record."""
    path = two_transports(random, count, kind, scatter, 0.05)
    return ["compare", f"{path}@tcp", f"{path}@ofi"]


def layered(random: Random, count: int, kind: str, scatter: float) -> list[str]:
    """`layers` of a record: what the upper layer adds is 3 %."""
    return ["layers", str(two_transports(random, count, kind, scatter, 0.03))]


def checked(
    random: Random, count: int, *, by: Unit, kind: str, scatter: float, slower: float = 0.0
) -> list[str]:
    """`check` of a machine against records of another, by default one as fast."""
    theirs, mine = sides(random, count, by=by, kind=kind, scatter=scatter, slower=slower)
    against = [word for name in theirs for word in ("--against", name)]
    return ["check", *mine, *against, "--tolerance", "5%"]


def checked_by_limits(
    random: Random, count: int, *, by: Unit, kind: str, scatter: float, away: float
) -> list[str]:
    """`check` of a machine against a limit that is so far away."""
    mine, _ = sides(random, count, by=by, kind=kind, scatter=scatter, slower=0.0)
    bound = (1 + away) * BASE_NS / 2
    Path("limits.toml").write_text(
        f'[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "{bound:.0f} ns"\n'
    )
    return ["check", *mine, "--against", "limits.toml"]


def scaled(random: Random, count: int, kind: str, scatter: float) -> list[str]:
    """`show` of a solver that loses nothing on two ranks."""
    times = {
        solver(ranks): BASE_NS * noise(random, kind, scatter, count, ranks) for ranks in (1, 2)
    }
    return ["show", str(written(Path("milc.jsonl"), times)), "--table", "scaling"]


def over_time(random: Random, count: int, kind: str, scatter: float) -> list[str]:
    """`trend` of six sessions, then of so many that are 5 % slower."""
    names = []
    for day in range(6 + count):
        slower = 1.05 if day >= 6 else 1.0
        times = slower * day_of(random, kind, scatter)
        names.append(str(written(Path(f"n{day}.jsonl"), {ping_pong(): times}, day=day)))
    return ["trend", *names]


def priced(random: Random, count: int, kind: str, scatter: float) -> list[str]:
    """`price` of two fabrics whose latencies are 5 % apart."""
    text = _PRICES
    for name, factor in (("one", 1.0), ("other", 0.95)):
        times = factor * launches_of(random, kind, scatter, count)
        path = written(
            Path(f"{name}.jsonl"), {ping_pong(): times, ping_pong(size=65536): 4 * times}
        )
        text += (
            f'[[fabric]]\nname = "{name}"\nnodes = 96\nswitch = "24,288"\nlink = "IB 4x SDR"\n'
            f'measured = "{path}"\n'
        )
    Path("prices.toml").write_text(text)
    return ["price", "--prices", "prices.toml"]


_PRICES = 'title = "Drawn"\ncurrency = "USD"\ndate = "2004-09"\n' + "".join(
    f'[[part]]\npart = "{part}"\nlist_price = {price}\n'
    for part, price in (("adapter", 805), ("cable", 300), ("switch 24", 7450), ("switch 288", 9e4))
)


def ended(random: Random, count: int, kind: str, scatter: float) -> list[str]:
    """`show` of a run whose budget ended before its case was known to 2 %."""
    times = launches_of(random, kind, scatter, count)
    outcome: Outcome = "precise" if settled(times.tolist(), 0.02, FIRST) else "budget"
    path = written(Path("run.jsonl"), {ping_pong(): times}, precision=0.02, outcome=outcome)
    return ["show", str(path)]


def scenes() -> list[Scene]:
    """All of them, in the order of the table."""
    of_launches: dict[str, Any] = {"by": "launch", "scatter": 0.05}
    of_days: dict[str, Any] = {"by": "session", "scatter": 0.05}
    found = []
    for kind, words in (("tail", "with a tail"), ("modes", "of two modes")):
        found += [
            Scene(f"compare, two transports of a record, launches {words}",
                  partial(compared_parts, kind=kind, scatter=0.07), FIRST),
            Scene(f"compare, sessions {words}",
                  partial(compared, kind=kind, **of_days), FIRST_SESSIONS, "session"),
            Scene(f"check --against records, sessions {words}",
                  partial(checked, kind=kind, **of_days), FIRST_SESSIONS, "session"),
            Scene(f"check --against limits, launches {words}",
                  partial(checked_by_limits, kind=kind, away=0.04, **of_launches), FIRST),
            Scene(f"check --against limits, sessions {words}",
                  partial(checked_by_limits, kind=kind, away=0.05, **of_days), FIRST_SESSIONS,
                  "session"),
            Scene(f"layers, rounds {words}", partial(layered, kind=kind, scatter=0.04), FIRST),
            Scene(f"scaling, launches {words}", partial(scaled, kind=kind, scatter=0.06), FIRST),
            Scene(f"trend, sessions {words}",
                  partial(over_time, kind=kind, scatter=0.01), 0, "session"),
            Scene(f"price, launches {words}", partial(priced, kind=kind, scatter=0.05), FIRST),
            Scene(f"the end of a run, launches {words}",
                  partial(ended, kind=kind, scatter=0.03), FIRST),
        ]  # fmt: skip
    alone = partial(compared, by="session", kind="normal", scatter=0.02, slower=0.07)
    found.append(Scene("compare, one session a side", alone, 1, "session"))
    fails = partial(checked, by="session", kind="normal", scatter=0.02, slower=0.10)
    found.append(Scene("check, 10 % slower, one session a side", fails, 1, "session"))
    return found


@contextlib.contextmanager
def inside_a_folder() -> Iterator[None]:
    """Records have short names in a folder of their own: long ones are broken in two."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def tells(scene: Scene, random: Random, count: int) -> bool:
    """Whether records of so many leave nothing open."""
    return said_by(weft(scene.typed(random, count))).is_told


def trial(scene: Scene, random: Random) -> Trial | None:
    """A first look, and what half of the stated number, that number and twice as many tell.

    None where the first look tells.
    """
    said = said_by(weft(scene.typed(random, scene.first)))
    if said.is_told:
        return None
    looks: dict[float, tuple[int, bool]] = {}
    if said.unit == scene.unit and said.number <= MOST[scene.unit]:
        for factor in FACTORS:
            count = max(round(factor * said.number), scene.least)
            looks[factor] = (count, tells(scene, random, count))
    return Trial(said, looks)


def needed_by_trials(trials: Sequence[Trial]) -> float:
    """The number that tells in POWER of the looks, which tell the more the more they are of.

    By isotonic regression over the looks of all trials; infinite where none of them does.
    """
    by_count: dict[int, list[bool]] = {}
    for one in trials:
        for count, told in one.looks.values():
            by_count.setdefault(count, []).append(told)
    counts = sorted(by_count)
    shares = isotonic_regression(
        [float(np.mean(by_count[count])) for count in counts],
        weights=[len(by_count[count]) for count in counts],
    ).x
    enough = (count for count, share in zip(counts, shares, strict=True) if share >= POWER)
    return float(next(enough, math.inf))


def row_of(scene: Scene, trials: int) -> tuple[str, ...]:
    """What is needed, what is stated over it, how often it tells, and its time over that taken."""
    random = np.random.default_rng(SEED)
    with inside_a_folder():
        every = (trial(scene, random) for _ in range(trials))
        known = [one for one in every if one is not None]
    needed = needed_by_trials(known)
    over = np.array([one.said.number / needed for one in known])
    right = float(np.mean((over >= 1 / RIGHT) & (over <= RIGHT)))
    taken = [one.said.seconds / LAUNCH_S / one.said.number for one in known]
    time = "-" if scene.unit == "session" else f"{np.nanmedian(taken):.2f}"
    shares = [np.mean([one.looks[factor][1] for one in known if one.looks]) for factor in FACTORS]
    return (
        scene.name,
        f"{needed:.0f}",
        f"{np.median(over):.2f}",
        f"{right:.0%}",
        *(f"{share:.0%}" for share in shares),
        time,
        str(trials),
    )


HEAD = (
    "command", "needed", "stated / needed, median", "within a factor of two",
    "answered with half the stated number", "with it", "with twice", "stated / taken time",
    "first looks",
)  # fmt: skip


def rows(trials: int) -> list[tuple[str, ...]]:
    """A row for each command and noise."""
    return [HEAD, *(row_of(scene, trials) for scene in scenes())]
