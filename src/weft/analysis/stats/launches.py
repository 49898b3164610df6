"""What a launch of a record took, and what to type for as many as would tell. Pure."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.needed import MOST, half_of
from weft.estimate import PLURAL
from weft.plan.budget import RESERVE
from weft.plan.command import NextSession
from weft.plan.costs import RankGroup, group_of
from weft.units import format_duration
from weft.wording import MOST_NAMED, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.analysis.stats.needed import Needed
    from weft.estimate import Unit
    from weft.record.run import Run

# Of one record.
OTHER_DAYS = "the intervals do not include other days"
# Of so many sessions another one is advised.
FEW = (1, 2)
FEW_SESSIONS = "two sessions give wide intervals: a third narrows them most"
# Beyond so many, or beyond this length of either side, what would tell is no advice. Sessions are
# each at another time.
MOST_ADVISED: dict[Unit, int] = {"launch": 300, "session": 30}
LONGEST_ADVISED_S = 3600.0
OTHERWISE = (
    "that is out of reach with this set-up; make it scatter less (weft doctor says what disturbs),"
    " or ask for less"
)
# A command takes at most this many times its budget, and some seconds: older versions of weft
# continued after a short budget.
MOST_OVERTIME = 2.0
MOST_OVERTIME_S = 10.0


def next_session_of(run: Run) -> NextSession:
    """How to measure a record's plan once more."""
    plan = run.header.plan
    budget_s = (run.footer.budget_s if run.footer else 0.0) or plan.budget_s
    made = {(batch.launch, group_of(run.cases[batch.case])) for batch in run.measured}
    fewest = min(Counter(group for _, group in made).values(), default=1)
    spent_s = _spent_s(run, budget_s)
    return NextSession(
        record=str(run.path),
        launches=plan.launches,
        made=fewest,
        launch_s=spent_s / fewest,
        budget_s=budget_s,
        planned_s=plan.budget_s,
        lacking_s=_lacking_s(run, spent_s),
        imported=run.header.imported.files if run.header.imported else (),
    )


def _lacking_s(run: Run, spent_s: float) -> float:
    """What the launches would take before which the budget ended, as the run said itself.

    Of an older record: of a case as all others, and of a launch what the others took beside their
    cases. One that ended after its first case has cost its start once, and not once a case.
    """
    if run.footer is None or run.footer.outcome != "budget":
        return 0.0
    if run.footer.lacking_s:
        return run.footer.lacking_s
    made = {(batch.case, batch.launch) for batch in run.measured}
    of_case = Counter(case for case, _ in made)
    launches: Counter[RankGroup] = Counter()
    lacking = 0
    for key in run.missing:
        case, lacks = run.cases[key], run.header.plan.launches - of_case[key]
        lacking += lacks
        group = group_of(case)
        launches[group] = max(launches[group], lacks)
    measuring_s = sum(batch.elapsed_ns for batch in run.lines.batches) / 1e9
    beside_s = max(0.0, spent_s - measuring_s) / max(1, len(run.launches))
    lacking_s = launches.total() * beside_s + lacking * measuring_s / max(1, len(made))
    return lacking_s / RESERVE


def _spent_s(run: Run, budget_s: float) -> float:
    """Seconds of all commands that measured a record, from launch to launch.

    What the last launch took of a command that others followed, or that was killed, is not written:
    it counts as the mean of that command's others, or where it was the only one as the budget.
    """
    spent_s = 0.0
    for session in run.sessions:
        starts = sorted(_seconds(run.launches[launch].started_utc) for launch in session)
        took_s = budget_s
        if max(session) == max(run.launches) and run.footer is not None:
            took_s = _seconds(run.footer.finished_utc) - starts[0]
        elif len(starts) > 1:
            took_s = (starts[-1] - starts[0]) * len(starts) / (len(starts) - 1)
        # A clock that was set meanwhile, or that no one can read, tells nothing.
        spent_s += took_s if 0 < took_s <= MOST_OVERTIME * budget_s + MOST_OVERTIME_S else budget_s
    return spent_s


def _seconds(utc: str) -> float:
    """Since 1970, not a number where it is no time."""
    try:
        return datetime.datetime.fromisoformat(utc).timestamp()
    except ValueError:
        return math.nan


def command_for_launches(run: Run, wanted: int) -> str:
    """The command that gives each case of a record so many launches, with the budget for them."""
    return next_session_of(run).command(max(wanted, run.header.plan.launches))


def number_in_words(needed: Needed, *, sides: int = 2, of: str = "") -> str:
    """How many it takes: "about 12 launches a side", "about 3 sessions"; or that it is hopeless.

    `of` is "more" where those that there are do not count.
    """
    each = (f" {of}" if of else "") + (" a side" if sides > 1 else "")
    if needed.hidden:
        return f"more than any number of {PLURAL[needed.unit]}: {needed.hidden}"
    if not needed.is_possible:
        return f"over {counted(MOST, needed.unit)}{each}, more than can be measured"
    return f"about {counted(int(needed.count), needed.unit)}{each}"


def what_would_tell(
    needed: Needed,
    purpose: str,
    sides: Sequence[NextSession],
    *,
    of: str = "",
    in_place: bool = False,
) -> str:
    """How many launches or sessions it takes, how long they take, and what to type.

    Where nobody would measure so much it says what else helps. `purpose` is what for: "tell a
    difference of 5 %". `sides` are how to measure each once more; none of what was published. What
    reads one record only has its further sessions `in_place`.
    """
    each = list({again.record: again for again in sides}.values())
    needed = _more_than_made(needed, each)
    number = number_in_words(needed, sides=len(each), of=of)
    words = f"to {purpose} takes {number}"
    if not each or not needed.is_possible:
        return words
    timed = [again for again in each if not again.imported]
    if needed.unit == "session":
        lengths = _lengths(", of", [a.budget_s for a in timed], " each")
        if _is_too_much(needed, [needed.count * a.budget_s for a in timed]):
            return f"{words}{lengths}: {OTHERWISE}"
        if in_place:
            resumed = " and ".join(dict.fromkeys(again.resumed for again in each))
            return (
                f"{words}{lengths}: run {resumed} at another time, and once more with as many"
                " launches on top, until it has so many"
            )
        commands = " and ".join(dict.fromkeys(again.command() for again in each))
        return (
            f"{words}{lengths}: run {commands} at other times until there"
            " are so many, and give all records"
        )
    many = int(needed.count)
    lengths_s = [a.seconds(max(many, a.made)) for a in timed]
    lengths = _lengths(", in about", lengths_s)
    if _is_too_much(needed, lengths_s):
        return f"{words}{lengths}: {OTHERWISE}"
    commands = " and ".join(dict.fromkeys(again.command(max(many, again.made)) for again in each))
    new = "the new record" if len(each) == 1 else "the new records"
    return f"{words}{lengths}: run {commands}, and take {new}"


def _more_than_made(needed: Needed, sides: Sequence[NextSession]) -> Needed:
    """At least one launch more than the shortest record has, for its own launches did not tell."""
    if needed.unit == "session" or not sides:
        return needed
    least = min(again.made for again in sides) + 1
    return msgspec.structs.replace(needed, count=max(needed.count, least))


def _is_too_much(needed: Needed, lengths_s: Sequence[float]) -> bool:
    longest_s = max(lengths_s, default=0.0)
    return needed.count > MOST_ADVISED[needed.unit] or longest_s > LONGEST_ADVISED_S


def what_tells_half(hidden: Sequence[Needed], run: Run) -> str:
    """What gives half of one record's differences the verdict that they lack; empty of none."""
    if not hidden:
        return ""
    middle, which = half_of(hidden)
    purpose = f"tell {which} {counted(len(hidden), 'difference')} without a verdict"
    return what_would_tell(middle, purpose, [next_session_of(run)], in_place=True)


def launches_of(runs: Sequence[Run]) -> tuple[int, ...]:
    """How many launches of each session measured something, of the ranks that had most."""
    found = []
    for run in runs:
        made = {(group_of(run.cases[batch.case]), batch.launch) for batch in run.measured}
        for session in run.sessions:
            counts = Counter(group for group, launch in made if launch in session)
            found.append(max(counts.values(), default=0))
    return tuple(made for made in found if made)


def made_by(sessions: Sequence[int]) -> str:
    """Sessions by their numbers of launches: "2 sessions of 5 and 4 launches".

    Of many only how many launches they have at least and at most.
    """
    made = counted(len(sessions), "session")
    least, most = min(sessions), max(sessions)
    if len(sessions) > MOST_NAMED:
        some = f"{least} to " if least < most else ""
        return f"{made} of {some}{counted(most, 'launch')}{'' if some else ' each'}"
    counts = " and ".join(str(number) for number in sessions)
    what = "launch" if list(sessions) == [1] else "launches"
    return f"{made} of {counts} {what}"


def rests_on(run: Run) -> tuple[str, ...]:
    """What one record's intervals do not show, and how to measure another session.

    Nothing of three sessions or more, and nothing of a simulation, which repeats itself.
    """
    made = launches_of([run])
    if run.header.plan.simulated or len(made) not in FEW:
        return ()
    limit = OTHER_DAYS if len(made) == 1 else FEW_SESSIONS
    command = another_session([next_session_of(run)])
    return (f"{made_by(made)}: {limit}; {command}, and see whether it says the same",)


def another_session(further: Iterable[NextSession]) -> str:
    """What to type for one more session of each record."""
    commands = dict.fromkeys(again.command() for again in further)
    return f"for another session, run at another time {' and '.join(commands)}"


def _lengths(before: str, lengths_s: Sequence[float], after: str = "") -> str:
    """How long each takes, once; empty of what weft does not measure itself."""
    words = " and ".join(dict.fromkeys(map(format_duration, lengths_s)))
    return f"{before} {words}{after}" if words else ""
