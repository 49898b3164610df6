"""Maps against limits: each way, the effective bisection bandwidth, the dead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from support.builders import write_lines
from support.maps import map_record
from weft.analysis.diagnosis.measured import MeasuredMap, measured_maps
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.needed import to_be_beside
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.simulated import SimulatedPlatform
from weft.record.run import load
from weft.sources.limits import read_limits
from weft.studies.checks import checked
from weft.studies.made_limits import write_limits
from weft.studies.map_limits import checks_of_limits

if TYPE_CHECKING:
    from pathlib import Path

    from weft.analysis.compare.acceptance import Checked

SIZES = (8, 1 << 20)


def held(
    folder: Path, limit: str, slow: dict[str, float] | None = None, gone: tuple[str, ...] = ()
) -> list[Checked]:
    """1 us there and back of 8 B, and a nanosecond more for each byte of 1 MiB."""
    record, limits = folder / "m.jsonl", folder / "limits.toml"
    if not record.exists():
        map_record(record, slow or {}, sizes=SIZES, gone=gone)
    limits.write_text(f'[[limit]]\ntest = "pair_rounds"\n{limit}\n')
    return [*checks_of_limits([load(record)], read_limits(limits))]


@pytest.mark.parametrize(
    ("bound", "outcome"), [("0.6 us", "pass"), ("0.515 us", "cannot tell"), ("0.3 us", "fail")]
)
def test_every_way_keeps_a_latency(tmp_path: Path, bound: str, outcome: str) -> None:
    """Half of 1 us, within 2 % by the launch."""
    [check] = held(tmp_path, f'sizes = "8"\nlatency_at_most = "{bound}"')
    assert (check.outcome, check.bytes) == (outcome, 8)
    assert "42 ways" in check.why


def test_a_limit_that_every_way_keeps_says_what_the_slowest_takes(tmp_path: Path) -> None:
    """n3's take 1.5 us there and back, of which half of the usual 1 us is the answer's."""
    [check] = held(tmp_path, 'sizes = "8"\nlatency_at_most = "2 us"', {"n3": 1.5})
    assert check.outcome == "pass"
    [time_us] = re.findall(r"the slowest of 42 ways takes ([\d.]+) µs$", check.why)
    assert float(time_us) == pytest.approx(1.0, rel=0.03)


def test_an_open_limit_says_what_would_tell_and_what_to_type(tmp_path: Path) -> None:
    """As many launches as bring the interval of the way that needs most off the bound."""
    [check] = held(tmp_path, 'sizes = "8"\nlatency_at_most = "0.512 us"')
    assert check.needed is not None
    assert check.needed.unit == "launch"
    runs = [load(tmp_path / "m.jsonl")]
    ways = [median_of_launches(visits) for visits in _own_times_of_ways(measured_maps(runs[0])[0])]
    open_ways = [way for way in ways if way.high > 512]
    assert len({to_be_beside(way, 512).count for way in open_ways}) > 1
    assert check.needed.count == max(to_be_beside(way, 512).count for way in open_ways)
    found = checked([tmp_path / "m.jsonl"], [tmp_path / "limits.toml"], 0.0)
    [line] = [line for line in found.notes if "open check" in line]
    assert f"--launches {int(check.needed.count)}" in line
    assert f"weft run --again {tmp_path / 'm.jsonl'}" in line


def _own_times_of_ways(one: MeasuredMap) -> list[list[float]]:
    """What is left of there and back without the answer, which takes half of the median."""
    times = one.times
    answer_ns = float(np.median(times.time_ns)) / 2
    own_ns = np.maximum(times.time_ns - answer_ns, times.time_ns / 2)
    names = range(len(times.names))
    return [
        own_ns[(times.source == source) & (times.target == target)].tolist()
        for source in names
        for target in names
        if source != target
    ]


def test_the_ways_that_are_beyond_are_named(tmp_path: Path) -> None:
    [check] = held(tmp_path, 'sizes = "8"\nlatency_at_most = "0.8 us"', {"n5": 2.0})
    assert check.outcome == "fail"
    assert check.why.count("n5 to ") == 4
    assert "and 2 more, of 42 ways" in check.why


def test_a_bandwidth_is_that_of_the_bisection(tmp_path: Path) -> None:
    """A byte a nanosecond is 1 GB/s."""
    for bound, outcome in (("0.9 GB/s", "pass"), ("1.1 GB/s", "fail")):
        [check] = held(tmp_path, f'sizes = "1MiB"\nbandwidth_at_least = "{bound}"')
        assert check.outcome == outcome
        assert "effective bisection bandwidth" in check.why
    share = 'sizes = "1MiB"\nlink = "IB 4x SDR"\npercent_of_peak_at_least = "{}"'
    assert [held(tmp_path, share.format(one))[0].outcome for one in ("90%", "99.9%")] == [
        "pass",
        "fail",
    ]
    [check] = held(tmp_path, 'sizes = "8"\nbandwidth_at_least = "1 GB/s"')
    assert check.outcome == "cannot tell"


def test_a_dead_host_keeps_no_limit(tmp_path: Path) -> None:
    [check] = held(tmp_path, 'sizes = "8"\nlatency_at_most = "9 us"', gone=("n3",))
    assert check.outcome == "fail"
    assert "n3 did not answer: dead, not slow" in check.why


def test_what_was_not_measured_is_told(tmp_path: Path) -> None:
    found = held(tmp_path, 'sizes = "8,64KiB"\nlatency_at_most = "9 us"')
    assert [one.outcome for one in found] == ["pass", "cannot tell"]
    assert "64 KiB was not measured" in found[1].why
    with pytest.raises(WeftError, match="no limit applies to the map"):
        held(tmp_path, 'transport = "mpi"\nlatency_at_most = "9 us"')


def test_limits_of_a_map_with_a_way_to_wait_name_its_variant(tmp_path: Path) -> None:
    map_record(tmp_path / "m.jsonl", {}, sizes=SIZES, wait="block")
    with pytest.raises(WeftError, match="no limit applies to the map") as refused:
        held(tmp_path, 'sizes = "8"\nlatency_at_most = "9 us"')
    said = 'test = "pair_rounds", variant = "block"'
    assert refused.value.fix == f"write limits for {said}"
    # What it says to write is enough.
    [check] = held(tmp_path, 'variant = "block"\nsizes = "8"\nlatency_at_most = "9 us"')
    assert check.outcome == "pass"


def test_the_command_takes_a_map_and_limits(tmp_path: Path) -> None:
    held(tmp_path, 'sizes = "8"\nlatency_at_most = "0.8 us"', {"n5": 2.0})
    words = ["check", str(tmp_path / "m.jsonl"), "--against", str(tmp_path / "limits.toml")]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 1
    assert "n5 to " in " ".join(ran.stdout.split())


def test_a_simulation_has_no_sessions_and_no_boots(tmp_path: Path) -> None:
    """It was said that a slow boot looks like a slow machine, and what to type on another day."""
    lines = map_record(tmp_path / "m.jsonl", {}).lines
    platform = SimulatedPlatform(name="known", kind="model", nodes=7)
    assert lines.footer is not None
    plan = msgspec.structs.replace(lines.header.plan, simulated=platform)
    header = msgspec.structs.replace(lines.header, plan=plan)
    path = tmp_path / "s.jsonl"
    write_lines(path, [header, *lines.launches, *lines.batches, *lines.ends, lines.footer])
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\ntest = "pair_rounds"\nlatency_at_most = "1 us"\n')
    notes = [" ".join(checked([one], [limits], 0.05).notes) for one in (tmp_path / "m.jsonl", path)]
    for word in ("session", "boot"):
        assert [word in note for note in notes] == [True, False]


def test_no_limits_are_made_of_a_map(tmp_path: Path) -> None:
    """They were, one for each round, and no check took them."""
    record, limits = map_record(tmp_path / "m.jsonl", {}, sizes=SIZES).path, tmp_path / "l.toml"
    with pytest.raises(WeftError, match="no limits are made of a map, and ") as refused:
        write_limits([record], limits)
    assert f"weft check NEXT --against {record}" in refused.value.fix
    assert not limits.exists()
