"""What a platform from a record predicts of the patterns that took no part in it.

Hot spots, random pairs, collective operations and halos of the record are simulated on the platform
and laid beside what was measured: believe a prediction of such a pattern as far as its error here.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.summary import summarise
from weft.applications import asked_of
from weft.plan.cases import Experiment, Variants
from weft.record.rank_times import shares_cores
from weft.sim.algorithms import algorithms_of, taken_by
from weft.sim.crossbar import at_crossbar
from weft.sim.host_times import POSTING, RECEIVING
from weft.sim.measured import MADE_OF, HeldOut, shows_additions
from weft.studies.reproduction import simulated_run
from weft.tables import Table
from weft.topics import results_of
from weft.topics.scaling.rows import scaling_of
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.plan.case import Case
    from weft.record.run import Run
    from weft.sim.measured import Measured

# What is simulated of many sizes: the smallest, the largest and one between.
_MOST_SIZES = 3
_BY = "the platform"
# What the simulator takes of sums by itself.
_USUAL = "recursive-doubling"
# What tells most of a platform.
_WANTED = ("sendrecv", "stream", "hot_spot", "allreduce", "halo")
# Ranks that poll make a load of one for each core.
_MUCH_LOAD = 1.5
_USUAL_RANKS = 2


def patterns_held_out(found: Measured) -> tuple[HeldOut, ...]:
    """The patterns of the records, each measured and predicted. Raises WeftError."""
    measured = {
        case: (figure, run)
        for run in found.runs
        for case, figure in _figures(run, found.transport).items()
        # What an application computes is no fabric's.
        if case.test not in MADE_OF
        and not run.patterns[case.test].application.computes
        # Those two ranks' sums say what a rank adds.
        and not shows_additions(case)
    }
    chosen = _few_sizes(tuple(measured))
    if not chosen:
        return ()
    nodes = max(case.ranks for case in chosen)
    named = msgspec.structs.replace(found.platform, nodes=nodes)
    simulated: dict[Case, float] = {}
    for settings, cases in _by_settings(chosen, measured):
        platform = at_crossbar(
            named,
            found.protocols,
            "held-out patterns",
            sum_bytes_per_s=found.sum_bytes_per_s,
            more_settings=settings,
        )
        run = simulated_run(platform, tuple(_experiment(case) for case in cases))
        simulated |= _figures(run, "sim")
    return tuple(
        HeldOut(
            what=_words(case),
            by=_BY,
            bytes=case.message_bytes,
            measured=measured[case][0],
            predicted=simulated[case],
            is_rate=case.application is None and not _is_collective(measured[case][1], case),
            shares_cores=_shared(measured[case][1], case, found.transport),
        )
        for case in chosen
        if case in simulated
    )


def _by_settings(
    chosen: Sequence[Case], measured: Mapping[Case, tuple[float, Run]]
) -> Iterator[tuple[dict[str, str], list[Case]]]:
    """The cases with the settings of the simulator for the algorithms that their library took, as
    far as that is known; where it is not, or is the simulator's own, without any."""
    by_name: dict[str, list[Case]] = {}
    for case in chosen:
        libraries = {one.mpi for one in measured[case][1].lines.launches}
        library = libraries.pop() if len(libraries) == 1 else ""
        name = taken_by(library, case.test, case.ranks, case.bytes)
        by_name.setdefault("" if name == _USUAL else name, []).append(case)
    for name, cases in by_name.items():
        known = algorithms_of(cases[0].test, name, cases[0].ranks) if name else {}
        yield known.get(name, {}), cases


def held_out_table(found: Measured, patterns: Sequence[HeldOut], lack: str = "") -> Table:
    """All that was held out beside what was predicted, and the mean of the errors by test.

    `lack` says why there are no patterns.
    """
    every = (*found.held_out, *patterns)
    rows = []
    for one in every:
        shape = format_bandwidth if one.is_rate else format_time
        rows.append(
            (
                one.what + ("*" if one.shares_cores else ""),
                format_bytes(one.bytes),
                shape(one.measured),
                shape(one.predicted),
                f"{one.error_percent:+.1f} %",
                one.by,
            )
        )
    return Table(
        name="held_out",
        caption=f"{found.platform.name}: what was held out, measured and predicted",
        head=("", "size", "measured", "predicted", "error", "by"),
        rows=tuple(rows),
        notes=tuple(filter(None, (*_means(every), *_causes(found, every), lack))),
        left=(0, 5),
    )


def _means(every: Sequence[HeldOut]) -> list[str]:
    """The means of the errors by test, of ranks that had cores of their own."""
    own = sorted((one for one in every if not one.shares_cores), key=_test_of)
    means = []
    for test, group in groupby(own, _test_of):
        errors = [abs(one.error_percent) for one in group]
        means.append(f"{test} {sum(errors) / len(errors):.1f} %")
    return [f"mean of the errors: {', '.join(means)}"] if means else []


def _test_of(one: HeldOut) -> str:
    test = one.what.partition(" ")[0]
    return f"{test} by {one.by}" if one.by != _BY else test


def _causes(found: Measured, every: Sequence[HeldOut]) -> list[str]:
    """What of the errors is no fabric's, in a line each."""
    notes = []
    if any(one.shares_cores for one in every):
        notes.append(
            "* ranks shared cores: they wait for turns of the scheduler, which no fabric has;"
            " measure with a core for each rank"
        )
    hosts = {host for run in found.runs for host in run.header.hosts}
    if len(hosts) == 1 and not found.runs[0].header.plan.simulated:
        notes.append(
            "all ranks were on one host: its processors copy the messages, and what copies does"
            " nothing else; measure between two nodes for a platform of a fabric"
        )
    if busy := _load(found):
        notes.append(busy)
    if not any(one.by == "other sizes" for one in every):
        notes.append("too few sizes of ping_pong to hold any out: use --sizes 0..4MiB")
    absent = [test for test in _WANTED if not _has(every, test)]
    if absent:
        notes.append(f"not in the record, so not predicted: {', '.join(absent)}")
    if unused := _unused(found, every):
        notes.append(f"in the record, but a platform is not made of it: {', '.join(unused)}")
    return notes


def _unused(found: Measured, every: Sequence[HeldOut]) -> list[str]:
    """The tests that neither made the platform nor were predicted by it."""
    tests = {
        case.test: None
        for run in found.runs
        for case in run.cases.values()
        if case.key in run.measured_by_case
        and case.test not in (*MADE_OF, POSTING, RECEIVING)
        and not run.patterns[case.test].application.computes
        and not shows_additions(case)
    }
    return [test for test in tests if not _has(every, test)]


def _load(found: Measured) -> str:
    """That other processes had the cores too, which is in all figures; empty where they had not."""
    manifests = [host for run in found.runs for host in run.header.hosts.values()]
    cores = min((len(one.get("cpu", {}).get("allowed_cpus", ())) for one in manifests), default=0)
    load = max((one.load_average for run in found.runs for one in run.lines.launches), default=0)
    if not cores or load <= _MUCH_LOAD * cores or found.runs[0].header.plan.simulated:
        return ""
    return (
        f"the load average was up to {load:.1f} on {counted(cores, 'core')}: other processes took"
        " turns with the ranks; measure again when the machine is quiet"
    )


def _has(every: Sequence[HeldOut], test: str) -> bool:
    return any(one.what.startswith(test) for one in every)


def _figures(run: Run, transport: str) -> dict[Case, float]:
    """Of each case that went well, whatever it went over: an iteration or an operation of all
    ranks, ns, or bytes/s.
    """
    results = results_of(run, summarise(run))
    iterations = {row.case: row.iteration_ns.value for row in scaling_of(results).all}
    found = {}
    for one in results.summaries:
        is_collective = _is_collective(run, run.cases[one.case])
        known = one.latency_ns if is_collective else one.bandwidth_bytes_per_s
        figure = iterations.get(one.case, known.value if known else None)
        if one.status == "ok" and one.transport == transport and figure:
            found[run.cases[one.case].but_for("transport")] = figure
    return found


def _is_collective(run: Run, case: Case) -> bool:
    return run.patterns[case.test].figure == "collective"


def _few_sizes(cases: Sequence[Case]) -> list[Case]:
    """Of each pattern and variant a few sizes, those of the most points alone; no empty message."""
    last = {
        case.but_for("bytes", "point"): max(
            other.point or 0
            for other in cases
            if other.but_for("bytes", "point") == case.but_for("bytes", "point")
        )
        for case in cases
    }
    by_variant: dict[Case, list[Case]] = {}
    for case in cases:
        if case.bytes and (case.point or 0) == last[case.but_for("bytes", "point")]:
            by_variant.setdefault(case.but_for("bytes"), []).append(case)
    chosen: list[Case] = []
    for own in by_variant.values():
        own.sort(key=lambda case: case.bytes)
        few = (own[0], own[len(own) // 2], own[-1]) if len(own) > _MOST_SIZES else own
        chosen += few
    return chosen


def _experiment(case: Case) -> Experiment:
    """The case alone, to be simulated."""
    variants = Variants(
        queue_depths=(case.queue_depth,),
        points=(case.point,) if case.point is not None else (),
        application=asked_of(case.application),
        single=case.single,
    )
    return Experiment(
        tests=(case.test,), sizes=str(case.bytes), ranks=case.ranks, variants=variants
    )


def _words(case: Case) -> str:
    """As short as fits a terminal: where nothing else is said there are two ranks."""
    of = case.of_application
    lattice = f" {of.shape}" if of else ""
    point = f" of {case.point}" if case.point is not None else ""
    ranks = f" on {counted(case.ranks, 'rank')}" if case.ranks != _USUAL_RANKS else ""
    return f"{case.test}{lattice}{point}{ranks}"


def _shared(run: Run, case: Case, transport: str) -> bool:
    key = msgspec.structs.replace(case, transport=transport).key
    return shares_cores(run, [batch for batch in run.measured if batch.case == key])
