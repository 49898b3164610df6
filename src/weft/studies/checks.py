"""A check: the records of a machine against limits, or against earlier records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.acceptance import (
    ASSUMED_SCATTER,
    EXIT_STATUS,
    Checked,
    Outcome,
    against_record,
    overall,
)
from weft.analysis.compare.conditions import differences_of_runs
from weft.analysis.compare.kept_limits import against_limits
from weft.analysis.compare.pool import is_same_run, pool
from weft.analysis.compare.sessions import (
    JUDGED_BY_THE_OTHER,
    ONE_BY_ITSELF,
    in_time,
    measured_in_words,
    sessions_in_words,
)
from weft.analysis.compare.sides import never_left_a_host, sides_within_a_host
from weft.analysis.network_counters import COUNTED_KINDS
from weft.analysis.stats.launches import launches_of, next_session_of, what_would_tell
from weft.analysis.stats.needed import in_order
from weft.errors import WeftError, without_effect
from weft.record.run import Run
from weft.sources.limits import read_requirements
from weft.sources.named import files_named
from weft.sources.records import records_named
from weft.studies.map_changes import are_maps, changed_maps, checks_of
from weft.studies.map_limits import checks_of_limits
from weft.topics.network_counters import without_events
from weft.wording import counted, hosts_in_words, in_a_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weft.analysis.diagnosis.measured import FabricOf
    from weft.analysis.network_counters import CountedKind
    from weft.plan.command import NextSession

_TESTED = "the records under test"
_REFERENCE = "the reference"


class CheckedMachine(msgspec.Struct, frozen=True, kw_only=True):
    """The checks of a machine and the answer of all of them together.

    `unlike` is how the machine differs from the reference's, `notes` stand under the answers, and
    `required` is the ratio of speeds that passes, None where limits were checked. `measured` says
    of each side on what, when and how much it was.
    """

    outcome: Outcome
    unlike: tuple[str, ...]
    notes: tuple[str, ...]
    checks: tuple[Checked, ...]
    required: float | None = None
    measured: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """What a shell gets for the answer."""
        return EXIT_STATUS[self.outcome]


def are_limits(against: Sequence[Path | Run]) -> bool:
    """Whether a machine is held against limits, of which there has to be one file."""
    return any(path.suffix == ".toml" for path in _files(against))


def _files(against: Sequence[Path | Run]) -> list[Path]:
    return files_named(one.path if isinstance(one, Run) else one for one in against)


def event_kinds(text: str) -> tuple[CountedKind, ...]:
    """The kinds of events in a list with commas. Raises WeftError for an unknown one."""
    asked = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := [word for word in asked if word not in COUNTED_KINDS]:
        choice = in_a_row(COUNTED_KINDS, "or")
        raise WeftError(f"no counter is called {unknown[0]}", f"choose from {choice}")
    return tuple(kind for kind in COUNTED_KINDS if kind in asked)


def checked(
    records: Sequence[Path | Run],
    against: Sequence[Path | Run],
    slack: float,
    fabric_of: FabricOf | None = None,
    scatter: float | None = None,
    require_none: Sequence[CountedKind] = (),
) -> CheckedMachine:
    """All launches of the records against one limits file, or against the records named.

    No host may have counted events of the kinds in `require_none`.
    Of records `slack` is the share by which the machine may be slower; of maps `fabric_of` gives
    the topology where it is known. `scatter` is the standard deviation between launches that is
    assumed of other programs' tables which show none; ASSUMED_SCATTER where it is not given. Raises
    WeftError.
    """
    runs = records_named(records)
    references = [] if are_limits(against) else records_named(against)
    if scatter is not None and not any(run.header.imported for run in (*runs, *references)):
        why = "it is for tables of other programs, and these records are weft's"
        raise without_effect("--scatter", why)
    assumed = ASSUMED_SCATTER if scatter is None else scatter
    if are_limits(against):
        return _by_limits(runs, _files(against), assumed, require_none)
    found = (
        _by_records(runs, references, slack, fabric_of, assumed) if references else _NOTHING_ASKED
    )
    checks = (*found.checks, *without_events(runs, require_none))
    return msgspec.structs.replace(found, checks=checks, outcome=overall(checks))


_NOTHING_ASKED = CheckedMachine(outcome="pass", unlike=(), notes=(), checks=())


def _by_records(
    runs: Sequence[Run],
    references: Sequence[Run],
    slack: float,
    fabric_of: FabricOf | None,
    assumed: float,
) -> CheckedMachine:
    for reference in references:
        if any(is_same_run(run, reference) for run in runs):
            raise WeftError(
                f"{reference.path} is the record under test itself",
                "use another record after --against",
            )
    if are_maps([*runs, *references]):
        return _of_maps(runs, references, slack, fabric_of)
    if fabric_of:
        raise WeftError("--topology has no effect: these records are no maps", "omit --topology")
    checks = against_record(pool(runs, assumed), pool(references, assumed), slack)
    rests_on = {_TESTED: _launches_measured(runs), _REFERENCE: _launches_measured(references)}
    last = zip(rests_on, (runs[-1], references[-1]), strict=True)
    further = {name: next_session_of(run) for name, run in last}
    to_do = _without_verdict(checks, [*further.values()])
    basis = sessions_in_words(rests_on, JUDGED_BY_THE_OTHER, {} if to_do else further)
    return CheckedMachine(
        outcome=overall(checks),
        unlike=differences_of_runs(references[0], runs[0]),
        notes=(*to_do, *_within_hosts(runs, references), *basis, *in_time([*runs, *references])),
        checks=checks,
        required=1 / (1 + slack),
        measured=_measured({_TESTED: runs, _REFERENCE: references}),
    )


def _launches_measured(runs: Sequence[Run]) -> tuple[int, ...]:
    """As launches_of; a simulation is the same on any day and after any boot."""
    return launches_of([run for run in runs if run.header.plan.simulated is None])


def _within_hosts(runs: Sequence[Run], references: Sequence[Run]) -> list[str]:
    sides = {"what was tested": runs, _REFERENCE: references}
    return sides_within_a_host(
        ((name, never_left_a_host(own)) for name, own in sides.items()),
        "a link is not what was checked",
    )


def _of_maps(
    runs: Sequence[Run], references: Sequence[Run], slack: float, fabric_of: FabricOf | None
) -> CheckedMachine:
    """Who got slower since the earlier maps."""
    checks = checks_of(changed_maps(references, runs, fabric_of), slack)
    return CheckedMachine(
        outcome=overall(checks),
        unlike=differences_of_runs(references[0], runs[0]),
        notes=in_time([*runs, *references]),
        checks=checks,
        required=1 / (1 + slack),
        measured=_measured({_TESTED: runs, _REFERENCE: references}),
    )


def _by_limits(
    runs: Sequence[Run],
    against: Sequence[Path],
    assumed: float,
    require_none: Sequence[CountedKind],
) -> CheckedMachine:
    if len(against) > 1:
        raise WeftError(
            "--against takes one limits file or several records, not both",
            "use --against limits.toml once, or records only",
        )
    limits, kinds = read_requirements(against[0])
    checks: tuple[Checked, ...] = ()
    if are_maps(runs):
        checks = checks_of_limits(runs, limits)
    elif limits:
        checks = against_limits(pool(runs, assumed), limits)
    checks = (*checks, *without_events(runs, dict.fromkeys((*kinds, *require_none))))
    rests_on = {_TESTED: _launches_measured(runs)}
    further = {_TESTED: next_session_of(runs[-1])}
    to_do = _without_verdict(checks, [*further.values()])
    basis = sessions_in_words(rests_on, further={} if to_do else further, one=ONE_BY_ITSELF)
    return CheckedMachine(
        outcome=overall(checks),
        unlike=(),
        notes=(*to_do, *basis, *in_time(runs)),
        checks=checks,
        measured=_measured({_TESTED: runs}),
    )


def _measured(sides: Mapping[str, Sequence[Run]]) -> tuple[str, ...]:
    return tuple(
        measured_in_words(
            name,
            hosts_in_words(dict.fromkeys(host for run in runs for host in run.header.hosts)),
            [run.header.created_utc for run in runs],
            launches_of(runs),
        )
        for name, runs in sides.items()
    )


def _without_verdict(checks: Sequence[Checked], again: Sequence[NextSession]) -> list[str]:
    """What answers all that the scatter leaves open; sizes that hang on their curve do not count.

    Where no number does for some, what answers the others.
    """
    curves = {check.case: check.outcome for check in checks if check.bytes is None}
    every = [
        check.needed
        for check in checks
        if check.needed and curves.get(check.curve) != "cannot tell"
    ]
    known = in_order(one for one in every if one.is_possible) or in_order(every)
    if not known:
        return []
    possible = sum(one.is_possible for one in every) or len(every)
    purpose = f"answer {possible} of {counted(len(every), 'open check')}"
    return [what_would_tell(known[-1], purpose, again)]
