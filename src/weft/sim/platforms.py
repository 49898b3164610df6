"""Simulated platforms by name or by file: published ones are calibrated from their tables."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import msgspec

from weft.errors import WeftError
from weft.fabric.simgrid import adding, at_speed, check_numbers, numbers_in
from weft.names import as_typed
from weft.plan.simulated import Kind, SimulatedPlatform
from weft.reference.library import find_platform
from weft.sim.assumptions import ASSUMED
from weft.sim.calibrate import ALWAYS_EAGER, Times, model_of, table_of
from weft.sim.crossbar import FACTS, at_crossbar
from weft.sim.protocols import Piece, Protocols
from weft.units import format_time, parse_bandwidth, parse_flops

if TYPE_CHECKING:
    from weft.reference.library import Platform

Calibrated = Literal["model", "table"]
KINDS: tuple[str, ...] = get_args(Calibrated)
# So many nodes at one crossbar, unless somebody says how many.
NODES = 128
MOST_NODES = 10_000
_FEWEST_NODES = 2
_RECORDS = (".jsonl", ".jsonl.zst")
# The single figures that are a latency of small messages, and a bandwidth of large ones.
_LATENCIES = (
    "latency_small_send", "latency_small_put", "latency_small", "latency_zero_mpi", "fit_latency",
)  # fmt: skip
_BANDWIDTHS = ("bandwidth_peak_one_way", "fit_bandwidth")


def simulated_platform(text: str, rate: str = "", nodes: int = NODES) -> SimulatedPlatform:
    """A published platform, escher or escher:table, or a platform file. Raises WeftError.

    A published one has so many nodes, or as many as is usual where those are fewer. A rank computes
    at the `rate`, or at that of the file, or at a GFlop/s; of two with a comma one is what it adds
    in a sum.
    """
    if Path(text).exists() or Path(text).suffix or "/" in text:
        return with_rate(read_platform(Path(text)), rate)
    name, _, kind = text.partition(":")
    made = calibrated(find_platform(name), check_kind(kind or "model"), max(nodes, NODES))
    return with_rate(made, rate)


def with_rate(platform: SimulatedPlatform, rate: str) -> SimulatedPlatform:
    """The platform with ranks that compute so much; as it is without a rate. Raises WeftError."""
    rates = parse_rates(rate)
    words = [platform.origin]
    text = platform.xml
    try:
        if rates.flops_per_s:
            text = at_speed(text, rates.flops_per_s)
            words.append(f"a rank computes {rates.flops}")
        if rates.sum_bytes_per_s:
            text = adding(text, rates.sum_bytes_per_s)
            words.append(f"a rank adds {rates.sums} to a sum")
    except ValueError as error:
        raise WeftError(
            f"{platform.name} takes no --rate: {error}", "set the speed of its hosts in its file"
        ) from None
    return msgspec.structs.replace(platform, origin="; ".join(filter(None, words)), xml=text)


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What a rank computes, flops/s, and adds to others in a sum, bytes/s.

    Each as it was typed too; 0 and no text: as the platform says.
    """

    flops_per_s: float = 0.0
    sum_bytes_per_s: float = 0.0
    flops: str = ""
    sums: str = ""


def parse_rates(text: str) -> Rates:
    """From "4GFlop/s", "2GB/s" or both with a comma between them. Raises WeftError."""
    found = Rates()
    for word in filter(None, (part.strip() for part in text.split(","))):
        is_of_sums = word.lower().endswith(("b/s", "bit/s"))
        if found.sums if is_of_sums else found.flops:
            raise WeftError(f"'{text}' says one rate twice", "use --rate 4GFlop/s,2GB/s")
        changed: dict[str, object] = (
            {"sums": word, "sum_bytes_per_s": parse_bandwidth(word)}
            if is_of_sums
            else {"flops": word, "flops_per_s": parse_flops(word)}
        )
        found = msgspec.structs.replace(found, **changed)
    return found


def check_kind(kind: str) -> Calibrated:
    """Raises WeftError for what is no kind."""
    if kind not in KINDS:
        raise WeftError(f"there is no kind {kind}", f"use {' or '.join(KINDS)}")
    return cast("Calibrated", kind)


def check_nodes(nodes: int) -> None:
    """Raises WeftError for so many as no crossbar has."""
    if not _FEWEST_NODES <= nodes <= MOST_NODES:
        raise WeftError(f"--nodes {nodes} is out of range", f"use {_FEWEST_NODES} to {MOST_NODES}")


def read_platform(path: Path) -> SimulatedPlatform:
    """A file of `weft calibrate`, or any other of SimGrid's. Raises WeftError."""
    if path.name.endswith(_RECORDS) and path.exists():
        made = f"{path.name.partition('.')[0]}.xml"
        raise WeftError(
            f"{path} is a record and no platform file",
            f"make one of it: weft calibrate {as_typed(path)} -o {as_typed(made)}",
        )
    try:
        text = path.read_text(encoding="utf-8")
        root = ET.fromstring(text)  # noqa: S314 - the user's own file
        nodes = len(root.findall(".//host")) + sum(map(_nodes_of, root.iter("cluster")))
        found = _as_calibrated(root)
    except (OSError, ValueError, ET.ParseError) as error:
        raise WeftError(
            f"cannot read {path} as a platform file: {getattr(error, 'strerror', None) or error}",
            "write one with weft calibrate escher -o FILE, or name a published platform",
        ) from None
    if not found:
        return SimulatedPlatform(name=path.stem, kind="given", nodes=nodes, xml=text)
    return SimulatedPlatform(
        name=found["name"],
        kind=cast("Kind", found["kind"]),
        nodes=nodes,
        origin=found["origin"],
        xml=text,
    )


def _as_calibrated(root: ET.Element) -> dict[str, str]:
    """What a file of `weft calibrate` says of itself; empty for a file of somebody else's.

    Raises ValueError if it is not as weft writes it.
    """
    cluster = root.find("cluster")
    said = {} if cluster is None else {p.get("id", ""): p.get("value", "") for p in cluster}
    if not all(f"weft-{name}" in said for name in FACTS):
        return {}
    if said["weft-kind"] not in get_args(Kind):
        raise ValueError(f"its weft-kind is not one of {', '.join(get_args(Kind))}")
    check_numbers(root)
    return {name: said[f"weft-{name}"] for name in FACTS}


def calibrated(platform: Platform, kind: Calibrated, nodes: int = NODES) -> SimulatedPlatform:
    """A published platform, so many nodes at one crossbar. Raises WeftError."""
    title = f"{platform.title}: {platform.summary}"
    return at_crossbar(named_of(platform, kind, nodes), protocols_of(platform, kind), title)


def named_of(platform: Platform, kind: Calibrated, nodes: int = NODES) -> SimulatedPlatform:
    """A published platform without its file: what it is called and where its numbers are from."""
    words = [f"{platform.citation.authors}, {platform.citation.date}"]
    if assumed := ASSUMED.get(platform.name):
        words.append(f"assumed: {assumed.why}")
    if caution := _caution_of(platform):
        words.append(f"caution: {caution}")
    return SimulatedPlatform(name=platform.name, kind=kind, nodes=nodes, origin="; ".join(words))


def _caution_of(platform: Platform) -> str:
    """Where the latency of its one line is of a fit, how far to believe it; else empty."""
    if times_of(platform) is not None:
        return ""
    known = {fact.key: fact for fact in platform.facts if fact.si is not None}
    used = next((known[key] for key in _LATENCIES if key in known), None)
    if used is None or used.si is None or not used.key.startswith("fit_"):
        return ""
    return f"the latency of {format_time(used.si)} is of a fit: {used.note}"


def protocols_of(platform: Platform, kind: Calibrated) -> Protocols:
    """What messages cost on a published platform. Raises WeftError where too little is published.

    Without tables the single figures of latency, overhead and bandwidth make one line.
    """
    times = times_of(platform)
    if times is not None:
        return model_of(times) if kind == "model" else table_of(times)
    if kind == "table":
        raise WeftError(
            f"{platform.title} is published without a table",
            f"take its model: {platform.name} alone, or --kind model",
        )
    known = {fact.key: fact.si for fact in platform.facts if fact.si is not None}
    latency_ns = next((known[key] for key in _LATENCIES if key in known), None)
    one_way = next((known[key] for key in _BANDWIDTHS if key in known), None)
    if latency_ns is not None and (assumed := ASSUMED.get(platform.name)):
        return one_line(latency_ns, assumed.one_way_bytes_per_s, assumed.both_ways_bytes_per_s)
    if latency_ns is None or one_way is None:
        kinds = (("a latency", latency_ns), ("a bandwidth", one_way))
        lacks = " and ".join(what for what, known_si in kinds if known_si is None)
        raise WeftError(
            f"{platform.title} is published without {lacks}, so it cannot be simulated",
            "run weft list platforms to choose another",
        )
    both_ways = known.get("bandwidth_peak_both_ways", 2 * one_way)
    return one_line(latency_ns, one_way, both_ways, known.get("host_overhead", 0.0))


def one_line(
    latency_ns: float,
    one_way_bytes_per_s: float,
    both_ways_bytes_per_s: float,
    overhead_ns: float = 0.0,
) -> Protocols:
    """Messages of all sizes by one line and one protocol; the overhead is in the latency."""
    half = (Piece(0, overhead_ns / 2),)
    return Protocols(
        transfer=(Piece(0, latency_ns - overhead_ns, 1e9 / one_way_bytes_per_s),),
        blocking_send=half,
        send=half,
        receive=half,
        # No message layer below MPI has a rendezvous in these tests.
        eager_below_bytes=ALWAYS_EAGER,
        bus_factor=min(max(2 * one_way_bytes_per_s / both_ways_bytes_per_s, 1.0), 2.0),
    )


def times_of(platform: Platform) -> Times | None:
    """The published tables as times, ns; None where there is none of ping_pong.

    A size in a table of latency and in one of bandwidth has the mean of both.
    """
    found: dict[str, dict[int, list[float]]] = {"ping_pong": {}, "sendrecv": {}}
    for series in platform.series:
        for point in series.points:
            moved = 1e9 * series.directions * point.bytes
            time = point.si if series.quantity == "latency" else moved / point.si
            found.setdefault(series.test, {}).setdefault(point.bytes, []).append(time)
    means = {
        test: {size: sum(own) / len(own) for size, own in sizes.items()}
        for test, sizes in found.items()
    }
    if not means["ping_pong"]:
        return None
    switch = {f.key: f.si for f in platform.facts}.get("protocol_switch_bytes")
    return Times(
        ping_pong=means["ping_pong"],
        sendrecv=means["sendrecv"],
        switch_bytes=int(switch) if switch else None,
    )


def _nodes_of(cluster: ET.Element) -> int:
    return len(numbers_in(cluster.get("radical", "")))
