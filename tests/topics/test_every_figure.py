"""Every figure of a topic's row is what the record's samples give, each in its own field."""

import json
from typing import Any

import msgspec
import pytest

from support.cells import Shown, flat, is_estimate, shown_of
from support.told import Lines, told_by_samples
from weft.record.run import Run
from weft.topics import TOPICS, results_among
from weft.topics.base import Results, Topic

# Fields whose figure follows from others of the row, or is told elsewhere: of loads the knee, of
# scaling the costs and what is left of an iteration (test_scaling.py), availability's drop.
FURTHER = {
    "added_ns",
    "step.added_ns",
    "step.by_itself_ns",
    "cost",
    "base_ns",
    "drop_at_percent",
    "parts_ns.fields",
    "most_ns",
}


@pytest.fixture(scope="module")
def results(unlike: Run) -> Results:
    return results_among(unlike)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_each_figure_of_a_row_is_told_by_the_samples(
    topic: Topic[Any], unlike: Run, results: Results
) -> None:
    lines = Lines(unlike.path)
    rows = flat(json.loads(msgspec.json.encode(topic.plain(results.of(topic)))))
    for row in rows:
        told = dict(told_by_samples(topic.name, lines, row))
        for field, wanted in told.items():
            shown = shown_of(field, row[field])
            assert isinstance(shown, Shown), (topic.name, field)
            assert shown.value == pytest.approx(wanted, rel=1e-6), (topic.name, field, row)
        if told:
            figures = {field for field, leaf in row.items() if is_estimate(leaf)}
            assert figures - told.keys() <= FURTHER, topic.name
