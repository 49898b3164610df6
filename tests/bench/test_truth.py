"""A short form of `python -m bench.truth`: what the docs' table says of known platforms."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
# In per cent; a stream holds unloaded latencies.
MOST_ERROR = {"run: stream of 1 MiB": 0.5, "LogGP: L": 1.5}
EXACT = 0.01

pytestmark = pytest.mark.engine


def test_the_chain_gives_a_known_platform_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from bench.truth import (
        Found,
        drawn,
        look_at_fits,
        look_at_intervals,
        look_at_pairs,
        look_at_run,
        noisy,
        record_of,
    )

    random = np.random.default_rng(7)
    found = Found(defaultdict(list), defaultdict(list))
    truth = drawn(random)
    run = record_of(truth, tmp_path, "drawn")
    look_at_run(run, truth, found)
    look_at_fits(run, truth, found)
    look_at_pairs([(run, truth), (run, truth)], found)
    assert len(found.errors) == 14
    wrong = {
        what: max(errors)
        for what, errors in found.errors.items()
        if max(errors) > MOST_ERROR.get(what, EXACT)
    }
    assert not wrong
    for _ in range(5):
        look_at_intervals(noisy(run, random), truth, found)
    assert np.mean([held for own in found.held.values() for held in own]) > 0.85
