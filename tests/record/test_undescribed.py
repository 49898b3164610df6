"""Records of engines that did not describe their tests keep their figures."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support.builders import PATTERNS, make_cases, pattern, synthetic_record
from weft.applications.info import ApplicationInfo
from weft.applications.lattice import Lattice
from weft.plan import suites
from weft.plan.pattern import Pattern
from weft.record.undescribed import as_measured

FIELDS = (
    "figure", "has_queue", "latencies_per_sample", "messages_per_burst", "pause_trips",
    "clock_reads", "part_clock_reads", "splits_operations",
)  # fmt: skip
# Applications and the rounds of a map came later: their engines always described them.
LATER = {one.name for one in PATTERNS if one.application.is_there} | {"pair_rounds"}
TESTS = tuple(one.name for one in PATTERNS if one.name not in LATER)


# What the engines of each test measured, beside the kind of its figure: written for this test.
MEASURED: dict[str, tuple[str, dict[str, Any]]] = {
    "ping_pong": ("latency", {}),
    "ping_ping": ("latency", {}),
    "register_ping_pong": ("latency", {}),
    "sendrecv": ("exchange", {}),
    "put_ping_pong": ("one_sided_latency", {}),
    "put_notify_ping_pong": ("one_sided_latency", {}),
    "put_latency": ("one_sided_latency", {}),
    "get_latency": ("one_sided_latency", {}),
    **{
        name: ("bandwidth", {"has_queue": True, "latencies_per_sample": 2})
        for name in (
            "stream", "bidirectional_stream", "busy_stream", "put_stream", "get_stream",
            "register_stream",
        )
    },
    **{
        name: (
            "bandwidth",
            {"has_queue": True, "latencies_per_sample": held, "splits_operations": True},
        )
        for name, held in (
            ("hot_spot_send", 2), ("hot_spot_receive", 2), ("message_rate", 4), ("random_pairs", 4),
        )
    },
    "burst": ("burst", {"messages_per_burst": 8}),
    "paused_burst": ("burst", {"messages_per_burst": 8, "pause_trips": 4, "clock_reads": 7}),
    "late_receive": ("overhead", {"pause_trips": 4, "clock_reads": 1}),
    "host_overhead": (
        "overhead",
        {
            "part_clock_reads": dict.fromkeys(
                ("post_send", "complete_send", "post_receive", "complete_receive"), 1
            )
        },
    ),
    **{
        name: ("overlap", {"clock_reads": 1, "part_clock_reads": reads})
        for name, reads in (
            ("send_overlap", {"alone": 1, "work": 1, "call": 1}),
            ("receive_overlap", {"alone": 1, "work": 1, "call": 2}),
            ("put_overlap", {"alone": 1, "work": 1}),
            ("get_overlap", {"alone": 1, "work": 1}),
        )
    },
    "offered_load": ("loaded_latency", {"has_queue": True}),
    "registration": ("registration", {}),
    "copy": ("copy", {}),
}  # fmt: skip


def bare(name: str) -> Pattern:
    """A test as the first engines described it."""
    return Pattern(name=name, title="", summary="", ranks=2, latency_divisor=1, bandwidth_factor=0)


@pytest.mark.parametrize("name", MEASURED)
def test_an_undescribed_test_is_what_its_engines_measured(name: str) -> None:
    figure, fields = MEASURED[name]
    wanted = msgspec.structs.replace(bare(name), figure=figure, **fields)
    assert as_measured(bare(name)) == wanted


def test_every_undescribed_test_is_in_the_table() -> None:
    known = {name for name in suites.tests_of_suites() if as_measured(bare(name)).figure}
    assert known == set(MEASURED)


def rewritten(path: Path, change: dict[str, object] | None) -> weft.Run:
    """The record with these fields of every test, or without any of them."""
    header, *rest = path.read_text().splitlines()
    told = json.loads(header)
    for one in told["patterns"]:
        for name in FIELDS:
            one.pop(name, None)
        one.update(change or {})
    path.write_text("\n".join([json.dumps(told), *rest, ""]))
    return weft.load(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return synthetic_record(tmp_path / "r.jsonl", make_cases(TESTS, ("tcp",), (8,)))


def test_an_old_record_is_read_with_the_values_it_was_made_with(path: Path) -> None:
    patterns = rewritten(path, None).patterns
    assert patterns == {name: pattern(name) for name in TESTS}
    assert patterns["burst"].messages_per_burst == 8
    assert (patterns["paused_burst"].pause_trips, patterns["paused_burst"].clock_reads) == (4, 7)
    assert patterns["receive_overlap"].part_clock_reads == {"alone": 1, "work": 1, "call": 2}
    assert patterns["hot_spot_send"].splits_operations
    assert all(one.figure for one in patterns.values())


def test_what_an_engine_says_is_taken_as_it_says_it(path: Path) -> None:
    patterns = rewritten(path, {"figure": "latency"}).patterns
    assert patterns["burst"].messages_per_burst == 0
    assert not patterns["hot_spot_send"].splits_operations
    assert {one.figure for one in patterns.values()} == {"latency"}
    assert not any(one.part_clock_reads or one.pause_trips for one in patterns.values())


def test_a_test_that_nobody_knew_stays_undescribed(path: Path) -> None:
    text = (
        path.read_text()
        .replace('"ping_ping"', '"ping_of_old"')
        .replace("/ping_ping/", "/ping_of_old/")
    )
    path.write_text(text)
    told = rewritten(path, None).patterns["ping_of_old"]
    assert isinstance(told, Pattern)
    assert told.figure == ""


def test_an_old_engine_of_milc_took_its_options_without_saying_so() -> None:
    # The engine said what short links save, in fields that no reader knows any more.
    info = as_measured(
        Pattern(
            name="milc", title="", summary="", figure="iteration", ranks=1, latency_divisor=1,
            bandwidth_factor=0,
            application=ApplicationInfo(dimensions=4, bytes="36", moved_bytes_per_site=1344),
        )
    ).application  # fmt: skip
    assert all(info.takes(name) for name in ("long_links", "mass", "u0", "gauge"))
    assert info.rest == "fields"
    short = Lattice(extents=(2, 4, 6, 8), long_link_reals=12)
    assert short.moved_bytes_per_site(info, 36) == 1344 - 192
    told = msgspec.structs.replace(pattern("halo"))
    assert as_measured(told) == told
