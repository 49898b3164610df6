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
_LEGEND = "[x] met, [ ] not met, [?] for the authors to answer, [-] does not apply to this record."


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
        return f"Results are simulated, not measured. Platform: {platform.in_words}."
    kinds: dict[str, list[str]] = {}
    for name, manifest in run.header.hosts.items():
        kinds.setdefault(_machine(manifest), []).append(name)
    if not kinds:
        return "The record does not name its hosts."
    return " ".join(
        f"{in_a_row(names, 'and')} {verb_of(len(names), 'have')} {words}."
        if words
        else f"The record does not describe {in_a_row(names, 'and')}."
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
        parts.append(f"a virtual machine ({facts.system.hypervisor or 'unknown hypervisor'})")
    return ", ".join(filter(None, parts))


def _software(run: Run) -> str:
    if imported := run.header.imported:
        return f"{imported.program}; weft {run.header.weft_version} imported its output."
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
        f"{counted(len(sizes), 'size')} from {format_bytes(sizes[0])} to {format_bytes(sizes[-1])}"
    )  # fmt: skip
    words = [
        f"{tests} over {over}, {span}, {ranks_of(results)}: {counted(len(summaries), 'case')}."
    ]
    if run.header.imported:
        return f"{words[0]} {_as_printed(run.header.imported)}"
    words.append(
        f"The ranks were launched {counted(len(run.launches), 'time')},"
        f" {counted(plan.launches, 'time')} per case, in random order (seed {plan.seed})."
        f" Command: {' '.join(run.header.command)}."
    )
    samples = sum(one.samples for one in summaries)
    words.append(f"The record has {counted(samples, 'sample')} after warm-up.")
    words.append("Times are the simulator's virtual time." if plan.simulated else _clock(run))
    words.append(
        "Received data were compared with the data sent, byte by byte, outside the timed region."
    )
    return " ".join(filter(None, words))


def _as_printed(imported: Imported) -> str:
    by = f" Command: {imported.command}." if imported.command else ""
    files = counted(len(imported.files), "file")
    return f"The results are those that {imported.tool} printed, from {files}.{by}"


def _clock(run: Run) -> str:
    first = next(iter(run.launches.values()), None)
    clock = run.clocks.get(first.launch) if first else None
    if clock is None:
        return ""
    return (
        f"Times come from {clock.name} on rank 0, with {format_time(clock.tick_ns)} per tick."
        f" Two reads cost {format_time(clock.cost_ns)}. Each sample spans enough operations to keep"
        " that cost below 1 %, unless operations are timed one by one."
    )


def _statistics(run: Run, summaries: Sequence[CaseSummary]) -> str:
    plan = run.header.plan
    good = [one for one in summaries if one.status == "ok"]
    if run.header.imported and not any(map(_has_interval, good)):
        return "The results are those of the other program; weft adds no intervals."
    if run.header.imported:
        return (
            "Each result is the median over files, which count as launches."
            f" Its 95 % interval covers launches: {_methods_of_intervals(good)}."
        )
    if plan.simulated:
        return "Repeated simulations are identical, so results have no interval."
    settled = sum(one.settled for one in good)
    percent = format_percent(100 * plan.precision)
    return (
        "Each result is the median of the launches' medians. Its 95 % interval covers"
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
        parts.append("for two to five launches, their range, widened for log-normal medians")
    if any(count > max(WIDENING) for count in counts):
        parts.append("for six launches or more, interpolated order statistics")
    if 1 in counts:
        parts.append("for one launch, no interval")
    return "; ".join(parts) or "no case was measured"


_OF_RATIOS = (
    "the record has times and rates; only weft compare forms ratios, of two records, and summarises"
    " them by geometric means"
)
_OF_PLOTS = (
    "weft draws intervals as bars and connects only the sizes of one curve; the authors answer for"
    " other plots"
)


def _rules(results: Results) -> list[tuple[str, tuple[State, str]]]:
    """What each rule asks, and the answer of the record."""
    run, summaries = results.run, results.summaries
    good = [one for one in summaries if one.status == "ok"]
    return [
        ("Speedup: give the base case and its absolute time", _speed_ups(run)),
        ("Give the reason for using a subset of benchmarks or nodes", _subsets(summaries)),
        ("Use arithmetic means for costs, harmonic means for rates", _means(run)),
        ("Do not summarise ratios if costs or rates can be summarised",
         ("kept", _OF_RATIOS)),
        ("Say whether results are deterministic; if not, give intervals", _intervals(run, good)),
        ("Do not assume a normal distribution without a check", _normality(run, good)),
        ("Compare results by sound statistics",
         ("not asked", "one record compares nothing; weft compare gives intervals of ratios")),
        ("Report other percentiles where the median is not enough", _percentiles(run, good)),
        ("Document all factors, their levels and the setup", _set_up(run)),
        ("Document measurement, synchronisation and summaries", _technique(run)),
        ("Give upper bounds of performance", _bounds(good)),
        ("Plot as much as needed; connect points only where a line has a meaning",
         ("kept", _OF_PLOTS)),
    ]  # fmt: skip


def _speed_ups(run: Run) -> tuple[State, str]:
    counts = sorted({one.ranks for one in run.cases.values() if one.of_application})
    if len(counts) < 2:
        return "not asked", "no application ran on several numbers of ranks"
    return "kept", (
        f"efficiencies are relative to the same application on {counted(counts[0], 'rank')}; the"
        " same table has its time"
    )


def _subsets(summaries: Sequence[CaseSummary]) -> tuple[State, str]:
    tests = len({one.test for one in summaries})
    lost = sum(one.status != "ok" for one in summaries)
    words = f"the record has {counted(tests, 'test')}; explain the choice of tests and ranks"
    if lost:
        words += f"; {lost} of {counted(len(summaries), 'case')} have a reason instead of a result"
    return "yours", words


def _means(run: Run) -> tuple[State, str]:
    if run.header.imported:
        kinds = sorted({batch.stated.figure for batch in run.lines.batches if batch.stated})
        return "yours", (
            f"{run.header.imported.tool} prints {in_a_row([f'{one}s' for one in kinds], 'and')};"
            " explain how it turns times into rates"
        )
    return "kept", "results are medians; a bandwidth is bytes divided by the median time"


def _intervals(run: Run, good: Sequence[CaseSummary]) -> tuple[State, str]:
    if run.header.plan.simulated:
        return "kept", "simulations are deterministic, and the record says so"
    if not good:
        return "not kept", "no case was measured"
    without = [one for one in good if not _has_interval(one)]
    if without:
        more = "import further runs" if run.header.imported else "measure more launches"
        return "not kept", (
            f"{len(without)} of {counted(len(good), 'case')} have no interval, the first is"
            f" {without[0].case}: {more}"
        )
    return "kept", f"each of {counted(len(good), 'case')} has a 95 % interval over launches"


def _normality(run: Run, good: Sequence[CaseSummary]) -> tuple[State, str]:
    if run.header.plan.simulated or not any(map(_has_interval, good)):
        return "not asked", "no interval is computed"
    few = [one for one in good if one.launches in WIDENING]
    if few:
        return "not kept", (
            f"{len(few)} of {counted(len(good), 'case')} have at most"
            f" {counted(max(WIDENING), 'launch')}: their intervals assume log-normal medians, and"
            " so few launches cannot confirm that"
        )
    return "kept", "order statistics of six launches or more assume no distribution"


def _percentiles(run: Run, good: Sequence[CaseSummary]) -> tuple[State, str]:
    if run.header.imported:
        return "not kept", "the record has no samples"
    if run.header.plan.simulated:
        return "not asked", "simulations are deterministic"
    modes = sum(any("two modes" in flag for flag in one.flags) for one in good)
    words = (
        "the record has all samples (quantiles for many ranks); percentiles are shown where"
        " samples suffice"
    )
    return "kept", f"{words}; two modes in {counted(modes, 'case')}" if modes else words


def _set_up(run: Run) -> tuple[State, str]:
    if not run.header.hosts:
        why = "the record has the simulated platform" if run.header.plan.simulated else ""
        return ("kept", why) if why else ("not kept", "the record does not describe the hosts")
    return "yours", (
        "the record has hosts, versions, options, order, seed and command; add the facts that no"
        " host knows: switches, cables, other jobs, cooling"
    )


def _technique(run: Run) -> tuple[State, str]:
    if run.header.imported:
        return "not kept", f"the record does not say how {run.header.imported.tool} measures"
    if run.header.plan.simulated:
        return (
            "kept",
            "virtual time has no clock cost; the record describes each test",
        )
    return "kept", (
        "the record has the clock, its cost, warm-up, operations per sample and a description of"
        " each test; see above"
    )


def _bounds(good: Sequence[CaseSummary]) -> tuple[State, str]:
    rates = [one for one in good if one.bandwidth_bytes_per_s]
    known = [one for one in rates if one.percent_of_peak is not None]
    if not rates:
        return "not asked", "the record has no bandwidth"
    if not known:
        return "not kept", "the link is unknown: name it with weft show --link"
    return "kept", (
        f"{len(known)} of {counted(len(rates), 'bandwidth')} are compared with the peak of"
        f" {known[0].link}"
    )
