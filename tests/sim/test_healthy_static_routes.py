"""A healthy fat tree with static routes, simulated, with noise as measured maps have it."""

import os
from pathlib import Path

import msgspec
import numpy as np
import pytest

import weft
from support.in_process import weft_here
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.diagnosis.diagnose import diagnose
from weft.analysis.diagnosis.measured import MeasuredMap, measured_maps
from weft.analysis.diagnosis.pair_times import PairTimes

pytestmark = pytest.mark.engine
LAUNCHES = 3
FABRIC = ("--topology", "fat-tree 16/16 full d-mod-k", "--ranks", "64", "--sizes", "64KiB")


def noisy(times: PairTimes, seed: int) -> PairTimes:
    """Three launches of it: 1.5 % a visit, 1 % a round and a launch, medians of tailed samples."""
    random = np.random.default_rng(seed)
    count, visits = len(times.source), int(times.visit.max()) + 1
    launch = np.repeat(np.arange(LAUNCHES), count)
    visit = np.tile(times.visit, LAUNCHES) + launch * visits
    samples = (random.gamma(1.5, 1.0, (LAUNCHES * count, 9)) - 1.5) / np.sqrt(1.5)
    logs = 0.015 * random.standard_normal(LAUNCHES * count)
    logs += 0.01 * random.standard_normal(LAUNCHES * visits)[visit]
    logs += 0.01 * random.standard_normal(LAUNCHES)[launch]
    logs += 0.02 * np.median(samples, axis=1)
    several = times.at(np.tile(np.arange(count), LAUNCHES))
    return msgspec.structs.replace(several, visit=visit, time_ns=several.time_ns * np.exp(logs))


def map_of(folder: Path, *words: str) -> MeasuredMap:
    record = folder / "m.jsonl"
    asked = ("map", "--platform", "escher", *FABRIC, "--budget", "5min", *words, "-o", str(record))
    done = weft_here(asked, os.environ)
    assert done.returncode == 0, done
    [found] = measured_maps(weft.load(record))
    return found


@pytest.mark.thorough
def test_collisions_of_the_routes_accuse_nothing(tmp_path: Path) -> None:
    """Thirteen of 40 such maps accused one cable, as the same pairs met on it in each launch."""
    quiet = map_of(tmp_path)
    assert diagnose(quiet.times, quiet.fabric).findings == ()
    alarms = [diagnose(noisy(quiet.times, seed), quiet.fabric).findings for seed in range(200)]
    assert sum(map(bool, alarms)) <= 2


@pytest.mark.thorough
def test_a_cable_at_four_fifths_is_named_among_collisions(tmp_path: Path) -> None:
    found = map_of(tmp_path, "--slow", "leaf3-spine2/1=0.8")
    slow = (Cause("cable", "cable 1 between leaf 3 and spine 2"),)
    named = [diagnose(noisy(found.times, seed), found.fabric).findings for seed in range(20)]
    assert sum([one.causes for one in findings] == [slow] for findings in named) >= 19
