"""The methods paragraph of a paper, from a record, and which rules of measuring it keeps.

The rules are the twelve of Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems
(SC'15), each in our words: one that the record shows to be kept has its reason, and so has one that
it does not keep, or that only the authors can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.stats.intervals import WIDENING
from weft.errors import printable_lines
from weft.host.manifest import typed
from weft.report.front import ranks_of
from weft.report.markup import latex_text
from weft.units import format_bytes, format_percent, format_time
from weft.wording import counted, in_a_row, verb_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Imported
    from weft.record.run import Run
    from weft.topics.base import Results

State = Literal["kept", "not kept", "yours", "not asked"]
SOURCE = "Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems, SC'15"
# How a rule's state is marked in a list.
MARKS: dict[State, str] = {"kept": "[x]", "not kept": "[ ]", "yours": "[?]", "not asked": "[-]"}
_LEGEND = "[x] kept, [ ] not kept, [?] for the authors to say, [-] not asked by this record."


class KeptRule(msgspec.Struct, frozen=True, kw_only=True):
    """One of the twelve rules, whether this record keeps it, and why."""

    number: int
    asks: str
    state: State
    reason: str


class Methods(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper says of how a record was measured: sentences by their subject, and the rules."""

    sections: tuple[tuple[str, str], ...]
    rules: tuple[KeptRule, ...]


def methods_of(results: Results) -> Methods:
    """The paragraph and the rules of a record."""
    run, summaries = results.run, results.summaries
    sections = (
        ("Hardware", _hardware(run)),
        ("Software", _software(run)),
        ("Measurement", _measurement(results)),
        ("Statistics", _statistics(run, summaries)),
    )
    return Methods(
        sections=tuple((name, words) for name, words in sections if words),
        rules=tuple(
            KeptRule(number=number, asks=asks, state=state, reason=reason)
            for number, (asks, (state, reason)) in enumerate(_rules(results), start=1)
        ),
    )


def methods_text(found: Methods) -> str:
    """The paragraph and the rules as plain text."""
    lines = [f"{name}. {words}" for name, words in found.sections]
    rules = [f"{MARKS[one.state]} {one.number}. {one.asks}: {one.reason}." for one in found.rules]
    text = "\n\n".join([*lines, "\n".join([f"The rules of {SOURCE}.", _LEGEND, *rules])]) + "\n"
    return printable_lines(text)


def methods_latex(found: Methods) -> str:
    """The same as LaTeX: paragraphs, and the rules as a description."""
    parts = [rf"\paragraph{{{name}.}} {latex_text(words)}" for name, words in found.sections]
    items = [
        rf"\item[{one.number}, {one.state}] {latex_text(f'{one.asks}: {one.reason}.')}"
        for one in found.rules
    ]
    head = rf"\paragraph{{Rules.}} {latex_text(f'As in {SOURCE}.')}"
    rules = "\n".join([head, r"\begin{description}", *items, r"\end{description}"])
    return "\n\n".join([*parts, rules]) + "\n"


def _hardware(run: Run) -> str:
    platform = run.header.plan.simulated
    if platform:
        return f"Nothing was measured: {platform.in_words} was simulated."
    kinds: dict[str, list[str]] = {}
    for name, manifest in run.header.hosts.items():
        kinds.setdefault(_machine(manifest), []).append(name)
    if not kinds:
        return "The record does not say on which hosts it was measured."
    return " ".join(
        f"{in_a_row(names, 'and')} {verb_of(len(names), 'have')} {words}."
        if words
        else f"Of {in_a_row(names, 'and')} the record tells nothing."
        for words, names in kinds.items()
    )


def _machine(manifest: Mapping[str, Any]) -> str:
    """A host's processor, memory and network, and whether it is a virtual machine."""
    facts = typed(dict(manifest))
    parts = [facts.cpu.model or "", counted(facts.cpu.cores, "core") if facts.cpu.cores else ""]
    if facts.memory.total_bytes:
        parts.append(f"{facts.memory.total_bytes / 2**30:.0f} GiB of memory")
    parts += [
        f"{device.board or device.driver or 'RDMA'} {device.name}"
        + "".join(f" at {port.rate_gbit_per_s:g} Gbit/s" for port in device.ports[:1]
                  if port.rate_gbit_per_s)
        for device in facts.rdma
    ]  # fmt: skip
    parts += [
        f"{one.name} at {one.speed_mbit_per_s / 1000:g} Gbit/s"
        for one in facts.interfaces
        if one.speed_mbit_per_s and one.speed_mbit_per_s > 0
    ]
    if facts.cpu.governor:
        parts.append(f"the governor {facts.cpu.governor}")
    if facts.system.is_virtual:
        parts.append(f"a virtual machine of {facts.system.hypervisor or 'an unknown hypervisor'}")
    return ", ".join(filter(None, parts))


def _software(run: Run) -> str:
    if imported := run.header.imported:
        return f"{imported.program}, whose output was read by weft {run.header.weft_version}."
    first = next(iter(run.header.hosts.values()), {})
    software = typed(dict(first)).software
    mpi = dict.fromkeys(one.mpi for one in run.launches.values())
    parts = [f"weft {run.header.weft_version}", *mpi]
    parts += [f"{name} {version}" for name, version in sorted((software.libraries or {}).items())
              if name in _LIBRARIES]  # fmt: skip
    parts += [software.distribution or "", f"Linux {software.kernel}" if software.kernel else ""]
    return ", ".join(filter(None, parts)) + "."


_LIBRARIES = ("ucx", "libfabric", "rdma-core", "hwloc", "glibc")


def _measurement(results: Results) -> str:
    run, summaries = results.run, results.summaries
    plan = run.header.plan
    sizes = sorted({one.bytes for one in summaries})
    tests = in_a_row(list(dict.fromkeys(one.test for one in summaries)), "and")
    over = in_a_row(list(dict.fromkeys(one.transport for one in summaries)), "and")
    span = format_bytes(sizes[0]) if len(sizes) == 1 else (
        f"{format_bytes(sizes[0])} to {format_bytes(sizes[-1])}, {counted(len(sizes), 'size')}"
    )  # fmt: skip
    words = [
        f"{tests} over {over}, {span}, {ranks_of(results)}: {counted(len(summaries), 'case')}."
    ]
    if run.header.imported:
        return f"{words[0]} {_as_printed(run.header.imported)}"
    made = counted(len(run.launches), "launch")
    words.append(
        f"{made} of the ranks, {plan.launches} asked of each case, in an order drawn from the seed"
        f" {plan.seed}; the command was: {' '.join(run.header.command)}."
    )
    samples = sum(one.samples for one in summaries)
    words.append(f"{counted(samples, 'sample')} without those of the warm-up.")
    words.append("Times are virtual: the simulator's." if plan.simulated else _clock(run))
    words.append(
        "Received buffers were compared byte by byte with what was sent, outside the timed region."
    )
    return " ".join(filter(None, words))


def _as_printed(imported: Imported) -> str:
    by = f", by: {imported.command}" if imported.command else ""
    return f"Figures as {imported.tool} printed them in {counted(len(imported.files), 'file')}{by}."


def _clock(run: Run) -> str:
    first = next(iter(run.launches.values()), None)
    clock = run.clocks.get(first.launch) if first else None
    if clock is None:
        return ""
    return (
        f"Times are of {clock.name} on rank 0, {format_time(clock.tick_ns)} a tick; a pair of reads"
        f" costs {format_time(clock.cost_ns)}, and a sample spans as many operations as keep that"
        " below 1 %, except where each is timed by itself."
    )


def _statistics(run: Run, summaries: Sequence[CaseSummary]) -> str:
    plan = run.header.plan
    good = [one for one in summaries if one.status == "ok"]
    if run.header.imported and not any(map(_has_interval, good)):
        return "What the other program states, without intervals of ours."
    if run.header.imported:
        return (
            "A figure is the median over files, each a launch, of what the other program states;"
            f" its 95 % interval is over them: {_methods_of_intervals(good)}."
        )
    if plan.simulated:
        return "Repeats are identical, so that no figure has an interval."
    settled = sum(one.settled for one in good)
    percent = format_percent(100 * plan.precision)
    return (
        "A figure is the median over launches of each launch's median; its 95 % interval is over"
        f" launches: {_methods_of_intervals(good)}."
        f" {settled} of {counted(len(summaries), 'case')} reached ±{percent} within the budget of"
        f" {plan.budget_s:g} s."
    )


def _figure(one: CaseSummary) -> Any:
    return one.latency_ns or one.bandwidth_bytes_per_s


def _has_interval(one: CaseSummary) -> bool:
    figure = _figure(one)
    return bool(figure and figure.is_bounded)


def _methods_of_intervals(good: Sequence[CaseSummary]) -> str:
    counts = sorted({one.launches for one in good})
    parts = []
    if any(count in WIDENING for count in counts):
        parts.append("the range of two to five launches, widened as log-normal ones need")
    if any(count > max(WIDENING) for count in counts):
        parts.append("interpolated order statistics of six launches or more")
    if 1 in counts:
        parts.append("none of one launch")
    return "; ".join(parts) or "no case was measured"


_OF_RATIOS = (
    "the record has times and rates; ratios are made of two records only, by weft compare, and are"
    " geometric means there"
)
_OF_PLOTS = (
    "weft draws intervals as bars and joins the sizes of one curve alone; of other plots the"
    " authors say"
)


def _rules(results: Results) -> list[tuple[str, tuple[State, str]]]:
    """What each rule asks, and the answer of the record."""
    run, summaries = results.run, results.summaries
    good = [one for one in summaries if one.status == "ok"]
    return [
        ("Of a speed-up, the base case and its absolute time", _speed_ups(run)),
        ("Why only a part of the tests or of the machine", _subsets(summaries)),
        ("Arithmetic means of costs, harmonic ones of rates", _means(run)),
        ("No summary of ratios where costs or rates can be summarised",
         ("kept", _OF_RATIOS)),
        ("Whether values repeat exactly; else intervals", _intervals(run, good)),
        ("No normal distribution without a check", _normality(run, good)),
        ("Comparisons that are statistically sound",
         ("not asked", "nothing is compared in one record; weft compare has intervals of ratios")),
        ("Other percentiles where the median does not tell", _percentiles(run, good)),
        ("All factors, their levels and the whole set-up", _set_up(run)),
        ("How it was measured, synchronised and summarised", _technique(run)),
        ("Upper bounds of the performance", _bounds(good)),
        ("Plots with what is needed; lines only where they mean something",
         ("kept", _OF_PLOTS)),
    ]  # fmt: skip


def _speed_ups(run: Run) -> tuple[State, str]:
    counts = sorted({one.ranks for one in run.cases.values() if one.of_application})
    if len(counts) < 2:
        return "not asked", "no program was measured on several numbers of ranks: no speed-up"
    return "kept", (
        f"efficiencies are over the run of {counted(counts[0], 'rank')} of the same program, whose"
        " time stands in the same table"
    )


def _subsets(summaries: Sequence[CaseSummary]) -> tuple[State, str]:
    tests = len({one.test for one in summaries})
    lost = sum(one.status != "ok" for one in summaries)
    words = f"the record has {counted(tests, 'test')}; say why these, and why so many ranks"
    if lost:
        words += f"; {lost} of {counted(len(summaries), 'case')} without a figure, with the reason"
    return "yours", words


def _means(run: Run) -> tuple[State, str]:
    if run.header.imported:
        kinds = sorted({batch.stated.figure for batch in run.lines.batches if batch.stated})
        return "yours", (
            f"{run.header.imported.tool} states {in_a_row([f'{one}s' for one in kinds], 'and')};"
            " say how it makes a rate of times"
        )
    return "kept", "figures are medians; a bandwidth is bytes over the median time"


def _intervals(run: Run, good: Sequence[CaseSummary]) -> tuple[State, str]:
    if run.header.plan.simulated:
        return "kept", "simulated: repeats are identical, and the record says so"
    if not good:
        return "not kept", "no case was measured"
    without = [one for one in good if not _has_interval(one)]
    if without:
        more = "import further runs" if run.header.imported else "measure more launches"
        return "not kept", (
            f"{len(without)} of {counted(len(good), 'case')} without an interval, first"
            f" {without[0].case}: {more}"
        )
    return "kept", f"each of {counted(len(good), 'case')} has a 95 % interval over launches"


def _normality(run: Run, good: Sequence[CaseSummary]) -> tuple[State, str]:
    if run.header.plan.simulated or not any(map(_has_interval, good)):
        return "not asked", "no interval is computed"
    few = [one for one in good if one.launches in WIDENING]
    if few:
        return "not kept", (
            f"{len(few)} of {counted(len(good), 'case')} of at most"
            f" {counted(max(WIDENING), 'launch')}: their intervals suppose log-normal launches,"
            " which so few cannot show"
        )
    return "kept", "order statistics of six launches or more suppose no distribution"


def _percentiles(run: Run, good: Sequence[CaseSummary]) -> tuple[State, str]:
    if run.header.imported:
        return "not kept", "the record has no samples"
    if run.header.plan.simulated:
        return "not asked", "simulated: repeats are identical"
    modes = sum(any("two modes" in flag for flag in one.flags) for one in good)
    words = (
        "the record has the samples, of many ranks their quantiles; percentiles stand where there"
        " are samples enough"
    )
    return "kept", f"{words}; {counted(modes, 'case')} with two modes" if modes else words


def _set_up(run: Run) -> tuple[State, str]:
    if not run.header.hosts:
        why = "simulated: the platform is in the record" if run.header.plan.simulated else ""
        return ("kept", why) if why else ("not kept", "the record does not describe the hosts")
    return "yours", (
        "the record has hosts, versions, options, order, seed and command; add what no host knows:"
        " switches, cables, other jobs, the room"
    )


def _technique(run: Run) -> tuple[State, str]:
    if run.header.imported:
        return "not kept", f"what {run.header.imported.tool} does is not in the record"
    if run.header.plan.simulated:
        return (
            "kept",
            "simulated: times have no clock's cost; the record has the way of each test",
        )
    return "kept", (
        "the clock, its cost, warm-up, operations of a sample and the way of each test are in the"
        " record, and stand above"
    )


def _bounds(good: Sequence[CaseSummary]) -> tuple[State, str]:
    rates = [one for one in good if one.bandwidth_bytes_per_s]
    known = [one for one in rates if one.percent_of_peak is not None]
    if not rates:
        return "not asked", "the record has no bandwidth"
    if not known:
        return "not kept", "the link of none is known: weft show --link names one"
    return "kept", (
        f"{len(known)} of {counted(len(rates), 'bandwidth')} stand beside the peak of"
        f" {known[0].link}"
    )
