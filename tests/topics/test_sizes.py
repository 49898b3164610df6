"""Curves over sizes."""

from pathlib import Path

import weft
from support.builders import make_cases, synthetic_record
from support.shown import size_charts
from weft.analysis.summary import summarise


def test_the_points_of_a_curve_ascend_in_whatever_order_sizes_were_planned(tmp_path: Path) -> None:
    sizes = (4096, 8, 1 << 20, 64)
    cases = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=sizes)
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    (chart,) = size_charts([(run, summarise(run))])
    (track,) = chart.tracks
    assert track.x == tuple(map(float, sorted(sizes)))
    assert list(track.y) == sorted(track.y)
