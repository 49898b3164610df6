"""What topics' rows must hold, from the record's lines and nothing of weft: medians by numpy.

The formulas are those of docs/numbers/. Times in ns of one operation.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.builders import OVERHEAD_TICKS, pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Times = NDArray[np.float64]
    Row = Mapping[str, Any]
    Told = dict[str, float]


_RANK = re.compile(r"rank\d+")


class Lines:
    """The lines of a record as plain data."""

    def __init__(self, path: Path) -> None:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        self.launches = {one["launch"]: one for one in lines if one["kind"] == "launch"}
        self.batches: dict[str, list[dict[str, Any]]] = {}
        for one in lines:
            if one["kind"] == "batch" and one["role"] == "measure" and one["status"] == "ok":
                self.batches.setdefault(one["case"], []).append(one)

    def tick_ns(self, batch: Row) -> float:
        """A tick of the batch's launch."""
        return float(self.launches[batch["launch"]]["clock"]["tick_ns"])

    def times(self, batch: Row, part: str = "") -> Times:
        """The samples behind the warm-up, or a series of theirs.

        An exchange has the slowest rank of each sample, an iteration the rank with the greatest
        median.
        """
        figure = pattern(batch["case"].split("/")[1]).figure
        if part:
            return self._in_ns(batch, batch["parts"][part])
        if figure == "exchange":
            latest: Times = self.of_ranks(batch).max(axis=0)
            return latest
        if figure == "iteration":
            ranks = self.of_ranks(batch)
            slowest: Times = ranks[np.median(ranks, axis=1).argmax()]
            return slowest
        return self._in_ns(batch, batch["ticks"])

    def of_ranks(self, batch: Row) -> Times:
        """The samples of each rank, a row per rank."""
        others = [own for name, own in batch.get("parts", {}).items() if _RANK.fullmatch(name)]
        return np.array([self._in_ns(batch, own) for own in (batch["ticks"], *others)])

    def _in_ns(self, batch: Row, ticks: list[int]) -> Times:
        own = np.array(ticks[batch.get("warmup", 0) :], dtype=float)
        times: Times = own * self.tick_ns(batch) / batch.get("ops_per_sample", 1)
        return times

    def less_read(self, batch: Row, test: str, part: str = "") -> Times:
        """The same without the reads of the clock in it."""
        own = pattern(test)
        reads = own.part_clock_reads.get(part.rpartition(".")[2], 0) if part else own.clock_reads
        return self.times(batch, part) - reads * OVERHEAD_TICKS * self.tick_ns(batch)

    def median(self, case: str, figure: Callable[[Row], Any]) -> float:
        """Over the sessions of a case, from the median of the samples of each launch."""
        return self.over_sessions(
            {batch["launch"]: float(np.median(figure(batch))) for batch in self.batches[case]}
        )

    def over_sessions(self, by_launch: Mapping[int, float]) -> float:
        """Over sessions, each with the median of its launches."""
        return float(np.median([np.median(one) for one in self._sessions(by_launch)]))

    def geometric_mean(self, case: str, figure: Callable[[Row], float]) -> float:
        """Of the launches of a case, each of its sessions alike."""
        logs = {batch["launch"]: float(np.log(figure(batch))) for batch in self.batches[case]}
        return float(np.exp(np.mean([np.mean(one) for one in self._sessions(logs)])))

    def _sessions(self, by_launch: Mapping[int, float]) -> list[list[float]]:
        sessions: dict[int, list[float]] = {}
        for launch, value in by_launch.items():
            sessions.setdefault(self.launches[launch]["session"], []).append(value)
        return list(sessions.values())


def _summary(lines: Lines, row: Row) -> Told:
    own = pattern(row["test"])
    time = lines.median(row["case"], lines.times)
    batches = lines.batches[row["case"]]
    every = np.concatenate([lines.times(batch) for batch in batches])
    told = {
        "samples": float(len(every)),
        "launches": float(len(batches)),
        "verified_bytes": float(sum(batch["verified_bytes"] for batch in batches)),
    }
    if own.latency_divisor:
        told["latency_ns"] = time / own.latency_divisor
        kind = "" if batches[0].get("ops_per_sample", 1) == 1 else "_of_means"
        told[f"minimum{kind}_latency_ns"] = every.min() / own.latency_divisor
        for name in row[f"percentiles{kind}_latency_ns"]:
            share = np.percentile(every, float(name)) / own.latency_divisor
            told[f"percentiles{kind}_latency_ns.{name}"] = share
        for name in row["tails_latency_ns"]:
            tail = lines.median(row["case"], partial(_percentile, lines.times, float(name)))
            told[f"tails_latency_ns.{name}"] = tail / own.latency_divisor
    if own.bandwidth_factor and row["bytes"]:
        told["bandwidth_bytes_per_s"] = own.bandwidth_factor * row["bytes"] * 1e9 / time
    if row["test"] == "stream":
        told["queue_held"] = lines.median(row["case"], lambda batch: batch["queue_held"])
    return told


def _percentile(times: Callable[[Row], Times], share: float, batch: Row) -> float:
    return float(np.percentile(times(batch), share))


def _overhead(lines: Lines, row: Row) -> Told:
    place, side = f"{row['transport']}/{{}}/{row['bytes']}", row["side"]
    told: Told = {}
    case, rank = place.format("host_overhead"), "rank1." if row["rank"] else ""

    def call(batch: Row, name: str) -> Times:
        return np.maximum(lines.less_read(batch, "host_overhead", f"{rank}{name}_{side}"), 0)

    told["post_ns"] = lines.median(case, lambda b: call(b, "post"))
    told["complete_ns"] = lines.median(case, lambda b: call(b, "complete"))
    told["calls_ns"] = lines.median(case, lambda b: call(b, "post") + call(b, "complete"))
    test = f"{side}_overlap"
    longest = place.format(test) + ("/at200" if side == "send" else "/at100")
    if not rank and row["beside_work_ns"]:
        own = "call" if side == "receive" else ""

        def beside(batch: Row) -> Times:
            return lines.less_read(batch, test, own) - lines.less_read(batch, test, "work")

        def free(batch: Row) -> Times:
            return 100 * (1 - beside(batch) / lines.less_read(batch, test, "alone"))

        told["beside_work_ns"] = lines.median(longest, beside)
        told["availability_percent"] = lines.median(longest, free)
    if not rank:
        told["delay_ns"] = _delay(lines, place, side)
    return told


def _mean(times: Times) -> float:
    """Without what was interrupted: far above the quartiles and the median."""
    low, middle, high = np.percentile(times, [25, 50, 75])
    return float(times[times <= max(middle + 20 * (high - low), 2 * middle)].mean())


def _delay(lines: Lines, place: str, side: str) -> float:
    """o_s: what a further message adds to a pause; o_r: a receive of what has come."""
    test = "paused_burst" if side == "send" else "late_receive"
    found = {}
    for batch in lines.batches[place.format(test)]:
        reads = pattern(test).clock_reads * OVERHEAD_TICKS * lines.tick_ns(batch)
        time = _mean(lines.times(batch)) - reads
        if side == "send":
            time = (time - _mean(lines.times(batch, "single"))) / 7
        found[batch["launch"]] = time if side == "send" else max(time, 0.0)
    return lines.over_sessions(found)


def _overlap(lines: Lines, row: Row) -> Told:
    test = f"{row['side']}_overlap"
    case = f"{row['transport']}/{test}/{row['bytes']}/at100"

    def part(batch: Row, name: str = "") -> Times:
        return lines.less_read(batch, test, name)

    return {
        "alone_ns": lines.median(case, lambda b: part(b, "alone")),
        "work_ns": lines.median(case, lambda b: part(b, "work")),
        "both_ns": lines.median(case, part),
        "hidden_percent": lines.median(
            case, lambda b: 100 * (part(b, "alone") + part(b, "work") - part(b)) / part(b, "alone")
        ),
    }


def _availability(lines: Lines, row: Row) -> Told:
    case = f"{row['transport']}/busy_stream/{row['bytes']}/at{row['work_percent']}"
    return {
        "computing_percent": lines.median(
            case, lambda b: 100 * lines.times(b, "work") / lines.times(b)
        ),
        "bandwidth_bytes_per_s": lines.median(case, lambda b: row["bytes"] * 1e9 / lines.times(b)),
        "kept_percent": lines.median(
            case, lambda b: 100 * lines.times(b, "alone") / lines.times(b)
        ),
    }


def _completion(lines: Lines, row: Row) -> Told:
    case = f"{row['transport']}/{row['test']}/{row['bytes']}"
    case += "/block" if row["mode"].endswith("block") else ""
    told = {"latency_ns": lines.median(case, lines.times) / 2}

    def busy(rank: int, batch: Row) -> float:
        return float(100 * batch["cpu_ns"][rank] / batch["timed_ns"])

    for rank in range(2):
        told[f"cpu_percent.{rank}"] = lines.median(case, partial(busy, rank))
    return told


def _streams(lines: Lines, row: Row) -> Told:
    time = lines.median(row["case"], lines.times)
    names = list(row["own_rates_per_s"]) or ["own", "rank1"]
    splits = len(names) if pattern(row["test"]).splits_operations else 1

    def each(batch: Row) -> Times:
        return splits * np.stack([lines.times(batch, name) for name in names])

    def jain(batch: Row) -> Times:
        rates: Times = 1 / each(batch)
        index: Times = rates.sum(axis=0) ** 2 / (len(names) * (rates**2).sum(axis=0))
        return index

    def own(at: int, batch: Row) -> Times:
        times: Times = each(batch)[at]
        return times

    told = {
        "time_ns": time,
        "rate_per_s": 1e9 / time,
        "bandwidth_bytes_per_s": row["bytes"] * 1e9 / time,
        "own_rate_per_s": 1e9 / lines.median(row["case"], lambda b: np.median(each(b), axis=0)),
    }
    for at, name in enumerate(row["own_rates_per_s"]):
        told[f"own_rates_per_s.{name}"] = 1e9 / lines.median(row["case"], partial(own, at))
    if len(names) > 1:
        told["fairness"] = lines.median(row["case"], jain)
    if row["of_reference"]:
        pairs = f"{row['transport']}/random_pairs/{row['bytes']}/4ranks"
        pair = lines.median(
            pairs,
            lambda b: 2 * np.median([lines.times(b, "own"), lines.times(b, "rank1")], axis=0),
        )
        told["of_reference"] = pair / time
    return told


def _load(lines: Lines, row: Row) -> Told:
    if "case" not in row:
        return {}

    def interval(batch: Row) -> float:
        return float(np.median(lines.times(batch, "interval")))

    def answered(batch: Row) -> float:
        times = lines.times(batch)
        last = (len(times) - 1) * interval(batch) + times[-1] - times[0]
        return float(1e9 * (len(times) - 1) / last)

    def posted(batch: Row) -> Times:
        return lines.times(batch) - lines.times(batch, "late")

    told = {
        "offered_per_s": lines.median(row["case"], lambda b: 1e9 / interval(b)),
        "answered_per_s": lines.median(row["case"], answered),
    }
    for field, times in (("percentiles_ns", lines.times), ("posted_percentiles_ns", posted)):
        for name in row[field]:
            told[f"{field}.{name}"] = lines.median(
                row["case"], partial(_percentile, times, float(name))
            )
    return told


def _scaling(lines: Lines, row: Row) -> Told:
    if "case" not in row:
        return {}
    slowest = lines.median(row["case"], partial(_slowest, lines))
    base = row["case"].replace(f"/{row['ranks']}ranks", "/1ranks", 1)
    if row["ranks"] == 2:  # the usual number of ranks has no word in a case's name
        base = row["case"].replace("/milc/4/", "/milc/4/1ranks/")
    told = {
        "iteration_ns": slowest,
        "iterations_per_s": 1e9 / slowest,
        "flops_per_s": row["flops_per_site"] * row["sites"] * 1e9 / slowest,
        "moved_bytes_per_s": 1308 * row["sites"] * 1e9 / slowest,
    }
    if row["ranks"] > 1:
        alone, here = (
            lines.geometric_mean(case, partial(_slowest, lines)) for case in (base, row["case"])
        )
        told |= {"efficiency": alone / here, "sent_bytes_per_s": 4e12 * row["ranks"] / slowest}
    return told | {
        f"parts_ns.{name}": lines.median(row["case"], partial(_part, lines, name))
        for name in row["parts_ns"]
        if name != "fields"
    }


def _ranks(batch: Row) -> list[str]:
    return ["", *(name for name in batch["parts"] if name.startswith("rank") and "." not in name)]


def _slowest(lines: Lines, batch: Row) -> float:
    """The slowest rank's median in a launch."""
    return max(float(np.median(lines.times(batch, rank))) for rank in _ranks(batch))


def _part(lines: Lines, name: str, batch: Row) -> float:
    """The mean over ranks of a part's mean over the iterations that were not interrupted."""
    means = []
    for rank in _ranks(batch):
        whole = lines.times(batch, rank)
        kept = whole <= max(2 * _mean(whole), whole.min())
        means.append(lines.times(batch, f"{rank}.{name}".strip("."))[kept].mean())
    return float(np.mean(means))


def _exchange(lines: Lines, row: Row) -> Told:
    def own(batch: Row) -> Times:
        return lines.of_ranks(batch)

    greatest = lines.median(row["case"], lambda batch: own(batch).max(axis=0))
    return {
        "least_ns": lines.over_sessions(
            {
                batch["launch"]: float(np.median(own(batch), axis=1).min())
                for batch in lines.batches[row["case"]]
            }
        ),
        "mean_ns": lines.median(row["case"], lambda batch: own(batch).mean(axis=0)),
        "greatest_ns": greatest,
        "bandwidth_bytes_per_s": 2 * row["bytes"] * 1e9 / greatest,
    }


def _reuse(lines: Lines, row: Row) -> Told:
    kind = f"turn{row['buffers']}" if row["scheme"] == "turn" else f"reuse256r{row['at']}"
    case = f"{row['transport']}/{row['test']}/{row['bytes']}/{kind}"
    time = lines.median(case, lines.times)
    return {"figure": time / 2 if row["is_latency"] else row["bytes"] * 1e9 / time}


def _registration(lines: Lines, row: Row) -> Told:
    case = f"{row['transport']}/registration/{row['bytes']}"
    if "register_ns" not in row:
        # There and back.
        where = f"{row['test']}/{row['bytes']}"
        return {
            "step.below_ns": lines.median(f"{row['transport']}/{where}", lines.times) / 2,
            "step.above_ns": lines.median(f"{row['transport']}/register_{where}", lines.times) / 2,
        }
    return {
        "register_ns": lines.median(case, lines.times),
        "deregister_ns": lines.median(case, lambda b: lines.times(b, "deregister")),
    }


def _connecting(lines: Lines, row: Row) -> Told:
    own = [one for one in lines.launches.values() if one["transport"] == row["transport"]]
    times = {one["launch"]: float(one["details"]["connect_ns"]) / _first_peers(one) for one in own}
    return {"time_per_peer_ns": lines.over_sessions(times), "launches": float(len(times))}


def _first_peers(launch: dict[str, Any]) -> int:
    return int(launch["details"].get("connected_peers", len(launch["ranks"]) - 1))


def _rails(lines: Lines, row: Row) -> Told:
    several = lines.median(f"tcp:turn/ping_pong/{row['bytes']}", lines.times)
    one = lines.median(f"tcp/ping_pong/{row['bytes']}", lines.times)
    return {"ratio": one / several}


_OF_TOPIC = {
    "figures": _summary,
    "overhead": _overhead,
    "overlap": _overlap,
    "availability": _availability,
    "completion": _completion,
    "hot_spots": _streams,
    "message_rate": _streams,
    "load": _load,
    "scaling": _scaling,
    "exchange": _exchange,
    "reuse": _reuse,
    "registration": _registration,
    "connecting": _connecting,
    "rails": _rails,
}


def told_by_samples(topic: str, lines: Lines, row: Row) -> Iterator[tuple[str, float]]:
    """Fields of a topic's row and the figures that the samples give; none of an unknown topic."""
    if topic in _OF_TOPIC:
        yield from _OF_TOPIC[topic](lines, row).items()
