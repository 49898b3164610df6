"""What the heads of topics' tables mean where they are not the names of their fields."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from support.cells import UNITS, Book, Record, Shown, Wanted, shown_of
from weft.wording import ENOUGH_FOR_HALF

_HOW = {"hot_spot_send": "send", "hot_spot_receive": "receive", "random_pairs": "pairs"}
# A share of a whole that is wider, or more by this share, is not known.
_WHOLE, _OVER = 100.0, 102.0


def size_of(record: Record) -> str:
    """A size in the largest binary unit that divides it."""
    count: int = record["bytes"]
    for unit in ("GiB", "MiB", "KiB"):
        worth = round(UNITS["bytes"][unit])
        if count >= worth and count % worth == 0:
            return f"{count // worth} {unit}"
    return f"{count} B"


def place_of(record: Record) -> str:
    """A transport and its options, whose ranks and place on the test's axis are words."""
    options = record["variant"].split("/")
    ranks = [one.removesuffix("ranks") for one in options if re.fullmatch(r"\d+ranks", one)]
    points = [one.removeprefix("at") for one in options if re.fullmatch(r"at\d+", one)]
    if ranks or points:
        others = [one for one in options if not re.fullmatch(r"\d+ranks|at\d+", one)]
        words = [f"{one} rank{'s' * (one != '1')}" for one in ranks]
        words += ["/".join(others)] if others else []
        words += [record.get("place") or f"point {one}" for one in points]
        return ", ".join([record["transport"], *words])
    return f"{record['transport']} {record['variant']}".rstrip()


def _of_side(record: Record) -> str:
    rank = f" on rank {record['rank']}" if record.get("rank") else ""
    return f"{place_of(record)} {record['side']} {size_of(record)}{rank}"


def _share(field: str, most: float = _OVER) -> Any:
    """A share of a whole; words where it says nothing, or is more than can be."""

    def told(record: Record) -> Wanted:
        found = shown_of(field, record[field])
        if not isinstance(found, Shown):
            return found
        if found.value > most or found.high - found.low > _WHOLE:
            return "not known"
        if found.value < 0:
            return _below_nothing(found)
        is_cut = 0 < found.launches < ENOUGH_FOR_HALF
        return msgspec.structs.replace(found, low=max(found.low, 0.0)) if is_cut else found

    return told


def _below_nothing(found: Shown) -> Wanted:
    """None of the whole, or a range from none on."""
    if not math.isfinite(found.high):
        return "not known"
    if found.high <= 0:
        return "none"
    most = Shown(value=found.high, units=found.units)
    number = f" n={found.launches}" if 0 < found.launches < ENOUGH_FOR_HALF else ""
    return ("0 to ", most, number)


def _in_words(time_ns: float) -> str:
    """A difference of times with three digits."""
    unit = next(name for name in ("s", "ms", "µs", "ns") if abs(time_ns) >= UNITS["_ns"][name])
    worth = abs(time_ns) / UNITS["_ns"][unit]
    digits = max(0, 2 - math.floor(math.log10(worth)))
    return f"{'-' if time_ns < 0 else ''}{worth:.{digits}f} {unit}"


def _added(record: Record) -> Any:
    """What a mode adds to the cheapest."""
    if record["is_cheapest"]:
        return "cheapest"
    added = record["added_ns"]
    if record["verdict"] != "adds":
        return f"not significant [{_in_words(added['low'])}, {_in_words(added['high'])}]"
    return shown_of("added_ns", added)


def _each(factor: str = "") -> Any:
    """The own rates of streams from the least to the greatest, or of one with its interval."""

    def told(record: Record) -> Any:
        units = UNITS["_bytes_per_s" if factor else "_per_s"]
        worth = record[factor] if factor else 1
        own = [worth * one["value"] for one in record["own_rates_per_s"].values()]
        if len(own) > 1:
            return Shown(value=min(own), units=units), " to ", Shown(value=max(own), units=units)
        whole = shown_of("rate_per_s", record["own_rate_per_s"])
        assert isinstance(whole, Shown)
        return Shown(
            value=worth * whole.value,
            low=worth * whole.low,
            high=worth * whole.high,
            units=units,
            launches=whole.launches,
        )

    return told


def _answered(record: Record) -> Shown:
    share = record["answered_per_s"]["value"] / record["offered_per_s"]["value"]
    return Shown(value=100 * share, units=UNITS["_percent"])


def _bottlenecks(record: Record) -> str:
    notes = [record["note"]] if record["note"] else []
    notes += [
        f"bottleneck {way.replace('_', ' ')}"
        for way in ("one_way", "both_ways")
        if record[f"bottleneck_{way}"] == record["name"]
    ]
    return "; ".join(notes)


def _most_in(record: Record) -> Any:
    if record["most_ns"] <= 0:
        return None
    return f"{record['most_in']} +", Shown(value=record["most_ns"], units=UNITS["_ns"])


def _of_lattice(record: Record) -> str:
    return f"{record['lattice']}{' in all' if record['is_global'] else ''}"


def _application(record: Record) -> str:
    return f"{record['test']} {place_of(record)}"


_VERDICTS = {"better": "faster", "worse": "slower"}
BOOK = Book(
    named={
        ("", "size"): "bytes",
        ("overhead", "of which post"): "post_ns",
        ("overhead", "delay method"): "delay_ns",
        ("overlap", "transfer alone"): "alone_ns",
        ("overlap", "work alone"): "work_ns",
        ("hot_spots", "peers"): "streams",
        ("hot_spots", "Jain"): "fairness",
        ("hot_spots", "of a pair"): "of_reference",
        ("message_rate", "pairs"): "streams",
        ("message_rate", "messages/s"): "rate_per_s",
        ("message_rate", "Jain's index"): "fairness",
        ("load", "50 %"): "percentiles_ns.50",
        ("load", "99 %"): "percentiles_ns.99",
        ("load", "99.9 %"): "percentiles_ns.99.9",
        ("load", "from post"): "posted_percentiles_ns.99",
        ("scaling", "rate"): "flops_per_s",
        ("scaling", "sends"): "sent_bytes_per_s",
        ("scaling", "set in"): "level",
        ("tails", "median"): "latency_ns",
        ("tails", "p99"): "tails_latency_ns.99",
        ("tails", "p99.9"): "tails_latency_ns.99.9",
        ("bus", "stage"): "name",
        ("bus", "both ways together"): "both_ways_bytes_per_s",
    },
    told={
        ("", "transport"): lambda r: place_of(r) if "variant" in r else r["transport"],
        ("overhead", "#0"): _of_side,
        ("overhead", "CPU availability"): _share("availability_percent"),
        ("overlap", "#0"): _of_side,
        ("overlap", "hidden"): _share("hidden_percent"),
        ("availability", "#0"): lambda r: f"{place_of(r)} {size_of(r)}",
        ("completion", "#0"): lambda r: f"{place_of(r)} {r['kind']} {size_of(r)}",
        ("completion", "adds"): _added,
        **{("completion", f"CPU rank {n}"): _share(f"cpu_percent.{n}", math.inf) for n in (0, 1)},
        ("hot_spots", "#0"): lambda r: f"{place_of(r)} {_HOW[r['test']]}",
        ("hot_spots", "each"): _each("bytes"),
        ("message_rate", "each pair"): _each(),
        ("load", "answered"): _answered,
        ("tails", "#0"): lambda r: f"{place_of(r)} {r['test']}",
        ("bus", "note"): _bottlenecks,
        ("settings", "measured"): lambda r: f"{r['test']}, {place_of(r)}",
        ("settings", "verdict"): lambda r: _VERDICTS.get(r["verdict"], r["verdict"]),
        ("scaling", "#0"): _application,
        ("scaling", "lattice"): _of_lattice,
        ("scaling", "efficiency"): lambda r: shown_of("efficiency", r["efficiency"]) or "base",
        ("scaling_parts", "#0"): _application,
        ("scaling_parts", "lattice"): _of_lattice,
        ("scaling_costs", "#0"): _application,
        ("scaling_costs", "lattice"): _of_lattice,
        ("scaling_costs", "ranks"): lambda r: f"{r['base_ranks']} to {r['ranks']}",
        ("scaling_costs", "#4"): lambda r: f"{r['verdict'].removeprefix('costs ')} than 10%",
        ("scaling_costs", "from"): lambda r: (
            f"{r['first_ranks']} ranks" if r["first_ranks"] else "-"
        ),
        ("scaling_costs", "most in"): _most_in,
    },
    only={
        "tails": lambda record: "tails_latency_ns.99" in record,
        "registration": lambda record: "register_ns" in record,
        "scaling": lambda record: "iterations_per_s" in record,
        "load": lambda record: "percentiles_ns" in record,
    },
)
# By an axis's label, or a chart's name as a pattern, the fields that are drawn: several where the
# same figure is in rows of several kinds. {label} is the first word of a curve's label.
POINTS = {
    "million messages/s": "rate_per_s",
    "from due to answer in µs": "percentiles_ns.{label}",
    "MFlop/s per rank": "flops_per_s",
    "efficiency in % of 1 rank": "efficiency",
    "osu-(2|5)-.*": "latency_ns",
    "osu-(3|4|6)-.*": "bandwidth_bytes_per_s",
    "osu-7-.*": "calls_ns",
    "osu-(9|10)-.*": "added_ns",
    "osu-1[123]": "figure|latency_ns|bandwidth_bytes_per_s",
    "osu-1[45]-.*": "time_ns",
}
# Fields along an axis.
PLACES = {
    "peers": "streams",
    "pairs": "streams",
    "slaves": "streams",
    "ranks": "ranks",
    "share of the time computing in %": "computing_percent",
    "offered, thousand messages/s": "offered_per_s",
    "buffers in turn": "at",
    "messages in one buffer in %, the others in new ones": "at",
    "number of buffers": "at",
    "buffer reuse in %": "at",
}
