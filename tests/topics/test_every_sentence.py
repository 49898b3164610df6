"""Each figure of a sentence is the one of its field, in every topic that says something.

The record is support/unlike.py's, in which no two figures are alike. A topic's sentences are made
here of its rows, or of the cases' figures, as words and figures in turn; the figures are read back
from the text. A topic that is new and says something has to be in TOLD.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest

from support.cells import UNITS, Shown, Wanted, shown_of, shows
from support.heads import place_of, size_of
from weft.fabric.peaks import parse_link
from weft.record.run import Run
from weft.topics import TOPICS, results_among
from weft.topics.base import Results, Topic

Row = dict[str, Any]
# Words, and what the text between them has to show.
Piece = str | Shown
LINK = "Ethernet 100G"
AS_FAST = "sends end as fast as they are posted"
UNBOUND = f"; {AS_FAST} (copied, or the link is faster than the sender), and another queue depth"
UNBOUND += " changes nothing"


@pytest.fixture(scope="module")
def results(unlike: Run) -> Results:
    return results_among(unlike, link=parse_link(LINK))


def plain(name: str, results: Results) -> list[dict[str, Any]]:
    topic = next(one for one in TOPICS if one.name == name)
    found: list[dict[str, Any]] = json.loads(msgspec.json.encode(topic.plain(results.of(topic))))
    return found


def of(row: Row, field: str) -> Shown:
    found = shown_of(field, row[field])
    assert isinstance(found, Shown)
    return found


def in_ns(value: float) -> Shown:
    return Shown(value=value, units=UNITS["_ns"])


def rate(value: float) -> Shown:
    return Shown(value=value, units=UNITS["_bytes_per_s"])


def share(value: float) -> Shown:
    return Shown(value=value, units=UNITS["_percent"])


def place(row: Row, test: str) -> str:
    return f"{place_of(row)}, {test}, {size_of(row)}"


def availability(results: Results) -> Iterator[list[Piece]]:
    for row in plain("availability", results):
        where = f"{row['transport']}, {size_of(row)}"
        falls = f"availability: {where}: the bandwidth falls by 5% when the sender computes "
        yield [falls, of(row, "drop_at_percent"), " of the time"]


def completion(results: Results) -> Iterator[list[Piece]]:
    pieces: list[Piece] = []
    for row in plain("completion", results):
        if row["is_cheapest"]:
            if pieces:
                yield pieces
            pieces = [f"completion: {place(row, row['kind'])}: {row['mode']} is cheapest"]
        elif row["added_ns"]["low"] <= 0:
            pieces.append(f"; {row['mode']}: difference not significant")
        else:
            pieces += [f"; {row['mode']} adds ", of(row, "added_ns")]
    yield pieces


def figures(results: Results) -> Iterator[list[Piece]]:
    """Each transport's peaks: those of its cases, a stream of both ways has twice the link's."""
    rows = [row for row in plain("figures", results) if row.get("peak_bytes_per_s")]
    of_peaks: dict[tuple[float, ...], list[str]] = {}
    for transport in dict.fromkeys(row["transport"] for row in rows):
        peaks = {row["peak_bytes_per_s"] for row in rows if row["transport"] == transport}
        of_peaks.setdefault(tuple(sorted(peaks)), []).append(transport)
    for own, (*others, last) in of_peaks.items():
        kinds: list[Piece] = [rate(own[0])]
        if len(own) > 1:
            kinds += [" or ", rate(own[-1]), " (one way, both ways)"]
        transports = f"{', '.join(others)} and {last}" if others else last
        yield [f"Peak of {LINK} over {transports}: ", *kinds, "."]


def queue_depth(results: Results) -> Iterator[list[Piece]]:
    """The least that gives 95 % of the best, and the most whose queue is full of sends."""
    groups: dict[str, list[Row]] = {}
    for row in plain("figures", results):
        if (
            row["test"] == "stream"
            and "queue_held" in row
            and not row["variant"].strip("q0123456789")
        ):
            groups.setdefault(place(row | {"variant": ""}, "stream"), []).append(row)
    for where, rows in groups.items():
        if len(rows) < 2:
            continue
        rates = {row["queue_depth"]: row["bandwidth_bytes_per_s"]["value"] for row in rows}
        held = {row["queue_depth"]: row["queue_held"] for row in rows}
        best = max(rates.values())
        least = min(depth for depth, found in rates.items() if found >= 0.95 * best)
        bound = [depth for depth, had in held.items() if had > depth - max(1, depth // 2)]
        assert bound, "no queue binds: the sentence is another"
        gives = f"Q = {least} gives 95% of the best bandwidth of Q = {min(rates)} to {max(rates)}"
        only = (
            f"Q binds up to {max(bound)} only: from there on sends end as fast as they are posted"
        )
        yield [f"queue depth: {where}: {gives}; {only}"]
    for row in plain("queue_depth", results):
        if "case" in row and row["from_bytes"] is None:
            case = row["case"]
            where = f"{case['transport']}, {case['test']}: Q = {case['queue_depth']}"
            yield [f"queue depth: {where} does not bind up to ", of(row, "most_bytes"), UNBOUND]


def scaling(results: Results) -> Iterator[list[Piece]]:
    costs = [row for row in plain("scaling", results) if "cost" in row]
    titles = dict.fromkeys(f"{row['test']} over {place_of(row)}" for row in costs)
    [title] = titles
    kinds: dict[str, list[list[Piece]]] = {}
    for row in costs:
        what = "computing" if row["most_in"] in ("compute", "local", "fields") else "fabric"
        what = "faces" if row["most_in"] in ("pack", "remote") else what
        at_most = row["limit"] / (1 - row["limit"]) * row["base_ns"]["value"]
        what = "both" if what != "fabric" and row["waits_ns"] > at_most else what
        kind = f"{what} {row['verdict']}" if row["verdict"] == "costs more" else row["verdict"]
        kinds.setdefault(kind, []).append(lost(row))
    words = {
        "fabric costs more": "the fabric costs more than 10% at ",
        "both costs more": "the ranks' own work and waiting for messages together cost more than"
        " 10% at ",
        "computing costs more": "computing beside each other costs more than 10% (a shared cache,"
        " the memory or shared cores, not the fabric) at ",
        "faces costs more": "work at the faces costs more than 10% (the ranks' own work, not the"
        " fabric) at ",
        "costs less": "the fabric costs less than 10% at ",
        "cannot tell": "no verdict at ",
    }
    pieces: list[Piece] = [f"{title}, weak scaling: "]
    told = [kind for kind in words if kind in kinds]
    for at, kind in enumerate(told):
        pieces += ["; "] * (at > 0) + [words[kind]]
        for number, one in enumerate(kinds[kind]):
            pieces += [", "] * (number > 0) + one
    yield pieces


def lost(row: Row) -> list[Piece]:
    kept = share(100 * row["cost"]["value"])
    most = f", most in {row['most_in']}" if row["most_ns"] > 0 else ""
    return [
        f"{row['lattice']} (", kept, f" on {row['ranks']} ranks, an iteration takes ",
        of(row, "iteration_ns"), f"{most})",
    ]  # fmt: skip


def reuse(results: Results) -> Iterator[list[Piece]]:
    for row in plain("reuse", results):
        assert row["dropped_at"] is None, "the sentence is another"
        upto: list[Piece] = [" down to R = ", share(row["kept_at"])]
        if row["scheme"] == "turn":
            upto = [" up to a working set of ", of(row, "kept_bytes")]
        yield [f"buffer reuse: {place(row, row['test'])}: no drop over 5%", *upto]


def step(less: Row, more: Row) -> tuple[float, float, float]:
    """What the second takes more, with the ends that both intervals allow."""
    a, b = less["latency_ns"], more["latency_ns"]
    return b["value"] - a["value"], b["low"] - a["high"], b["high"] - a["low"]


def interval(found: tuple[float, float, float]) -> list[Piece]:
    low, high = sorted(map(abs, found[1:]))
    return [Shown(value=abs(found[0]), low=low, high=high, units=UNITS["_ns"])]


def of_test(results: Results, test: str, variant: str = "") -> dict[tuple[str, int], Row]:
    return {
        (row["transport"], row["bytes"]): row
        for row in plain("figures", results)
        if row["test"] == test and row["variant"] == variant
    }


def registration(results: Results) -> Iterator[list[Piece]]:
    before = of_test(results, "ping_pong")
    for key, row in of_test(results, "register_ping_pong").items():
        found = step(before[key], row)
        change = "adds" if found[1] > 0 else "saves"
        assert found[1] * found[2] > 0, "the sentence is another"
        head = f"registration: {place(row, 'ping_pong')}: registering each message {change} "
        yield [head, *interval(found), " per message"]


def pages(results: Results) -> Iterator[list[Piece]]:
    small = of_test(results, "ping_pong", "small_pages")
    for key, row in of_test(results, "ping_pong", "huge_pages").items():
        found = step(small[key], row)
        took = "longer" if found[1] > 0 else "less"
        times = small[key]["latency_ns"]["value"] / row["latency_ns"]["value"]
        yield [
            f"pages: {place(row | {'variant': ''}, 'ping_pong')}: ", *interval(found),
            f" {took} with huge pages: ", Shown(value=times, units={"": 1.0}),
            " times the bandwidth",
        ]  # fmt: skip


def bus(results: Results) -> Iterator[list[Piece]]:
    for row in plain("bus", results):
        worth = {stage["name"]: stage for stage in row["stages"]}
        one, both = (row[f"bottleneck_{way}"] for way in ("one_way", "both_ways"))
        yield [
            f"host bus: {row['device']} on {row['host']}: one way at most ",
            rate(min(stage["one_way_bytes_per_s"] for stage in row["stages"])),
            f" by {one}; both ways together at most ",
            rate(worth[both]["both_ways_bytes_per_s"]), f" by {both}",
        ]  # fmt: skip


def rails(results: Results) -> Iterator[list[Piece]]:
    groups: dict[str, list[Row]] = {}
    for row in plain("rails", results):
        groups.setdefault(f"{row['transport']}, {row['test']}", []).append(row)
    for where, rows in groups.items():
        pieces: list[Piece] = [f"rails: {where}, in times one rail: "]
        for number, row in enumerate(rows):
            pieces += ["; "] * (number > 0)
            pieces += [of(row, "ratio"), " at ", of(row, "bytes"), f" ({row['verdict']})"]
        yield pieces


def settings(results: Results) -> Iterator[list[Piece]]:
    series: dict[tuple[str, ...], list[Row]] = {}
    for row in plain("settings", results):
        series.setdefault((row["setting"], row["test"], row["transport"]), []).append(row)
    for (setting, test, transport), rows in series.items():
        assert {row["verdict"] for row in rows} == {"worse"}, "the sentence is another"
        most = min(rows, key=lambda row: float(row["speed"]["value"]))
        yield [
            f"settings: {test}, {transport}: {setting} beside {rows[0]['reference']}: slower at",
            f" {len(rows)} of {len(rows)} sizes, most at ",
            of(most, "bytes"), ": ",
            Shown(
                value=most["speed"]["value"], low=most["speed"]["low"],
                high=most["speed"]["high"], units={"": 1.0},
            ),
        ]  # fmt: skip


TOLD: dict[str, Callable[[Results], Iterator[list[Piece]]]] = {
    one.__name__: one
    for one in (
        availability, bus, completion, figures, pages, queue_depth, rails, registration, reuse,
        scaling, settings,
    )
}  # fmt: skip
# On how many sessions a verdict rests, with what to type: tests/studies/test_what_would_tell.py.
RESTS_ON = re.compile(r"scaling: \d+ sessions of .* weft run --again .*")


def texts_of(sentence: str, pieces: Sequence[Piece]) -> tuple[str, ...] | None:
    """What stands between the words; None where the words are others."""
    words = "".join(re.escape(one) if isinstance(one, str) else "(.+?)" for one in pieces)
    match = re.fullmatch(words, sentence)
    return None if match is None else match.groups()


def says(sentence: str, pieces: Sequence[Piece]) -> bool:
    texts = texts_of(sentence, pieces)
    wanted: list[Wanted] = [one for one in pieces if not isinstance(one, str)]
    return texts is not None and all(map(shows, texts, wanted))


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_each_figure_of_a_sentence_is_its_fields(topic: Topic[Any], results: Results) -> None:
    said = [one for one in topic.findings(results.of(topic)) if not RESTS_ON.fullmatch(one)]
    if topic.name not in TOLD:
        assert not said, f"{topic.name} says something: tell its sentences in TOLD"
        return
    wanted = list(TOLD[topic.name](results))
    assert len(said) == len(wanted), said
    for sentence, pieces in zip(said, wanted, strict=True):
        assert says(sentence, pieces), (sentence, pieces)
        for wrong in swapped(sentence, pieces):
            assert not says(wrong, pieces), wrong


def swapped(sentence: str, pieces: Sequence[Piece]) -> Iterator[str]:
    """The sentence with two neighbouring figures exchanged."""
    texts = list(texts_of(sentence, pieces) or ())
    for left, right in itertools.pairwise(range(len(texts))):
        if texts[left] == texts[right]:
            continue
        other = [*texts]
        other[left], other[right] = texts[right], texts[left]
        rest = iter(other)
        yield "".join(one if isinstance(one, str) else next(rest) for one in pieces)


def test_the_first_sentence_has_each_transports_own_figures(results: Results) -> None:
    """The latency of 8 B, and the best bandwidth of a stream without options, with its size."""
    rows = [row for row in plain("figures", results) if not row["variant"]]
    parts = []
    for transport in dict.fromkeys(row["transport"] for row in rows):
        own = [row for row in rows if row["transport"] == transport]
        latency = [r for r in own if r["test"] == "ping_pong" and r["bytes"] == 8]
        rates = [row for row in own if row["test"] == "stream"]
        best = max(
            rates, key=lambda row: float(row["bandwidth_bytes_per_s"]["value"]), default=None
        )
        pieces: list[Piece] = []
        if latency:
            pieces += ["8 B latency ", in_ns(latency[0]["latency_ns"]["value"])]
        if best:
            found = rate(best["bandwidth_bytes_per_s"]["value"])
            pieces += [", "] * bool(pieces)
            pieces += ["peak bandwidth ", found, f" at {size_of(best)}"]
        if pieces:
            parts.append([f"over {transport} ", *pieces])
    every = [*parts[0], *(one for part in parts[1:] for one in ("; ", *part))]
    topic = next(one for one in TOPICS if one.name == "figures")
    sentence = topic.headline(results.of(topic))
    assert says(sentence, every), sentence
    assert sum(1 for wrong in swapped(sentence, every) if not says(wrong, every)) >= 3


def test_scalings_first_sentence_has_the_smallest_and_the_largest_lattice(
    results: Results,
) -> None:
    costs = [row for row in plain("scaling", results) if "cost" in row]
    parts: list[Piece] = [f"{costs[0]['test']} {place_of(costs[0])} "]
    for at, row in enumerate((costs[0], costs[-1])):
        parts += [" and "] * at
        # What is kept is what is not lost.
        kept = share(100 - 100 * row["cost"]["value"])
        parts += [f"{row['lattice']} keeps ", kept, f" on {row['ranks']} ranks"]
    topic = next(one for one in TOPICS if one.name == "scaling")
    sentence = topic.headline(results.of(topic))
    assert says(sentence, parts), sentence
    for wrong in swapped(sentence, parts):
        assert not says(wrong, parts)
